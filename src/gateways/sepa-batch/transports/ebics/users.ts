/** Commands about an EBICS user whose keys the bank has: confirm the bank's keys, change keys, suspend, resume. */
import type { Tx } from "../../../../db/database.ts";
import type { Deps } from "../../../../deps.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { sameBytes } from "../../../../lib/keyring.ts";
import { FieldErrors } from "../../../../refusals.ts";
import { pollSoon } from "../../files-store.ts";
import { formerState, formerKeys, KEY_CHANGE_SETTLED } from "./former-keys.ts";
import { fetchBankKeys, sendNewKeys, suspend } from "./key-exchange.ts";
import {
  digestOf,
  makeKeys,
  readBankKeys,
  writeBankKeys,
  writeOwnKeys,
  type OwnKeys,
  type StoredBankKeys,
} from "./keys.ts";
import { NotNow } from "./not-now.ts";
import { sendAgain } from "./orders-store.ts";
import { BankRefused } from "./return-codes.ts";
import {
  contextOfKeys,
  withLeasedUser,
  openKeys,
  readySessionOf,
  type EbicsDeps,
  type LeasedUser,
} from "./session.ts";
import type { UploadOutcome } from "./upload.ts";
import {
  COMMAND_MS_MAX,
  hasCommandRun,
  refusedByBank,
  saveChange,
  type UserCommand,
} from "./user-commands.ts";
import type { UserChange } from "./users-store.ts";

/** Runs a command with the user leased. One that has run before, its answer lost, is not run again. */
function runCommand(
  deps: EbicsDeps,
  command: UserCommand,
  work: (turn: LeasedUser) => Promise<void>,
): Promise<void> {
  return refusedByBank(() =>
    withLeasedUser(deps, command.account, AbortSignal.timeout(COMMAND_MS_MAX), async (turn) => {
      if (!(await hasCommandRun(deps, command))) await work(turn);
    }),
  );
}

/** Fetches the bank's keys (HPB), for a person to compare. @throws Refusal ebics_not_now, ebics_refused. */
export async function requestBankKeys(deps: EbicsDeps, command: UserCommand): Promise<void> {
  await runCommand(deps, command, async (turn) => {
    const { user, subscriber } = turn;
    if (user.state === "made" && user.former === null)
      throw new NotNow("The bank does not have our keys yet.");
    checkSettled(user);
    const [index, offered] = await requestKeysWith(deps, turn, [
      subscriber.keys,
      ...formerKeys(deps.keys, user),
    ]);
    const isOpen = user.unanswered_since !== null || user.former !== null;
    const change = isOpen ? settledWith(deps, user, index) : {};
    const state = change.state ?? user.state;
    const fetched = { fetched: "bank_keys", ...(index > 0 ? { keys: "kept" } : {}) };
    await saveChange(deps, user, { ...change, offered_bank_keys: offered }, command, { state, ...fetched });
  });
}

/**
 * Finds the key pair that the bank accepts: it returns its own keys only for that.
 * @returns which pair it is.
 * @throws BankRefused of the first pair.
 */
