/** The processing of a postback: matched once to a lead of its tenant, listed as an activity, replayed, deleted. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { forgetOld } from "../src/integrations/forget.ts";
import { processDue } from "../src/integrations/process.ts";
import { claimDueActivities, recordEnd } from "../src/integrations/store.ts";
import { DAY_MS, later, manualClock, MINUTE_MS, systemClock } from "../src/lib/clock.ts";
import { createIntegration, processAll, type Integration } from "./support/integrations.ts";
import { createMerchant, IBAN, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

const calendar = manualClock(new Date("2026-11-21T12:00:00Z"));
let service: Service;
let merchant: Merchant;
let stranger: Merchant;
let partner: Integration;

before(async () => {
  service = await startService({ clock: { ...systemClock, now: () => calendar.now() } });
  merchant = await createMerchant(service);
  stranger = await createMerchant(service);
  partner = await createIntegration(service, merchant.key);
});
after(() => service.close());

interface Sale {
  readonly token: string;
  readonly leadId: string;
  readonly orderId: string;
  readonly orderNumber: string;
  readonly sessionId: string;
  readonly reference: string;
}

let sales = 0;

/** A merchant's paid session, with all references by which a partner may name it. */
async function sale(of: Merchant): Promise<Sale> {
  const token = await of.session();
  sales += 1;
  const reference = ` sale ${sales} `;
  const { body } = await of.pay(token, IBAN.approved, { tenant_reference_id: reference });
  assert.equal(body["status"], "completed");
  const [session] = await service.rows("select session_id from orders where id = $1", [body["order"].id]);
  return {
    token,
    reference,
    leadId: body["lead"].id,
    orderId: body["order"].id,
    orderNumber: body["order"].order_number,
    sessionId: session?.["session_id"],
  };
}

/** Posts and processes a postback. @returns its activity. */
async function processed(body: unknown, at = partner): Promise<Json> {
  const id = await at.accepted(body);
  await processAll(service);
  return at.activity(id);
}

const outcome = (activity: Json) => [
  activity["status"],
  activity["reason"],
  activity["lead_id"],
  activity["order_id"],
  activity["session_id"],
];

test("a lead is found by lead_id, or else by an our_ref that is a lead id, order number, session token or reference", async () => {
  const one = await sale(merchant);
  const { leadId, orderId, orderNumber, sessionId, token, reference } = one;
  const rows: readonly (readonly [Json, string, boolean])[] = [
    [{ lead_id: leadId }, "lead_id", false],
    [{ lead_id: ` ${leadId.toUpperCase()} ` }, "lead_id", false],
    [{ lead_id: leadId, our_ref: orderNumber }, "lead_id", false],
    [{ our_ref: leadId }, "our_ref_lead_id", false],
    [{ our_ref: orderNumber }, "our_ref_order_number", true],
    [{ our_ref: orderNumber.toLowerCase() }, "our_ref_order_number", true],
    [{ our_ref: token }, "our_ref_session_token", true],
    [{ our_ref: reference }, "our_ref_tenant_reference_id", true],
    [{ lead_id: "4711", our_ref: orderNumber }, "our_ref_order_number", true],
    [{ lead_id: "", our_ref: token }, "our_ref_session_token", true],
    [{ lead_id: null, our_ref: reference }, "our_ref_tenant_reference_id", true],
  ];
  for (const [body, reason, whole] of rows) {
    const activity = await processed(body);
    const expected = ["matched", reason, leadId, whole ? orderId : null, whole ? sessionId : null];
    assert.deepEqual(outcome(activity), expected, JSON.stringify(body));
    assert.equal(activity["processed_at"], calendar.now().toISOString());
  }
});

test("a postback that names no existing lead is unmatched; one whose value is not a text has failed", async () => {
  const { reference, token } = await sale(merchant);
  const rows = [
    [{}, "unmatched", "no_reference"],
    [{ our_ref: "", lead_id: " " }, "unmatched", "no_reference"],
    [{ status: "sold" }, "unmatched", "no_reference"],
    [{ our_ref: "nobody" }, "unmatched", "unknown_reference"],
    [{ lead_id: "018f0000-0000-7000-8000-000000000000" }, "unmatched", "unknown_reference"],
    [{ our_ref: reference.trim() }, "unmatched", "unknown_reference"],
    [
      { our_ref: token.replace(/.$/, (last) => (last === "A" ? "B" : "A")) },
      "unmatched",
      "unknown_reference",
    ],
    [{ lead_id: { id: 1 } }, "failed", "lead_id_is_no_text"],
    [{ our_ref: [token] }, "failed", "our_ref_is_no_text"],
  ] as const;
  for (const [body, status, reason] of rows)
    assert.deepEqual(
      outcome(await processed(body)),
      [status, reason, null, null, null],
      JSON.stringify(body),
    );
});

