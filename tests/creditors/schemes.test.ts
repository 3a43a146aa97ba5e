/**
 * A mandate is collected under the scheme that was signed, by gateways of that scheme, however a gateway is chosen.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { readSubscription } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { UNKNOWN, wordsOf } from "../support/console.ts";
import { createRecord } from "../support/merchant.ts";
import { member } from "../support/people.ts";
import {
  bankMerchant,
  bankOf,
  content,
  CREDITOR,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

const SETTINGS = {
  creditor_name: "Müller & Söhne GmbH",
  creditor_iban: CREDITOR.iban,
  creditor_identifier: CREDITOR.identifier,
  pre_notification_days: 0,
};
let service: Service;

before(async () => {
  // A Monday, before the cut-off in Berlin.
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

interface Subscribed {
  readonly merchant: BankMerchant;
  readonly id: string;
  readonly mandateId: string;
}

/** A weekly subscription at an account of the scheme, whose first payment is in a file and booked. */
async function subscribed(scheme: string): Promise<Subscribed> {
  const merchant = await bankMerchant(service, { scheme });
  const terms = { billing_type: "RECURRING", billing_frequency: "WEEKLY", amount: "9.90" };
  const paid = await payAt(merchant, terms);
  const id: string = paid["subscription"].id;
  await treasury.moveTo(service, merchant, "2026-11-23T12:00:00Z");
  await sendAll(merchant);
  const endToEndId = paid["transaction"].merchant_transaction_id;
  await treasury.booked(service, merchant, [["collection", { amount: "9.90", endToEndId }]]);
  const [row] = await service.rows("select mandate_id from subscriptions where id = $1", [id]);
  return { merchant, id, mandateId: row?.["mandate_id"] };
}

async function sendAll(merchant: BankMerchant): Promise<void> {
  for (const { id, status } of await outgoing(service, merchant))
    if (status === "ready") await markSent(service, merchant, id);
}

const change = ({ merchant, id }: Subscribed, gatewayId: string): Promise<Response> =>
  service.post(`management/subscriptions/${id}/change/`, { gateway_id: gatewayId }, { key: merchant.key });

async function accountOf(merchant: BankMerchant, scheme: string, more: object = {}): Promise<string> {
  return (await bankOf(service, merchant, { scheme, ...more }, { name: `Bank for ${scheme}` })).accountId;
}

/** The schemes of the account's files of debits, oldest first. */
async function schemesOf(merchant: BankMerchant): Promise<readonly string[]> {
  const files = await outgoing(service, merchant);
  const texts = await Promise.all(files.map(({ id }) => content(service, merchant, id)));
  return texts.map((xml) => /<LclInstrm><Cd>(\w+)</.exec(xml)?.[1] ?? "?");
}

for (const [signed, other] of [
  ["B2B", "CORE"],
  ["CORE", "B2B"],
] as const) {
  test(`a subscription with a ${signed} mandate is not changed to a gateway of ${other}, whatever its adapter`, async () => {
    const made = await subscribed(signed);
    const refused = await change(made, await accountOf(made.merchant, other));
    assert.equal(refused.status, 400, refused.text);
    assert.match(
      String(refused.body["gateway_id"]),
      new RegExp(`collects under ${other} mandates; this one is a ${signed} mandate`),
    );
    const sandbox = { name: "Sandbox", adapter: "sandbox", test_mode: true, settings: { scheme: other } };
    const another = (await createRecord(service, made.merchant.key, "gateways", sandbox))["id"];
    assert.equal((await change(made, another)).status, 400);
    const same = await change(made, await accountOf(made.merchant, signed));
    assert.equal(same.status, 200, same.text);
  });
}

