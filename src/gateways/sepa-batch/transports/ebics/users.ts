/** What a person does with an account's EBICS user: keys, letters, the bank's keys compared, change, suspension, going on. */
import type { Deps } from "../../../../deps.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { sameBytes } from "../../../../lib/keyring.ts";
import { writeEntry, type Author, type Change } from "../../../../management/audit/audit.ts";
import { FieldErrors, Refusal } from "../../../../refusals.ts";
import { Unreadable } from "../../../../files/xml-tree.ts";
import { pollSoon, type AccountRow } from "../../files-store.ts";
import { NoAnswer } from "./host.ts";
import { fetchBankKeys, sendKeys, sendNewKeys, suspend } from "./key-exchange.ts";
import {
  digestOf,
  makeKeys,
  readBankKeys,
  writeBankKeys,
  writeOwnKeys,
  type StoredBankKeys,
} from "./keys.ts";
import { NotNow } from "./not-now.ts";
import { sendAgain } from "./orders-store.ts";
import { BankRefused } from "./return-codes.ts";
import {
  contextOfKeys,
  inTurn,
  openKeys,
  readySessionOf,
  settingsOf,
  type EbicsDeps,
  type Turn,
} from "./session.ts";
import { findUser, holdUser, keepKeys, saveUser, type UserChange } from "./users-store.ts";
import type { Subscriber } from "./subscriber.ts";
import type { UploadOutcome } from "./upload.ts";

/** A person's command about the user of an account. */
export interface UserCommand {
  readonly account: AccountRow;
  readonly operationId: string;
  readonly author: Author;
}

/** A person waits, and a bank that is silent is not waited for longer. */
const COMMAND_MS_MAX = 100_000;

/**
 * Makes three pairs of keys and gives the bank the public ones (INI, HIA). Asked again it goes on where it ended.
 * @param anew other keys than those that there are: the bank has to have reset the user, or the ones of before stay.
 * @throws Refusal ebics_not_now, ebics_refused.
 */
export async function initialise(deps: EbicsDeps, command: UserCommand, anew: boolean): Promise<void> {
  const { account } = command;
  const { tenant, id } = account;
  await refusing(async () => {
    const { subscriber } = settingsOf(account);
    const found = await findUser(deps.db, tenant, id);
    if (anew && found !== null && mayBeKnown(found, subscriber)) await checkReset(deps, account);
    let replaced: EbicsUserRow | null = null;
    if (anew || found === null) {
      const now = deps.clock.now();
      const made = await makeKeys(deps.ids, subscriber.userId, now);
      const keys = deps.keys.seal(tenant, contextOfKeys(id, "keys"), writeOwnKeys(made));
      await deps.db.transaction(async (tx) => {
        const { hostId: host_id, partnerId: partner_id, userId: user_id } = subscriber;
        const user = { tenant, gateway_id: id, host_id, partner_id, user_id, keys };
        replaced = await holdUser(tx, tenant, id);
        if (await keepKeys(tx, user, anew, now)) await note(deps, tx, command, null, { state: "made" });
        else if (anew) throw new NotNow("Another EBICS session is under way.", true);
      });
    }
    await inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async (turn) => {
      if (turn.user.state !== "made") {
        throw new NotNow("The bank has keys of this user. New ones need the bank to reset the user first.");
      }
      await giveKeys(deps, turn).catch(async (error: unknown) => {
        if (replaced === null || !tookNothing(error) || !isOf(replaced, turn.user)) throw error;
        await putBack(deps, command, turn.user, replaced);
        throw new NotNow(
          `${error.message}. The bank has not reset the user and has taken no new keys: the ones of before stay.`,
        );
      });
    });
  });
}

/** The bank may have this user's keys: they were sent, for the user that the settings name. */
function mayBeKnown(
  { state, host_id, partner_id, user_id }: EbicsUserRow,
  { hostId, partnerId, userId }: Subscriber,
): boolean {
  return state !== "made" && host_id === hostId && partner_id === partnerId && user_id === userId;
}

