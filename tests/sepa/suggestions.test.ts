/** The payments that are suggested for an unmatched entry, with the reason and the action. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { markSent, pain002 } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { booked, moveTo, read, resolve, sent, sentBy, unmatched, type Sent } from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/**
 * The suggestions for the entry of a file: the number of the payment, the reason, the action, and whether the amount
 * differs.
 */
async function suggestions(one: Sent, file: Json): Promise<readonly (readonly unknown[])[]> {
  const entry = (await unmatched(service, one.merchant)).find(({ file_id }) => file_id === file["id"]);
  assert.ok(entry !== undefined, "an entry waits");
  const path = `management/unmatched/${entry["id"]}/suggestions/`;
  const { body, text } = await service.get(path, { key: one.merchant.key });
  assert.ok(Array.isArray(body["results"]), text);
  return (body["results"] as readonly Json[]).map((found) => [
    one.ids.indexOf(found["transaction_id"]) + 1,
    found["clue"],
    found["action"],
    found["amount_differs"],
  ]);
}

async function reject(one: Sent, reference: string): Promise<void> {
  await markSent(service, one.merchant, one.file["id"]);
  const transactions = [{ endToEndId: reference, reason: "AC04" }];
  await read(
    service,
    one.merchant,
    pain002("2026-11-24", { messageId: one.file["message_id"] }, [{ id: one.block, transactions }]),
  );
}

const AMOUNT = "19.90";
const unnamed = { amount: AMOUNT, endToEndId: "NOTPROVIDED", reason: "AM04" };

test("reinstatement is suggested for money of a rejected or returned payment, and for a reversed return", async () => {
  const one = await sent(service, 3);
  const [rejected = "", returned = "", withdrawn = ""] = one.references;
  const paid = (endToEndId: string) => ["collection", { amount: AMOUNT, endToEndId }] as const;
  await reject(one, rejected);
  const money = await booked(service, one.merchant, [paid(rejected)]);
  assert.deepEqual((await suggestions(one, money))[0], [1, "reference", "reinstate", false]);
  for (const [number, reference, movement] of [
    [2, returned, "collection"],
    [3, withdrawn, "withdrawn"],
  ] as const) {
    await booked(service, one.merchant, [paid(reference)]);
    const back = { amount: AMOUNT, endToEndId: reference, reason: "AM04" };
    await booked(service, one.merchant, [["return", back]], "2026-11-27");
    const again = [[movement, { amount: AMOUNT, endToEndId: reference }]] as const;
    const file = await booked(service, one.merchant, again, "2026-11-30");
    assert.deepEqual((await suggestions(one, file))[0], [number, "reference", "reinstate", false], movement);
  }
});

test("an entry that names a payment with another amount is applied to it, and the difference is reported", async () => {
  const one = await sent(service, 2);
  const [reference = ""] = one.references;
  const file = await booked(service, one.merchant, [
    ["collection", { amount: "19.00", endToEndId: reference }],
  ]);
  assert.deepEqual(await suggestions(one, file), [[1, "reference", "apply", true]]);
});

test("for a return without a payment's reference the payment of its mandate is suggested, however the mandate is written", async () => {
  const one = await sent(service, 2);
  const [, reference = ""] = one.references;
  const [collection] = await service.rows(
    "select mandate_reference from sepa_collections where reference = $1",
    [reference],
  );
  const mandateId = String(collection?.["mandate_reference"]).toLowerCase();
  const back = { ...unnamed, amount: "19.00", mandateId };
  const file = await booked(service, one.merchant, [["return", back]], "2026-11-27");
  assert.deepEqual(await suggestions(one, file), [[2, "mandate", "apply", true]]);
});

test("a payment is suggested by its amount alone for 70 days after its file was written, and never one of a later file", async () => {
  const one = await sent(service, 1);
  const suggested = [[1, "amount", "apply", false]];
  for (const [day, found] of [
    ["2026-11-22", []],
    ["2026-11-23", suggested],
    ["2027-02-01", suggested],
    ["2027-02-02", []],
  ] as const) {
    const file = await booked(service, one.merchant, [["return", unnamed]], day);
    assert.deepEqual(await suggestions(one, file), found, day);
  }
  const other = { ...unnamed, amount: "19.91" };
  const file = await booked(service, one.merchant, [["return", other]], "2026-11-27");
  assert.deepEqual(await suggestions(one, file), [], "another amount");
});

test("of several payments of its amount the one due next to its booking comes first, and no other merchant's at all", async () => {
  const stranger = await sent(service, 1);
  const one = await sent(service, 1);
  await markSent(service, one.merchant, one.file["id"]);
  await moveTo(service, one.merchant, "2026-12-07T08:00:00Z");
  const later = await sentBy(service, one.merchant, 1, "2026-12-07");
  const both = { ...one, ids: [...one.ids, ...later.ids] };
  for (const [day, order] of [
    ["2026-12-08", [2, 1]],
    ["2026-12-01", [1]],
  ] as const) {
    const file = await booked(service, one.merchant, [["return", unnamed]], day);
    const numbers = (await suggestions(both, file)).map(([number]) => number);
    assert.deepEqual(numbers, order, day);
  }
  const named = { ...unnamed, endToEndId: stranger.references[0] ?? "" };
  const file = await booked(service, one.merchant, [["return", named]], "2026-12-02");
  assert.deepEqual(await suggestions(both, file), [[1, "amount", "apply", false]], "another merchant's");
});

test("every suggested decision is accepted", async () => {
  const one = await sent(service, 1);
  const [reference = ""] = one.references;
  await booked(service, one.merchant, [["collection", { amount: AMOUNT, endToEndId: reference }]]);
  const file = await booked(service, one.merchant, [["return", unnamed]], "2026-11-27");
  assert.deepEqual(await suggestions(one, file), [[1, "amount", "apply", false]]);
  const [entry] = await unmatched(service, one.merchant);
  const answer = await resolve(service, one.merchant, entry?.["id"], {
    action: "apply",
    transaction_id: one.ids[0],
  });
  assert.equal(answer.status, 200, answer.text);
});
