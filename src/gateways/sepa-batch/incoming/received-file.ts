/** A received bank file: packed and sealed for storage, and readable again whenever its transaction is retried. */
import type { Keyring } from "../../../lib/keyring.ts";
import { pack, unpacked } from "../pack.ts";
import { readChunks, type Chunk } from "./chunks.ts";
import { receiveInThread } from "./receive-in-thread.ts";

export interface ReceivedFile {
  readonly sha256: Buffer;
  /** In bytes, as it came. */
  readonly size: number;
  /** As they are stored, in their order. */
  pieces(): AsyncIterable<Buffer>;
  /** @param ibans the creditor's accounts. @throws BankFileRefused while they are read. */
  chunks(ibans: readonly string[]): AsyncIterable<Chunk>;
  /** Gives back what it holds. */
  close(): Promise<void>;
}

interface Peeked {
  /** At least as many as were asked for, unless there are no more. */
  readonly first: Buffer;
  /** Whether these are all. */
  readonly complete: boolean;
  /** All bytes, from the first one. */
  readonly all: AsyncIterable<Uint8Array>;
}

/** Peeks at the first bytes of a stream before reading the rest. @param count how many bytes to look at. @throws what reading the bytes throws. */
export async function peek(bytes: AsyncIterable<Uint8Array>, count: number): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let complete = false;
  while (length < count && !complete) {
    const next = await iterator.next();
    if (next.done === true) {
      complete = true;
    } else {
      chunks.push(next.value);
      length += next.value.length;
    }
  }
  const first = Buffer.concat(chunks);
  return { first, complete, all: goingOn(first, iterator) };
}

async function* goingOn(first: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  // Stopping early also ends the source.
  yield* { [Symbol.asyncIterator]: () => iterator };
}

/** Up to this size a file is read in less time than a thread needs to start. */
const LARGE_BYTES = 1_024 ** 2;

/**
 * Takes in a file as it comes, without ever holding it. A large one has a thread of its own: hashing, packing and reading it,
 * and clearing up after that, would hold up every other request.
 * @param id of the file: its pieces are sealed to it.
 * @throws what reading the bytes throws.
 */
export async function receiveFile(
  keys: Keyring,
  tenant: number,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile> {
  const { complete, all } = await peek(bytes, LARGE_BYTES);
  if (!complete) return receiveInThread(keys, tenant, id, all);
  const file = await pack(keys, tenant, id, all);
  const { sha256, size, packed } = file;
  return {
    sha256,
    size,
    pieces: () => packed.pieces(),
    chunks: (ibans) => readChunks(unpacked(file), ibans),
    close: () => packed.close(),
  };
}
