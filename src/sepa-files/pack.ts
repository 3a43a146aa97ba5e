/** A bank file at rest: packed, because it is mostly the same words, and sealed, because it holds IBANs. */
import { createHash } from "node:crypto";
import { createGunzip, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import type { Keyring } from "../lib/keyring.ts";

export interface Packed {
  readonly sha256: Buffer;
  readonly content: Buffer;
  /** Of what was packed, in bytes. */
  readonly size: number;
}

/** What a file's content is sealed to. */
function context(id: string): string {
  return `sepa_files.content:${id}`;
}

/** Packs and seals a file as it comes, without ever holding it unpacked. */
export async function pack(
  keys: Keyring,
  tenant: number,
  id: string,
  chunks: Iterable<string> | AsyncIterable<Uint8Array>,
): Promise<Packed> {
  const hash = createHash("sha256");
  let size = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      hash.update(bytes);
      size += bytes.length;
      yield bytes;
    }
  }
  const packed: Buffer[] = [];
  const source = Readable.from(counted());
  const gzip = createGzip();
  source.on("error", (error) => gzip.destroy(error));
  for await (const chunk of source.pipe(gzip)) packed.push(chunk as Buffer);
  return { sha256: hash.digest(), content: keys.seal(tenant, context(id), Buffer.concat(packed)), size };
}

/** The file again, as a stream. */
export function unpack(keys: Keyring, tenant: number, id: string, content: Buffer): Readable {
  return Readable.from([keys.open(tenant, context(id), content)]).pipe(createGunzip());
}
