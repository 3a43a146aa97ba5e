/** Peeks at the first bytes of a stream before reading the rest. */

interface Peeked {
  /** At least as many as were asked for, unless there are no more. */
  readonly first: Buffer;
  /** Whether these are all. */
  readonly complete: boolean;
  /** All bytes, from the first one. */
  readonly all: AsyncIterable<Uint8Array>;
}

/** @param count how many bytes to look at. @throws what reading the bytes throws. */
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