/**
 * Before keys are replaced: a bank that gives its own to them (HPB) has not reset the user. One that does not answer has said
 * nothing, and nothing is replaced.
 * @throws NotNow, BankRefused, NoAnswer, Unreadable.
 */
async function checkReset(deps: EbicsDeps, account: AccountRow): Promise<void> {
  await inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async ({ user, host, subscriber }) => {
    const { next_keys: next } = user;
    const pairs = [subscriber.keys, ...(next === null ? [] : [openKeys(deps.keys, user, "next_keys", next)])];
    for (const keys of pairs) {
      const moment = { nonce: deps.ids.secret(16), at: deps.clock.now() };
      try {
        await fetchBankKeys(host, { ...subscriber, keys }, moment);
      } catch (error) {
        if (!(error instanceof BankRefused) || !NOT_TAKEN.has(error.verdict)) throw error;
        continue;
      }
      throw new NotNow("The bank has not reset the user and takes its keys: the ones of before stay.");
    }
  });
}

/** What was asked with keys is not accepted, however often it is asked. */
const NOT_TAKEN: ReadonlySet<BankRefused["verdict"]> = new Set(["stopped", "refused"]);

/** A bank that takes neither INI nor HIA, asked for the first time, has none of the new keys. */
function tookNothing(error: unknown): error is BankRefused {
  return error instanceof BankRefused && HAS_KEYS.has(error.code);
}

function isOf(one: EbicsUserRow, other: EbicsUserRow): boolean {
  return (["host_id", "partner_id", "user_id"] as const).every((field) => one[field] === other[field]);
}

/** The user is again as it was before new keys were made for it. */
async function putBack(
  deps: EbicsDeps,
  command: UserCommand,
  user: EbicsUserRow,
  before: EbicsUserRow,
): Promise<void> {
  const { state, keys, next_keys, ini_sent_at, hia_sent_at, confirmed_at, stop_reason } = before;
  const change: UserChange = {
    state,
    keys,
    next_keys,
    ini_sent_at,
    hia_sent_at,
    confirmed_at,
    stop_reason,
    bank_keys: before.bank_keys as StoredBankKeys | null,
    offered_bank_keys: before.offered_bank_keys as StoredBankKeys | null,
  };
  // The log has the new keys under the command's own id: this is an entry of its own.
  const entry = { ...command, operationId: deps.ids.uuid() };
  await save(deps, user, change, entry, { state, keys: "kept" });
}

/**
 * Sends INI and HIA. A bank takes each once: when the answer to one was lost, the bank refuses it for the user's state, and that it
 * takes the other one shows that the user is known. Whether the keys are ours, the bank sees from the letter.
 */
async function giveKeys(deps: EbicsDeps, { host, subscriber, user }: Turn): Promise<void> {
  let taken = user.ini_sent_at !== null;
  let refusal: BankRefused | null = null;
  for (const type of user.ini_sent_at === null ? (["INI", "HIA"] as const) : (["HIA"] as const)) {
    try {
      await sendKeys(host, subscriber, type);
      taken = true;
      if (type === "INI") await save(deps, user, { ini_sent_at: deps.clock.now() });
    } catch (error) {
      if (!(error instanceof BankRefused) || !HAS_KEYS.has(error.code)) throw error;
      refusal = error;
    }
  }
  if (!taken && refusal !== null) throw refusal;
  const at = deps.clock.now();
  await save(deps, user, { ini_sent_at: user.ini_sent_at ?? at, hia_sent_at: at, state: "sent" });
}

/** The user's state does not allow INI or HIA (any more). */
const HAS_KEYS = new Set(["091002", "091004"]);

