/** The sandbox passes the suite of all adapters, and follows its table of outcomes. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Gateway, Outcome } from "../../src/gateways/gateway.ts";
import { sandboxAdapter } from "../../src/gateways/sandbox/sandbox.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { commonTime } from "../../src/tenants/clock/time.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { COLLECTED, collection, gatewayConformance } from "./gateway.ts";
import { refundOf } from "./refunds.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

const TENANT = 1;
const GATEWAY = "018f0000-0000-7000-8000-000000000001";

interface Bank {
  readonly database: TestDatabase;
  readonly gateway: Gateway;
}

async function openBank(): Promise<Bank> {
  const database = await testDatabase();
  const { db } = database;
  await db.commit(
    ...adHoc(
      "insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at) values ($1, 'Shop', 86400, now(), now())",
      [randomUUID()],
    ),
  );
  await db.commit(
    ...adHoc(
      `insert into gateways (tenant, id, name, adapter, test_mode, settings, completed_event_at, active, created_at, updated_at)
             values ($1, $2, 'Sandbox', 'sandbox', true, '{}', 'acceptance', true, now(), now())`,
      [TENANT, GATEWAY],
    ),
  );
  const keys = createKeyring(defaultKeys(randomBytes(32)));
  const adapter = sandboxAdapter({
    db,
    keys,
    time: commonTime(systemClock),
    ids: randomIds,
    publicUrl: "http://pay.example.test",
  });
  return {
    database,
    gateway: adapter.connect({ tenant: TENANT, gatewayId: GATEWAY, settings: {}, credentials: {} }),
  };
}

const ABILITIES = { refunds: true, answersGetLost: true, settlesLater: true, verification: true };

gatewayConformance("sandbox", ABILITIES, async () => {
  const { database, gateway } = await openBank();
  return {
    gateway,
    accepts: "approved",
    ibans: {
      approved: "DE89370400440532013000",
      declined: "DE34370400440532013020",
      answerLost: "DE55370400440532013030",
      pending: "DE08370400440532013003",
      verification: "DE13370400440532013010",
      verificationFails: "DE83370400440532013011",
    },
    async books(reference) {
      const rows = await database.db.query<{ charges: number; refunded: number }>(
        ...adHoc(
          "select count(charged_at)::int as charges, coalesce(sum(refunded * 100), 0)::int as refunded from sandbox_books where reference = $1",
          [reference],
        ),
      );
      return { charges: rows[0]?.charges ?? 0, refunded: rows[0]?.refunded ?? 0 };
    },
    close: () => database.close(),
  };
});

let bank: Bank;
before(async () => {
  bank = await openBank();
});
after(() => bank.database.close());

/** The compared part of an outcome in the table below. */
function told(outcome: Outcome): string {
  if (outcome.kind !== "declined") return outcome.kind;
  return [outcome.kind, outcome.code, outcome.gatewayCode].join(" ");
}

for (const [iban, first, resolved, news] of [
  ["DE89370400440532013000", "approved", "approved", []],
  ["NL91ABNA0417164300", "approved", "approved", []],
  ["FR1420041010050500013M02606", "approved", "approved", []],
  ["DE62370400440532013001", "declined do_not_honor MS03", "declined do_not_honor MS03", []],
  ["DE35370400440532013002", "approved", "approved", ["charged_back MD06"]],
  ["DE08370400440532013003", "pending", "pending", ["settled"]],
  ["DE78370400440532013004", "pending", "pending", ["returned AM04"]],
  ["DE13370400440532013010", "verification_required", "declined mandate_rejected ", []],
  ["DE83370400440532013011", "verification_required", "declined mandate_rejected ", []],
  ["DE34370400440532013020", "declined insufficient_funds AM04", "declined insufficient_funds AM04", []],
  ["DE07370400440532013021", "declined invalid_iban AC01", "declined invalid_iban AC01", []],
  ["DE77370400440532013022", "declined mandate_rejected MD01", "declined mandate_rejected MD01", []],
  ["DE50370400440532013023", "declined account_closed AC04", "declined account_closed AC04", []],
  ["DE23370400440532013024", "declined do_not_honor AG01", "declined do_not_honor AG01", []],
  ["DE93370400440532013025", "unreachable", "declined gateway_unavailable ", []],
  ["DE66370400440532013026", "declined unknown ZZ99", "declined unknown ZZ99", []],
  ["DE55370400440532013030", "unresolved", "approved", []],
  ["DE28370400440532013031", "unresolved", "declined gateway_unavailable ", []],
] as const) {
  test(`sandbox: ${iban} is ${first}; asked later: ${resolved}; at settlement: ${news.join() || "nothing"}`, async () => {
    const reference = `TXN-20260102-${randomUUID().slice(0, 8).toUpperCase()}`;
    const signal = AbortSignal.timeout(10_000);
    assert.equal(told(await bank.gateway.collect(collection(iban, reference), signal)), first);
    assert.equal(told(await bank.gateway.resolve(reference, signal)), resolved);
    const all = (await bank.gateway.news(1_000, 0, signal)).filter((item) => item.reference === reference);
    assert.deepEqual(
      all.map((item) => ("reasonCode" in item ? `${item.kind} ${item.reasonCode}` : item.kind)),
      news,
    );
  });
}

