/** The service's metrics in the Prometheus text format: each group with the functions that record it. */
import { SECOND_MS } from "../lib/clock.ts";
import type { Family } from "../lib/telemetry.ts";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

export interface Metrics
  extends
    RequestMetrics,
    JobMetrics,
    PaymentMetrics,
    WebhookMetrics,
    MessageMetrics,
    DatabaseMetrics,
    AttentionMetrics {
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** The same for an export to a collector. */
  families(): Promise<readonly Family[]>;
}

/** Buckets from a hit on a warm cache to a gateway at its deadline. */
const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Buckets up to the most calls in one run. */
const CALLS_BUCKETS = [1, 2, 4, 8, 16, 32];

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers: Registers = [registry];
  return {
    ...requestMetrics(registers),
    ...jobMetrics(registers),
    ...paymentMetrics(registers),
    ...webhookMetrics(registers),
    ...messageMetrics(registers),
    ...databaseMetrics(registers),
    ...attentionMetrics(registers),
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    families: () => registry.getMetricsAsJSON() as unknown as Promise<readonly Family[]>,
  };
}

type Registers = [Registry];

interface RequestMetrics {
  /** A request was answered. `route` is the declared path, never the actual one. */
  requestDone(method: string, route: string, status: number, ms: number): void;
  /** A request was counted in the process because the shared counters did not answer. */
  rateLimitFallback(): void;
  /** Whether the shared rate-limit counters answer. */
  rateLimitStore(up: boolean): void;
  /** Requests were not written to the log of requests: there were too many, or the database was unavailable. */
  requestsDropped(count: number): void;
}