test("another tenant's lead, order, session and reference are never matched", async () => {
  const theirs = await sale(stranger);
  const { leadId, orderNumber, token, reference } = theirs;
  for (const body of [
    { lead_id: leadId },
    { our_ref: leadId },
    { our_ref: orderNumber },
    { our_ref: token },
    { our_ref: reference },
  ]) {
    assert.deepEqual(
      outcome(await processed(body)),
      ["unmatched", "unknown_reference", null, null, null],
      JSON.stringify(Object.keys(body)),
    );
  }
});

test("postbacks that are processed together each find their own lead or none", async () => {
  const named = [await sale(merchant), null, await sale(merchant), await sale(merchant), null];
  const ids = await Promise.all(
    named.map((one, index) => partner.accepted({ our_ref: one?.orderNumber ?? `unknown ${index}` })),
  );
  await processAll(service);
  for (const [index, id] of ids.entries()) {
    const one = named[index];
    assert.deepEqual(
      outcome(await partner.activity(id)),
      one
        ? ["matched", "our_ref_order_number", one.leadId, one.orderId, one.sessionId]
        : ["unmatched", "unknown_reference", null, null, null],
    );
  }
});

test("the generic provider finds values by the partner's keys, also inside objects", async () => {
  const { leadId, orderNumber } = await sale(merchant);
  const mapped = await createIntegration(service, merchant.key, {
    key_mapping: { our_ref: "order", lead_id: "data.lead.id", request_uuid: "meta.id", status: "a.b" },
  });
  const activity = await processed(
    { data: { lead: { id: leadId } }, meta: { id: "m-1" }, "a.b": "sold", our_ref: "theirs", order: 1 },
    mapped,
  );
  assert.deepEqual(outcome(activity).slice(0, 3), ["matched", "lead_id", leadId]);
  assert.equal(activity["request_uuid"], "m-1");
  const values = { our_ref: "1", request_uuid: "m-1", lead_id: leadId, status: "sold" };
  const rest = { sell_price: null, buyer_id: null, buyer_name: null };
  assert.deepEqual(activity["values"], { ...values, ...rest });
  const again = await processed({ order: orderNumber, data: [] }, mapped);
  assert.deepEqual(outcome(again).slice(0, 2), ["matched", "our_ref_order_number"]);
});

test("the campaign trigger's keys are the contract's", async () => {
  const { leadId } = await sale(merchant);
  const trigger = await createIntegration(service, merchant.key, { provider: "campaign_trigger" });
  const body = {
    our_ref: "o",
    request_uuid: "t-1",
    lead_id: leadId,
    status: "sold",
    sell_price: "12.50",
    buyer_id: "b",
    buyer_name: "Büyer",
  };
  const activity = await processed(body, trigger);
  assert.deepEqual([activity["status"], activity["values"], activity["payload"]], ["matched", body, body]);
});

test("the body is stored complete and encrypted", async () => {
  const body = { our_ref: "o", more: { deep: [1, { canary: "canary-9f1e" }] }, n: 0.1 };
  const id = await partner.accepted(body);
  assert.deepEqual((await partner.activity(id))["payload"], body);
  const [row] = await service.rows("select payload from integration_activities where id = $1", [id]);
  assert.ok(row?.["payload"].length > 0 && !row?.["payload"].includes("canary-9f1e"));
});

test("two workers at once process each postback once", async () => {
  await processAll(service);
  for (let count = 0; count < 60; count += 1) await partner.accepted({ our_ref: "both", count });
  const outcomes: string[] = [];
  const work = async () => {
    while ((await processDue(service.app.deps, 4, (one) => outcomes.push(one))) > 0);
  };
  await Promise.all([work(), work(), work()]);
  assert.equal(outcomes.length, 60);
  const [row] = await service.rows("select max(attempts) as most from integration_activities");
  assert.equal(row?.["most"], 1);
});

