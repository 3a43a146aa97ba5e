/** Changes of a person's own account: password, authenticator app, passkeys, recovery codes, sessions, name. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { later } from "../lib/clock.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { writeEntry } from "../management/audit/audit.ts";
import type { Counters } from "../http/rate-limit.ts";
import { passwordAttempt } from "./attempts.ts";
import {
  countCodes,
  insertPasskey,
  listPasskeys,
  removePasskeys,
  replaceCodes,
  type PasskeyRow,
} from "./factor-store.ts";
import { endLinks } from "./link-store.ts";
import { checkPassword, ownName } from "./links.ts";
import { readRegistration } from "./passkeys.ts";
import { requireOpenSession } from "./open-session.ts";
import { hashPassword, isPassword } from "./password.ts";
import type { SignedIn } from "./person.ts";
import { recoveryHash, totpContext } from "./prove.ts";
import { personRecord } from "./person-record.ts";
import { endSession, endSessions, listConsoleSessions, type ListedSession } from "./session-store.ts";
import { openSession } from "./sessions.ts";
import { needsSecondFactor } from "./settings.ts";
import { authorOf, hasSecondFactor, recordSignIn, type Visit } from "./sign-in.ts";
import { findPerson, lockPerson, updatePerson, type PersonRow } from "./store.ts";
import { stepOfCode, TOTP_SECRET_BYTES } from "./totp.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "keys" | "signIn" | "publicUrl" | "pause"> & {
  readonly counters: Counters;
};

interface Account {
  readonly person: PersonRow;
  readonly passkeys: readonly PasskeyRow[];
  readonly codesLeft: number;
  readonly sessions: readonly ListedSession[];
}

/**
 * Reads a person's account.
 * @throws Refusal not_found when the person was removed in the meantime.
 */
export async function readAccount(
  parts: Pick<Parts, "db" | "clock" | "signIn">,
  who: SignedIn,
): Promise<Account> {
  const { tenant, id } = who;
  const person = await findPerson(parts.db, tenant, id);
  if (person === null) throw new Refusal("not_found");
  const now = parts.clock.now();
  const idleSince = later(now, -parts.signIn.sessionIdleMs);
  return {
    person,
    passkeys: await listPasskeys(parts.db, tenant, id),
    codesLeft: await countCodes(parts.db, tenant, id),
    sessions: await listConsoleSessions(parts.db, { tenant, person: id, now, idleSince }),
  };
}

/** A new secret for an authenticator app: sealed into the page's form until a code shows that the app has it. */
export function newTotpOffer(
  { ids, keys }: Pick<Parts, "ids" | "keys">,
  who: SignedIn,
): { readonly secret: Buffer; readonly sealed: string } {
  const secret = ids.secret(TOTP_SECRET_BYTES);
  return { secret, sealed: keys.seal(who.tenant, offerContext(who), secret).toString("base64url") };
}

/** The secret in the page's form; null if it was not created for this person and session. */
export function readTotpOffer({ keys }: Pick<Parts, "keys">, who: SignedIn, sealed: string): Buffer | null {
  try {
    return keys.open(who.tenant, offerContext(who), Buffer.from(sealed, "base64url"));
  } catch {
    return null;
  }
}

function offerContext({ id, session }: SignedIn): string {
  return `totp-offer:${id}:${session.id}`;
}

/** The result of setting up a second factor: recovery codes, and a new cookie if the session is now complete. */
export interface SetUp {
  readonly codes: readonly string[];
  readonly cookie: string | null;
}

/**
 * Sets up the authenticator app.
 * @throws FieldErrors for a wrong code.
 */
export function setUpTotp(
  parts: Parts,
  who: SignedIn,
  given: { readonly sealed: string; readonly code: string; readonly visit: Visit },
): Promise<SetUp> {
  const secret = readTotpOffer(parts, who, given.sealed);
  const step = secret === null ? null : stepOfCode(secret, given.code, parts.clock.now(), null);
  if (secret === null || step === null)
    throw new FieldErrors({ code: ["This is not the code that the app shows now."] });
  return changeOwn(parts, who, given.visit, async (_tx, before) => {
    if (who.session.stage === "set_up" && before.password_hash === null)
      throw new FieldErrors({
        code: ["Set up a passkey instead: this account has no password that a code could complement."],
      });
    const sealed = parts.keys.seal(who.tenant, totpContext(who.id), secret);
    return { ...before, totp_secret: sealed, totp_last_step: String(step) };
  });
}

/**
 * Adds a passkey.
 * @throws FieldErrors when the browser's answer is invalid, or the passkey exists.
 */
