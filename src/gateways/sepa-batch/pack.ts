/** Stores bank files compressed, because they are repetitive, and sealed in pieces, because they contain IBANs. */
import { createHash } from "node:crypto";
import { createGunzip, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import type { Keyring } from "../../lib/keyring.ts";
import { spool, type SealedSpool } from "../../lib/sealed-spool.ts";

interface Packed {
  readonly sha256: Buffer;
  /** Bytes before packing. */
  readonly size: number;
  /** Close it when the file is stored. */
  readonly packed: SealedSpool;
}

/** Packs and seals a file as a stream, without holding it in memory. */
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
  const gzip = through(Readable.from(counted()), createGzip());
  const packed = await spool(keys, tenant, (number) => contextOfPiece(id, number), gzip);
  return { sha256: hash.digest(), size, packed };
}

/** Pipes `source` into `transform`, passing errors on and ending the source when the consumer stops. */
function through<T extends NodeJS.ReadWriteStream & Readable>(source: Readable, transform: T): T {
  source.on("error", (error) => transform.destroy(error));
  transform.on("close", () => source.destroy());
  return source.pipe(transform);
}

/** The context that a piece of a file is sealed with. */
export function contextOfPiece(id: string, number: number): string {
  return number === 0 ? `sepa_files.content:${id}` : `sepa_files.content:${id}:${number}`;
}

/** Reads back a file that was just packed. */
export function unpacked({ packed }: Packed): Readable {
  return through(Readable.from(packed.read()), createGunzip());
}

/**
 * Reads a stored file.
 * @param pieces as stored, in order.
 */
export function unpack(keys: Keyring, tenant: number, id: string, pieces: AsyncIterable<Buffer>): Readable {
  async function* opened() {
    let number = 0;
    for await (const piece of pieces) {
      yield keys.open(tenant, contextOfPiece(id, number), piece);
      number += 1;
    }
  }
  return through(Readable.from(opened()), createGunzip());
}
