/** Mandates, as the merchant's staff reads, cancels and amends them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { composeIBAN } from "ibantools";
import { manualClock } from "../../src/lib/clock.ts";
import { adHoc } from "../../tools/ad-hoc.ts";
import { untilWaiting } from "../support/at-once.ts";
import { readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";

/** The sandbox declines it with MD01 (docs/api.md, The sandbox). */
const IBAN_MANDATE_REJECTED = "DE77370400440532013022";
const clock = manualClock(new Date("2026-01-12T10:00:00Z"));
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const get = (path: string, as = merchant) => service.get(`management/mandates/${path}`, { key: as.key });
const act = (id: string, action: string, body: Json | Record<string, unknown> = {}, as = merchant) =>
  service.post(`management/mandates/${id}/${action}/`, body, { key: as.key });

async function read(id: string): Promise<Json> {
  const { status, body, text } = await get(`${id}/`);
  assert.equal(status, 200, text);
  return body;
}

async function paidMandate(changes: Record<string, unknown> = {}, iban: string = IBAN.approved) {
  const paid = await merchant.pay(await merchant.session(changes), iban);
  const reference: string = paid.body["sepa"].mandate_reference;
  const [mandate] = (await get(`?reference=${reference}`)).body["results"] as readonly Json[];
  assert.ok(mandate, paid.text);
  return { paid, mandate };
}

async function subscribed(): Promise<{ subscriptionId: string; mandateId: string }> {
  const subscriptionId = await subscribe(merchant);
  const [row] = await service.rows("select mandate_id from subscriptions where id = $1", [subscriptionId]);
  return { subscriptionId, mandateId: row?.["mandate_id"] };
}

function auditOf(id: string): Promise<Response> {
  return service.get(`management/audit-log/?resource=mandates&resource_id=${id}`, { key: merchant.key });
}

test("a mandate shows the signed data, the signer, the expiry, and only the country and the end of the account", async () => {
  const { mandate } = await paidMandate({ billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  assert.equal(mandate["status"], "active");
  assert.equal(mandate["type"], "recurrent");
  assert.equal(mandate["scheme"], "CORE");
  assert.equal(mandate["source"], "payment");
  assert.equal(mandate["signed_at"], "2026-01-12T10:00:00.000Z");
  assert.equal(mandate["expires_on"], "2029-01-12");
  assert.equal(mandate["pre_notification_days"], 14);
  assert.equal(mandate["iban_country"], "DE");
  assert.equal(mandate["iban_last4"], "3000");
  const { text, body } = await get(`${mandate["id"]}/`);
  assert.ok(!text.includes(IBAN.approved));
  assert.equal(body["evidence"].acceptance_mode, "IMPLICIT");
  assert.match(body["evidence"].accepted_ip, /^127\./);
  assert.equal(body["subscriptions"].length, 1);
  assert.deepEqual(body["amendments"], []);
});

test("the mandate of one payment is a one-off mandate", async () => {
  assert.equal((await paidMandate()).mandate["type"], "one_off");
});

test("the list is newest first, in pages, and can be narrowed by status, reference in any case, e-mail, lead and day", async () => {
  const known = lead();
  const { mandate } = await paidMandate({ lead: known });
  const ids = async (query: string) =>
    ((await get(query)).body["results"] as readonly Json[]).map(({ id }) => id);
  assert.deepEqual(await ids(`?email=${String(known["email"]).toUpperCase()}`), [mandate["id"]]);
  assert.deepEqual(await ids(`?reference=${String(mandate["reference"]).toLowerCase()}`), [mandate["id"]]);
  assert.deepEqual(await ids(`?lead_id=${mandate["lead"].id}`), [mandate["id"]]);
  assert.deepEqual(await ids(`?lead_id=${mandate["lead"].id}&status=cancelled`), []);
  assert.ok((await ids("?from=2026-01-12&to=2026-01-12")).includes(mandate["id"]));
  assert.deepEqual(await ids("?from=2026-01-13"), []);
  const first = await get("?page_size=1");
  assert.equal(first.body["results"].length, 1);
  const second = await get(new URL(first.body["next"]).search);
  assert.notEqual(second.body["results"][0].id, first.body["results"][0].id);
  const back = await get(new URL(second.body["previous"]).search);
  assert.deepEqual(back.body["results"], first.body["results"]);
  assert.equal((await get("?status=signed")).status, 400);
});

test("a cancelled mandate is never debited again: its subscriptions end with it, and waiting retries are given up", async () => {
  merchant = await createMerchant(service);
  const { subscriptionId, mandateId } = await subscribed();
  const answer = await act(mandateId, "cancel", { reason: "asked by phone", cancelled_by: "debtor" });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body["status"], "cancelled");
  assert.equal(answer.body["cancelled_by"], "debtor");
  assert.equal(answer.body["status_reason"], "asked by phone");
  assert.equal(answer.body["cancelled_at"], "2026-01-12T10:00:00.000Z");
  assert.deepEqual(answer.body["subscriptions"], [{ id: subscriptionId, status: "CANCELLED" }]);
  const subscription = await readSubscription(service, merchant, subscriptionId);
  assert.equal(subscription["cancel_reason"], "mandate_cancelled");
  assert.equal(subscription["next_billing_date"], null);
  const collected = await service.post(`management/subscriptions/${subscriptionId}/collect/`, undefined, {
    key: merchant.key,
  });
  assert.equal(collected.status, 409);
  await service.post("management/clock/", { date: "2026-03-20" }, { key: merchant.key });
  const renewals = await service.rows(
    "select id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
    [subscriptionId],
  );
  assert.deepEqual(renewals, []);
});

test("a subscription that had ended before its mandate keeps the day and the reason of its end", async () => {
  const { mandateId, subscriptionId } = await subscribed();
  const path = `management/subscriptions/${subscriptionId}/cancel/`;
  const ended = await service.post(path, { reason: "moved abroad" }, { key: merchant.key });
  assert.equal(ended.status, 200, ended.text);
  await service.post("management/clock/", { date: "2026-03-21" }, { key: merchant.key });
  const { body } = await act(mandateId, "cancel");
  assert.deepEqual([body["status"], body["cancelled_by"]], ["cancelled", "creditor"]);
  assert.deepEqual(await readSubscription(service, merchant, subscriptionId), ended.body);
  const [entry] = (await auditOf(mandateId)).body["results"] as readonly Json[];
  assert.deepEqual(entry?.["after"].subscriptions_cancelled, []);
});

test("cancelling twenty times at once is one cancellation with one audit entry, and a later one changes nothing", async () => {
  const { mandateId } = await subscribed();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => act(mandateId, "cancel", { reason: `caller ${index}` })),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  const before = await read(mandateId);
  const again = await act(mandateId, "cancel", { reason: "later" });
  assert.deepEqual(again.body, before);
  const entries = (await auditOf(mandateId)).body["results"] as readonly Json[];
  assert.equal(entries.length, 1);
  assert.equal(entries[0]?.["after"].status, "cancelled");
});

