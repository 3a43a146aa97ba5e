/** Notes on payments: written by people with the right, read by all who see the payment, erased with the customer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isWaiting } from "../support/at-once.ts";
import { paidAt, UNKNOWN, wordsOf } from "../support/console.ts";
import { createSandbox } from "../support/merchant.ts";
import { createCompany, member, tokenIn, type Company, type Member } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

const EVIL = "<script>alert(1)</script>";
let service: Service;
let shop: Company;
let support: Member;
let viewer: Member;
let stranger: Member;
let id: string;
let path: string;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  support = await member(service, shop, "support");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
  const once = { billing_type: "ONE_OFF", billing_frequency: null };
  const paid = await paidAt(service, shop.key, await createSandbox(service, shop.key), once);
  id = paid["transaction"].id;
  path = `/console/payments/${id}/`;
});
after(() => service.close());

const note = (text: string, of = id) =>
  service.post(`management/transactions/${of}/notes/`, { text }, { key: shop.key });
const texts = async () =>
  (
    await service.rows("select text from payment_notes where transaction_id = $1 order by created_at", [id])
  ).map(({ text }) => text);

test("a note is in the timeline with its author, as text; a form that is sent twice writes one", async () => {
  const page = await support.browser.get(path);
  const fields = {
    csrf: tokenIn(page) ?? "",
    id: /action="[^"]*notes\/"[^]*?name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? "",
    text: `Called.\r\n${EVIL} `,
  };
  const sent = await Promise.all([1, 2].map(() => support.browser.post(`${path}notes/`, fields)));
  for (const { status, headers } of sent)
    assert.deepEqual([status, headers["location"]], [303, `${path}?done=note`]);
  assert.deepEqual(await texts(), [`Called.\n${EVIL}`]);
  const seen = await viewer.browser.get(path);
  assert.match(wordsOf(seen), /Note by Ada support Called\. <script>/);
  assert.ok(!seen.text.includes(EVIL) && !seen.text.includes("notes/"));
  const log = await service.rows(
    "select actor, after::text as after from audit_log where resource_id = $1 and resource = 'transactions'",
    [id],
  );
  assert.deepEqual(log, [
    { actor: `person:${support.id}`, after: JSON.stringify({ note: fields.id }).replace(":", ": ") },
  ]);
});

test("a form that is sent again with another text writes nothing, and says so", async () => {
  const before = (await texts()).length;
  const form = { id: "018f0000-0000-7000-8000-0000000000bb" };
  const send = (text: string) => support.browser.submit(path, `${path}notes/`, { ...form, text });
  assert.equal((await send("One.")).status, 303);
  const changed = await send("Another.");
  assert.equal(changed.status, 409);
  assert.match(wordsOf(changed), /its note was saved/);
  assert.deepEqual((await texts()).slice(before), ["One."]);
});

test("a person without the right is refused, another company's payment is unknown, and an empty or overlong note says why", async () => {
  assert.equal((await viewer.browser.post(`${path}notes/`, { id: UNKNOWN, text: "x" })).status, 403);
  assert.equal(
    (await stranger.browser.submit("/console/", `${path}notes/`, { id: UNKNOWN, text: "x" })).status,
    404,
  );
  for (const text of ["  ", "x".repeat(2_001)]) {
    const refused = await support.browser.submit(path, `${path}notes/`, { id: UNKNOWN, text });
    assert.equal(refused.status, 409);
    assert.match(wordsOf(refused), /between 1 and 2,?000 characters/);
    assert.equal((await note(text)).status, 400);
  }
  assert.equal((await note("x", UNKNOWN)).status, 404);
});

test("an id that a form has used for one action hides no other action from the audit log", async () => {
  const finance = await member(service, shop, "finance");
  const used = "018f0000-0000-7000-8000-0000000000aa";
  const noted = await support.browser.submit(path, `${path}notes/`, { id: used, text: "First." });
  assert.equal(noted.status, 303);
  for (const who of [support, finance]) {
    const by = who === finance ? "refund/" : "notes/";
    const other = await paidAt(service, shop.key, await createSandbox(service, shop.key));
    const page = `/console/payments/${other["transaction"].id}/`;
    const act = { id: used, text: "Second.", amount: "1.00" };
    assert.notEqual((await who.browser.submit(page, `${page}${by}`, act)).status, 303, by);
    assert.doesNotMatch(wordsOf(await who.browser.get(page)), /Second|Refund of/, by);
  }
  const entries = await service.rows("select actor, resource_id from audit_log where id = $1", [used]);
  assert.deepEqual(entries, [{ actor: `person:${support.id}`, resource_id: id }]);
});

test("a note written through the API has the key's name, and is in the payment's timeline", async () => {
  assert.equal((await note("By the shop.")).status, 201);
  const { timeline } = (await service.get(`management/transactions/${id}/`, { key: shop.key })).body;
  const last = timeline.findLast(({ kind }: { kind: string }) => kind === "note");
  assert.deepEqual([last.why, last.what, last.amount], ["By the shop.", null, null]);
  assert.equal(typeof last.whom, "string");
});

test("a note that is added during the customer's erasure waits for it, and is refused", async () => {
  const before = await texts();
  const { db } = service.app.deps;
  const asked = await db.transaction(async (tx) => {
    await tx.query(...adHoc("select id from transactions where id = $1 for no key update", [id]));
    const waiting = note("Too late.");
    await tx.query(
      ...adHoc(
        "update leads set erased_at = now() where id = (select lead_id from transactions where id = $1) returning id",
        [id],
      ),
    );
    await waitsForLock(waiting);
    return { waiting };
  });
  const answer = await asked.waiting;
  assert.deepEqual([answer.status, answer.body["code"]], [409, "customer_erased"], answer.text);
  assert.deepEqual(await texts(), before);
});

test("a note on an erased imported payment without a customer is refused", async () => {
  const [row] = await service.rows(
    `insert into transactions (tenant, id, gateway_id, merchant_transaction_id, status, type, source, sequence_type, amount, currency,
                               customer_email_csv, created_at, updated_at, lease_no)
     select tenant, gen_random_uuid(), gateway_id, 'TXN-20261123-NBDY2345', 'approved', type, source, sequence_type, amount, currency, 'erased', created_at, updated_at, 0
       from transactions where id = $1 returning id`,
    [id],
  );
  const answer = await note("Too late.", row?.["id"]);
  assert.deepEqual([answer.status, answer.body["code"]], [409, "customer_erased"], answer.text);
});

/** Returns when a statement of the service waits for a row's lock, as the call has to do. */
async function waitsForLock(call: Promise<unknown>): Promise<void> {
  const isDone = call.then(() => true);
  for (;;) {
    if (await isWaiting(service)) return;
    assert.ok(!(await Promise.race([isDone, setTimeout(20, false)])), "it has not waited");
  }
}
