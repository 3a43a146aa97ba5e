/** The service in numbers, in the Prometheus text format. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

export interface Metrics {
  /** A request was answered: `route` is the declared path, never the one that was called. */
  requestDone(method: string, route: string, status: number, ms: number): void;
  /** A job has made a pass and did `done`; `error` is null when it went well. */
  jobPass(name: string, done: number, error: unknown): void;
  /** A payment attempt has ended as `kind` says. */
  paymentOutcome(kind: string): void;
  /** A webhook was sent, or could not be; `lagMs` from the time it was due to the answer. */
  webhookAttempt(outcome: string, lagMs: number): void;
  /** A request to a webhook receiver begins (1) or has ended (-1). */
  webhooksInFlight(change: 1 | -1): void;
  /** A postback came in, was fetched, or was processed, with the outcome that it had then. */
  postback(outcome: string): void;
  /** A request was counted in the process because the shared counters did not answer. */
  rateLimitFallback(): void;
  /** Whether the shared rate-limit counters answer. */
  rateLimitStore(up: boolean): void;
  /** What of bank files waits now, by what for: `to_send`, `to_download`, `unclear`, `unmatched`. */
  sepaWaiting(counts: Readonly<Record<string, number>>): void;
  /** How many references have gateway news that could not be recorded. */
  newsSetAside(count: number): void;
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const SECOND_MS = 1_000;
/** From a hit on a warm cache to a gateway at its deadline. */
const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of their own for one app. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request to its response",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const passes = new Counter({
    name: "job_passes_total",
    help: "Passes of a background job",
    labelNames: ["job", "result"],
    registers,
  });
  const items = new Counter({
    name: "job_items_total",
    help: "Items processed by the passes of a background job",
    labelNames: ["job"],
    registers,
  });
  const outcomes = new Counter({
    name: "payment_outcomes_total",
    help: "Payment attempts by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const webhookAttempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts to deliver a webhook, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const webhookLag = new Histogram({
    name: "webhook_lag_seconds",
    help: "Time from a webhook's due time to its receiver's response",
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const webhooksInFlight = new Gauge({
    name: "webhook_requests_in_flight",
    help: "Requests to webhook receivers that are under way",
    registers,
  });
  const postbacks = new Counter({
    name: "postbacks_total",
    help: "Integration postbacks by result: received, repeated, skipped, recovered; matched, unmatched, failed",
    labelNames: ["outcome"],
    registers,
  });
  const fallbacks = new Counter({
    name: "rate_limit_fallbacks_total",
    help: "Requests counted in this process because the shared counters did not answer",
    registers,
  });
  const store = new Gauge({
    name: "rate_limit_store_up",
    help: "Whether the shared rate-limit counters answer (absent when counting in the process)",
    // A gauge without labels would report 0 before it is set.
    labelNames: ["store"],
    registers,
  });
  const waiting = new Gauge({
    name: "sepa_waiting",
    help: "Bank files to send, to download or unclear, and unmatched entries",
    labelNames: ["what"],
    registers,
  });
  const setAside = new Gauge({
    name: "gateway_news_set_aside",
    help: "References whose gateway news could not be recorded and is retried",
    registers,
  });
  const observe = observers(durations);

  return {
    requestDone: (method, route, status, ms) => observe(method, route, status)(ms / SECOND_MS),
    jobPass(name, done, error) {
      passes.inc({ job: name, result: error === null ? "ok" : "failed" });
      items.inc({ job: name }, done);
    },
    paymentOutcome: (kind) => outcomes.inc({ outcome: kind }),
    webhookAttempt(outcome, lagMs) {
      webhookAttempts.inc({ outcome });
      webhookLag.observe(lagMs / SECOND_MS);
    },
    webhooksInFlight: (change) => webhooksInFlight.inc(change),
    postback: (outcome) => postbacks.inc({ outcome }),
    rateLimitFallback: () => fallbacks.inc(),
    rateLimitStore: (up) => store.set({ store: "redis" }, up ? 1 : 0),
    sepaWaiting(counts) {
      for (const [what, count] of Object.entries(counts)) waiting.set({ what }, count);
    },
    newsSetAside: (count) => setAside.set(count),
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

type Observe = (seconds: number) => void;

/** Labels are resolved once per method, route and status class: doing it per request costs more than counting. */
function observers(durations: Histogram): (method: string, route: string, status: number) => Observe {
  const known = new Map<string, Observe>();
  return (method, route, status) => {
    const statusClass = `${Math.floor(status / 100)}xx`;
    const name = `${method} ${route} ${statusClass}`;
    let observe = known.get(name);
    if (observe === undefined) {
      const labelled = durations.labels(method, route, statusClass);
      observe = (seconds) => labelled.observe(seconds);
      known.set(name, observe);
    }
    return observe;
  };
}
