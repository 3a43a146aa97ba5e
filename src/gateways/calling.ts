/** Calls a gateway with a deadline: an uncertain outcome is `unresolved`, never a guess. */
import { SECOND_MS } from "../lib/clock.ts";
import { redacted } from "../lib/log.ts";
import type { Outcome } from "./gateway.ts";

/** Longer than any bank's interface takes to answer, shorter than a customer waits. */
export const GATEWAY_DEADLINE_MS = 15 * SECOND_MS;

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
