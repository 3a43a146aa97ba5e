/**
 * A customer is erased while something else changes the customer: one of the two is first, and no personal data is
 * left.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answerContext } from "../src/lib/answer-store.ts";
import { chainAuditLogJob, verifyChain } from "../src/management/audit/chain.ts";
import { createRace } from "./support/at-once.ts";
import { assertBooksAgree } from "./support/books.ts";
import { allStoredValues, placesOf } from "./support/everything.ts";
import { createIntegration, processAll, type Integration } from "./support/integrations.ts";
import { member } from "./support/people.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Response, type Service } from "./support/service.ts";

const race = createRace();
let service: Service;
let merchant: Merchant;
let partner: Integration;
let people = 0;

before(async () => {
  service = await startService({ between: race.between });
  merchant = await createMerchant(service);
  partner = await createIntegration(service, merchant.key);
});
after(() => service.close());

/** A new customer without data. */
function person(): {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly country: string;
} {
  people += 1;
  const last_name = `Kwyrzel${String.fromCharCode(96 + people)}`;
  return { first_name: "Ixolde", last_name, email: `ixolde@${last_name}.example`, country: "DE" };
}

async function leadOf(email: string): Promise<Json> {
  const [row] = await service.rows("select * from leads where email = $1 and erased_at is null", [email]);
  assert.ok(row !== undefined);
  return row;
}

const erase = (id: string): Promise<Response> =>
  service.post(`management/customers/${id}/erase/`, { give_up_evidence: true }, { key: merchant.key });

async function paid(who: Json): Promise<string> {
  const token = await merchant.session({ lead: who });
  const answer = await merchant.pay(token, IBAN.approved, {
    account_holder_name: `${who["first_name"]} ${who["last_name"]}`,
  });
  assert.equal(answer.body["status"], "completed", answer.text);
  return token;
}

async function nothingIsLeft(who: Json): Promise<void> {
  assert.deepEqual(placesOf(await allStoredValues(service), [who["last_name"]]), []);
}

test("an erasure during a payment waits for it or is refused, and afterwards leaves no data", async () => {
  for (let round = 0; round < 5; round += 1) {
    const who = person();
    const token = await merchant.session({ lead: who });
    const { id } = await leadOf(who.email);
    const [payment, first] = await Promise.all([
      merchant.pay(token, IBAN.approved, { account_holder_name: `Ixolde ${who.last_name}` }),
      erase(id),
    ]);
    assert.equal(payment.body["status"], "completed", payment.text);
    assert.ok([200, 409].includes(first.status), first.text);
    if (first.status === 409) assert.equal(first.body["code"], "customer_in_use");
    assert.equal((await erase(id)).status, 200);
    await nothingIsLeft(who);
  }
  await assertBooksAgree(service.db);
});

test("after two erasures and a new purchase at the same moment, the new session does not belong to the erased customer", async () => {
  for (let round = 0; round < 5; round += 1) {
    const who = person();
    await paid(who);
    const { id } = await leadOf(who.email);
    const [one, two, session] = await Promise.all([erase(id), erase(id), merchant.create({ lead: who })]);
    assert.equal(session.status, 201, session.text);
    const done = [one, two].filter(({ status }) => status === 200);
    for (const answer of [one, two]) assert.ok([200, 409].includes(answer.status), answer.text);
    assert.equal(new Set(done.map(({ body }) => body["erased_at"])).size, done.length === 0 ? 0 : 1);
    const [row] = await service.rows(
      "select l.email, l.erased_at from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id where s.closed_at is null and l.email like $1",
      [`%${who.email}`],
    );
    assert.deepEqual([row?.["email"], row?.["erased_at"]], [who.email, null]);
    assert.equal((await merchant.cancel(session.body["session_token"])).status, 200);
  }
  const { db, keys } = service.app.deps;
  const job = chainAuditLogJob(service.app.deps);
  while ((await job.runOnce(job.batch)) > 0);
  for (const { tenant } of await service.rows("select tenant from tenants"))
    assert.deepEqual((await verifyChain(db, keys, tenant)).findings, []);
});

test("a refund that comes while its customer is erased is refused, as after the erasure", async () => {
  const who = person();
  const token = await merchant.session({ lead: who });
  const { transaction } = (await merchant.pay(token, IBAN.approved)).body;
  const { id } = await leadOf(who.email);
  const path = `management/transactions/${transaction["id"]}/refunds/`;
  const answers: Response[] = [];
  const refund = async () => {
    answers.push(await service.post(path, {}, { key: merchant.key }));
  };
  await race.atOnce(service, async () => assert.equal((await erase(id)).status, 200), refund);
  await refund();
  const said = [409, "The customer was erased, so the account is no longer known."];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body["detail"]]),
    [said, said],
  );
  await assertBooksAgree(service.db);
});

