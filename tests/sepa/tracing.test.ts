/**
 * Traces of bank files: of writing, of reading, and of the effect on a payment. The content of a file is never
 * exported.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { startCollector, type Collector } from "../support/collector.ts";
import { startService, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let collector: Collector;
let service: Service;

before(async () => {
  collector = await startCollector();
  const telemetry = {
    endpoint: collector.endpoint,
    headers: {},
    serviceName: "test",
    sampled: 1,
    metricsEveryMs: 60_000,
    spansEveryMs: 100,
  };
  service = await startService({ clock, config: { telemetry } });
});
after(async () => {
  await service.close();
  await collector.close();
});

test("writing and reading a file are spans, and the bank's report about a payment is a span of the payment's own trace", async () => {
  const sent = await treasury.sent(service);
  const [reference = ""] = sent.references;
  await treasury.booked(service, sent.merchant, [["collection", { amount: "19.90", endToEndId: reference }]]);
  const written = await collector.span(({ name }) => name === "bank files write");
  const read = await collector.span(({ name }) => name === "bank file read");
  for (const span of [written, read]) {
    assert.equal(span.attributes["payments.gateway_id"], sent.merchant.accountId);
    assert.equal(typeof span.attributes["payments.tenant"], "number");
  }
  const news = await collector.span(({ name }) => name === "news settled");
  assert.equal(news.attributes["payments.merchant_transaction_id"], reference);
  const [row] = await service.rows(
    "select traceparent from transactions where merchant_transaction_id = $1",
    [reference],
  );
  assert.equal(news.traceId, String(row?.["traceparent"]).slice(3, 35));
  assert.notEqual(news.traceId, read.traceId);
  const everything = collector.bodies.join("\n");
  for (const secret of ["DE62370400440532013001", "DE89370400440532013000", "Mueller", "Ada", "<"])
    assert.ok(!everything.includes(secret), `${secret} was exported`);
});
