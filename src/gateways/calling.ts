/**
 * Calls a gateway about an attempt, with a deadline and no open transaction. An uncertain outcome is `unresolved`,
 * never a guess, and is resolved later.
 */
import type { Deps, GatewayCall } from "../deps.ts";
import { must } from "../lib/assert.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import type { Keyring } from "../lib/keyring.ts";
import { redacted } from "../lib/log.ts";
import { traced } from "../lib/trace.ts";
import { TargetRefused } from "../webhooks/delivery/target.ts";
import type { Adapters, Collection, Gateway, Outcome } from "./gateway.ts";

/** The dependencies of a gateway call. */
export type CallParts = Pick<Deps, "adapters" | "gatewayCalled" | "clock" | "keys">;

export interface GatewayRecord {
  readonly tenant: number;
  readonly id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Sealed. */
  readonly credentials: Buffer | null;
}

/** A row that names the account at a gateway, with its sealed credentials. */
export interface GatewayAccountRow {
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

/** An attempt as its gateway knows it. */
interface AskedRow extends GatewayAccountRow {
  readonly merchant_transaction_id: string;
}

/** Outcomes of a renewal or a refund: without the customer nothing can be verified. */
export type UnattendedOutcome = Exclude<Outcome, { readonly kind: "verification_required" }>;

/** Longer than any bank's interface takes to answer, shorter than a customer waits. */
export const GATEWAY_DEADLINE_MS = 15 * SECOND_MS;

/**
 * How long an instruction belongs to the process that claimed it. After that recovery takes it over, as the process has
 * died.
 */
export const CLAIM_MS = GATEWAY_DEADLINE_MS + 15 * SECOND_MS;

/**
 * Sends the instruction of a claimed attempt. An account that cannot be opened is reported as unreachable: no money has
 * moved.
 * @param prepare builds the instruction and returns the function that sends it.
 */
export async function instruct<Answer extends Outcome>(
  deps: CallParts & Pick<Deps, "log">,
  tenant: number,
  row: GatewayAccountRow,
  what: "collect" | "refund",
  prepare: (gateway: Gateway) => (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | Extract<Outcome, { readonly kind: "unreachable" | "unresolved" }>> {
  const gateway = openedGateway(deps, tenant, row);
  if (gateway === null) return { kind: "unreachable", gatewayMessage: null };
  return callGateway(deps, row, what, prepare(gateway));
}

/** Returns null and logs an error when the account cannot be opened. */
export function openedGateway(
  deps: Pick<Deps, "adapters" | "keys" | "log">,
  tenant: number,
  row: GatewayAccountRow,
): Gateway | null {
  try {
    return gatewayOf(deps, tenant, row);
  } catch (error) {
    deps.log.error("a gateway account cannot be opened", error, { gateway_id: row.gateway_id });
    return null;
  }
}

/** @throws Error when the account cannot be opened. */
export function gatewayOf(
  deps: Pick<Deps, "adapters" | "keys">,
  tenant: number,
  { gateway_id: id, adapter, settings, credentials }: GatewayAccountRow,
): Gateway {
  return connect(deps.adapters, deps.keys, { tenant, id, adapter, settings, credentials });
}

/** @throws Error when this version of the service does not know the adapter, or the key of the credentials is gone. */
export function connect(adapters: Adapters, keys: Keyring, record: GatewayRecord): Gateway {
  const adapter = must(adapters.get(record.adapter), `adapter ${record.adapter}`);
  return adapter.connect({
    tenant: record.tenant,
    gatewayId: record.id,
    settings: record.settings,
    credentials: openCredentials(keys, record),
  });
}

/** A gateway's opened credentials; empty without any. */
export function openCredentials(
  keys: Keyring,
  record: Pick<GatewayRecord, "tenant" | "id" | "credentials">,
): Readonly<Record<string, unknown>> {
  if (record.credentials === null) return {};
  const plain = keys.open(record.tenant, credentialsContext(record.id), record.credentials);
  return JSON.parse(plain.toString()) as Readonly<Record<string, unknown>>;
}

/** The context that credentials are sealed with. */
export function credentialsContext(gatewayId: string): string {
  return `gateways.credentials:${gatewayId}`;
}

/** The customer's address as passed to gateways; null when the customer gave nothing but a country. */
export function customerAddress(lead: {
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly country: string;
}): Collection["address"] {
  const { address: street, postal_code: postalCode, city, country } = lead;
  if (street === null && postalCode === null && city === null) return null;
  return { street, postalCode, city, country };
}

/**
 * Calls a gateway with a deadline, and records the call in metrics and traces.
 * @param what the kind of call.
 */
export function callGateway<Answer extends Outcome>(
  deps: Pick<Deps, "gatewayCalled" | "clock">,
  { adapter }: Pick<GatewayAccountRow, "adapter">,
  what: GatewayCall["what"],
  ask: (signal: AbortSignal) => Promise<Answer>,
): ReturnType<typeof withCallDeadline<Answer>> {
  return traced(`gateway ${what}`, "client", { "payments.adapter": adapter }, async (span) => {
    const startedMs = deps.clock.monotonicMs();
    const outcome = await withCallDeadline(ask);
    span?.set({ "payments.outcome": outcome.kind });
    deps.gatewayCalled({ adapter, what, outcome: outcome.kind, ms: deps.clock.monotonicMs() - startedMs });
    return outcome;
  });
}

/** Errors before anything was sent: no connection, no name, no trusted certificate. */
const NOT_REACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** The outcome when no answer arrived. */
type NoAnswer = Extract<Outcome, { readonly kind: "unreachable" | "unresolved" }>;

/**
 * Calls a gateway and stops waiting at the deadline.
 * @param deadlineMs when the wait ends and the signal aborts.
 */
export async function withCallDeadline<Answer extends Outcome>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  deadlineMs: number = GATEWAY_DEADLINE_MS,
): Promise<Answer | NoAnswer> {
  try {
    return await withDeadline(deadlineMs, (signal) => Promise.race([ask(signal), aborted(signal)]));
  } catch (error) {
    const gatewayMessage = redacted(error instanceof Error ? error.message : String(error));
    // The bank may have taken the money before the connection broke: only a request that was never sent counts as not reached.
    return { kind: wasNotReached(error) ? "unreachable" : "unresolved", gatewayMessage };
  }
}

/** Whether the request certainly did not reach the gateway. */
export function wasNotReached(error: unknown): boolean {
  return error instanceof TargetRefused || NOT_REACHED.has(codeOf(error));
}

/** Rejects when the signal aborts, so that an adapter that ignores the signal cannot delay the caller. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The gateway did not answer in time.")), {
      once: true,
    });
  });
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : "";
}

/** Asks for the final outcome of an attempt. If no money has moved by then, none ever will under its reference. */
export async function finalOutcome(deps: CallParts, tenant: number, row: AskedRow): Promise<Outcome> {
  const outcome = await callGateway(deps, row, "resolve", async (signal) =>
    gatewayOf(deps, tenant, row).resolve(row.merchant_transaction_id, signal),
  );
  return withoutUnreachable(outcome);
}

/** The final outcome of an attempt that has no customer present to verify it. */
export async function finalOutcomeUnattended(
  deps: CallParts,
  tenant: number,
  row: AskedRow,
): Promise<UnattendedOutcome> {
  const outcome = await finalOutcome(deps, tenant, row);
  return outcome.kind === "verification_required"
    ? {
        kind: "unresolved",
        gatewayMessage: "The gateway requested a verification that is not possible here.",
      }
    : outcome;
}

/** Converts `unreachable` to `unresolved`: a question that did not reach the gateway says nothing about the attempt. */
export function withoutUnreachable(outcome: Outcome): Outcome {
  return outcome.kind === "unreachable"
    ? { kind: "unresolved", gatewayMessage: outcome.gatewayMessage }
    : outcome;
}

/** The delays between questions after an uncertain answer (contract: Unknown outcomes); the last one repeats. */
const RESOLVE_AFTER_MS = [10 * SECOND_MS, 50 * SECOND_MS, 4 * MINUTE_MS, 55 * MINUTE_MS, 1_380 * MINUTE_MS];

/**
 * The delay before asking the gateway for the n-th time.
 * @param asked how often it has been asked.
 */
export function resolveDelayMs(asked: number): number {
  return RESOLVE_AFTER_MS[Math.min(asked, RESOLVE_AFTER_MS.length - 1)] ?? 0;
}