/** A postback about a new customer that is not processed yet. */
async function postedOf(): Promise<{ readonly leadId: string; readonly activityId: string }> {
  const who = person();
  await paid(who);
  const leadId: string = (await leadOf(who.email))["id"];
  const activityId = await partner.accepted({ lead_id: leadId, buyer_name: `Ixolde ${who.last_name}` });
  return { leadId, activityId };
}

async function assertMatchedWithoutBody({ leadId, activityId }: Awaited<ReturnType<typeof postedOf>>) {
  const { status, lead_id, payload, values, has_payload } = await partner.activity(activityId);
  assert.deepEqual(
    { status, lead_id, payload, values, has_payload },
    { status: "matched", lead_id: leadId, payload: null, values: null, has_payload: false },
  );
}

test("a postback that is matched after its customer was erased ends without its body; others keep theirs", async () => {
  const [erased, other] = [await postedOf(), await postedOf()];
  assert.equal((await erase(erased.leadId)).status, 200);
  await processAll(service);
  await assertMatchedWithoutBody(erased);
  assert.equal((await partner.activity(other.activityId))["has_payload"], true);
});

test("a postback that is matched while its customer is erased ends without its body", async () => {
  const posted = await postedOf();
  await race.atOnce(
    service,
    async () => assert.equal((await erase(posted.leadId)).status, 200),
    () => processAll(service),
  );
  await assertMatchedWithoutBody(posted);
});

test("the body of a postback that was matched before is erased with its customer", async () => {
  const posted = await postedOf();
  await processAll(service);
  assert.equal((await partner.activity(posted.activityId))["has_payload"], true);
  assert.equal((await erase(posted.leadId)).status, 200);
  await assertMatchedWithoutBody(posted);
});

test("a customer is not erased while a webhook is being sent; a waiting webhook is sent without the personal data", async () => {
  const who = person();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Hook",
    url: "http://127.0.0.1:1/hook",
  });
  await paid(who);
  const { id } = await leadOf(who.email);
  const [tenant] = await service.rows("select tenant from leads where id = $1", [id]);
  const [event] = await service.rows(
    "select e.id from events e join sessions s on s.tenant = e.tenant and s.id = e.session_id where s.lead_id = $1 limit 1",
    [id],
  );
  const [profile] = await service.rows("select id from webhook_profiles");
  await service.rows(
    "insert into webhook_receivers (tenant, profile_id) values ($1, $2) on conflict do nothing",
    [tenant?.["tenant"], profile?.["id"]],
  );
  await service.rows(
    `insert into webhook_deliveries (tenant, id, event_id, event_number, event_type, profile_id, payload_fields, ascii_escape, status,
                                     due_at, created_at, locked_until)
     select tenant, gen_random_uuid(), id, number, type, $2, '{"who":"email","name":"last_name"}', false, 'failing', now() + interval '1 hour', now(), now() + interval '1 hour'
       from events where id = $1`,
    [event?.["id"], profile?.["id"]],
  );
  const refused = await erase(id);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "customer_in_use"]);
  assert.match(refused.body["detail"], /a webhook is being sent; try again/);
  await service.rows(
    "update webhook_deliveries set locked_until = null, error = 'it said Ixolde' where event_id = $1",
    [event?.["id"]],
  );
  assert.equal((await erase(id)).status, 200);
  await nothingIsLeft(who);
  assert.deepEqual(placesOf(await allStoredValues(service), ["it said Ixolde"]), []);
  const [delivery] = await service.rows("select id from webhook_deliveries where event_id = $1", [
    event?.["id"],
  ]);
  const { body } = await service.get(`management/webhook-deliveries/${delivery?.["id"]}/`, {
    key: merchant.key,
  });
  assert.match(JSON.stringify(body), /erased/);
});

