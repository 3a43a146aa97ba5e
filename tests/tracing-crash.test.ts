/**
 * One trace across processes: the process that took a payment is killed (-9), and others deliver its webhook under the
 * same trace id.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { startCollector, type Collector } from "./support/collector.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "./support/merchant.ts";
import { machine, serviceOf, type Machine, type ServiceProcess } from "./support/process.ts";
import { answering, ok, startReceiver, type Receiver } from "./support/receiver.ts";
import { adHoc } from "../tools/ad-hoc.ts";

let database: TestDatabase;
let collector: Collector;
let receiver: Receiver;
let hosts: readonly [Machine, Machine];
let first: ServiceProcess;
let second: ServiceProcess;
let merchant: Merchant;

const MASTER_KEY = randomBytes(32).toString("base64");
const start = (host: Machine) =>
  host.start({
    MASTER_KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
const rows = (text: string) => database.db.query<Record<string, unknown>>(...adHoc(text, []));

before(async () => {
  database = await testDatabase();
  collector = await startCollector();
  receiver = await startReceiver();
  hosts = [await machine(database.url), await machine(database.url)];
  first = await start(hosts[0]);
  second = await start(hosts[1]);
  const service = serviceOf(() => first);
  merchant = await createMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", { name: "Hook", url: receiver.url });
});
after(async () => {
  await first.stop();
  await second.stop();
  for (const host of hosts) await host.remove();
  await receiver.close();
  await collector.close();
  await database.close();
});

async function kill(process: ServiceProcess): Promise<void> {
  process.child.kill("SIGKILL");
  assert.equal(await process.ended, "SIGKILL");
}

test("a payment has one trace id throughout, even if both instances are killed before its delivery and restarted", async () => {
  const trace = "11111111111111111111111111111111";
  receiver.answer = answering(500);
  const token = await merchant.session();
  const headers = { traceparent: `00-${trace}-2222222222222222-01` };
  const paid = await merchant.pay(token, IBAN.approved, {}, { headers });
  assert.equal(paid.body["status"], "completed");
  const of = (name: RegExp) => (span: { name: string; traceId: string }) =>
    span.traceId === trace && name.test(span.name);
  const request = await collector.span(of(/^POST .*\/pay\/$/));
  const refused = await collector.span(of(/^webhook attempt$/));
  await kill(first);
  await kill(second);
  receiver.answer = ok;
  const seen = receiver.received.length;
  await rows(
    "update webhook_deliveries set due_at = now(), locked_until = null where status in ('pending', 'failing')",
  );
  await rows("update webhook_receivers set next_at = now(), paused_until = null, failures_in_a_row = 0");
  first = await start(hosts[0]);
  second = await start(hosts[1]);
  await receiver.arrived(seen + 1);
  const taken = await collector.span(
    (span) => of(/^webhook attempt$/)(span) && ![request.instance, refused.instance].includes(span.instance),
  );
  for (const { headers: sent } of receiver.received)
    assert.match(String(sent["traceparent"]), new RegExp(`^00-${trace}-`));
  assert.notEqual(taken.instance, request.instance);
  assert.ok(Number(taken.attributes["payments.attempt"]) > 1);
});

test("a payment whose instance was killed before its outcome was recorded is recovered and delivered by the other one in the same trace", async () => {
  const trace = "33333333333333333333333333333333";
  const token = await merchant.session();
  await first.dieAt("pay.collected");
  const headers = { traceparent: `00-${trace}-4444444444444444-01` };
  await assert.rejects(merchant.pay(token, IBAN.approved, {}, { headers }), /socket hang up|ECONNRESET/);
  assert.equal(await first.ended, "SIGKILL");
  await rows(
    "update transactions set resolve_at = now() - interval '1 second', locked_until = null where status = 'submitted'",
  );
  const recovered = await collector.span(
    ({ name, traceId }) => traceId === trace && name === "recover payment",
  );
  const delivered = await collector.span(
    ({ name, traceId }) => traceId === trace && name === "webhook attempt",
  );
  assert.equal(recovered.instance, delivered.instance);
  const logged = JSON.parse(await second.printed("payment recovered"));
  assert.deepEqual(
    [logged.level, logged.trace_id, logged.session_id, logged.merchant_transaction_id, typeof logged.tenant],
    [
      "info",
      trace,
      recovered.attributes["payments.session_id"],
      recovered.attributes["payments.merchant_transaction_id"],
      "number",
    ],
  );
  first = await start(hosts[0]);
});
