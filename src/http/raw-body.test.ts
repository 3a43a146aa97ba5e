/** Raw bodies over real sockets: counted while they arrive, stored once, and not awaited once the response is known. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { testEdge } from "../../tests/support/edge.ts";
import { Type } from "../lib/schema.ts";
import { Refusal } from "../refusals.ts";
import { createServer, type Server } from "./server.ts";

const LIMIT = 1_048_576;

let server: Server;
let port: number;
/** Called after a body was read, before its response. */
let onRead = async (): Promise<void> => {};

before(async () => {
  server = createServer(testEdge());
  server.router.add("POST", "/raw/{word}/", {
    summary: "A test's",
    tag: "Test",
    access: "anyone",
    body: "raw",
    bodyLimit: LIMIT,
    schema: {
      params: Type.Object({ word: Type.String() }),
      body: Type.Object({ never: Type.String() }),
      response: { 200: Type.Object({ got: Type.Integer() }) },
    },
    renderError: ({ error }) =>
      error instanceof Refusal ? { status: error.status, body: { kind: error.kind } } : null,
    async beforeBody({ params }) {
      if (params.word === "unknown") throw new Refusal("not_found");
      return params.word === "off" ? { status: 200, body: { got: -1 } } : null;
    },
    async handle({ rawBody }) {
      await onRead();
      return { status: 200, body: { got: rawBody.length } };
    },
  });
  ({ port } = await server.listen({ host: "127.0.0.1", port: 0 }));
});
after(() => server.close());

/** Opens a connection and sends; `answer` resolves to the status and body of the only response. */
function open(head: string): {
  readonly socket: Socket;
  readonly answer: Promise<readonly [number, string]>;
} {
  const socket = connect({ port, host: "127.0.0.1" });
  const answer = new Promise<readonly [number, string]>((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`closed after ${text}`)));
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [head = "", body = ""] = text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body.length === length) resolve([Number(head.split(" ")[1]), body]);
    });
  });
  answer.catch(() => {});
  socket.write(`${head}\r\nHost: x\r\nConnection: close\r\n`);
  return { socket, answer };
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

const END = "0\r\n\r\n";

for (const [word, answered] of [
  ["unknown", [404, '{"kind":"not_found"}']],
  ["off", [200, '{"got":-1}']],
] as const) {
  test(`${word}: the answer is the same before a byte of the body was sent and after all of it`, async () => {
    const { socket, answer } = open(`POST /raw/${word}/ HTTP/1.1`);
    socket.write("Content-Length: 5000000\r\n\r\n");
    assert.deepEqual(await answer, answered);
    socket.destroy();
    const eager = open(`POST /raw/${word}/ HTTP/1.1`);
    eager.socket.write("Content-Length: 5000000\r\n\r\n");
    eager.socket.write(Buffer.alloc(5_000_000, "a"));
    assert.deepEqual(await eager.answer, answered);
    eager.socket.destroy();
  });
}

test("a length over the limit is refused before a byte of it was sent", async () => {
  const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
  socket.write(`Content-Length: ${LIMIT + 1}\r\n\r\n`);
  assert.deepEqual(await answer, [413, '{"kind":"payload_too_large"}']);
  socket.destroy();
});

for (const [size, answered] of [
  [0, [200, '{"got":0}']],
  [LIMIT, [200, `{"got":${LIMIT}}`]],
  [LIMIT + 1, [413, '{"kind":"payload_too_large"}']],
] as const) {
  test(`${size} bytes in chunks: ${answered[0]}`, async () => {
    const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
    socket.write("Transfer-Encoding: chunked\r\nContent-Type: no type at all\r\n\r\n");
    for (let sent = 0; sent < size; sent += 65_521)
      socket.write(chunk(Buffer.alloc(Math.min(65_521, size - sent), "a")));
    socket.write(END);
    assert.deepEqual(await answer, answered);
    socket.destroy();
  });
}

test("a client that keeps sending after a refusal receives it, and is disconnected in the end", async () => {
  const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
  socket.write("Transfer-Encoding: chunked\r\n\r\n");
  const piece = chunk(Buffer.alloc(65_536, "a"));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const sending = setInterval(() => {
    for (let count = 0; count < 16; count += 1) socket.write(piece);
  }, 1);
  assert.deepEqual(await answer, [413, '{"kind":"payload_too_large"}']);
  await closed;
  clearInterval(sending);
});

test("a body that ends before its length is 400", async () => {
  const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
  socket.write("Content-Length: 100\r\n\r\nhalf");
  socket.end();
  assert.equal((await answer)[0], 400);
});

test("a compressed body is refused, as its Content-Length is not the length of its content", async () => {
  const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
  socket.write("Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx");
  assert.deepEqual(await answer, [415, '{"kind":"unsupported_media_type"}']);
  socket.destroy();
});

test("a path parameter that is too long or cannot be decoded is answered like an unknown one of its endpoint", async () => {
  for (const word of ["a".repeat(300), "%zz", "%c3%28"]) {
    const { socket, answer } = open(`POST /raw/${word}/ HTTP/1.1`);
    socket.write("Content-Length: 0\r\n\r\n");
    assert.deepEqual(await answer, [404, '{"kind":"not_found"}'], word);
    socket.destroy();
  }
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * The memory that cannot be freed. Collects twice, because objects of earlier tests are only freed by the first
 * collection.
 */
async function held(): Promise<number> {
  collect();
  await setImmediate();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("30 bodies received at once take less than twice their size in memory", async () => {
  const count = 30;
  const missing = 50_000;
  const accepted: Socket[] = [];
  server.app.server.on("connection", (socket: Socket) => void accepted.push(socket));
  const beginning = Buffer.alloc(LIMIT - missing, "a");
  const idle = await held();
  const clients = Array.from({ length: count }, () => {
    const client = open("POST /raw/on/ HTTP/1.1");
    client.socket.write(`Content-Length: ${LIMIT}\r\n\r\n`);
    client.socket.write(beginning);
    return client;
  });
  const behind = ({ bytesRead }: Socket): boolean => bytesRead < beginning.length;
  while (accepted.length < count || accepted.some(behind)) await setImmediate();
  const during = (await held()) - idle;
  assert.ok(during > (count * LIMIT) / 2, `${during} bytes: the bodies have arrived`);
  assert.ok(during < count * LIMIT * 2, `${during} bytes`);
  for (const { socket, answer } of clients) {
    socket.write(Buffer.alloc(missing, "a"));
    assert.deepEqual(await answer, [200, `{"got":${LIMIT}}`]);
    socket.destroy();
  }
});

test("a body in chunks of one byte takes less than twice its size in memory", async () => {
  const { socket, answer } = open("POST /raw/on/ HTTP/1.1");
  socket.write("Transfer-Encoding: chunked\r\n\r\n");
  const piece = Buffer.from("1\r\na\r\n".repeat(1_024));
  const idle = await held();
  // All of the limit would take a busy machine longer than a request may.
  const length = LIMIT / 4;
  for (let sent = 0; sent < length; sent += 1_024)
    await new Promise((resolve) => {
      socket.write(piece, resolve);
    });
  const read = Promise.withResolvers<number>();
  onRead = async () => read.resolve(await held());
  socket.write(END);
  const during = (await read.promise) - idle;
  onRead = async () => {};
  // Stored as they arrive, so many chunks take about 50 MB.
  assert.ok(during < LIMIT * 2, `${during} bytes`);
  assert.deepEqual(await answer, [200, `{"got":${length}}`]);
  socket.destroy();
});
