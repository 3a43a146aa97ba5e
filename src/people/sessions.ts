/** Console sessions: opened at sign-in, found by the cookie's secret, ended. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { TENANTS_MAX, tenantTurns } from "../lib/turns.ts";
import { Refusal } from "../refusals.ts";
import { signedIn, type SignedIn } from "./person.ts";
import { newSecret, readSecret } from "./secret.ts";
import {
  findSession,
  forgetSessions,
  tenantsWithOldSessions,
  insertConsoleSession,
  touchSession,
  type NewConsoleSession,
} from "./session-store.ts";
import { UNFINISHED_MS } from "./settings.ts";

/** The precision of `seen_at`, which is not written more often. */
const SEEN_EVERY_MS = MINUTE_MS;
/** The most characters stored of a User-Agent. */
const USER_AGENT_LENGTH_MAX = 300;

/** Where a sign-in comes from. */
export interface Origin {
  readonly clientIp: string;
  readonly userAgent: string | null;
}

/**
 * The session of a cookie's value; null for one that is invalid, expired or revoked, and for people who were removed.
 * @param isUse whether a person uses it, which extends the session.
 */
export async function sessionOfCookie(
  { db, clock, log, signIn }: Pick<Deps, "db" | "clock" | "log" | "signIn">,
  value: string | null,
  isUse = true,
): Promise<SignedIn | null> {
  const secret = value === null ? null : readSecret(value);
  if (secret === null) return null;
  const now = clock.now();
  const row = await findSession(db, { ...secret, now, idleSince: later(now, -signIn.sessionIdleMs) });
  if (row === null) return null;
  if (isUse && now.getTime() - row.seen_at.getTime() > Math.min(SEEN_EVERY_MS, signIn.sessionIdleMs / 4)) {
    touchSession(db, row.tenant, row.id, now).catch((error: unknown) =>
      log.error("the last use of a session could not be recorded", error, { session: row.id }),
    );
  }
  return signedIn(row);
}

/**
 * Opens a session; returns the cookie's value, which is stored nowhere.
 * @throws Refusal unauthorized when the challenge was answered before.
 */
export async function openSession(
  { ids, clock, signIn }: Pick<Deps, "ids" | "clock" | "signIn">,
  tx: Tx,
  given: Pick<NewConsoleSession, "tenant" | "person" | "stage" | "method"> & {
    readonly challenge?: Buffer;
    readonly origin: Origin;
  },
): Promise<string> {
  const { tenant, person, stage, method, challenge = null, origin } = given;
  const { text, hash } = newSecret(ids, tenant);
  const at = clock.now();
  const expiresAt = later(at, stage === "full" ? signIn.sessionMaxMs : UNFINISHED_MS);
  const session = { tenant, id: ids.uuid(), person, hash, stage, method, challenge, at, expiresAt };
  const userAgent = origin.userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null;
  const opened = await insertConsoleSession(tx, { ...session, ip: origin.clientIp, userAgent });
  if (!opened) throw new Refusal("unauthorized");
  return text;
}

/** Sessions are kept for a month after their end, to show who was signed in. */
const KEPT_MS = 30 * DAY_MS;

export function forgetSessionsJob({ db, clock }: Pick<Deps, "db" | "clock">): Job {
  const turns = tenantTurns(clock);
  return {
    name: "forget-console-sessions",
    everyMs: HOUR_MS,
    batch: 1_000,
    async runOnce(limit, stop) {
      const before = later(clock.now(), -KEPT_MS);
      let forgotten = 0;
      for (const tenant of turns(await tenantsWithOldSessions(db, before, TENANTS_MAX), stop))
        forgotten += await forgetSessions(db, tenant, before, limit);
      return forgotten;
    },
  };
}