function requestMetrics(registers: Registers): RequestMetrics {
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request to its response",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS_SECONDS,
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
  const dropped = new Counter({
    name: "request_log_dropped_total",
    help: "Requests that are missing from the log of requests",
    registers,
  });
  const observe = observers(durations);
  return {
    requestDone: (method, route, status, ms) => observe(method, route, status)(ms / SECOND_MS),
    rateLimitFallback: () => fallbacks.inc(),
    rateLimitStore: (up) => store.set({ store: "redis" }, up ? 1 : 0),
    requestsDropped: (count) => dropped.inc(count),
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

interface JobMetrics {
  /** Announces a job, with the delay between its passes. */
  job(name: string, everyMs: number): void;
  /** A job has completed a pass and processed `done`; `error` is null on success. */
  jobPass(name: string, done: number, error: unknown): void;
}

function jobMetrics(registers: Registers): JobMetrics {
  const passes = new Counter({
    name: "job_passes_total",
    help: "Passes of a background job",
    labelNames: ["name", "result"],
    registers,
  });
  const items = new Counter({
    name: "job_items_total",
    help: "Items processed by the passes of a background job",
    labelNames: ["name"],
    registers,
  });
  const lastPass = new Gauge({
    name: "job_last_pass_timestamp_seconds",
    help: "When a background job has last ended a pass in this process",
    labelNames: ["name"],
    registers,
  });
  const interval = new Gauge({
    name: "job_interval_seconds",
    help: "The pause of a background job between passes that found little",
    labelNames: ["name"],
    registers,
  });
  return {
    job: (name, everyMs) => interval.set({ name }, everyMs / SECOND_MS),
    jobPass(name, done, error) {
      lastPass.setToCurrentTime({ name });
      passes.inc({ name, result: error === null ? "ok" : "failed" });
      items.inc({ name }, done);
    },
  };
}

interface PaymentMetrics {
  /** A payment attempt at a gateway of this adapter has ended with `kind`; null if no gateway was asked. */
  paymentOutcome(kind: string, adapter: string | null): void;
  /** A call to a gateway has ended. */
  gatewayAsked(call: {
    readonly adapter: string;
    readonly what: string;
    readonly outcome: string;
    readonly ms: number;
  }): void;
  /** Attempts without an outcome. */
  attempts(figures: AttemptFigures): void;
  /** A postback was received, fetched or processed, with its outcome. */
  postback(outcome: string): void;
}

/** Attempts without an outcome over all tenants, and the age of the oldest that does not wait for a customer. */
export interface AttemptFigures {
  /** Refunds held until their period is over or a person decides; no gateway was asked yet. */
  readonly held: number;
  readonly unresolved: number;
  readonly under_way: number;
  readonly awaiting_verification: number;
  readonly oldest_seconds: number;
}

function paymentMetrics(registers: Registers): PaymentMetrics {
  const outcomes = new Counter({
    name: "payment_outcomes_total",
    help: "Payment attempts by the adapter of their gateway and outcome",
    labelNames: ["gateway", "outcome"],
    registers,
  });
  const gatewayCalls = new Histogram({
    name: "gateway_call_duration_seconds",
    help: "Time from a call of a gateway to its answer, by adapter, kind of call and outcome",
    labelNames: ["gateway", "call", "outcome"],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const open = new Gauge({
    name: "attempts_open",
    help: "Payment attempts without an outcome by status, over all instances; counted up to 10,000. Refunds that are held were not attempted yet",
    labelNames: ["status"],
    registers,
  });
  const oldest = new Gauge({
    name: "attempts_oldest_open_seconds",
    help: "Age of the oldest attempt without an outcome, except those of customers who are verifying and held refunds",
    registers,
  });
  const postbacks = new Counter({
    name: "postbacks_total",
    help: "Integration postbacks by result: received, repeated, skipped, recovered; matched, unmatched, failed",
    labelNames: ["outcome"],
    registers,
  });
  return {
    paymentOutcome: (kind, adapter) => outcomes.inc({ gateway: adapter ?? "none", outcome: kind }),
    gatewayAsked: ({ adapter, what, outcome, ms }) =>
      gatewayCalls.observe({ gateway: adapter, call: what, outcome }, ms / SECOND_MS),
    attempts({ oldest_seconds, ...counts }) {
      for (const status of ["held", "unresolved", "under_way", "awaiting_verification"] as const)
        open.set({ status }, counts[status]);
      oldest.set(oldest_seconds);
    },
    postback: (outcome) => postbacks.inc({ outcome }),
  };
}

interface WebhookMetrics {
  /** A webhook was sent or failed; `lagMs` from the time it was due to the response. */
  webhookAttempt(outcome: string, lagMs: number): void;
  /** A request to a webhook receiver begins (1) or has ended (-1). */
  webhooksInFlight(change: 1 | -1): void;
  /** What waits to be sent to receivers. */
  webhooks(figures: WebhookFigures): void;
}

export interface WebhookFigures {
  /** Events without deliveries yet. */
  readonly events: number;
  /** Deliveries that are neither delivered nor abandoned. */
  readonly deliveries: number;
  readonly oldest_seconds: number;
  /** Receivers with waiting deliveries whose last request failed. */
  readonly failing: number;
  /** By how much the longest waiting receiver is overdue. */
  readonly late_seconds: number;
}

function webhookMetrics(registers: Registers): WebhookMetrics {
  const attempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts to deliver a webhook, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const lag = new Histogram({
    name: "webhook_lag_seconds",
    help: "Time from a webhook's due time to its receiver's response",
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const inFlight = new Gauge({
    name: "webhook_requests_in_flight",
    help: "Requests to webhook receivers that are under way",
    registers,
  });
  const waiting = new Gauge({
    name: "webhooks_waiting",
    help: "Events without deliveries yet, deliveries that are not delivered; counted up to 10,000",
    labelNames: ["what"],
    registers,
  });
  const oldest = new Gauge({
    name: "webhooks_oldest_waiting_seconds",
    help: "Age of the oldest delivery that is not delivered, of those counted",
    registers,
  });
  const failingReceivers = new Gauge({
    name: "webhook_receivers_failing",
    help: "Receivers with waiting deliveries whose last request failed",
    registers,
  });
  const late = new Gauge({
    name: "webhooks_late_seconds",
    help: "How long the receiver that has waited longest is overdue, of those that are not paused",
    registers,
  });
  return {
    webhookAttempt(outcome, lagMs) {
      attempts.inc({ outcome });
      lag.observe(lagMs / SECOND_MS);
    },
    webhooksInFlight: (change) => inFlight.inc(change),
    webhooks({ events, deliveries, oldest_seconds, failing, late_seconds }) {
      waiting.set({ what: "events" }, events);
      waiting.set({ what: "deliveries" }, deliveries);
      oldest.set(oldest_seconds);
      failingReceivers.set(failing);
      late.set(late_seconds);
    },
  };
}

interface MessageMetrics {
  /** An attempt to send a message to a customer has ended, with the message's new state. */
  messageAttempt(state: string): void;
  /** Messages to customers that wait to be sent. */
  messages(figures: MessageFigures): void;
}

/** Messages over all tenants that were not sent yet, and the age of the oldest of those counted. */
export interface MessageFigures {
  readonly waiting: number;
  readonly oldest_seconds: number;
}

function messageMetrics(registers: Registers): MessageMetrics {
  const attempts = new Counter({
    name: "message_attempts_total",
    help: "Attempts to send a message to a customer, by the message's state afterwards; waiting is tried again",
    labelNames: ["state"],
    registers,
  });
  const waiting = new Gauge({
    name: "messages_waiting",
    help: "Messages to customers that wait to be sent; counted up to 10,000",
    registers,
  });
  const oldest = new Gauge({
    name: "messages_oldest_waiting_seconds",
    help: "Age of the oldest message that waits to be sent, of those counted",
    registers,
  });
  return {
    messageAttempt: (state) => attempts.inc({ state }),
    messages(figures) {
      waiting.set(figures.waiting);
      oldest.set(figures.oldest_seconds);
    },
  };
}

interface DatabaseMetrics {
  /** A statement failed, or no connection was available, by the class of the error. */
  databaseFailed(errorClass: string): void;
  /** A statement has run for several calls at once. */
  ranTogether(statement: string, calls: number): void;
  /** Sets the source of the connection pool's usage, read at each scrape. */
  pool(usage: () => PoolUsage): void;
  /** Sets the source of the replica's lag in milliseconds, read at each scrape; null if unknown. */
  replica(lagMs: () => number | null): void;
  /** Counts a read that may be slightly stale. */
  readFrom(from: "replica" | "database"): void;
}

interface PoolUsage {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

function databaseMetrics(registers: Registers): DatabaseMetrics {
  const [registry] = registers;
  const errors = new Counter({
    name: "database_errors_total",
    help: "Failed statements and connections that were not available, by class of error",
    labelNames: ["class"],
    registers,
  });
  const together = new Histogram({
    name: "database_calls_together",
    help: "Calls that one run of a statement has served",
    labelNames: ["statement"],
    buckets: CALLS_BUCKETS,
    registers,
  });
  let poolUsage: () => PoolUsage = () => ({ max: 0, open: 0, idle: 0, waiting: 0 });
  const connections = new Gauge({
    name: "database_pool_connections",
    help: "Connections of this process to the database: max, open, idle; waiting are calls without one",
    labelNames: ["state"],
    registers: [],
    collect() {
      for (const [state, count] of Object.entries(poolUsage())) this.set({ state }, count);
    },
  });
  registry.registerMetric(connections);
  const reads = new Counter({
    name: "database_reads_for_reports_total",
    help: "Reads of lists and exports by where they were answered; only with a replica",
    labelNames: ["from"],
    registers,
  });
  return {
    databaseFailed: (errorClass) => errors.inc({ class: errorClass }),
    ranTogether: (statement, calls) => together.observe({ statement }, calls),
    pool(usage) {
      poolUsage = usage;
    },
    replica(lagMs) {
      const lag = new Gauge({
        name: "database_replica_lag_seconds",
        help: "Maximum age of what the replica returns; +Inf while it is unavailable or its lag is unknown",
        registers: [],
        collect() {
          this.set((lagMs() ?? Number.POSITIVE_INFINITY) / SECOND_MS);
        },
      });
      registry.registerMetric(lag);
    },
    readFrom: (from) => reads.inc({ from }),
  };
}

/** What needs a person. */
interface AttentionMetrics {
  /**
   * Number of bank files and entries that wait, by reason: `to_send`, `to_approve`, `to_download`, `unclear`,
   * `unmatched`, …
   */
  sepaWaiting(counts: Readonly<Record<string, number>>): void;
  /** Number of references with gateway news that could not be recorded. */
  newsSetAside(count: number): void;
  /** Number of campaigns stopped within the last week. */
  campaignsStopped(count: number): void;
  /** Whether nothing may be sent because the database was restored. */
  held(isHeld: boolean): void;
  /** When the figures were read from the database. */
  figuresRead(at: Date): void;
}

function attentionMetrics(registers: Registers): AttentionMetrics {
  const waiting = new Gauge({
    name: "sepa_waiting",
    help: "Bank files by what they wait for; entries that match nothing; EBICS users that the bank has stopped",
    labelNames: ["what"],
    registers,
  });
  const setAside = new Gauge({
    name: "gateway_news_set_aside",
    help: "References whose gateway news could not be recorded and is retried",
    registers,
  });
  const stoppedCampaigns = new Gauge({
    name: "campaigns_stopped",
    help: "Campaigns that were stopped within the last seven days because too many payments were returned, and not restarted",
    registers,
  });
  const held = new Gauge({
    name: "service_held",
    help: "1 while the database is held after a restore: no payment is taken, nothing is sent",
    registers,
  });
  const figuresRead = new Gauge({
    name: "figures_read_timestamp_seconds",
    help: "When the figures of the database (waiting, open, oldest) were last read",
    registers,
  });
  return {
    sepaWaiting(counts) {
      for (const [what, count] of Object.entries(counts)) waiting.set({ what }, count);
    },
    newsSetAside: (count) => setAside.set(count),
    campaignsStopped: (count) => stoppedCampaigns.set(count),
    held: (isHeld) => held.set(isHeld ? 1 : 0),
    figuresRead: (at) => figuresRead.set(at.getTime() / SECOND_MS),
  };
}