test("a repeated request with its Idempotency-Key gets its response without the personal data, and is not executed again", async () => {
  const who = person();
  const body = {
    lead: who,
    gateway_id: merchant.gatewayId,
    amount: "5.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const options = { key: merchant.key, headers: { "idempotency-key": "erase-me" } };
  const first = await service.post("payment-sessions/", body, options);
  assert.equal(first.status, 201);
  assert.equal((await merchant.cancel(first.body["session_token"])).status, 200);
  const { id } = await leadOf(who.email);
  assert.equal((await erase(id)).status, 200);
  const again = await service.post("payment-sessions/", body, options);
  assert.equal(again.status, 201);
  assert.ok(!again.text.includes(who.last_name), again.text);
  assert.deepEqual(await service.rows("select id from leads where email = $1", [who.email]), []);
  await nothingIsLeft(who);
});

test("a customer with an unsettled payment or a subscription that is not cancelled cannot be erased", async () => {
  for (const [what, buy] of [
    [/a payment or refund is not settled/, (who: Json) => merchant.session({ lead: who })],
    [
      /a subscription is not cancelled/,
      (who: Json) => merchant.session({ lead: who, billing_type: "RECURRING", billing_frequency: "MONTHLY" }),
    ],
  ] as const) {
    const who = person();
    const token = await buy(who);
    const iban = what.source.includes("payment") ? IBAN.pending : IBAN.approved;
    await merchant.pay(token, iban);
    const refused = await erase((await leadOf(who.email))["id"]);
    assert.deepEqual([refused.status, refused.body["code"]], [409, "customer_in_use"], refused.text);
    assert.match(refused.body["detail"], what);
  }
});

test("neither a namesake's records nor texts of others about the namesake are changed", async () => {
  const who = person();
  const namesake = { ...who, email: `other-${who.email}` };
  await paid(who);
  await paid(namesake);
  const { id: other } = await leadOf(namesake.email);
  const body = { name: `Page for Ixolde ${who.last_name}` };
  const page = await createRecord(service, merchant.key, "hosted-pages", body);
  assert.equal((await erase((await leadOf(who.email))["id"])).status, 200);
  const { body: left } = await service.get(`management/customers/${other}/`, { key: merchant.key });
  assert.deepEqual([left["email"], left["last_name"]], [namesake.email, who.last_name]);
  const [entry] = await service.rows("select after from audit_log where resource_id = $1", [page["id"]]);
  assert.equal(entry?.["after"].name, body.name);
  const events = await service.rows(
    "select payload from events where payload ->> 'customer_email' = $1 or payload::text like $2",
    [namesake.email, `%"${namesake.email}"%`],
  );
  assert.ok(events.length > 0, "the namesake's events name it");
});

test("an account that another customer pays from as well is erased only in the person's records", async () => {
  const [who, partner] = [person(), person()];
  await paid(who);
  await paid(partner);
  const mandates = () =>
    service.rows(
      "select m.* from mandates m join leads l on l.tenant = m.tenant and l.id = m.lead_id where l.email = $1",
      [partner.email],
    );
  const before = await mandates();
  assert.equal((await erase((await leadOf(who.email))["id"])).status, 200);
  assert.deepEqual(await mandates(), before);
  const gone = await service.rows(
    "select m.iban_fingerprint from mandates m join leads l on l.tenant = m.tenant and l.id = m.lead_id where l.erased_at is not null",
  );
  for (const { iban_fingerprint } of gone)
    assert.ok(!before.some((one) => iban_fingerprint.equals(one["iban_fingerprint"])), "by no fingerprint");
});

test("the person's name is removed from a stored response, however many other responses were stored before it", async () => {
  const who = person();
  await paid(who);
  const { id } = await leadOf(who.email);
  const [mandate] = await service.rows("select id from mandates where lead_id = $1", [id]);
  const amend = () =>
    service.post(
      `management/mandates/${mandate?.["id"]}/amend/`,
      { holder_name: `Ixolde von ${who.last_name}` },
      { key: merchant.key, headers: { "idempotency-key": "many-last" } },
    );
  const first = await amend();
  assert.equal(first.status, 200, first.text);
  assert.ok(first.text.includes(who.last_name), first.text);
  // More responses of the same caller than are read at once, all stored before this one.
  const copied = await service.rows(
    `insert into idempotency_keys
     select (jsonb_populate_record(k, jsonb_build_object('key', 'many-' || n))).*
       from idempotency_keys k, generate_series(1, 600) n where k.key = 'many-last' returning key`,
  );
  assert.equal(copied.length, 600);
  assert.equal((await erase(id)).status, 200);
  const again = await amend();
  assert.equal(again.status, 200, again.text);
  assert.ok(!again.text.includes(who.last_name), again.text);
});

test("stored responses to the person's session, to a key and to a colleague no longer name the person", async () => {
  const who = person();
  await paid(who);
  const { id, tenant } = await leadOf(who.email);
  const [session] = await service.rows("select id from sessions where lead_id = $1", [id]);
  const colleague = await member(service, { id: merchant.tenantId, tenant, key: merchant.key }, "support");
  const [key] = await service.rows("select id from api_keys where tenant = $1 limit 1", [tenant]);
  const callers = [`session:${session?.["id"]}`, `person:${colleague.id}`, `key:${key?.["id"]}`];
  const { keys } = service.app.deps;
  const said = { contentType: "application/json", body: JSON.stringify({ name: `Ixolde ${who.last_name}` }) };
  for (const caller of callers) {
    const answer = keys.seal(tenant, answerContext({ caller, key: "said" }), JSON.stringify(said));
    await service.rows(
      `insert into idempotency_keys (tenant, caller, key, request_id, request_hash, status, answer, created_at)
       values ($1, $2, 'said', gen_random_uuid(), sha256('said'), 200, $3, now()) returning key`,
      [tenant, caller, answer],
    );
  }
  assert.equal((await erase(id)).status, 200);
  const left = await service.rows("select caller, answer from idempotency_keys where key = 'said'", []);
  assert.equal(left.length, callers.length);
  for (const { caller, answer } of left)
    assert.ok(
      !keys
        .open(tenant, answerContext({ caller, key: "said" }), answer)
        .toString()
        .includes(who.last_name),
      caller,
    );
});
