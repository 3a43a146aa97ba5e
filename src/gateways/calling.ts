/**
 * Opens a stored account and calls its gateway with a deadline: an uncertain outcome is `unresolved`, never a guess, and is
 * asked about again.
 */
import { must } from "../lib/assert.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import type { Keyring } from "../lib/keyring.ts";
import { redacted } from "../lib/log.ts";
import type { Adapters, Gateway, Outcome } from "./gateway.ts";

export interface GatewayRecord {
  readonly tenant: number;
  readonly id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Sealed. */
  readonly credentials: Buffer | null;
}

/** What sealed credentials are bound to. */
export function credentialsContext(gatewayId: string): string {
  return `gateways.credentials:${gatewayId}`;
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

function openCredentials(keys: Keyring, record: GatewayRecord): Readonly<Record<string, unknown>> {
  if (record.credentials === null) return {};
  const plain = keys.open(record.tenant, credentialsContext(record.id), record.credentials);
  return JSON.parse(plain.toString()) as Readonly<Record<string, unknown>>;
}

/** Longer than any bank's interface takes to answer, shorter than a customer waits. */
export const GATEWAY_DEADLINE_MS = 15 * SECOND_MS;

/** An instruction whose process died is taken over by recovery after this long. */
export const CLAIM_MS = GATEWAY_DEADLINE_MS + 15 * SECOND_MS;

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

/** What stands in for an answer that did not come. */
type NoAnswer = Extract<Outcome, { readonly kind: "unreachable" | "unresolved" }>;

/** @param deadlineMs after which the answer is not awaited; the signal aborts. */
export async function askGateway<Answer extends Outcome>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  deadlineMs: number = GATEWAY_DEADLINE_MS,
): Promise<Answer | NoAnswer> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    return await Promise.race([ask(signal), aborted(signal)]);
  } catch (error) {
    const gatewayMessage = redacted(error instanceof Error ? error.message : String(error));
    // The bank may have taken the money before the line broke, so only what never left counts as not reached.
    return { kind: NOT_REACHED.has(codeOf(error)) ? "unreachable" : "unresolved", gatewayMessage };
  }
}

/** An adapter that does not listen to its signal is not waited for either. */
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

/** The waits after an answer that was not certain (contract: Unknown outcomes); the last one repeats. */
const RESOLVE_AFTER_MS = [10 * SECOND_MS, 50 * SECOND_MS, 4 * MINUTE_MS, 55 * MINUTE_MS, 1_380 * MINUTE_MS];

/** How long to wait before asking the gateway for the n-th time, counted from 0. */
export function resolveDelayMs(asked: number): number {
  return RESOLVE_AFTER_MS[Math.min(asked, RESOLVE_AFTER_MS.length - 1)] ?? 0;
}
