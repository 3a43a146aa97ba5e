/**
 * METRICS_PORT: metrics on a port that customers do not reach, cheap for any number of scrapes, and available without
 * the database.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveMetrics } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { caller, startService } from "./support/service.ts";

const TOKEN = "t".repeat(20);

for (const environment of ["staging", "production"] as const) {
  test(`in ${environment} metrics with a port of their own are not on the customers' port, with or without a token`, async (t) => {
    for (const metricsToken of [null, TOKEN]) {
      const service = await startService({ config: { environment, metricsPort: 0, metricsToken } });
      const metrics = await serveMetrics(service.config, service.app);
      t.after(async () => {
        await metrics?.close();
        await service.close();
      });
      assert.equal((await service.get("/metrics", { key: TOKEN })).status, 404);
      const call = caller(`http://127.0.0.1:${metrics?.port}`);
      assert.equal((await call("GET", "/metrics")).status, metricsToken === null ? 200 : 401);
      assert.equal(
        (await call("GET", "/metrics", undefined, { key: `${TOKEN}x` })).status,
        metricsToken === null ? 200 : 401,
      );
      const read = await call("GET", "/metrics", undefined, { key: TOKEN });
      assert.equal(read.status, 200);
      assert.match(read.text, /^database_pool_connections\{state="max"\} 20$/m);
      for (const path of ["/", "/healthz", "/api/v1/payment-sessions/", "/metrics/../pay/"])
        assert.equal((await call("GET", path)).status, 404, path);
      assert.equal((await call("POST", "/metrics")).status, 404);
    }
  });
}

test("a hundred scrapes at once read the database's figures once", async (t) => {
  const asked = new Map<string, number>();
  const service = await startService({
    config: { metricsPort: 0 },
    between: (db) => ({
      ...db,
      query(statement, values) {
        asked.set(statement.name, (asked.get(statement.name) ?? 0) + 1);
        return db.query(statement, values);
      },
    }),
  });
  const metrics = await serveMetrics(service.config, service.app);
  t.after(async () => {
    await metrics?.close();
    await service.close();
  });
  const call = caller(`http://127.0.0.1:${metrics?.port}`);
  for (let round = 0; round < 3; round += 1) {
    const all = await Promise.all(Array.from({ length: 90 }, () => call("GET", "/metrics")));
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
  }
  for (const name of [
    "attempts.figures",
    "webhooks.figures",
    "messages.figures",
    "sepa_files.count_waiting",
    "set_aside.count",
    "campaigns.count_stopped",
  ])
    assert.equal(asked.get(name), 1, name);
});

test("a database that hangs or is down does not delay a scrape, and the scrape says how old its figures are", async (t) => {
  let away: "no" | "hangs" | "fails" = "no";
  const service = await startService({
    config: { metricsPort: 0 },
    between: (db) => ({
      ...db,
      query(statement, values) {
        if (!statement.name.endsWith(".figures") || away === "no") return db.query(statement, values);
        return away === "hangs" ? new Promise(() => {}) : Promise.reject(new Error("away"));
      },
    }),
  });
  t.after(() => service.close());
  away = "fails";
  const failed = (await service.app.scrape()).body;
  assert.match(failed, /^figures_read_timestamp_seconds 0$/m);
  assert.match(failed, /^nodejs_eventloop_lag_p99_seconds /m);
  away = "hangs";
  const started = performance.now();
  await service.app.scrape();
  await new Promise((resolve) => {
    setTimeout(resolve, 1_050);
  });
  assert.match((await service.app.scrape()).body, /^figures_read_timestamp_seconds 0$/m);
  assert.ok(performance.now() - started < 8_000);
});

test("invalid settings are refused with the reason", async () => {
  const good = {
    PORT: "8080",
    METRICS_PORT: "9464",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-team=payments",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    MASTER_KEY: Buffer.alloc(32).toString("base64"),
    OPERATOR_KEY: `rk_${"o".repeat(40)}`,
  };
  const { metricsPort, telemetry } = await readConfig(good);
  assert.equal(metricsPort, 9464);
  assert.deepEqual(telemetry, {
    endpoint: "http://collector:4318",
    headers: { authorization: "Bearer abc", "x-team": "payments" },
    serviceName: "payment-session-service",
    sampled: 0.25,
    metricsEveryMs: 60_000,
    spansEveryMs: 5_000,
  });
  const without = { ...good, METRICS_PORT: "", OTEL_EXPORTER_OTLP_ENDPOINT: "" };
  const off = await readConfig(without);
  assert.deepEqual([off.metricsPort, off.telemetry], [null, null]);
  for (const [name, value] of [
    ["METRICS_PORT", "8080"],
    ["METRICS_PORT", "70000"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zz"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
  ] as const)
    await assert.rejects(readConfig({ ...good, [name]: value }), new RegExp(name), `${name}=${value}`);
});