test("sandbox: an accepted collection that was returned is still pending when asked about; the return is reported as news", async () => {
  const reference = `TXN-20260102-${randomUUID().slice(0, 8).toUpperCase()}`;
  const signal = AbortSignal.timeout(10_000);
  const given = collection("DE78370400440532013004", reference);
  assert.equal(told(await bank.gateway.collect(given, signal)), "pending");
  const all = await bank.gateway.news(1_000, 0, signal);
  const news = all.find((one) => one.reference === reference);
  assert.equal(news?.kind, "returned");
  await bank.gateway.acknowledge(news, signal);
  assert.equal(told(await bank.gateway.resolve(reference, signal)), "pending");
  assert.equal(told(await bank.gateway.collect(given, signal)), "pending");
});

test("sandbox: DE98…032 is approved after 3 seconds, and charges nothing once it was resolved as never received", async () => {
  const signal = AbortSignal.timeout(10_000);
  const start = performance.now();
  const [approved, fenced] = await Promise.all([
    bank.gateway.collect(collection("DE98370400440532013032", "TXN-20260103-AAAAAAAA"), signal),
    (async () => {
      const late = bank.gateway.collect(
        collection("DE98370400440532013032", "TXN-20260103-BBBBBBBB"),
        signal,
      );
      await bank.gateway.resolve("TXN-20260103-BBBBBBBB", signal);
      return late;
    })(),
  ]);
  assert.deepEqual([approved.kind, fenced.kind], ["approved", "declined"]);
  assert.ok(performance.now() - start >= 2_900);
});

test("sandbox: a collection given up before its end charges nothing", async () => {
  const slow = bank.gateway.collect(
    collection("DE98370400440532013032", "TXN-20260103-CCCCCCCC"),
    AbortSignal.timeout(50),
  );
  await assert.rejects(slow);
  assert.equal(
    told(await bank.gateway.resolve("TXN-20260103-CCCCCCCC", AbortSignal.timeout(1_000))),
    "declined gateway_unavailable ",
  );
});

test("sandbox: what cannot be refunded is declined at once, also of what was collected without an answer", async () => {
  const original = "TXN-20260104-ANSWLOST";
  await bank.gateway.collect(collection("DE55370400440532013030", original), AbortSignal.timeout(10_000));
  const refund = (reference: string, cents: number) =>
    bank.gateway.refund(refundOf(original, reference, cents), AbortSignal.timeout(10_000));
  assert.equal((await refund("TXN-20260105-TOOMUCH1", COLLECTED + 1)).kind, "declined");
  assert.equal((await refund("TXN-20260105-ALLOFIT1", COLLECTED)).kind, "unresolved");
});

test("sandbox: only what DE98…032 has paid is refunded slowly, and a refund given up before its end gives nothing back", async () => {
  const ends: (readonly [string, string])[] = [];
  for (const scenario of ["approve", "slow"]) {
    const original = `TXN-20260104-${randomUUID().slice(0, 8).toUpperCase()}`;
    await bank.gateway.collect(collection("DE89370400440532013000", original), AbortSignal.timeout(10_000));
    // Not collected as slow, which would take seconds.
    const { db } = bank.database;
    await db.commit(
      ...adHoc("update sandbox_books set scenario = $1 where reference = $2", [scenario, original]),
    );
    const refund = refundOf(original, `TXN-20260105-${original.slice(-8)}`, 500);
    const end = await bank.gateway.refund(refund, AbortSignal.abort()).then(
      ({ kind }) => kind,
      (error: Error) => error.name,
    );
    const [book] = await db.query<{ refunded: string }>(
      ...adHoc("select refunded::text from sandbox_books where reference = $1", [original]),
    );
    ends.push([end, book?.refunded ?? ""]);
  }
  assert.deepEqual(ends, [
    ["approved", "5.00"],
    ["AbortError", "0.00"],
  ]);
});
