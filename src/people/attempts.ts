/**
 * Limits and delays for guessing. Passwords are counted by e-mail address. A browser in which a person has signed in before
 * has a separate count for that person, so that an attacker's failures elsewhere do not lock out the person. An address
 * without an account is counted like one with an account.
 */
import type { Deps } from "../deps.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { sameBytes, sha256 } from "../lib/keyring.ts";
import type { Limit } from "../http/limits.ts";
import type { Counters } from "../http/rate-limit.ts";
import { Refusal } from "../refusals.ts";
import type { PersonRow } from "./store.ts";

const PASSWORDS: Limit = { count: 10, windowMs: 15 * MINUTE_MS, per: "caller" };
const CODES: Limit = { count: 20, windowMs: HOUR_MS, per: "caller" };

/** A failure is answered no earlier than this after the attempt began, so that its duration reveals nothing. */
const FAILURE_MS = SECOND_MS;
/** From this failure on, each one takes twice as long. */
const DELAY_FROM = 4;
const DELAY_MS_MAX = 8 * SECOND_MS;

type Parts = Pick<Deps, "clock" | "pause" | "keys"> & { readonly counters: Counters };

interface Attempt {
  /** Waits before a failure is answered. */
  fail(): Promise<void>;
}

/**
 * Begins an attempt with a password.
 * @param who what is counted: an e-mail address, or a person's browser.
 * @throws Refusal throttled.
 */
export function passwordAttempt(parts: Parts, who: string): Promise<Attempt> {
  return attempt(parts, passwordsOf(who), PASSWORDS);
}

/** Counts an attempt with a password as `passwordAttempt` does. Returns false where that would refuse it. */
export async function mayTryPassword({ counters }: Parts, who: string): Promise<boolean> {
  return (await counters.hit(passwordsOf(who), PASSWORDS)).allowed;
}

function passwordsOf(who: string): string {
  return `password:${sha256(who).toString("base64url")}`;
}

/**
 * Begins an attempt with a second factor.
 * @throws Refusal throttled.
 */
export function codeAttempt(parts: Parts, tenant: number, person: string): Promise<Attempt> {
  return attempt(parts, `second-factor:${tenant}:${person}`, CODES);
}

async function attempt({ clock, pause, counters }: Parts, key: string, limit: Limit): Promise<Attempt> {
  const started = clock.monotonicMs();
  const hit = await counters.hit(key, limit);
  if (!hit.allowed) {
    const seconds = Math.max(1, Math.ceil(hit.retryAfterMs / SECOND_MS));
    const minutes = Math.ceil(seconds / 60);
    const detail = `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
    throw new Refusal("throttled", { detail, retryAfter: seconds });
  }
  const tries = limit.count - hit.remaining;
  const delay = tries < DELAY_FROM ? 0 : Math.min(DELAY_MS_MAX, SECOND_MS * 2 ** (tries - DELAY_FROM));
  return {
    fail: () => pause(Math.max(0, FAILURE_MS - (clock.monotonicMs() - started)) + delay),
  };
}

const NONCE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

type Person = Pick<PersonRow, "tenant" | "id">;

/** The cookie of a browser in which the person has signed in, which distinguishes later attempts from strangers'. */
export function newDevice({ keys, ids }: Pick<Deps, "keys" | "ids">, person: Person): string {
  const nonce = ids.secret(16).toString("base64url");
  const mac = keys.mac(keys.currentKeyId, "console-device", signedText(nonce, person)) ?? Buffer.alloc(0);
  return `${nonce}.${mac.toString("base64url")}`;
}

/** Whether the person has signed in before in the browser with this cookie. */
export function isDeviceOf({ keys }: Pick<Deps, "keys">, person: Person, device: string): boolean {
  const [, nonce, mac = ""] = NONCE.exec(device) ?? [];
  if (nonce === undefined) return false;
  return keys.keyIds.some((id) => {
    const right = keys.mac(id, "console-device", signedText(nonce, person));
    return right !== null && sameBytes(right, Buffer.from(mac, "base64url"));
  });
}

/** Not the e-mail address: a person of another company may have the same. */
function signedText(nonce: string, { tenant, id }: Person): string {
  return `${nonce}:${tenant}:${id}`;
}
