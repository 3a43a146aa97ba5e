/** The worker thread that receives and reads a large file; receive-in-thread.ts sends it one request at a time. */
import { on } from "node:events";
import { parentPort } from "node:worker_threads";
import { must } from "../../../lib/assert.ts";
import { randomIds } from "../../../lib/ids.ts";
import { createKeyring, defaultKeys } from "../../../lib/keyring.ts";
import { BankFileRefused, type BankFileRefusal } from "../../../files/refused.ts";
import { pack, unpacked } from "../pack.ts";
import { readChunks } from "./interpret.ts";
import type { Chunk } from "./items.ts";

export type Request =
  /** Bytes of the file. Answered when more can be sent. */
  | { readonly ask: "take"; readonly bytes: Uint8Array }
  /** The end of the bytes. Answered when everything is packed. */
  | { readonly ask: "end" }
  /** Selects what `next` returns from now on. Not answered. */
  | { readonly ask: "open"; readonly what: "pieces" }
  | { readonly ask: "open"; readonly what: "chunks"; readonly ibans: readonly string[] }
  | { readonly ask: "next" };

export type ThreadAnswer =
  | { readonly answer: "taken" }
  | { readonly answer: "packed"; readonly sha256: Uint8Array; readonly size: number }
  /** Packed, but not sealed. */
  | { readonly answer: "piece"; readonly bytes: Uint8Array }
  | { readonly answer: "chunk"; readonly chunk: Chunk }
  | { readonly answer: "end" }
  | { readonly answer: "refused"; readonly code: BankFileRefusal; readonly what: string }
  | { readonly answer: "failed"; readonly error: unknown };

/** The spool on the disk is sealed under a key that only this thread has. */
const KEY_BYTES = 32;

const port = must(parentPort, "a thread's port");
const requests = on(port, "message") as AsyncIterator<[Request]>;

try {
  await serve();
} catch (error) {
  postError(error);
}

async function serve(): Promise<void> {
  const keys = createKeyring(defaultKeys(randomIds.secret(KEY_BYTES)));
  const file = await pack(keys, 0, "", received());
  post({ answer: "packed", sha256: new Uint8Array(file.sha256), size: file.size });
  let open: AsyncGenerator<ThreadAnswer> = nothing();
  for (;;) {
    const request = await nextRequest();
    if (request.ask === "open") {
      await open.return(undefined).catch(() => {});
      open =
        request.what === "pieces"
          ? pieces(file.packed.read())
          : chunks(readChunks(unpacked(file), request.ibans));
    } else {
      await open.next().then(({ value, done }) => post(done === true ? { answer: "end" } : value), postError);
    }
  }
}

async function nextRequest(): Promise<Request> {
  const { value } = await requests.next();
  return value[0];
}

async function* received(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const request = await nextRequest();
    if (request.ask !== "take") return;
    yield request.bytes;
    post({ answer: "taken" });
  }
}

async function* nothing(): AsyncGenerator<never> {}

async function* pieces(all: AsyncIterable<Buffer>): AsyncGenerator<ThreadAnswer> {
  for await (const piece of all) yield { answer: "piece", bytes: new Uint8Array(piece) };
}

async function* chunks(all: AsyncIterable<Chunk>): AsyncGenerator<ThreadAnswer> {
  for await (const chunk of all) yield { answer: "chunk", chunk };
}

function post(answer: ThreadAnswer): void {
  port.postMessage(answer);
}

function postError(error: unknown): void {
  if (error instanceof BankFileRefused) post({ answer: "refused", code: error.code, what: error.what });
  else post({ answer: "failed", error });
}
