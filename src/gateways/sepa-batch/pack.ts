/** A stored bank file: compressed, because it is repetitive, and sealed in pieces, because it contains IBANs. */
import { createHash } from "node:crypto";
import { createGunzip, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import type { Keyring } from "../../lib/keyring.ts";
import { spool, type SealedSpool } from "../../lib/sealed-spool.ts";

interface Packed {
  readonly sha256: Buffer;
  /** Of what was packed, in bytes. */
  readonly size: number;
  /** To be closed when the file is stored. */
  readonly packed: SealedSpool;
}

/** Packs and seals a file as it comes, without ever holding it. */
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

/** The output of `transform`; an error of its source is its own, and its end ends the source. */
function through<T extends NodeJS.ReadWriteStream & Readable>(source: Readable, transform: T): T {
  source.on("error", (error) => transform.destroy(error));
  transform.on("close", () => source.destroy());
  return source.pipe(transform);
}

/** The context that a piece of a file is sealed with. */
export function contextOfPiece(id: string, number: number): string {
  return number === 0 ? `sepa_files.content:${id}` : `sepa_files.content:${id}:${number}`;
}

/** A file that was just packed, as a stream. */
export function unpacked({ packed }: Packed): Readable {
  return through(Readable.from(packed.read()), createGunzip());
}

/** A stored file again, as a stream. @param pieces as they are stored, in their order. */
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
