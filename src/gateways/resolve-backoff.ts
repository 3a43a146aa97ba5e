/** When to ask a gateway again about an instruction whose outcome was never recorded (contract: Unknown outcomes). */
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { GATEWAY_DEADLINE_MS } from "./calling.ts";

/** An instruction whose process died is taken over by recovery after this long. */
export const CLAIM_MS = GATEWAY_DEADLINE_MS + 15 * SECOND_MS;

/** The waits after an answer that was not certain; the last one repeats. */
const RESOLVE_AFTER_MS = [10 * SECOND_MS, 50 * SECOND_MS, 4 * MINUTE_MS, 55 * MINUTE_MS, 1_380 * MINUTE_MS];

/** How long to wait before asking the gateway for the n-th time, counted from 0. */
export function resolveDelayMs(asked: number): number {
  return RESOLVE_AFTER_MS[Math.min(asked, RESOLVE_AFTER_MS.length - 1)] ?? 0;
}
