/**
 * Traces: a payment is one trace from its request to its webhook, without personal data, and a failing collector does
 * not affect it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { recoverJob } from "../src/sessions/recover.ts";
import { silentLog } from "../src/lib/log.ts";
import type { TelemetrySettings } from "../src/lib/telemetry.ts";
import { childEnv } from "./support/child-env.ts";
import { startCollector, taken, type CollectedSpan, type Collector } from "./support/collector.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { freePort } from "./support/process.ts";
import { startReceiver, type Receiver } from "./support/receiver.ts";
import { startService, type Service } from "./support/service.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const traceparent = (trace: string, flags = "01") => `00-${trace}-${CALLER}-${flags}`;
const traced = (trace: string, flags?: string) => ({ headers: { traceparent: traceparent(trace, flags) } });

function settings(endpoint: string, changes: Partial<TelemetrySettings> = {}): TelemetrySettings {
  return {
    endpoint,
    headers: { authorization: "Bearer collector-key" },
    serviceName: "payments-test",
    sampled: 1,
    metricsEveryMs: 200,
    spansEveryMs: 100,
    ...changes,
  };
}

let collector: Collector;
let service: Service;
let merchant: Merchant;
let receiver: Receiver;
let stopWork: () => Promise<void>;

before(async () => {
  collector = await startCollector();
  service = await startService({ config: { telemetry: settings(collector.endpoint) } });
  merchant = await createMerchant(service);
  receiver = await startReceiver();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Hook",
    url: receiver.url,
    events: ["payment_session.completed", "transaction.created", "transaction.status_changed"],
  });
  stopWork = service.app.startWork();
});
after(async () => {
  await stopWork();
  await service.close();
  await receiver.close();
  await collector.close();
});

function spansOf(trace: string): readonly CollectedSpan[] {
  return collector.spans.filter(({ traceId }) => traceId === trace);
}

test("a payment is one trace: request, claim, gateway, settlement and webhooks, each below its cause", async () => {
  const token = await merchant.session();
  const seen = receiver.received.length;
  const paid = await merchant.pay(token, IBAN.approved, {}, traced(TRACE));
  assert.equal(paid.body["status"], "completed");
  await receiver.arrived(seen + 2);
  const delivered = (n: number) =>
    spansOf(TRACE).filter(({ name }) => name === "webhook attempt").length >= n;
  await collector.span(() => delivered(2));
  const spans = spansOf(TRACE);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: CollectedSpan): string => {
    const parent = byId.get(span.parentSpanId);
    return parent === undefined ? span.name : `${path(parent)} > ${span.name}`;
  };
  const paths = new Set(spans.map(path));
  const request = "POST /api/v1/payment-sessions/{token}/pay/";
  for (const wanted of [
    request,
    `${request} > payment claim`,
    `${request} > payment claim > sessions.claim together > sessions.claim`,
    `${request} > gateway collect`,
    `${request} > payment outcome > sessions.record_outcome together > sessions.record_outcome`,
  ])
    assert.ok(paths.has(wanted), `${wanted} is not among ${[...paths].join("; ")}`);
  assert.ok([...paths].some((one) => one.includes("> webhook attempt > webhooks.record_successes together")));
  // Every parent is a span of the trace or of the caller.
  for (const span of spans) assert.ok(span.parentSpanId === CALLER || byId.has(span.parentSpanId), span.name);
  const [row] = await service.rows(
    "select merchant_transaction_id from transactions where traceparent like $1",
    [`00-${TRACE}-%`],
  );
  const reference = row?.["merchant_transaction_id"];
  for (const name of ["gateway collect", "webhook attempt"]) {
    const span = spans.find((one) => one.name === name);
    assert.equal(span?.attributes["payments.merchant_transaction_id"], reference, name);
    assert.ok(span?.attributes["payments.session_id"], name);
    assert.ok(span?.attributes["payments.tenant"], name);
  }
  for (const { headers } of receiver.received.slice(seen)) {
    const [, trace, span] = String(headers["traceparent"]).split("-");
    assert.equal(trace, TRACE);
    assert.equal(byId.get(span ?? "")?.name, "webhook attempt");
  }
  assert.ok(collector.headers.every(({ authorization }) => authorization === "Bearer collector-key"));
});

test("an invalid traceparent begins a new trace, and a traceparent that a browser sends to a page is ignored", async () => {
  const token = await merchant.session();
  for (const header of [
    "",
    "00-xyz",
    `00-${"0".repeat(32)}-${CALLER}-01`,
    `01-${TRACE}-${CALLER}-01`,
    "x".repeat(4_000),
  ]) {
    const answer = await merchant
      .retrieve(token)
      .then(() => service.get(`payment-sessions/${token}/`, { headers: { traceparent: header } }));
    assert.equal(answer.status, 200);
  }
  const trace = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  await service.get(`/pay/${token}/`, traced(trace));
  await collector.span(({ attributes }) => attributes["http.route"] === "/pay/{token}/");
  assert.deepEqual(spansOf(trace), []);
});

test("a trace that the caller does not sample is not exported, as the traceparent of its webhooks says", async () => {
  const trace = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
  const seen = receiver.received.length;
  await merchant.pay(await merchant.session(), IBAN.approved, {}, traced(trace, "00"));
  await receiver.arrived(seen + 2);
  assert.match(
    String(receiver.received.at(-1)?.headers["traceparent"]),
    new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`),
  );
  assert.deepEqual(spansOf(trace), []);
});

test("recovery ends an attempt in the trace of its request, whichever job does it", async () => {
  const trace = "cccccccccccccccccccccccccccccccc";
  const seen = receiver.received.length;
  const token = await merchant.session();
  const paid = await merchant.pay(token, IBAN.answerLost, {}, traced(trace));
  assert.equal(paid.body["status"], "failed");
  await service.rows(
    "update transactions set resolve_at = now() - interval '1 second' where status = 'unresolved'",
  );
  await recoverJob(service.app.deps).runOnce(10);
  // The service's own job may have claimed it first, and may still be running.
  await receiver.arrived(seen + 2);
  const [row] = await service.rows("select status from transactions where traceparent like $1", [
    `00-${trace}-%`,
  ]);
  assert.equal(row?.["status"], "approved");
  assert.match(String(receiver.received.at(-1)?.headers["traceparent"]), new RegExp(trace));
});

test("no span has an IBAN, a name, an address, a token, a key or a value of a statement", async () => {
  const secrets = [merchant.key, "collector-key"];
  for (const iban of [
    IBAN.approved,
    IBAN.declined,
    IBAN.verification,
    IBAN.answerLost,
    "DE00370400440532013000",
  ]) {
    const person = lead({
      first_name: "Canaryfirst",
      last_name: "Canarylast",
      email: `canary-${iban}@example.com`,
    });
    const token = await merchant.session({ lead: person });
    secrets.push(token, iban, String(person["email"]));
    await merchant.pay(
      token,
      iban,
      { holder_name: "Canaryholder" },
      { headers: { "idempotency-key": `canary-${iban}` } },
    );
    await merchant.verify(token);
    await merchant.retrieve(token);
    await service.get(`/pay/${token}/`);
    await merchant.cancel(token);
  }
  await service.post("iban-validate/", { iban: IBAN.approved }, { key: merchant.key });
  await service.post("payment-sessions/", `{"iban":"${IBAN.approved}"`, { key: merchant.key });
  await service.get(`management/leads/?email=canary@example.com`, { key: merchant.key });
  const marker = "dddddddddddddddddddddddddddddddd";
  await service.get("management/tenant/", { key: merchant.key, ...traced(marker) });
  await collector.span(({ traceId }) => traceId === marker);
  const everything = collector.bodies.join("\n");
  for (const secret of [
    ...secrets,
    "Canary",
    "canary",
    "127.0.0.1",
    receiver.url,
    " where tenant",
    "insert into ",
  ])
    assert.ok(!everything.includes(secret), `${secret.slice(0, 12)} was exported`);
});

test("the collector gets the same metrics as /metrics shows", async () => {
  await collector.span(() => collector.metrics.has("payment_outcomes_total"));
  const text = (await service.app.metrics.text()).body;
  const names = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(
    ([, name]) => name ?? "",
  );
  const withValues = names.filter((name) =>
    new RegExp(`^${name}[{_ ]`, "m").test(text.replace(/^#.*$/gm, "")),
  );
  assert.ok(withValues.length > 30);
  assert.deepEqual(
    withValues.filter((name) => !collector.metrics.has(name)),
    [],
  );
  const requests = collector.metrics.get("http_request_duration_seconds")?.histogram?.dataPoints ?? [];
  for (const { count, bucketCounts = [], explicitBounds = [] } of requests) {
    assert.equal(bucketCounts.length, explicitBounds.length + 1);
    assert.equal(
      bucketCounts.reduce<number>((sum, one) => sum + Number(one), 0),
      Number(count),
    );
  }
  assert.equal(collector.metrics.get("payment_outcomes_total")?.sum?.isMonotonic, true);
});

for (const [how, endpoint, answer] of [
  ["is not there", null, taken],
  ["hangs", "", () => {}],
  ["answers 500", "", (response) => void response.writeHead(500).end()],
] as readonly (readonly [string, string | null, Collector["answer"]])[]) {
  test(`a collector that ${how} delays neither payments nor the service's end`, async (t) => {
    const broken = await startCollector();
    broken.answer = answer;
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const unused = `http://127.0.0.1:${await freePort()}`;
    const other = await startService({
      log,
      config: { telemetry: settings(endpoint === null ? unused : broken.endpoint) },
    });
    t.after(() => broken.close());
    const shop = await createMerchant(other);
    const slowest = { ms: 0 };
    for (let n = 0; n < 20; n += 1) {
      const token = await shop.session();
      const started = performance.now();
      const paid = await shop.pay(token, IBAN.approved);
      slowest.ms = Math.max(slowest.ms, performance.now() - started);
      assert.equal(paid.body["status"], "completed");
    }
    // Waiting for the export would take its whole time limit.
    assert.ok(slowest.ms < 4_000, `${slowest.ms} ms`);
    const closing = performance.now();
    await other.close();
    assert.ok(performance.now() - closing < 8_000, "the end does not wait for the collector");
    assert.ok(
      warnings.filter((message) => message.includes("collector")).length <= 2,
      "a warning a minute for each kind",
    );
  });
}

test("without a collector nothing of OpenTelemetry is loaded, except what prom-client itself imports", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(/@opentelemetry.([^/]+)/.exec(url)?.[1] ?? ""); return next(url, context); } });
    await import(${JSON.stringify(new URL("../src/app.ts", import.meta.url).href)});
    console.log([...loaded].filter((name) => name !== "").join());
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    env: childEnv(),
  });
  assert.equal(stdout.trim(), "api");
});