export async function addPasskey(
  parts: Parts,
  who: SignedIn,
  given: {
    readonly browserTie: string;
    readonly ticket: string;
    readonly answer: string;
    readonly name: string;
    readonly visit: Visit;
  },
): Promise<SetUp> {
  const passkey = await readRegistration(parts, given.browserTie, given.ticket, given.answer);
  if (passkey === null) throw new FieldErrors({ passkey: ["The passkey could not be added. Try again."] });
  const name = given.name.trim() === "" ? "Passkey" : given.name.trim().slice(0, 255);
  return changeOwn(parts, who, given.visit, async (tx, before) => {
    const now = parts.clock.now();
    const row = { ...passkey, tenant: who.tenant, person: who.id, name, now };
    if (!(await insertPasskey(tx, row)))
      throw new FieldErrors({
        passkey: ["This passkey already exists, or the page was used before. Try again."],
      });
    return before;
  });
}

/**
 * Changes the second factor: recovery codes are created with the first one, and a session that waited for it is
 * complete.
 */
function changeOwn(
  parts: Parts,
  who: SignedIn,
  visit: Visit,
  work: (tx: Tx, before: PersonRow) => Promise<PersonRow>,
): Promise<SetUp> {
  return withOwn<SetUp>(parts, who, visit, async (tx, before) => {
    if (who.session.stage !== "full") await refuseSecond(tx, before);
    const hadNone = (await countCodes(tx, who.tenant, who.id)) === 0;
    const after = await work(tx, before);
    const now = parts.clock.now();
    await updatePerson(tx, after, now);
    const codes = hadNone ? await newCodes(parts, tx, who) : [];
    if (who.session.stage === "full") return { after, result: { codes, cookie: null } };
    const { tenant, id, session } = who;
    if (!(await endSession(tx, { tenant, person: id, id: session.id, now }))) throw new Refusal("not_found");
    const opened = { tenant, person: id, stage: "full", method: session.method, origin: visit } as const;
    const cookie = await openSession(parts, tx, opened);
    await recordSignIn(parts, tx, after, visit, session.method);
    return { after, result: { codes, cookie } };
  });
}

/**
 * After a sign-in with only the password, a person can set up the first second factor but no other.
 * @throws Refusal record_in_use.
 */
async function refuseSecond(tx: Tx, person: PersonRow): Promise<void> {
  if (await hasSecondFactor(tx, person))
    throw new Refusal("record_in_use", {
      detail: "A second factor has been set up in the meantime. Sign in again with it.",
    });
}

/** Replaces the recovery codes. */
export function renewCodes(parts: Parts, who: SignedIn, visit: Visit): Promise<readonly string[]> {
  return withOwn(parts, who, visit, async (tx, before) => ({
    after: before,
    result: await newCodes(parts, tx, who),
  }));
}

export function removeTotp(parts: Parts, who: SignedIn, visit: Visit): Promise<void> {
  return removeFactor(parts, who, visit, async (tx, before) => {
    const after = { ...before, totp_secret: null, totp_last_step: null };
    await updatePerson(tx, after, parts.clock.now());
    return after;
  });
}

/**
 * Removes a passkey.
 * @throws Refusal not_found.
 */
export function removePasskey(parts: Parts, who: SignedIn, id: string, visit: Visit): Promise<void> {
  return removeFactor(parts, who, visit, async (tx, before) => {
    const removed = await removePasskeys(tx, {
      tenant: who.tenant,
      person: who.id,
      id,
      now: parts.clock.now(),
    });
    if (removed === 0) throw new Refusal("not_found");
    return before;
  });
}

/** Whether a person with this account and number of passkeys can sign in, with a second factor where one is needed. */
export function staysOpen(
  signIn: Parts["signIn"],
  person: Pick<PersonRow, "role" | "totp_secret" | "password_hash" | "oidc_subject">,
  passkeys: number,
): boolean {
  if (passkeys > 0) return true;
  if (person.password_hash === null) return person.oidc_subject !== null;
  return person.totp_secret !== null || !needsSecondFactor(signIn, person.role);
}

/**
 * Removes a second factor.
 * @throws Refusal record_in_use for one that is needed to sign in again.
 */
function removeFactor(
  parts: Parts,
  who: SignedIn,
  visit: Visit,
  work: (tx: Tx, before: PersonRow) => Promise<PersonRow>,
): Promise<void> {
  return withOwn(parts, who, visit, async (tx, before) => {
    const after = await work(tx, before);
    const passkeys = (await listPasskeys(tx, who.tenant, who.id)).length;
    if (!staysOpen(parts.signIn, after, passkeys))
      throw new Refusal("record_in_use", {
        detail: "You need this to sign in. Set up another way to sign in first.",
      });
    return { after, result: undefined };
  });
}

/**
 * Changes the password, and ends all other sessions and an open reset link.
 * @throws FieldErrors; Refusal throttled.
 */