async function requestKeysWith(
  deps: EbicsDeps,
  { host, subscriber }: LeasedUser,
  pairs: readonly OwnKeys[],
): Promise<readonly [index: number, StoredBankKeys]> {
  let refusal: BankRefused | null = null;
  for (const [index, keys] of pairs.entries()) {
    const moment = { nonce: deps.ids.secret(16), at: deps.clock.now() };
    try {
      return [index, writeBankKeys(await fetchBankKeys(host, { ...subscriber, keys }, moment))];
    } catch (error) {
      if (!(error instanceof BankRefused) || error.verdict !== "stopped") throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new Error("there are keys to ask with");
}

/**
 * The change once the bank has shown which keys it has.
 * @param index 0: the new ones; otherwise the former ones, which a person confirms again.
 */
function settledWith({ keys, clock }: EbicsDeps, user: EbicsUserRow, index: number): UserChange {
  if (index === 0 || user.former === null) {
    const at = clock.now();
    const sent = { state: "sent", ini_sent_at: user.ini_sent_at ?? at, hia_sent_at: at } as const;
    return { ...KEY_CHANGE_SETTLED, stop_reason: null, ...(user.state === "made" ? sent : {}) };
  }
  const { tenant, gateway_id: id, former } = user;
  const pair = formerKeys(keys, user)[index - 1];
  if (pair === undefined) throw new Error("the bank was asked with keys that there are");
  return {
    ...formerState(keys, user, former),
    keys: keys.seal(tenant, contextOfKeys(id, "keys"), writeOwnKeys(pair)),
    next_keys: null,
    state: "sent",
    stop_reason: null,
  };
}

/** The hashes in the bank's letter, in hexadecimal digits; blanks are ignored. */
export interface LetterHashes {
  readonly authentication: string;
  readonly encryption: string;
}

/**
 * Accepts the bank's keys if their hashes are those of the bank's letter.
 * @throws Refusal ebics_not_now; FieldErrors for a hash that does not match.
 */
export async function confirmBankKeys(
  deps: EbicsDeps,
  command: UserCommand,
  letter: LetterHashes,
): Promise<void> {
  await runCommand(deps, command, async ({ user, subscriber }) => {
    checkSettled(user);
    const offered = user.offered_bank_keys as StoredBankKeys | null;
    if (offered === null) throw new NotNow("The bank's keys were not fetched yet.");
    const keys = readBankKeys(offered);
    const wrong = (["authentication", "encryption"] as const).filter((use) => {
      const given = Buffer.from(letter[use].replaceAll(/[\s:]/g, ""), "hex");
      const hashes = (["key", "certificate"] as const).map((of) => digestOf(keys[use], of));
      return !hashes.some((hash) => sameBytes(hash, given));
    });
    if (wrong.length > 0) {
      throw new FieldErrors(
        Object.fromEntries(
          wrong.map((use) => [
            `${use}_hash`,
            ["This is not the hash of the key that the bank's host has sent."],
          ]),
        ),
      );
    }
    const { digestOf: of } = subscriber;
    const change: UserChange = {
      state: "ready",
      bank_keys: offered,
      offered_bank_keys: null,
      confirmed_at: deps.clock.now(),
      stop_reason: null,
    };
    const confirmed = {
      state: "ready",
      authentication_hash: digestOf(keys.authentication, of).toString("hex"),
      encryption_hash: digestOf(keys.encryption, of).toString("hex"),
    };
    await saveChange(deps, user, change, command, confirmed, goOn(deps, command));
  });
}

/**
 * Resumes after the bank refused the user or a file, once a person has removed the cause.
 * @throws Refusal ebics_not_now.
 */
export async function resume(deps: EbicsDeps, command: UserCommand): Promise<void> {
  await runCommand(deps, command, async ({ user }) => {
    if (user.state !== "stopped" && user.state !== "ready") throw new NotNow(`The user is ${user.state}.`);
    if (user.bank_keys === null) throw new NotNow("The bank's keys were not compared yet.");
    checkSettled(user);
    const change = user.state === "stopped" ? ({ state: "ready", stop_reason: null } as const) : {};
    // Recorded even of a user that was ready: the same command must not resume it after a later stop.
    await saveChange(deps, user, change, command, { state: "ready" }, goOn(deps, command));
  });
}

/**
 * Has the bank lock the user (SPR), which ends these keys.
 * @throws Refusal ebics_not_now, ebics_refused.
 */
export async function suspendUser(deps: EbicsDeps, command: UserCommand): Promise<void> {
  await runCommand(deps, command, async (turn) => {
    const outcome = await suspend(readySessionOf(deps, turn));
    if (outcome.kind === "not_accepted")
      throw new NotNow(`The bank has not suspended the user: ${outcome.reason}`);
    // Whether or not the bank has locked it, these keys are no longer used.
    await saveChange(deps, turn.user, { state: "suspended", stop_reason: reasonOf(outcome) }, command, {
      state: "suspended",
    });
  });
}

/**
 * Sends the bank three new keys (HCS). If its answer is lost, repeating the command finds out which keys it has.
 * @throws Refusal ebics_not_now, ebics_refused.
 */
export async function changeKeys(deps: EbicsDeps, command: UserCommand): Promise<void> {
  const { tenant, id } = command.account;
  await runCommand(deps, command, async (turn) => {
    if (turn.user.next_keys !== null) return settleChange(deps, command, turn, turn.user.next_keys);
    const session = readySessionOf(deps, turn);
    const next = await makeKeys(deps.ids, turn.subscriber.userId, deps.clock.now());
    const sealed = deps.keys.seal(tenant, contextOfKeys(id, "next_keys"), writeOwnKeys(next));
    // From here on it is unknown which keys the bank has, even if this process ends.
    const unsettled = { next_keys: sealed, state: "stopped", stop_reason: UNSETTLED } as const;
    const user = await saveChange(deps, turn.user, unsettled);
    const outcome = await sendNewKeys(session, next);
    if (outcome.kind === "accepted") return adopt(deps, command, { ...turn, user }, sealed);
    if (outcome.kind === "not_accepted") {
      await saveChange(deps, user, { next_keys: null, state: "ready", stop_reason: null });
      throw new NotNow(`The bank has not accepted the new keys: ${outcome.reason}`);
    }
    throw new NotNow(UNSETTLED);
  });
}

const UNSETTLED = "It is unknown whether the bank has the new keys: change them again to find out.";

/**
 * The former keys must not sign while the bank may have the new ones: it locks users with wrong signatures.
 * @throws NotNow.
 */
function checkSettled({ next_keys: next }: EbicsUserRow): void {
  if (next !== null) throw new NotNow(UNSETTLED);
}

/**
 * Finds out which keys the bank has: it returns its own only for those. A bank that accepts neither pair refuses the
 * user for another reason, and both are kept.
 */
async function settleChange(
  deps: EbicsDeps,
  command: UserCommand,
  turn: LeasedUser,
  sealed: Buffer,
): Promise<void> {
  const next = openKeys(deps.keys, turn.user, "next_keys", sealed);
  const [index] = await requestKeysWith(deps, turn, [next, turn.subscriber.keys]);
  if (index === 0) return adopt(deps, command, turn, sealed);
  await saveChange(deps, turn.user, { next_keys: null, state: "ready", stop_reason: null }, command, {
    state: "ready",
    keys: "kept",
  });
}

async function adopt(
  deps: EbicsDeps,
  command: UserCommand,
  { user }: LeasedUser,
  next: Buffer,
): Promise<void> {
  const { tenant, gateway_id: id } = user;
  const plain = deps.keys.open(tenant, contextOfKeys(id, "next_keys"), next);
  const keys = deps.keys.seal(tenant, contextOfKeys(id, "keys"), plain);
  await saveChange(deps, user, { keys, next_keys: null, state: "ready", stop_reason: null }, command, {
    state: "ready",
    keys: "changed",
  });
}

/** Has the next passes send refused and waiting files, and visit the bank. */
function goOn({ clock }: Pick<Deps, "clock">, { account: { tenant, id } }: UserCommand) {
  return async (tx: Tx): Promise<void> => {
    await sendAgain(tx, tenant, id, clock.now());
    await pollSoon(tx, tenant, id);
  };
}

function reasonOf(outcome: UploadOutcome): string | null {
  return outcome.kind === "accepted"
    ? null
    : "It is unknown whether the bank has suspended the user: ask the bank.";
}