test("an amendment and a cancellation do not wait for a payment that is being recorded under the mandate", async () => {
  const { subscriptionId, mandateId } = await subscribed();
  await service.db.transaction(async (tx) => {
    // The lock that an insert of a row with references to both takes.
    await tx.query(...adHoc("select from mandates where id = $1 for key share", [mandateId]));
    await tx.query(...adHoc("select from subscriptions where id = $1 for key share", [subscriptionId]));
    assert.equal((await act(mandateId, "amend", { holder_name: "Grace Hopper" })).status, 200);
    assert.equal((await act(mandateId, "cancel", { reason: "asked for it" })).status, 200);
  });
});

test("a cancellation that waits for a renewal holds no lock that the renewal needs", async () => {
  const { subscriptionId, mandateId } = await subscribed();
  const cancelled: Promise<Response>[] = [];
  await service.db.transaction(async (tx) => {
    await tx.query(...adHoc("select from subscriptions where id = $1 for update", [subscriptionId]));
    cancelled.push(act(mandateId, "cancel"));
    await untilWaiting(service);
    await tx.query(...adHoc("select from mandates where id = $1 for update nowait", [mandateId]));
  });
  assert.deepEqual(
    (await Promise.all(cancelled)).map(({ status }) => status),
    [200],
  );
});

test("a mandate with an open payment cannot be cancelled before the payment's outcome", async () => {
  const { mandate, paid } = await paidMandate({}, IBAN.verification);
  assert.equal(paid.body["status"], "awaiting_verification");
  assert.equal(mandate["status"], "pending");
  assert.equal((await act(mandate["id"], "cancel")).status, 409);
  assert.equal((await act(mandate["id"], "amend", { holder_name: "Other" })).status, 409);
});

test("an amended account is debited from then on; the old one is kept for the bank, with whether it was at the same bank", async () => {
  const { mandate } = await paidMandate();
  const id: string = mandate["id"];
  const sameBank = await act(id, "amend", { iban: "de62 3704 0044 0532 0130 01" });
  assert.equal(sameBank.status, 200, sameBank.text);
  assert.equal(sameBank.body["iban_last4"], "3001");
  const other = await act(id, "amend", { iban: IBAN.approvedDutch, holder_name: "Ada New" });
  assert.equal(other.body["iban_country"], "NL");
  assert.equal(other.body["holder_name"], "Ada New");
  const shown = (other.body["amendments"] as readonly Json[]).map((entry) => [
    entry["number"],
    entry["kind"],
    entry["original_iban_last4"],
    entry["original_holder_name"],
    entry["same_bank"],
    entry["sent_at"],
  ]);
  assert.deepEqual(shown, [
    [3, "account", "3001", null, false, null],
    [2, "holder", null, "Ada Example", null, null],
    [1, "account", "3000", null, true, null],
  ]);
  assert.ok(!other.text.includes(IBAN.approvedDutch) && !other.text.includes(IBAN.approved));
  const [row] = await service.rows(
    "select m.tenant, m.iban_sealed, a.original_iban_sealed from mandates m join mandate_amendments a on a.mandate_id = m.id and a.number = 1 where m.id = $1",
    [id],
  );
  const { keys } = service.app.deps;
  assert.equal(
    keys.open(row?.["tenant"], `mandates.iban:${id}`, row?.["iban_sealed"]).toString(),
    IBAN.approvedDutch,
  );
  assert.equal(
    keys.open(row?.["tenant"], `mandate_amendments.iban:${id}:1`, row?.["original_iban_sealed"]).toString(),
    IBAN.approved,
  );
  const entries = (await auditOf(id)).body["results"] as readonly Json[];
  assert.equal(entries.length, 2);
  assert.ok(!JSON.stringify(entries).includes(IBAN.approvedDutch));
});

