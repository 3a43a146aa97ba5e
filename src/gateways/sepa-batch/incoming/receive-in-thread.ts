/** Receives a large file in a worker thread: its bytes go in; the packed file and its records come out. */
import { Worker } from "node:worker_threads";
import { assert } from "../../../lib/assert.ts";
import type { Keyring } from "../../../lib/keyring.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import { contextOfPiece } from "../pack.ts";
import type { ThreadAnswer, Request } from "./reading-thread.ts";
import type { Chunk } from "./items.ts";
import type { ReceivedFile } from "./read-delivery.ts";

/**
 * More threads would only compete for the processors; a file without a thread waits before it is read from its source.
 */
const THREADS_MAX = 4;
/** In megabytes. Reading needs about ten; a hostile file that needs more ends its thread, not the service. */
const LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 192 } as const;

/**
 * Receives a file in a worker thread.
 * @throws what reading the bytes throws.
 */
export async function receiveInThread(
  keys: Keyring,
  tenant: number,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile> {
  const thread = await startThread();
  try {
    let taken: Promise<unknown> = Promise.resolve();
    for await (const chunk of bytes) {
      await taken;
      // Copied because the buffer is transferred as a whole, and a chunk may share it with others.
      const copy = new Uint8Array(chunk);
      taken = thread.ask({ ask: "take", bytes: copy }, [copy.buffer]);
    }
    await taken;
    const packed = await thread.ask({ ask: "end" });
    assert(packed.answer === "packed", "the answer to an end");
    return {
      sha256: Buffer.from(packed.sha256),
      size: packed.size,
      pieces: () => pieces(thread, (number, piece) => keys.seal(tenant, contextOfPiece(id, number), piece)),
      chunks: (ibans) => chunks(thread, ibans),
      close: () => thread.end(),
    };
  } catch (error) {
    await thread.end();
    throw error;
  }
}

async function* pieces(
  thread: Thread,
  seal: (number: number, piece: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  thread.post({ ask: "open", what: "pieces" });
  for (let number = 0; ; number += 1) {
    const next = await thread.ask({ ask: "next" });
    if (next.answer !== "piece") return;
    yield seal(number, Buffer.from(next.bytes.buffer));
  }
}

/** Reads the next chunk while the last one is written into the books. */
async function* chunks(thread: Thread, ibans: readonly string[]): AsyncGenerator<Chunk> {
  thread.post({ ask: "open", what: "chunks", ibans });
  let next = thread.ask({ ask: "next" });
  for (;;) {
    const answer = await next;
    if (answer.answer !== "chunk") return;
    next = thread.ask({ ask: "next" });
    yield answer.chunk;
  }
}

interface Thread {
  post(request: Request): void;
  /** Answers come in the order of the requests. @throws BankFileRefused; Error when the thread has failed or ended. */
  ask(request: Request, transfer?: readonly ArrayBuffer[]): Promise<ThreadAnswer>;
  end(): Promise<void>;
}

let running = 0;
const waiting: (() => void)[] = [];

async function startThread(): Promise<Thread> {
  if (running === THREADS_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  const worker = new Worker(new URL("reading-thread.ts", import.meta.url), { resourceLimits: LIMITS });
  const asked: PromiseWithResolvers<ThreadAnswer>[] = [];
  let over: Error | null = null;
  const fail = (error: Error): void => {
    over ??= error;
    for (const { reject } of asked.splice(0)) reject(over);
  };
  worker.on("message", (answer: ThreadAnswer) => {
    const first = asked.shift();
    if (answer.answer === "refused") first?.reject(new BankFileRefused(answer.code, answer.what));
    else if (answer.answer === "failed") first?.reject(answer.error);
    else first?.resolve(answer);
  });
  worker.on("error", fail);
  worker.on("exit", () => {
    fail(new Error("The thread that reads the file has ended"));
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  });
  return {
    post: (request) => worker.postMessage(request, []),
    ask(request, transfer = []) {
      const one = Promise.withResolvers<ThreadAnswer>();
      // A caller that reads ahead may never receive the error.
      one.promise.catch(() => {});
      if (over === null) {
        asked.push(one);
        worker.postMessage(request, transfer);
      } else {
        one.reject(over);
      }
      return one.promise;
    },
    async end() {
      await worker.terminate();
    },
  };
}