/** Fetches the bank's keys (HPB), for a person to compare. @throws Refusal ebics_not_now, ebics_refused. */
export async function askForBankKeys(deps: EbicsDeps, command: UserCommand): Promise<void> {
  const { account } = command;
  await refusing(() =>
    inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async ({ user, host, subscriber }) => {
      if (user.state === "made") throw new NotNow("The bank does not have our keys yet.");
      checkSettled(user);
      const moment = { nonce: deps.ids.secret(16), at: deps.clock.now() };
      const keys = await fetchBankKeys(host, subscriber, moment);
      await save(deps, user, { offered_bank_keys: writeBankKeys(keys) }, command, {
        state: user.state,
        fetched: "bank_keys",
      });
    }),
  );
}

/** The hashes in the bank's letter, in hexadecimal digits, with any blanks. */
export interface LetterHashes {
  readonly authentication: string;
  readonly encryption: string;
}

/**
 * A person says which hashes the bank's letter has: only those keys are taken. @throws Refusal ebics_not_now; FieldErrors for a
 * hash that is not that of the key.
 */
export async function confirmBankKeys(
  deps: EbicsDeps,
  command: UserCommand,
  letter: LetterHashes,
): Promise<void> {
  const { account } = command;
  await refusing(() =>
    inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async ({ user, subscriber }) => {
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
      await save(deps, user, change, command, {
        state: "ready",
        authentication_hash: digestOf(keys.authentication, of).toString("hex"),
        encryption_hash: digestOf(keys.encryption, of).toString("hex"),
      });
      await goOn(deps, account);
    }),
  );
}

/** Goes on after the bank has refused the user, or a file: a person has seen to the cause. @throws Refusal ebics_not_now. */
export async function resume(deps: EbicsDeps, command: UserCommand): Promise<void> {
  const { account } = command;
  await refusing(() =>
    inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async ({ user }) => {
      if (user.state !== "stopped" && user.state !== "ready") throw new NotNow(`The user is ${user.state}.`);
      if (user.bank_keys === null) throw new NotNow("The bank's keys were not compared yet.");
      checkSettled(user);
      if (user.state === "stopped") {
        await save(deps, user, { state: "ready", stop_reason: null }, command, { state: "ready" });
      }
      await goOn(deps, account);
    }),
  );
}

/** Has the bank lock the user (SPR): the end of these keys. @throws Refusal ebics_not_now, ebics_refused. */
export async function suspendUser(deps: EbicsDeps, command: UserCommand): Promise<void> {
  const { account } = command;
  await refusing(() =>
    inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async (turn) => {
      const outcome = await suspend(readySessionOf(deps, turn));
      if (outcome.kind === "not_accepted")
        throw new NotNow(`The bank has not suspended the user: ${outcome.reason}`);
      // Whether it has or not: we do not use these keys any more.
      await save(deps, turn.user, { state: "suspended", stop_reason: reasonOf(outcome) }, command, {
        state: "suspended",
      });
    }),
  );
}

/**
 * Gives the bank three new keys (HCS). Where its answer is lost, asking again finds out which keys it has.
 * @throws Refusal ebics_not_now, ebics_refused.
 */
export async function changeKeys(deps: EbicsDeps, command: UserCommand): Promise<void> {
  const { account } = command;
  await refusing(() =>
    inTurn(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async (turn) => {
      if (turn.user.next_keys !== null) return settleChange(deps, command, turn, turn.user.next_keys);
      const session = readySessionOf(deps, turn);
      const next = await makeKeys(deps.ids, turn.subscriber.userId, deps.clock.now());
      const sealed = deps.keys.seal(
        account.tenant,
        contextOfKeys(account.id, "next_keys"),
        writeOwnKeys(next),
      );
      // From here on it is unknown which keys the bank has, also when this process ends.
      const unsettled = { next_keys: sealed, state: "stopped", stop_reason: UNSETTLED } as const;
      const user = await save(deps, turn.user, unsettled);
      const outcome = await sendNewKeys(session, next);
      if (outcome.kind === "accepted") return adopt(deps, command, { ...turn, user }, sealed);
      if (outcome.kind === "not_accepted") {
        await save(deps, user, { next_keys: null, state: "ready", stop_reason: null });
        throw new NotNow(`The bank has not taken the new keys: ${outcome.reason}`);
      }
      throw new NotNow(UNSETTLED);
    }),
  );
}

