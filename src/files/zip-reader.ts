/** The only use of the zip reader: the files of a bank's archive, one after the other, within limits. */
import { crc32 } from "node:zlib";
import { Readable } from "node:stream";
import {
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  type Entry as ZipEntry,
  type ZipFile,
} from "yauzl";
import { BankFileRefused } from "./refused.ts";

/** One file of an archive. Its bytes are read once, before the next file is requested. */
interface ZippedFile {
  /** With its folders: `2026-11/statement.xml`. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** An archive with random access to its bytes. */
export interface Archive {
  readonly size: number;
  read(from: number, until: number): AsyncIterable<Uint8Array>;
}

/** A day's statements of hundreds of accounts. */
export const ZIP_FILES_MAX = 1_000;
/** Including folders and skipped entries: macOS adds one for each file. */
const ZIP_ENTRIES_MAX = 4 * ZIP_FILES_MAX;
/** The unpacked size of all files in an archive: some 700,000 entries. */
const ZIP_INFLATED_BYTES_MAX = 512 * 1_024 * 1_024;
/**
 * A hundred thousand entries that differ only in their ids are packed to a sixtieth, a bomb of zeros to a thousandth.
 */
const RATIO_MAX = 250;
/** For files below this size the ratio is not checked. */
const RATIO_BYTES_MIN = 1_024 * 1_024;

/** Local header, and end of an empty archive. */
const MAGIC: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
];

/** Whether these bytes are the start of a zip archive. */
export function isZip(bytes: Uint8Array): boolean {
  return MAGIC.some((magic) => magic.every((byte, at) => bytes[at] === byte));
}

/**
 * The archive's files in order.
 * @throws BankFileRefused before the first one when the archive itself is not accepted.
 */
export async function* filesInZip(archive: Archive): AsyncGenerator<ZippedFile> {
  const zip = await openZip(archive);
  const entries = await listEntries(zip);
  checkSizes(entries, archive.size);
  for (const entry of entries) yield { name: entry.fileName, bytes: inflate(zip, entry) };
}

async function openZip(archive: Archive): Promise<ZipFile> {
  return fromRandomAccessReaderPromise(new ArchiveReader(archive), archive.size, {
    // Windows writes folders with a backslash, which is read as a slash.
    strictFileNames: false,
    autoClose: false,
  }).catch((error: unknown) => {
    throw damaged(error);
  });
}

class ArchiveReader extends RandomAccessReader {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    super();
    this.#archive = archive;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#archive.read(start, end), { objectMode: false });
  }
}

async function listEntries(zip: ZipFile): Promise<readonly ZipEntry[]> {
  if (zip.entryCount > ZIP_ENTRIES_MAX) throw tooMany();
  const entries: ZipEntry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (isNoFile(entry)) continue;
      checkEntry(entry);
      entries.push(entry);
      if (entries.length > ZIP_FILES_MAX) throw tooMany();
    }
  } catch (error) {
    throw asRefusal(error);
  }
  if (entries.length === 0) throw new BankFileRefused("zip_empty", "The archive is empty");
  return entries;
}

function tooMany(): BankFileRefused {
  return new BankFileRefused("zip_too_many", `The archive contains more than ${ZIP_FILES_MAX} files`);
}

/**
 * Whether it is a folder, whose files are entries of their own, or added by a desktop computer; never a bank's file.
 */
function isNoFile({ fileName }: ZipEntry): boolean {
  return fileName.endsWith("/") || fileName.split("/").some((part) => OF_DESKTOPS.has(part));
}

/** Of macOS and of Windows. */
const OF_DESKTOPS: ReadonlySet<string> = new Set(["__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"]);

function checkEntry(entry: ZipEntry): void {
  const name = entry.fileName.slice(0, 100);
  if (/(?:^|\/)\.{0,2}$/.test(entry.fileName)) {
    throw new BankFileRefused("zip_path", `The archive contains "${name}", which names no file`);
  }
  if (entry.isEncrypted())
    throw new BankFileRefused("zip_encrypted", `"${name}" in the archive is encrypted`);
  if (/\.zip$/i.test(entry.fileName)) throw nested(name);
}

/** The sizes declared in the directory; while a file is unpacked, neither side can exceed them. */
function checkSizes(entries: readonly ZipEntry[], archiveBytes: number): void {
  const inflated = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (inflated > ZIP_INFLATED_BYTES_MAX) {
    const limit = `${ZIP_INFLATED_BYTES_MAX / 1_024 / 1_024} MiB`;
    throw new BankFileRefused("zip_too_large", `The archive's files exceed ${limit} when unpacked`);
  }
  const bomb = entries.find(isBomb);
  if (bomb !== undefined) {
    throw new BankFileRefused(
      "zip_bomb",
      `"${bomb.fileName.slice(0, 100)}" unpacks to more than ${RATIO_MAX} times its size`,
    );
  }
  const packed = entries.reduce((sum, entry) => sum + entry.compressedSize, 0);
  if (packed > archiveBytes) throw new BankFileRefused("zip_bomb", "The archive's files overlap");
}

function isBomb({ uncompressedSize, compressedSize }: ZipEntry): boolean {
  return uncompressedSize > RATIO_BYTES_MIN && uncompressedSize > compressedSize * RATIO_MAX;
}

async function* inflate(zip: ZipFile, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = null;
  let sum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Buffer;
      head ??= bytes.subarray(0, 4);
      if (isZip(head)) throw nested(entry.fileName);
      sum = crc32(bytes, sum);
      yield bytes;
    }
  } catch (error) {
    throw asRefusal(error);
  }
  if (sum !== entry.crc32)
    throw damaged(new Error(`the checksum of "${entry.fileName.slice(0, 100)}" is wrong`));
}

function nested(name: string): BankFileRefused {
  return new BankFileRefused("zip_nested", `"${name.slice(0, 100)}" in the archive is an archive itself`);
}

function asRefusal(error: unknown): BankFileRefused {
  if (error instanceof BankFileRefused) return error;
  // The reader's own check of names, which comes before ours.
  const unsafe = error instanceof Error && /fileName|relative path|absolute path/.test(error.message);
  if (unsafe)
    return new BankFileRefused("zip_path", "The archive contains a name that leads out of it", {
      cause: error,
    });
  return damaged(error);
}

function damaged(error: unknown): BankFileRefused {
  const what = error instanceof Error ? error.message : String(error);
  return new BankFileRefused("zip_damaged", `The archive cannot be unpacked (${what.slice(0, 200)})`, {
    cause: error,
  });
}
