/** Everything outside the process, passed to use cases; tests and simulations replace single parts. */
import type { BankDirectory } from "./banks/directory.ts";
import type { Database } from "./db/database.ts";
import type { Reads } from "./db/replica.ts";
import type { Adapters, Outcome } from "./gateways/gateway.ts";
import type { Clock, TenantTime } from "./lib/clock.ts";
import type { Ids } from "./lib/ids.ts";
import type { Keyring } from "./lib/keyring.ts";
import type { Log } from "./lib/log.ts";
import type { Mail } from "./messages/smtp.ts";
import type { SignInSettings } from "./people/settings.ts";
import type { Tracer } from "./lib/trace.ts";

export type Environment = "staging" | "production";

/** A gateway call, as counted by the metrics. */
export interface GatewayCall {
  readonly adapter: string;
  readonly what: "collect" | "verify" | "refund" | "resolve";
  readonly outcome: Outcome["kind"];
  readonly ms: number;
}

export interface Deps {
  readonly db: Database;
  /**
   * Reads that may be slightly stale: lists and exports on which nothing is decided. From a replica, if there is one.
   */
  readonly reports: Reads;
  /** The service's own time: leases, limits, deliveries, the management API. */
  readonly clock: Clock;
  /** The time of a tenant's business: sessions, payments, subscriptions. */
  readonly time: TenantTime;
  readonly ids: Ids;
  readonly keys: Keyring;
  readonly adapters: Adapters;
  readonly banks: BankDirectory;
  readonly log: Log;
  /** Records spans; null without a collector. */
  readonly tracer: Tracer | null;
  readonly environment: Environment;
  readonly signIn: SignInSettings;
  /** Sends messages to the mail server; null if there is none. */
  readonly mail: Mail | null;
  /** {host_url}, without a slash at its end. */
  readonly publicUrl: string;
  /** Whether webhooks may be sent to loopback and private addresses. */
  readonly allowPrivateTargets: boolean;
  /** The folder with the ISO schemas that outgoing files are validated against; null without one. */
  readonly sepaSchemas: string | null;
  /** The folder that contains those of accounts with the transport `directory`, or null. */
  readonly sepaDirectory: string | null;
  /** Months for which a mandate is kept as evidence after its last collection. */
  readonly mandateEvidenceMonths: number;
  /** Waits before something is tried again. */
  readonly pause: (ms: number) => Promise<void>;
  /** Events were written and committed: the delivery may look now. Correctness does not depend on it. */
  readonly announce: () => void;
  /**
   * A gateway that receives news in bulk has some for this tenant's payments: applies it. What is left
   * when the process ends is taken by the job.
   */
  readonly newsReady: (tenant: number) => Promise<void>;
  /** Called with every recorded outcome at an adapter, and with payments that a limit refused, for the metrics. */
  readonly recorded: (outcome: Outcome["kind"] | "limited", adapter: string | null) => void;
  /** Called with every call of a gateway that has ended, for the metrics. */
  readonly gatewayCalled: (call: GatewayCall) => void;
  /** Names a step of a use case: where the crash tests kill the process. Does nothing otherwise. */
  readonly reached: (step: Step) => void;
}

/** The steps at which a crash must lose and double nothing. */
export type Step =
  | "create.before_insert"
  | "create.before_answer"
  | "pay.before_claim"
  | "pay.claimed"
  | "pay.collected"
  | "pay.recorded"
  | "verify.before_claim"
  | "verify.claimed"
  | "verify.collected"
  | "verify.recorded"
  | "refund.before_claim"
  | "refund.claimed"
  | "refund.asked"
  | "refund.recorded"
  | "cancel.before_update"
  | "cancel.before_answer"
  | "renewal.before_claim"
  | "renewal.claimed"
  | "renewal.collected"
  | "renewal.recorded"
  | "sepa.before_run"
  | "sepa.stored"
  | "sepa.claimed"
  | "sepa.uploaded"
  | "sepa.renamed"
  | "sepa.sent"
  | "ebics.started"
  | "ebics.before_last"
  | "ebics.answered"
  | "ebics.stored"
  | "sepa.before_read"
  | "sepa.read"
  | "postback.before_insert"
  | "postback.before_answer"
  | "postback.claimed"
  | "postback.matched"
  | "postback.recorded";
