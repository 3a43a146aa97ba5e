/** Spools bytes of any length in constant memory: as sealed pieces, all but the first in an unlinked file. */
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Keyring } from "./keyring.ts";

export interface SealedSpool {
  /** In bytes, before sealing. */
  readonly size: number;
  /** The sealed pieces in order, at least one. */
  pieces(): AsyncGenerator<Buffer>;
  /** The bytes in [`from`, `until`); all of them by default. */
  read(from?: number, until?: number): AsyncGenerator<Buffer>;
  /** Frees the disk space. */
  close(): Promise<void>;
}

/** Returns the context with which the piece of a number is sealed. */
type ContextOf = (number: number) => string;

const PIECE_BYTES = 256 * 1_024;

/**
 * Spools all bytes. Data on disk are sealed, and disappear with the process however it ends.
 * @param keys, tenant, contextOf determine how each piece is sealed; needed to open the pieces if they are kept.
 * @throws what reading the bytes throws, and Error when the disk is full.
 */
export async function spool(
  keys: Keyring,
  tenant: number,
  contextOf: ContextOf,
  bytes: AsyncIterable<Uint8Array>,
): Promise<SealedSpool> {
  const store = new PieceStore();
  let size = 0;
  const keep = async (piece: Buffer): Promise<void> => {
    await store.add(keys.seal(tenant, contextOf(store.count), piece));
    size += piece.length;
  };
  try {
    const room = Buffer.allocUnsafe(PIECE_BYTES);
    let used = 0;
    for await (const chunk of bytes) {
      for (let from = 0; from < chunk.length;) {
        const taken = chunk.subarray(from, from + PIECE_BYTES - used);
        room.set(taken, used);
        used += taken.length;
        from += taken.length;
        if (used < PIECE_BYTES) continue;
        await keep(room);
        used = 0;
      }
    }
    if (used > 0 || store.count === 0) await keep(room.subarray(0, used));
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    size,
    pieces: () => store.from(0),
    async *read(from = 0, until = size) {
      let number = Math.floor(from / PIECE_BYTES);
      for await (const sealed of store.from(number)) {
        const start = number * PIECE_BYTES;
        if (start >= until) return;
        const piece = keys.open(tenant, contextOf(number), sealed);
        yield piece.subarray(Math.max(0, from - start), Math.min(piece.length, until - start));
        number += 1;
      }
    },
    close: () => store.close(),
  };
}

/** Sealed pieces by number: short content is never written to disk. */
class PieceStore {
  count = 0;
  #first: Buffer = Buffer.alloc(0);
  /** All but the last have the same length. */
  #pieceLength = 0;
  #fileLength = 0;
  #file: FileHandle | null = null;
  #folder: string | null = null;

  async add(piece: Buffer): Promise<void> {
    if (this.count === 0) {
      this.#first = piece;
      this.#pieceLength = piece.length;
    } else {
      this.#file ??= await this.#open();
      await this.#file.writeFile(piece);
      this.#fileLength += piece.length;
    }
    this.count += 1;
  }

  async *from(start: number): AsyncGenerator<Buffer> {
    for (let number = start; number < this.count; number += 1) {
      yield await this.#read(number);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    // Where an open file cannot be deleted, it is deleted now.
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #read(number: number): Promise<Buffer> {
    const file = this.#file;
    if (number === 0 || file === null) return this.#first;
    const position = (number - 1) * this.#pieceLength;
    const length = Math.min(this.#pieceLength, this.#fileLength - position);
    const piece = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(piece, 0, length, position);
    if (bytesRead < length) throw new Error("The spooled data is missing");
    return piece;
  }

  async #open(): Promise<FileHandle> {
    this.#folder = await mkdtemp(join(tmpdir(), "payment-sessions-"));
    const file = await open(join(this.#folder, "spool"), "wx+", 0o600);
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
    return file;
  }
}
