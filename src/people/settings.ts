/** How long people stay signed in, and which factors they need. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/clock.ts";
import type { Role } from "./access.ts";

export interface SignInSettings {
  /** An unused session ends after this long. */
  readonly sessionIdleMs: number;
  /** A session ends after this long, however much it is used. */
  readonly sessionMaxMs: number;
  /** For this long after the second factor was proved it is not required again. */
  readonly stepUpMs: number;
  /** Whether a person with a password must have a second factor. */
  readonly secondFactorRequired: boolean;
}

/** Operators see all companies, so they need a second factor in staging, too. */
export function needsSecondFactor({ secondFactorRequired }: SignInSettings, role: Role): boolean {
  return secondFactorRequired || role === "operator";
}

/** Between the first factor and the second, or until a second one is set up. */
export const UNFINISHED_MS = 15 * MINUTE_MS;
/** An invitation is read within days; a reset is used at once. */
export const LINK_MS = { invitation: 7 * DAY_MS, reset: 2 * HOUR_MS } as const;
