/** Clients that read nothing are disconnected, slow ones are not, and one address cannot occupy all connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testEdge } from "../../tests/support/edge.ts";
import { Type } from "../lib/schema.ts";
import { createServer, type Server } from "./server.ts";

const MIB = 1_024 ** 2;
const LENGTH = 32 * MIB;
const PER_ADDRESS = 3;

function serverWith(trustedProxies: readonly string[]): Server {
  const server = createServer(
    testEdge({ trustedProxies, connectionsPerAddress: PER_ADDRESS, stalledMs: 400 }),
  );
  server.router.add("GET", "/large/", {
    summary: "A test's",
    tag: "Test",
    access: "anyone",
    schema: { response: { 200: Type.Unknown() } },
    handle: async () => ({ status: 200, body: Buffer.alloc(LENGTH, "x") }),
  });
  return server;
}

const server = serverWith([]);
const proxied = serverWith(["127.0.0.0/8"]);
const ports = { direct: 0, proxied: 0 };

before(async () => {
  ports.direct = (await server.listen({ host: "127.0.0.1", port: 0 })).port;
  ports.proxied = (await proxied.listen({ host: "127.0.0.1", port: 0 })).port;
});
after(async () => {
  await server.close();
  await proxied.close();
});

function connections(): Promise<number> {
  return new Promise((resolve) => {
    server.app.server.getConnections((_error, count) => resolve(count));
  });
}

async function open(port: number, from: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("connect", () => resolve());
    socket.once("close", () => resolve());
  });
  return socket;
}

test("a client that reads 32 bytes a second of a large answer is disconnected", async () => {
  const socket = await open(ports.direct, "127.0.0.2");
  // A paused socket reads nothing from the kernel once its own buffer is full.
  socket.pause();
  socket.write("GET /large/ HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "readable");
  const taking = setInterval(() => socket.read(32), 1_000);
  while ((await connections()) > 0) await pause(50);
  clearInterval(taking);
  assert.ok(socket.bytesRead < LENGTH);
  socket.destroy();
});

test("a slow client that keeps reading gets the whole answer", async () => {
  const socket = await open(ports.direct, "127.0.0.3");
  socket.write("GET /large/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let bytes = 0;
  for await (const chunk of socket) {
    const before = Math.floor(bytes / (4 * MIB));
    bytes += (chunk as Buffer).length;
    if (Math.floor(bytes / (4 * MIB)) === before) continue;
    // Longer than one check, shorter than a stall.
    await pause(150);
  }
  assert.ok(bytes > LENGTH, `${bytes} bytes`);
});

test("an idle connection is not closed", async () => {
  const socket = await open(ports.direct, "127.0.0.4");
  await pause(800);
  socket.write("GET /nothing/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1.1 404/);
  socket.destroy();
});

/** Whether the server responds on a connection. */
async function answers(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return false;
  const closed = new Promise<boolean>((resolve) => {
    socket.once("close", () => resolve(false));
  });
  socket.write("GET /nothing/ HTTP/1.1\r\nHost: x\r\n\r\n");
  return Promise.race([
    closed,
    once(socket, "data").then(
      () => true,
      () => false,
    ),
  ]);
}

test("one address may hold a limited number of connections at a time; other addresses have their own limit", async () => {
  const held = [];
  for (let n = 0; n < PER_ADDRESS; n += 1) held.push(await open(ports.direct, "127.0.0.5"));
  for (const socket of held) assert.equal(await answers(socket), true);
  assert.equal(await answers(await open(ports.direct, "127.0.0.5")), false);
  assert.equal(await answers(await open(ports.direct, "127.0.0.6")), true);
  const [first, ...rest] = held;
  first?.destroy();
  while (!(await answers(await open(ports.direct, "127.0.0.5")))) await pause(10);
  for (const socket of rest) socket.destroy();
});

test("a trusted proxy's connections count against no single customer's limit", async () => {
  for (let n = 0; n < PER_ADDRESS * 2; n += 1) {
    assert.equal(await answers(await open(ports.proxied, "127.0.0.7")), true);
  }
});
