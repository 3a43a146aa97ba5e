import assert from "node:assert/strict";
import test from "node:test";
import { createMetrics } from "./metrics.ts";

test("requests are counted by method, declared path and status class, in seconds", async () => {
  const metrics = createMetrics();
  metrics.requestDone("POST", "/things/{id}/", 201, 4);
  metrics.requestDone("POST", "/things/{id}/", 204, 40);
  metrics.requestDone("POST", "/things/{id}/", 404, 1);
  const { body } = await metrics.text();
  const labels = 'method="POST",route="/things/{id}/"';
  assert.ok(body.includes(`http_request_duration_seconds_bucket{le="0.005",${labels},status="2xx"} 1\n`));
  assert.ok(body.includes(`http_request_duration_seconds_count{${labels},status="2xx"} 2\n`));
  assert.ok(body.includes(`http_request_duration_seconds_count{${labels},status="4xx"} 1\n`));
});

test("jobs, outcomes and the rate-limit store have metrics; without a shared store there is no metric of it", async () => {
  const metrics = createMetrics();
  assert.doesNotMatch((await metrics.text()).body, /^rate_limit_store_up\{/m);
  metrics.jobPass("recover", 3, null);
  metrics.jobPass("recover", 0, new Error("broken"));
  metrics.paymentOutcome("approved", "sandbox");
  metrics.rateLimitFallback();
  metrics.rateLimitStore(false);
  const { body, contentType } = await metrics.text();
  for (const line of [
    'job_passes_total{name="recover",result="ok"} 1',
    'job_passes_total{name="recover",result="failed"} 1',
    'job_items_total{name="recover"} 3',
    'payment_outcomes_total{gateway="sandbox",outcome="approved"} 1',
    "rate_limit_fallbacks_total 1",
    'rate_limit_store_up{store="redis"} 0',
    "process_cpu_seconds_total",
  ]) {
    assert.ok(body.includes(line), line);
  }
  assert.match(contentType, /^text\/plain; version=/);
});

test("every app has its own metrics", async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.paymentOutcome("approved", null);
  assert.doesNotMatch((await other.text()).body, /approved/);
});
