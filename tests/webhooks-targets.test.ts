/** Nothing is ever sent to an address that is not public, however the address is written or resolved. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { after, before, test } from "node:test";
import { systemClock } from "../src/lib/clock.ts";
import { createSender } from "../src/webhooks/delivery/send.ts";
import { startReceiver } from "./support/receiver.ts";

const corpus = JSON.parse(
  await readFile(new URL("vectors/ssrf-hosts.json", import.meta.url), "utf8"),
) as Record<"blocked_hosts" | "bad_urls", readonly string[]>;

let server: Server;
let connections = 0;
before(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "::");
  await once(server, "listening");
});
after(() => {
  server.close();
});

test("no connection is made to any host of the corpus", async () => {
  const { port } = server.address() as AddressInfo;
  const sender = createSender({ clock: systemClock, allowPrivate: false });
  for (const host of corpus.blocked_hosts) {
    for (const scheme of ["https", "http"]) {
      const { responseCode, error } = await sender.post(`${scheme}://${host}:${port}/`, {}, "{}");
      assert.equal(responseCode, null, host);
      assert.match(error ?? "", /^The /, host);
    }
  }
  for (const url of corpus.bad_urls) {
    const { error } = await sender.post(url, {}, "{}");
    assert.match(error ?? "", /^(The |Port )/, url);
  }
  await sender.close();
  assert.equal(connections, 0);
});

const ANSWERS = {
  "only a private address": ["10.0.0.7"],
  "a public and a private one": ["1.1.1.1", "127.0.0.1"],
  "a private IPv6 address": ["fd00::1"],
  "loopback in an IPv6 coat": ["::ffff:127.0.0.1"],
  "NAT64 of loopback": ["64:ff9b::7f00:1"],
  "no address": [],
} as const;
for (const [what, addresses] of Object.entries(ANSWERS)) {
  test(`a name that resolves to ${what} is not connected to`, async () => {
    const before = connections;
    const { port } = server.address() as AddressInfo;
    const sender = createSender({
      clock: systemClock,
      allowPrivate: false,
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    });
    const { error } = await sender.post(`https://hooks.example.com:${port}/`, {}, "{}");
    assert.match(error ?? "", /^The host /);
    await sender.close();
    assert.equal(connections, before);
  });
}

test("a name is resolved once per connection, and the address that was checked is the one dialled", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  let asked = 0;
  const sender = createSender({
    clock: systemClock,
    allowPrivate: true,
    resolve: async () => {
      asked += 1;
      // A second lookup would return another address.
      return [{ address: asked === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    },
  });
  const { responseCode } = await sender.post(`http://rebinding.example.com:${port}/`, {}, "{}");
  assert.equal(responseCode, 200);
  assert.equal(asked, 1);
  await sender.close();
  await receiver.close();
});

test("responses of private targets are shown only when the operator has explicitly allowed them", async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { port } = new URL(receiver.url);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  for (const showPrivate of [true, false]) {
    const sender = createSender({ clock: systemClock, allowPrivate: true, showPrivate, resolve });
    t.after(() => sender.close());
    for (const host of ["127.0.0.1", "hooks.example.com", "localhost"]) {
      const { responseCode, responseBody } = await sender.post(`http://${host}:${port}/`, {}, "{}");
      assert.deepEqual([responseCode, responseBody], [200, showPrivate ? "thanks" : null], host);
    }
  }
});
