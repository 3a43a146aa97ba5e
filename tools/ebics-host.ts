/**
 * `npm run ebics:bank`: the simulated bank's EBICS host on this machine, and a second port on which a tester
 * activates or resets users, reads and releases orders, and provides files for download.
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { openBooks } from "./ebics-host/books.ts";
import { bankPair, hexNumbers, sha256 } from "./ebics-host/crypto.ts";
import type { HostSettings } from "./ebics-host/host.ts";
import { startEbicsServer } from "./ebics-host/server.ts";

const { port, class: signatureClass } = parseArgs({
  options: { port: { type: "string", default: "8095" }, class: { type: "string", default: "T" } },
}).values;

const books = openBooks([
  { partnerId: "PARTNER1", userId: "USER1", signatureClass: signatureClass === "E" ? "E" : "T" },
]);
const settings: HostSettings = {
  hostId: "TESTBANK",
  books,
  now: () => new Date(),
  segmentChars: 700_000,
  agreed: null,
  digestOf: "key",
  numbersOmitted: false,
};
const { url } = await startEbicsServer(settings, () => null, Number(port));
const counter = createServer((request, response) => {
  void (async () => {
    const { pathname } = new URL(request.url ?? "/", "http://counter");
    const [, what = "", ...rest] = pathname.split("/");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end(`${atTheCounter(what, rest.join("/"), Buffer.concat(chunks))}\n`);
  })();
});
counter.listen(Number(port) + 1, "127.0.0.1");

const hash = (use: "authentication" | "encryption") =>
  (
    sha256(hexNumbers(bankPair(use, 0).publicKey).join(" "))
      .toString("hex")
      .toUpperCase()
      .match(/../g) ?? []
  ).join(" ");
console.log(`EBICS host TESTBANK at ${url}, partner PARTNER1, user USER1 (class ${signatureClass})
The bank's letter says:
  X002 ${hash("authentication")}
  E002 ${hash("encryption")}
Counter at http://127.0.0.1:${Number(port) + 1}: POST /let-in, POST /reset, GET /orders, GET /order/ID, POST /release/ID, POST /lay-out/ORDER with a file`);

function atTheCounter(what: string, name: string, body: Buffer): string {
  switch (what) {
    case "let-in":
      for (const user of books.users.values()) if (user.state === "both") user.state = "ready";
      return usersLine();
    case "reset":
      for (const user of books.users.values()) user.state = "new";
      return usersLine();
    case "orders":
      return books.taken
        .map(
          ({ orderId, order, data, waits }) =>
            `${orderId} ${order} ${data.length} bytes${waits ? ", waits for a person" : ""}`,
        )
        .join("\n");
    case "order":
      return (
        books.taken.find(({ orderId }) => orderId === name)?.data.toString() ?? "There is no such order."
      );
    case "release":
      return release(name);
    case "lay-out":
      books.waiting.set(name, [...(books.waiting.get(name) ?? []), body]);
      return `${name}: ${books.waiting.get(name)?.length} to be fetched`;
    default:
      return "let-in, reset, orders, order/ID, release/ID, lay-out/ORDER";
  }
}

function usersLine(): string {
  return [...books.users.values()].map(({ userId, state }) => `${userId}: ${state}`).join("\n");
}

/** A person at the company releases an order in the bank's application; the protocol records it. */
function release(orderId: string): string {
  const at = books.taken.findIndex((order) => order.orderId === orderId && order.waits);
  const order = books.taken[at];
  if (order === undefined) return "No such order waits.";
  const { userId } = order;
  books.taken[at] = { ...order, waits: false };
  const said = { action: "ORDER_HAC_FINAL_POS", reason: "DS07", text: "all done" };
  books.protocol.push({ ...said, orderId, userId, at: new Date() });
  return `${orderId}: released`;
}
