/** The only use of the zip writer: an archive that is sent while its files are created. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";

interface NewFile {
  readonly name: string;
  readonly text: Iterable<string> | AsyncIterable<string>;
}

/** The next file is requested after the one before was read; nothing is produced before the reader has room. */
export function zipped(files: AsyncIterable<NewFile>): Readable {
  const zip = new ZipFile();
  // A PassThrough, whatever its type.
  const archive = zip.outputStream as Readable;
  void fill(zip, archive, files).catch((error: unknown) => archive.destroy(error as Error));
  return archive;
}

async function fill(zip: ZipFile, archive: Readable, files: AsyncIterable<NewFile>): Promise<void> {
  for await (const { name, text } of files) {
    if (archive.destroyed) return;
    const source = Readable.from(text, { objectMode: false });
    // `pipe` forwards neither the end of its reader nor an error of its source.
    const left = () => void source.destroy();
    archive.once("close", left);
    zip.addReadStream(source, name);
    await once(source, "close");
    archive.off("close", left);
  }
  zip.end();
}