test("a worker that has lost its lease on an activity writes nothing, and another worker takes over from a dead one", async () => {
  const id = await partner.accepted({ our_ref: "lost" });
  const { db } = service;
  const tenant = await tenantNumber();
  const claim = async () => {
    const [row] = await claimDueActivities(db, tenant, MINUTE_MS, 1);
    return row;
  };
  const stale = await claim();
  assert.equal(stale?.id, id);
  assert.equal(await claim(), undefined, "it is taken");
  calendar.advance(MINUTE_MS);
  const fresh = await claim();
  assert.equal(fresh?.id, id);
  assert.ok(stale !== undefined && fresh !== undefined);
  const ended = { leadId: null, orderId: null, sessionId: null } as const;
  const at = calendar.now();
  const late = { ...ended, status: "failed", reason: "late" } as const;
  assert.equal(await recordEnd(db, tenant, stale, late, at), false);
  assert.equal(await recordEnd(db, tenant, fresh, { ...late, reason: "in time" }, at), true);
  assert.equal((await partner.activity(id))["reason"], "in time");
});

async function tenantNumber(): Promise<number> {
  const [row] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  return row?.["tenant"];
}

test("replay processes a postback again with the current keys, replaces the first outcome, and is in the audit log", async () => {
  const { leadId } = await sale(merchant);
  const mapped = await createIntegration(service, merchant.key);
  const before = await processed({ lead: leadId }, mapped);
  assert.deepEqual(outcome(before).slice(0, 2), ["unmatched", "no_reference"]);
  assert.equal((await mapped.change({ key_mapping: { lead_id: "lead" } })).status, 200);
  const path = `management/integrations/${mapped.id}/activities/${before["id"]}/replay/`;
  const headers = { "idempotency-key": "replay-1" };
  const replayed = await service.post(path, undefined, { key: merchant.key, headers });
  assert.deepEqual([replayed.status, replayed.body["status"]], [200, "received"], replayed.text);
  assert.equal((await service.post(path, undefined, { key: merchant.key, headers })).text, replayed.text);
  await processAll(service);
  assert.deepEqual(outcome(await mapped.activity(before["id"])).slice(0, 3), ["matched", "lead_id", leadId]);

  const log = await service.get(`management/audit-log/?resource_id=${before["id"]}`, { key: merchant.key });
  const [entry, ...more] = log.body["results"];
  assert.deepEqual(
    [entry.action, entry.resource, entry.before.status, entry.after.status, more],
    ["replay", "integration-activities", "unmatched", "received", []],
  );
});

test("replay is 409 without a body and for an archived integration, and 404 for an unknown one", async () => {
  const off = await createIntegration(service, merchant.key, { active: false });
  await off.post({});
  const [skipped] = await off.activities();
  const replay = (integration: string, activity: string) =>
    service.post(`management/integrations/${integration}/activities/${activity}/replay/`, undefined, {
      key: merchant.key,
    });
  assert.equal((await replay(off.id, skipped?.["id"])).status, 409);
  const id = await partner.accepted({ our_ref: "somewhere else" });
  for (const [integration, activity] of [
    [off.id, id],
    ["x", id],
    [partner.id, "x"],
    [partner.id, "018f0000-0000-7000-8000-000000000000"],
  ] as const)
    assert.equal((await replay(integration, activity)).status, 404);
  const gone = await createIntegration(service, merchant.key);
  const kept = await gone.accepted({});
  await service.call("DELETE", `management/integrations/${gone.id}/`, undefined, { key: merchant.key });
  assert.equal((await replay(gone.id, kept)).status, 409);
});