const UNSETTLED = "It is unknown whether the bank has the new keys: change them again to find out.";

/** The keys of before sign nothing while the bank may have the new ones: it locks users whose signatures are wrong. @throws NotNow. */
function checkSettled({ next_keys: next }: EbicsUserRow): void {
  if (next !== null) throw new NotNow(UNSETTLED);
}

/** Which keys does the bank have? It gives its own only to those. */
async function settleChange(
  deps: EbicsDeps,
  command: UserCommand,
  turn: Turn,
  sealed: Buffer,
): Promise<void> {
  const keys = openKeys(deps.keys, turn.user, "next_keys", sealed);
  const moment = { nonce: deps.ids.secret(16), at: deps.clock.now() };
  try {
    await fetchBankKeys(turn.host, { ...turn.subscriber, keys }, moment);
  } catch (error) {
    // A bank that is busy, or has a fault, has said nothing of our keys.
    if (!(error instanceof BankRefused) || error.verdict !== "stopped") throw error;
    await save(deps, turn.user, { next_keys: null, state: "ready", stop_reason: null }, command, {
      state: "ready",
      keys: "kept",
    });
    return;
  }
  await adopt(deps, command, turn, sealed);
}

async function adopt(deps: EbicsDeps, command: UserCommand, { user }: Turn, next: Buffer): Promise<void> {
  const { tenant, gateway_id: id } = user;
  const plain = deps.keys.open(tenant, contextOfKeys(id, "next_keys"), next);
  const keys = deps.keys.seal(tenant, contextOfKeys(id, "keys"), plain);
  await save(deps, user, { keys, next_keys: null, state: "ready", stop_reason: null }, command, {
    state: "ready",
    keys: "changed",
  });
}

/** What was refused or waits is sent, and the bank is visited, with the next passes. */
function goOn({ db, clock }: Pick<Deps, "clock" | "db">, { tenant, id }: AccountRow): Promise<void> {
  return db.transaction(async (tx) => {
    await sendAgain(tx, tenant, id, clock.now());
    await pollSoon(tx, tenant, id);
  });
}

async function save(
  deps: Pick<Deps, "clock" | "db">,
  user: EbicsUserRow,
  change: UserChange,
  command: UserCommand | null = null,
  after: object | null = null,
): Promise<EbicsUserRow> {
  return deps.db.transaction(async (tx) => {
    const saved = await saveUser(tx, user, change, deps.clock.now());
    if (command !== null) await note(deps, tx, command, { state: user.state }, after);
    return saved;
  });
}

function note(
  { clock }: Pick<Deps, "clock">,
  tx: Parameters<typeof writeEntry>[0],
  { account, operationId, author }: UserCommand,
  before: object | null,
  after: object | null,
): Promise<void> {
  const action: Change["action"] = before === null ? "create" : "update";
  const at = clock.now();
  return writeEntry(tx, author, {
    tenant: account.tenant,
    id: operationId,
    at,
    action,
    resource: "ebics",
    resourceId: account.id,
    before,
    after,
  });
}

function reasonOf(outcome: UploadOutcome): string | null {
  return outcome.kind === "accepted"
    ? null
    : "It is unknown whether the bank has suspended the user: ask the bank.";
}

/** What goes wrong with the bank, as a refusal with the words of it. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotNow) throw new Refusal("ebics_not_now", { detail: error.message });
    if (error instanceof BankRefused || error instanceof NoAnswer || error instanceof Unreadable) {
      throw new Refusal("ebics_refused", { detail: error.message });
    }
    throw error;
  }
}
