import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { SECOND_MS, systemClock } from "../../../../lib/clock.ts";
import { NoAnswer, openHost } from "./host.ts";

const NEVER = new AbortController().signal;
/** No test waits for it. */
const LONG_MS = 60 * SECOND_MS;
const TIMEOUT = { timeout: 10 * SECOND_MS };

interface Asking {
  readonly answerMs?: number;
  readonly signal?: AbortSignal;
  readonly allowPrivate?: boolean;
}

/** Asks a host that handles requests in this way; null: nothing listens. */
async function ask(
  handle: RequestListener | null,
  { answerMs = LONG_MS, signal = NEVER, allowPrivate = true }: Asking = {},
): Promise<string> {
  const server = createServer(handle ?? (() => {}));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  };
  if (handle === null) await close();
  const url = `http://127.0.0.1:${port}/ebics`;
  const host = openHost(url, { clock: systemClock, allowPrivate, signal, answerMs });
  try {
    return await host.ask("<request/>");
  } finally {
    await host.close();
    if (handle !== null) await close();
  }
}

test("a request is posted as XML, and the whole answer is returned", async () => {
  const answer = await ask(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, headers } = request;
    response.end(`${method} ${headers["content-type"]} ${Buffer.concat(chunks).toString()} é`);
  });
  assert.equal(answer, "POST text/xml; charset=UTF-8 <request/> é");
});

const NO_ANSWERS: readonly (readonly [
  what: string,
  handle: RequestListener | null,
  how: Asking,
  maybeArrived: boolean,
  words: RegExp,
])[] = [
  ["no answer in time", () => {}, { answerMs: 50 }, true, /did not answer: .*timeout/],
  ["half an answer in time", (_, response) => void response.write("<"), { answerMs: 50 }, true, /timeout/],
  ["a broken connection", (_, response) => void response.destroy(), {}, true, /did not answer/],
  ["status 500", (_, response) => void response.writeHead(500).end(), {}, true, /host answered 500\.$/],
  ["status 201", (_, response) => void response.writeHead(201).end(), {}, true, /host answered 201\.$/],
  ["status 302", (_, response) => void response.writeHead(302).end(), {}, true, /host answered 302\.$/],
  ["more than 4 MiB", (_, response) => void response.end("x".repeat(4 * 1_024 ** 2 + 1)), {}, true, /larger/],
  ["a refused connection", null, {}, false, /ECONNREFUSED/],
  ["an address that may not be called", () => {}, { allowPrivate: false }, false, /did not answer/],
];

for (const [what, handle, how, maybeArrived, words] of NO_ANSWERS)
  test(
    `${what}: the request ${maybeArrived ? "may have reached" : "has not reached"} the bank`,
    TIMEOUT,
    async () => {
      const error = await ask(handle, how).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof NoAnswer, String(error));
      assert.deepEqual([error.maybeArrived, error.name], [maybeArrived, "NoAnswer"]);
      assert.match(error.message, words);
    },
  );

test(
  "when the session ends, a request that is pending ends as one that may have reached the bank, and no other is sent",
  TIMEOUT,
  async () => {
    const stop = new AbortController();
    const how = { signal: stop.signal, answerMs: 2 * SECOND_MS };
    const error = await ask(() => stop.abort(), how).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof NoAnswer && error.maybeArrived, String(error));
    assert.doesNotMatch(error.message, /timeout/);
    let requests = 0;
    await assert.rejects(
      ask(() => (requests += 1), how),
      { name: "AbortError" },
    );
    assert.equal(requests, 0);
  },
);

test("a host has sixty seconds for its answer, in which it checks our signatures", async (t) => {
  const timeout = t.mock.method(AbortSignal, "timeout", () => AbortSignal.abort());
  const host = openHost("http://127.0.0.1:1/", { clock: systemClock, allowPrivate: true, signal: NEVER });
  await assert.rejects(host.ask("<request/>"), NoAnswer);
  assert.deepEqual(timeout.mock.calls[0]?.arguments, [60 * SECOND_MS]);
  await host.close();
});

test(
  "a session that is closed ends its pending request, and leaves no listener for its end",
  TIMEOUT,
  async (t) => {
    const server = createServer(() => {});
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const arrived = once(server, "request");
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    const how = { clock: systemClock, allowPrivate: true, signal, answerMs: 2 * SECOND_MS };
    const host = openHost(`http://127.0.0.1:${port}/`, how);
    const pending = host.ask("<request/>").catch((thrown: unknown) => thrown);
    await arrived;
    assert.equal(getEventListeners(signal, "abort").length, 1);
    await host.close();
    const error = await pending;
    assert.ok(error instanceof NoAnswer && error.maybeArrived, String(error));
    assert.doesNotMatch(error.message, /timeout/);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
    server.closeAllConnections();
    await once(server.close(), "close");
  },
);