export async function changePassword(
  parts: Parts,
  who: SignedIn,
  given: { readonly current: string; readonly password: string; readonly visit: Visit },
): Promise<void> {
  const attempt = await passwordAttempt(parts, `change:${who.tenant}:${who.id}`);
  const found = await findPerson(parts.db, who.tenant, who.id);
  const right =
    found?.password_hash === null || (await isPassword(found?.password_hash ?? null, given.current));
  if (!right) {
    await attempt.fail();
    throw new FieldErrors({ current: ["This is not your password."] });
  }
  checkPassword(given.password, [who.email, who.name, who.company?.name ?? ""]);
  const hash = await hashPassword(parts.ids, given.password);
  await withOwn(parts, who, given.visit, async (tx, before) => {
    if (before.password_hash !== found?.password_hash)
      throw new FieldErrors({ current: ["Your password has just been changed."] });
    const now = parts.clock.now();
    const after = { ...before, password_hash: hash, password_changed_at: now };
    await updatePerson(tx, after, now);
    await endSessions(tx, { tenant: who.tenant, person: who.id, but: who.session.id, now });
    await endLinks(tx, who.tenant, who.id, now);
    return { after, result: undefined };
  });
}

export function changeProfile(
  parts: Parts,
  who: SignedIn,
  given: {
    readonly name: string;
    readonly locale: string | null;
    readonly timeZone: string | null;
    readonly visit: Visit;
  },
): Promise<void> {
  const name = ownName(given.name);
  return withOwn(parts, who, given.visit, async (tx, before) => {
    const after = { ...before, name, locale: given.locale, time_zone: given.timeZone };
    await updatePerson(tx, after, parts.clock.now());
    return { after, result: undefined };
  });
}

/**
 * Ends sessions.
 * @param id one of the person's sessions; null for all but this one.
 * @throws Refusal not_found.
 */
export function endOwnSessions(
  parts: Pick<Parts, "db" | "clock" | "ids">,
  who: SignedIn,
  id: string | null,
  visit: Visit,
): Promise<void> {
  return withOwn(parts, who, visit, async (tx, before) => {
    const now = parts.clock.now();
    const { tenant, session } = who;
    if (id === null) await endSessions(tx, { tenant, person: who.id, but: session.id, now });
    else if (!(await endSession(tx, { tenant, person: who.id, id, now }))) throw new Refusal("not_found");
    return { after: before, result: undefined, action: "end_sessions" };
  });
}

export function signOut(
  parts: Pick<Parts, "db" | "clock" | "ids">,
  who: SignedIn,
  visit: Visit,
): Promise<void> {
  return withPerson(parts, who, visit, async (tx, before) => {
    const { tenant, session } = who;
    await endSession(tx, { tenant, person: who.id, id: session.id, now: parts.clock.now() });
    return { after: before, result: undefined, action: "sign_out" };
  });
}

interface Done<T> {
  readonly after: PersonRow;
  readonly result: T;
  readonly action?: "end_sessions" | "sign_out";
}

/**
 * One change by the person, under the person's lock, with an audit entry.
 * @throws Refusal not_found when the person was removed in the meantime; unauthorized when the session was ended.
 */
function withOwn<T>(
  parts: Pick<Parts, "db" | "clock" | "ids">,
  who: SignedIn,
  visit: Visit,
  work: (tx: Tx, before: PersonRow) => Promise<Done<T>>,
): Promise<T> {
  return withPerson(parts, who, visit, async (tx, before) => {
    await requireOpenSession(tx, who.tenant, who.session.id);
    return work(tx, before);
  });
}

function withPerson<T>(
  { db, clock, ids }: Pick<Parts, "db" | "clock" | "ids">,
  who: SignedIn,
  visit: Visit,
  work: (tx: Tx, before: PersonRow) => Promise<Done<T>>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const before = await lockPerson(tx, who.tenant, who.id);
    if (before === null) throw new Refusal("not_found");
    const { after, result, action = "update" } = await work(tx, before);
    await writeEntry(tx, authorOf(before, visit), {
      tenant: who.tenant,
      id: ids.uuid(),
      at: clock.now(),
      action,
      resource: "people",
      resourceId: who.id,
      before: personRecord(before),
      after: personRecord(after),
    });
    return result;
  });
}

const CODES = 10;

async function newCodes(
  { ids, clock }: Pick<Parts, "ids" | "clock">,
  tx: Tx,
  who: SignedIn,
): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, () => ids.reference(12).replace(/(.{4})(?=.)/g, "$1-"));
  const hashes = codes.map(recoveryHash);
  await replaceCodes(tx, { tenant: who.tenant, person: who.id, hashes, now: clock.now() });
  return codes;
}
