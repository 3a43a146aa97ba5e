/** Uploads as a browser or curl sends them: multipart forms with a file, and one that breaks off. */
import { Readable } from "node:stream";
import type { Database } from "../../src/db/database.ts";
import { Refusal, type RefusalKind } from "../../src/refusals.ts";

export interface Form {
  readonly body: Buffer;
  readonly headers: { readonly "content-type": string };
}

export function uploadForm(
  file: string | Uint8Array,
  { name = "file.csv", fields = {} }: { name?: string; fields?: Readonly<Record<string, string>> } = {},
): Form {
  const boundary = "----test-boundary";
  const parts = Object.entries(fields).map(
    ([field, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join("") + head),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

/** The upload of an import that ends with a refusal or error as soon as the import's first batch is written. */
export function uploadEndedHalfway(db: Database, file: string, end: RefusalKind | Error) {
  const written = Promise.withResolvers<void>();
  let transactions = 0;
  const transaction: Database["transaction"] = async (work) => {
    const result = await db.transaction(work);
    // The first one begins the import and writes its audit entry.
    if (++transactions === 2) written.resolve();
    return result;
  };
  async function* upload() {
    yield Buffer.from(file);
    await written.promise;
    throw typeof end === "string" ? new Refusal(end) : end;
  }
  return { bytes: Readable.from(upload()), db: { ...db, transaction } };
}
