import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { openLine } from "./sftp.ts";

const NEVER = new AbortController().signal;
const PENDING = new Promise<never>(() => {});
/** No test waits for it. */
const LONG_MS = 3_600_000;

/** Accepts connections and sends nothing. */
let silent: Server;
let port: number;
const accepted: Socket[] = [];

before(async () => {
  silent = createServer((socket) => accepted.push(socket.on("error", () => {}).resume()));
  await once(silent.listen(0, "127.0.0.1"), "listening");
  ({ port } = silent.address() as AddressInfo);
});
after(async () => {
  for (const socket of accepted) socket.destroy();
  await once(silent.close(), "close");
});

const open = (silenceMs: number, signal = NEVER) => openLine("127.0.0.1", port, signal, silenceMs);

test("a request to a bank's server that stays silent ends with the reason, and so do later ones", async () => {
  const line = open(20);
  const words = /^Error: The SFTP server did not answer for 0\.02 seconds\.$/;
  await assert.rejects(line.ask(PENDING), words);
  await assert.rejects(line.ask(PENDING), words);
  assert.equal(line.socket.destroyed, true);
});

test("the silence of a server counts only while a request is pending, of several until the last one has its answer", async () => {
  const { ask, socket } = open(LONG_MS);
  const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const answers = [ask(first.promise), ask(second.promise)];
  assert.equal(socket.timeout, LONG_MS);
  first.resolve(1);
  assert.equal(await answers[0], 1);
  assert.equal(socket.timeout, LONG_MS, "the second one is pending");
  second.reject(new Error("no such file"));
  await assert.rejects(answers[1] ?? PENDING, /no such file/);
  assert.equal(socket.timeout, 0);
  assert.equal(await ask(Promise.resolve(3)), 3);
  assert.equal(socket.timeout, 0);
  socket.destroy();
});

test("a session that is over ends its requests with the reason, whether it ends during a request or before", async () => {
  const words = /^Error: The SFTP session took too long or was stopped\.$/;
  const stop = new AbortController();
  const line = open(LONG_MS, stop.signal);
  const asked = line.ask(PENDING);
  stop.abort();
  await assert.rejects(asked, words);
  await assert.rejects(open(LONG_MS, AbortSignal.abort()).ask(PENDING), words);
});

test("a server that closes the connection ends the requests with that reason", async () => {
  const closing = createServer((socket) => socket.destroy());
  await once(closing.listen(0, "127.0.0.1"), "listening");
  const line = openLine("127.0.0.1", (closing.address() as AddressInfo).port, NEVER, LONG_MS);
  await assert.rejects(line.ask(PENDING), /^Error: The SFTP server has closed the connection\.$/);
  await once(closing.close(), "close");
});