test("banks of different countries are different, whatever digits they share", async () => {
  const { mandate } = await paidMandate();
  const french = "FR1420041010050500013M02606";
  const austrian = composeIBAN({ countryCode: "AT", bban: "2004100000000001" }) ?? "";
  await act(mandate["id"], "amend", { iban: french });
  const { body, status, text } = await act(mandate["id"], "amend", { iban: austrian });
  assert.equal(status, 200, text);
  assert.deepEqual(
    (body["amendments"] as readonly Json[]).map(({ same_bank }) => same_bank),
    [false, false],
  );
});

test("an amendment that changes nothing is refused, and so is an account that cannot be debited", async () => {
  const { mandate } = await paidMandate();
  const id: string = mandate["id"];
  const same = await act(id, "amend", {
    iban: IBAN.approved,
    holder_name: "Ada Example",
    reference: mandate["reference"],
  });
  assert.deepEqual(same.body["amendments"], []);
  // The request is in the audit log nevertheless, so that repeating the operation later changes nothing.
  const [asked, ...more] = (await auditOf(id)).body["results"];
  assert.deepEqual([asked.after, more], [asked.before, []]);
  for (const iban of ["DE89370400440532013001", "BR1800360305000010009795493C1"]) {
    const refused = await act(id, "amend", { iban });
    assert.equal(refused.status, 400, iban);
    assert.ok(Array.isArray(refused.body["iban"]));
  }
  assert.equal((await act(id, "amend", {})).status, 400);
});

test("a reference that is or was in use is never taken again, in upper or lower case, nor by concurrent requests", async () => {
  const [one, two, three] = [await paidMandate(), await paidMandate(), await paidMandate()];
  const first = await act(one.mandate["id"], "amend", { reference: "Club/2026-(7)" });
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body["reference"], "Club/2026-(7)");
  assert.equal(first.body["amendments"][0].original_reference, one.mandate["reference"]);
  assert.equal((await act(two.mandate["id"], "amend", { reference: "CLUB/2026-(7)" })).status, 409);
  const old = String(one.mandate["reference"]).toLowerCase();
  assert.equal((await act(two.mandate["id"], "amend", { reference: old })).status, 409, "given up");
  assert.equal(
    (await act(one.mandate["id"], "amend", { reference: "club/2026-(7)" })).status,
    400,
    "its own",
  );
  for (const reference of ["/A", "A/", "A//B", "A B", "Ä", "A".repeat(36), ""]) {
    assert.equal((await act(two.mandate["id"], "amend", { reference })).status, 400, reference);
  }
  const race = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      act((index % 2 === 0 ? two : three).mandate["id"], "amend", {
        reference: index % 2 === 0 ? "Wanted" : "wanted",
      }),
    ),
  );
  const holders = await service.rows("select id from mandates where upper(reference) = 'WANTED'");
  assert.equal(holders.length, 1);
  assert.deepEqual(new Set(race.map(({ status }) => status)), new Set([200, 409]));
});

test("a new creditor is an amendment; an ended mandate cannot be amended", async () => {
  const { mandate } = await paidMandate();
  const id: string = mandate["id"];
  const amended = await act(id, "amend", {
    creditor_identifier: "DE98ZZZ09999999999",
    creditor_name: "New Shop",
  });
  assert.equal(amended.body["creditor_identifier"], "DE98ZZZ09999999999");
  assert.equal(amended.body["amendments"][0].original_creditor_name, "Shop");
  await act(id, "cancel");
  assert.equal((await act(id, "amend", { holder_name: "Other" })).status, 409);
});

test("a mandate that the bank rejects counts as cancelled by the bank, and nothing is retried with it", async () => {
  merchant = await createMerchant(service);
  const { subscriptionId, mandateId } = await subscribed();
  await switchAccount(service, subscriptionId, IBAN_MANDATE_REJECTED);
  await service.post("management/clock/", { date: "2026-02-13" }, { key: merchant.key });
  const mandate = await read(mandateId);
  assert.equal(mandate["status"], "cancelled");
  assert.equal(mandate["cancelled_by"], "bank");
  assert.equal(mandate["status_reason"], "MD01");
  assert.ok(mandate["cancelled_at"]);
  await service.post("management/clock/", { date: "2026-06-13" }, { key: merchant.key });
  const renewals = await service.rows(
    "select id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
    [subscriptionId],
  );
  assert.equal(renewals.length, 1);
});
