/** The only use of the tar library: a compressed archive of files, written and read as a stream. */
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { extract, pack, type Pack } from "tar-stream";

/** A file in an archive, held in memory as a whole: large exports are divided into many files. */
export interface TarFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** An archive cannot be read: it is damaged, truncated, or not an archive. */
export class DamagedArchive extends Error {}

const FILE_BYTES_MAX = 1_024 * 1_024 * 1_024;

/**
 * Writes an archive of the files as they are created.
 * @param at the date of the files.
 */
export function writeTar(files: AsyncIterable<TarFile>, to: NodeJS.WritableStream, at: Date): Promise<void> {
  // Level 1: most of what can be compressed is text, and sealed values do not get smaller.
  return pipeline(archiveOf(files, at), createGzip({ level: 1 }), to);
}

async function* archiveOf(files: AsyncIterable<TarFile>, at: Date): AsyncGenerator<Buffer> {
  const archive = pack();
  const filled = fill(archive, files, at);
  filled.catch((error: Error) => archive.destroy(error));
  for await (const chunk of archive) yield chunk as Buffer;
  await filled;
}

async function fill(archive: Pack, files: AsyncIterable<TarFile>, at: Date): Promise<void> {
  for await (const { name, bytes } of files) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    archive.entry({ name, size: bytes.length, mode: 0o600, mtime: at }, bytes, (error) =>
      error ? reject(error) : resolve(),
    );
    await promise;
  }
  archive.finalize();
}

/**
 * The files of an archive, one after the other.
 * @throws DamagedArchive where it cannot be read.
 */
export async function* readTar(source: Readable): AsyncGenerator<TarFile> {
  const archive = extract();
  const read = pipeline(source, createGunzip(), archive);
  // Reported after the files before it were read.
  read.catch(() => {});
  try {
    for await (const entry of archive) {
      const { name, size } = entry.header;
      if (size > FILE_BYTES_MAX) throw new DamagedArchive(`its file ${name} is too large`);
      yield { name, bytes: await whole(entry) };
    }
    await read;
  } catch (error) {
    throw isOfSystem(error) || !(error instanceof Error)
      ? error
      : new DamagedArchive(error.message, { cause: error });
  } finally {
    source.destroy();
  }
}

async function whole(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** An error of the disk or of opening the file, not of its contents. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
