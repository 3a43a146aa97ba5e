/**
 * Uploads on a loopback port: their limits apply to every kind of body, and a body that is too large is not read to its
 * end.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testEdge } from "../../tests/support/edge.ts";
import { Type } from "../lib/schema.ts";
import { createServer } from "./server.ts";
import { FORM_BYTES_MAX, openUpload } from "./upload.ts";

const MIB = 1_024 ** 2;
const LIMIT = 3 * MIB;
const THROWN_AWAY = 8 * MIB;
/** The bytes that the buffers at both ends of a connection can contain. */
const BUFFERS = 16 * MIB;
const FORM_TYPE = "multipart/form-data; boundary=b";
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
const TAIL = "\r\n--b--\r\n";

const server = createServer(testEdge());
let port = 0;
/** The number of forms that the endpoint has started to read. */
let begun = 0;

before(async () => {
  server.router.add("POST", "/files/", {
    summary: "A test's",
    tag: "Test",
    access: "anyone",
    body: "upload",
    bodyLimit: LIMIT,
    schema: { body: Type.Object({}), response: { 201: Type.Object({ bytes: Type.Integer() }) } },
    async handle(call) {
      begun += 1;
      const { file } = await openUpload(call);
      let bytes = 0;
      if (file !== null) for await (const chunk of file.bytes) bytes += (chunk as Buffer).length;
      return { status: 201, body: { bytes } };
    },
  });
  ({ port } = await server.listen({ host: "127.0.0.1", port: 0 }));
});
after(() => server.close());

interface Sent {
  readonly status: number;
  readonly text: string;
  /** The number of bytes that the server accepted from this client before it closed the connection or all was sent. */
  readonly bytes: number;
}

/** Sends the head and then the body, whatever the server responds, until the server closes the connection. */
async function send(
  headers: Readonly<Record<string, string>>,
  body: { readonly before: string; readonly megabytes: number; readonly after: string },
): Promise<Sent> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => {});
  // A reset also closes the connection.
  const over = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
  });
  const chunked = headers["Transfer-Encoding"] === "chunked";
  const framed = (bytes: string) =>
    chunked ? `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n` : bytes;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /files/ HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n${framed(body.before)}`);
  const chunk = framed("x".repeat(64 * 1_024));
  let bytes = 0;
  for (let sent = 0; sent < body.megabytes * 16 && !socket.closed; sent += 1) {
    bytes += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), over]);
  }
  if (!socket.closed) socket.write(framed(body.after) + (chunked ? "0\r\n\r\n" : ""));
  const answered = async () => {
    while (!socket.closed && !text.includes("\r\n\r\n")) await once(socket, "data");
  };
  await Promise.race([over, answered().catch(() => {})]);
  socket.destroy();
  return { status: Number(text.split(" ")[1]), text, bytes };
}

const chunked = { "Content-Type": FORM_TYPE, "Transfer-Encoding": "chunked" };
const announced = (bytes: number) => ({ "Content-Type": FORM_TYPE, "Content-Length": String(bytes) });

test("a file of exactly the limit is read, and a form may have a little more than its file", async () => {
  const length = LIMIT + HEAD.length + TAIL.length;
  for (const headers of [chunked, announced(length)]) {
    const { status, text } = await send(headers, { before: HEAD, megabytes: 3, after: TAIL });
    assert.equal(status, 201, text);
    assert.match(text, new RegExp(`"bytes":${LIMIT}`));
  }
});

test("a file one byte longer is 413", async () => {
  const { status, text } = await send(chunked, { before: HEAD, megabytes: 3, after: `x${TAIL}` });
  assert.equal(status, 413, text);
  assert.match(text, /the maximum is 3 MiB/);
});

test("a body whose announced length is too large is 413 before any of it is read, and is not received in full", async () => {
  const before = begun;
  const { status, bytes } = await send(announced(600 * MIB), { before: HEAD, megabytes: 600, after: TAIL });
  assert.deepEqual([status, begun], [413, before]);
  assert.ok(bytes < THROWN_AWAY + BUFFERS, `${bytes} bytes were taken`);
});

test("a body in chunks is 413 at the first byte over the limit, and the rest is not received", async () => {
  const { status, bytes } = await send(chunked, { before: HEAD, megabytes: 600, after: TAIL });
  assert.equal(status, 413);
  assert.ok(bytes < LIMIT + THROWN_AWAY + BUFFERS, `${bytes} bytes were taken`);
});

test("a form without a file is refused after as many bytes as its fields may have", async () => {
  const field = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
  const { status, bytes } = await send(chunked, { before: field, megabytes: 600, after: TAIL });
  assert.ok([400, 413].includes(status), String(status));
  assert.ok(bytes < FORM_BYTES_MAX + THROWN_AWAY + BUFFERS, `${bytes} bytes were taken`);
});

test("a second file of a tenant is not read before the first one has been", async () => {
  const parts = [HEAD, "x".repeat(1_000), TAIL];
  const head = `POST /files/ HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nConnection: close\r\nContent-Length: ${parts.join("").length}\r\n\r\n`;
  const answerOf = async (socket: Socket): Promise<string> => {
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  };
  const before = begun;
  const isBegun = () => begun > before;
  const first = connect(port, "127.0.0.1");
  first.write(head + HEAD);
  while (!isBegun()) await pause(5);
  const second = connect(port, "127.0.0.1");
  second.write(head + parts.join(""));
  const answered = answerOf(second);
  await pause(200);
  assert.equal(begun, before + 1);
  first.write(parts.slice(1).join(""));
  for (const text of [await answerOf(first), await answered]) assert.match(text, /^HTTP\/1.1 201 /);
});

for (const type of [
  "application/json",
  "text/csv",
  "application/x-www-form-urlencoded",
  "application/x-raw",
]) {
  test(`an upload endpoint reads nothing of a body of type ${type}: 415`, async () => {
    const headers = { "Content-Type": type, "Transfer-Encoding": "chunked" };
    const { status, bytes } = await send(headers, { before: "[", megabytes: 600, after: "]" });
    assert.equal(status, 415);
    assert.ok(bytes < THROWN_AWAY + BUFFERS, `${bytes} bytes were taken`);
  });
}