test("activities are listed newest first, in pages, by each filter", async () => {
  const at = await createIntegration(service, merchant.key);
  const { leadId } = await sale(merchant);
  const first = await at.accepted({ request_uuid: "f-1", lead_id: leadId });
  calendar.advance(DAY_MS);
  const second = await at.accepted({ request_uuid: "f-2", our_ref: "x" });
  const third = await at.accepted({ our_ref: "y" });
  await processAll(service);
  const [day, next] = [-DAY_MS, 0].map((ms) => later(calendar.now(), ms).toISOString().slice(0, 10));
  const ids = async (query: string) => (await at.activities(query)).map((row): string => row["id"]);
  const unordered = async (query: string) => (await ids(query)).toSorted();
  assert.deepEqual(await unordered(""), [first, second, third].toSorted());
  assert.equal((await ids("")).at(-1), first);
  assert.deepEqual(await ids("?status=matched"), [first]);
  assert.deepEqual(await unordered("?status=unmatched"), [second, third].toSorted());
  assert.deepEqual(await ids("?status=failed"), []);
  assert.deepEqual(await ids("?request_uuid=f-2"), [second]);
  assert.deepEqual(await ids("?recovered=true"), []);
  assert.deepEqual((await ids("?recovered=false")).length, 3);
  assert.deepEqual(await ids(`?to=${day}`), [first]);
  assert.deepEqual((await ids(`?from=${next}&to=${next}`)).length, 2);
  const page = await service.get(`management/integrations/${at.id}/activities/?page_size=2`, {
    key: merchant.key,
  });
  const rest = await service.get(new URL(page.body["next"]).pathname + new URL(page.body["next"]).search, {
    key: merchant.key,
  });
  assert.deepEqual(
    rest.body["results"].map((row: Json) => row["id"]),
    [first],
  );
  for (const query of ["status=lost", "from=yesterday", "recovered=maybe", "request_uuid=", "cursor=x"]) {
    const refused = await service.get(`management/integrations/${at.id}/activities/?${query}`, {
      key: merchant.key,
    });
    assert.deepEqual([refused.status, Object.keys(refused.body)[0]], [400, query.split("=")[0]], query);
  }
});

test("a postback whose body was encrypted with a lost key fails with that reason", async () => {
  const id = await partner.accepted({ our_ref: "sealed" });
  await service.rows("update integration_activities set payload = payload || '\\x00' where id = $1", [id]);
  await processAll(service);
  const activity = await partner.activity(id);
  assert.deepEqual(
    [activity["status"], activity["reason"], activity["payload"]],
    ["failed", "payload_unreadable", null],
  );
});

async function rowOf(id: string): Promise<Json> {
  const [row] = await service.rows("select * from integration_activities where id = $1", [id]);
  return row ?? {};
}

test("internal failures are retried, and given up after five attempts", async () => {
  const id = await partner.accepted({ our_ref: "unlucky" });
  const { app } = service;
  const outcomes: string[] = [];
  const broken = {
    ...app.deps,
    reached: (step: string) => {
      if (step === "postback.matched") throw new Error("our bug");
    },
  };
  for (let tries = 1; tries <= 5; tries += 1) {
    assert.equal((await rowOf(id))["status"], "received");
    assert.equal(await processDue(broken, 16, (one) => outcomes.push(one)), 1);
    calendar.advance(MINUTE_MS / 2);
  }
  assert.deepEqual(outcome(await rowOf(id)).slice(0, 2), ["failed", "internal_error"]);
  assert.deepEqual(outcomes, ["failed"]);
});

test("bodies are deleted when their retention ends, and never before they are processed", async () => {
  const short = await createIntegration(service, merchant.key, { payload_retention_days: 2 });
  const long = await createIntegration(service, merchant.key);
  const [old, kept] = [await short.accepted({ a: 1 }), await long.accepted({ a: 1 })];
  await processAll(service);
  const waiting = await short.accepted({ a: 2 });
  await short.change({ active: false });
  await short.post({});
  const has = async (id: string) => (await rowOf(id))["payload"] !== null;
  calendar.advance(2 * DAY_MS);
  await forgetOld(service.app.deps, 1_000);
  assert.deepEqual([await has(old), (await short.activities("?status=skipped")).length], [true, 1]);
  calendar.advance(1);
  await forgetOld(service.app.deps, 1_000);
  assert.deepEqual([await has(old), await has(kept), await has(waiting)], [false, true, true]);
  assert.deepEqual((await short.activities("?status=skipped")).length, 0);
  const activity = await short.activity(old);
  assert.deepEqual(
    [activity["status"], activity["payload"], activity["has_payload"]],
    ["unmatched", null, false],
  );
  calendar.advance(90 * DAY_MS);
  await forgetOld(service.app.deps, 1_000);
  assert.equal(await has(kept), false);
});