test("amending the mandate to another creditor opens no way to a gateway of that creditor in another scheme", async () => {
  const made = await subscribed("B2B");
  const creditor = { creditor_identifier: "ES23ZZZ47690558N", creditor_name: "Sister GmbH" };
  const [core, business] = [
    await accountOf(made.merchant, "CORE", creditor),
    await accountOf(made.merchant, "B2B", creditor),
  ];
  const path = `management/mandates/${made.mandateId}/amend/`;
  const amended = await service.post(path, creditor, { key: made.merchant.key });
  assert.equal(amended.status, 200, amended.text);
  assert.equal(amended.body["scheme"], "B2B");
  const refused = await change(made, core);
  assert.match(String(refused.body["gateway_id"]), /under CORE mandates/);
  assert.equal((await change(made, business)).status, 200);
});

test("the console offers only gateways that may collect under the mandate, and refuses any other", async () => {
  const made = await subscribed("B2B");
  const { merchant } = made;
  const [core, business] = [await accountOf(merchant, "CORE"), await accountOf(merchant, "B2B")];
  const off = await bankOf(service, merchant, { scheme: "B2B" }, { name: "Closed bank", active: false });
  const { browser } = await member(
    service,
    { id: merchant.tenantId, tenant: 0, key: merchant.key },
    "support",
  );
  const page = `/console/subscriptions/${made.id}/`;
  const { text } = await browser.get(`${page}?act=change`);
  const offered = [...text.matchAll(/<option\s+value="([0-9a-f-]{36})"/g)].map((match) => match[1]);
  assert.deepEqual(offered, [merchant.accountId, business], `neither ${core} nor ${off.accountId}`);
  const { next_billing_date: next } = await readSubscription(service, merchant, made.id);
  const typed = { id: UNKNOWN, amount: "9.90", next_billing_date: next, gateway_id: core };
  const refused = await browser.submit(page, `${page}change/`, typed);
  assert.equal(refused.status, 422);
  assert.match(wordsOf(refused), /This gateway collects under CORE mandates/);
});

// Holds MANDATE-2.
test("renewals and retries keep their mandate's scheme after the gateway's setting or the debtor's account has changed", async () => {
  const made = await subscribed("CORE");
  const { merchant, id, mandateId } = made;
  const saved = await service.call(
    "PATCH",
    `management/gateways/${merchant.accountId}/`,
    { settings: { ...SETTINGS, scheme: "B2B" } },
    { key: merchant.key },
  );
  assert.equal(saved.status, 200, saved.text);
  const path = `management/mandates/${mandateId}/amend/`;
  const amended = await service.post(path, { iban: "DE75512108001245126199" }, { key: merchant.key });
  assert.equal(amended.status, 200, amended.text);
  await treasury.moveTo(service, merchant, "2026-11-30T08:30:00Z");
  await treasury.moveTo(service, merchant, "2026-11-30T14:00:00Z");
  await sendAll(merchant);
  const [renewal] = await service.rows(
    `select c.reference, c.block_id, f.message_id from sepa_collections c
       join sepa_files f on f.tenant = c.tenant and f.id = c.file_id
      where c.gateway_id = $1 and c.state = 'batched' and c.amount = 9.90`,
    [merchant.accountId],
  );
  await reject(merchant, renewal ?? {});
  for (const day of ["01", "04", "07", "08"]) {
    for (const time of ["08:30", "14:00"])
      await treasury.moveTo(service, merchant, `2026-12-${day}T${time}:00Z`);
    await sendAll(merchant);
  }
  const { cycles } = await readSubscription(service, merchant, id);
  assert.equal(cycles.at(-1).attempts, 2, "the retry of the first cycle");
  assert.deepEqual(new Set(await schemesOf(merchant)), new Set(["CORE"]));
  const back = await change(made, merchant.accountId);
  assert.equal(back.status, 200, "the gateway that it has is no choice of one");
});

async function reject(merchant: BankMerchant, row: Json): Promise<void> {
  const { message_id: messageId, block_id: id, reference: endToEndId } = row;
  const transactions = [{ endToEndId, reason: "AM04" }];
  const xml = pain002("2026-12-01", { messageId }, [{ id, transactions }]);
  const { status, body } = await uploadFile(service, merchant, xml);
  assert.equal(status, 201, JSON.stringify(body));
}
