/** Sends the bank the keys of an EBICS user: the first ones, and new ones after the bank has reset the user. */
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { formerState, formerKeys, sealFormer, KEY_CHANGE_SETTLED } from "./former-keys.ts";
import { fetchBankKeys, sendKeys } from "./key-exchange.ts";
import { makeKeys, writeOwnKeys } from "./keys.ts";
import { NotNow } from "./not-now.ts";
import { BankRefused } from "./return-codes.ts";
import {
  contextOfKeys,
  withLeasedUser,
  openKeys,
  settingsOf,
  type EbicsDeps,
  type LeasedUser,
} from "./session.ts";
import type { Subscriber } from "./subscriber.ts";
import {
  COMMAND_MS_MAX,
  hasCommandRun,
  logUserChange,
  refusedByBank,
  saveChange,
  type UserCommand,
} from "./user-commands.ts";
import { findUser, lockUser, keepKeys } from "./users-store.ts";

/**
 * Creates three key pairs and sends the public keys to the bank (INI, HIA). A repeated call continues where the last
 * one ended.
 * @param anew replaces existing keys. The bank must have reset the user; otherwise the former keys stay. If the bank
 * may already have the newest keys because its answer was lost, those are sent again.
 * @throws Refusal ebics_not_now, ebics_refused.
 */
export async function initialise(deps: EbicsDeps, command: UserCommand, anew: boolean): Promise<void> {
  const { account } = command;
  const { tenant, id } = account;
  await refusedByBank(async () => {
    const { subscriber } = settingsOf(account);
    // The same command again sends the keys that it has made, and makes no others.
    const isRepeated = await hasCommandRun(deps, command);
    const found = await findUser(deps.db, tenant, id);
    if (!isRepeated) {
      if (anew && found !== null && mayBeKnown(found, subscriber)) await checkReset(deps, account);
      if (anew || found === null) await replaceKeys(deps, command, subscriber, anew);
    }
    await withLeasedUser(deps, account, AbortSignal.timeout(COMMAND_MS_MAX), async (turn) => {
      if (turn.user.state !== "made" && !isUnanswered(turn.user)) {
        throw new NotNow(
          "The bank has keys of this user. Ask it to reset the user before you create new ones.",
        );
      }
      await giveKeys(deps, command, turn, anew && !isRepeated);
    });
  });
}

/** Stores new keys in place of the existing ones, which are kept until the bank has accepted the new ones. */
async function replaceKeys(
  deps: EbicsDeps,
  command: UserCommand,
  subscriber: Subscriber,
  anew: boolean,
): Promise<void> {
  const { tenant, id } = command.account;
  const made = await makeKeys(deps.ids, subscriber.userId, deps.clock.now());
  const keys = deps.keys.seal(tenant, contextOfKeys(id, "keys"), writeOwnKeys(made));
  await deps.db.transaction(async (tx) => {
    const { hostId: host_id, partnerId: partner_id, userId: user_id } = subscriber;
    const held = await lockUser(tx, tenant, id);
    const same = held !== null && isFor(held, subscriber);
    if (same && isUnanswered(held)) return;
    const former = !same ? null : held.state === "made" ? held.former : sealFormer(deps.keys, held);
    const user = { tenant, gateway_id: id, host_id, partner_id, user_id, keys, former };
    if (await keepKeys(tx, user, anew, deps.clock.now())) {
      await logUserChange(deps, tx, command, null, { state: "made" });
    } else if (anew) throw new NotNow("Another EBICS session is under way.", true);
  });
}

function isFor(user: EbicsUserRow, { hostId, partnerId, userId }: Subscriber): boolean {
  return user.host_id === hostId && user.partner_id === partnerId && user.user_id === userId;
}

/**
 * Whether the bank may have some of these keys without having confirmed it: replacing them could leave us with the
 * wrong ones.
 */
function isUnanswered({ state, unanswered_since: since, ini_sent_at: ini }: EbicsUserRow): boolean {
  return since !== null || (state === "made" && ini !== null);
}

/** Whether the bank may have keys of this user: they were sent for the user that the settings name. */
function mayBeKnown(user: EbicsUserRow, subscriber: Subscriber): boolean {
  return isFor(user, subscriber) && (user.state !== "made" || user.former !== null);
}

/**
 * Checks, before keys are replaced, that the bank has reset the user: a bank that accepts the current keys (HPB) has
 * not. If it does not answer, nothing is replaced.
 * @throws NotNow, BankRefused, NoAnswer, Unreadable.
 */
async function checkReset(deps: EbicsDeps, account: UserCommand["account"]): Promise<void> {
  await withLeasedUser(
    deps,
    account,
    AbortSignal.timeout(COMMAND_MS_MAX),
    async ({ user, host, subscriber }) => {
      const { next_keys: next } = user;
      const pairs = [
        subscriber.keys,
        ...(next === null ? [] : [openKeys(deps.keys, user, "next_keys", next)]),
        ...formerKeys(deps.keys, user),
      ];
      for (const keys of pairs) {
        const moment = { nonce: deps.ids.secret(16), at: deps.clock.now() };
        try {
          await fetchBankKeys(host, { ...subscriber, keys }, moment);
        } catch (error) {
          if (!(error instanceof BankRefused) || !isFinal(error)) throw error;
          continue;
        }
        throw new NotNow(
          user.former === null
            ? "The bank has not reset the user and still accepts its keys, so the previous keys stay in use."
            : "The bank has not reset the user and still accepts its newest or its previous keys. Fetch the bank's own keys (bank-keys); the keys that it accepts then stay in use.",
        );
      }
    },
  );
}

/** Whether the bank refuses these keys for good. An unknown code proves nothing. */
function isFinal({ known, verdict }: BankRefused): boolean {
  return known && (verdict === "stopped" || verdict === "refused");
}

/**
 * Sends INI and HIA. A bank accepts each once: if the answer to one was lost, the bank refuses it because of the user's
 * state, and its accepting the other one shows that it knows the user. Whether the keys are ours, the bank checks
 * against the letter.
 * @param both also sends the one that the bank has accepted, as the bank is said to have reset the user since.
 */
async function giveKeys(
  deps: EbicsDeps,
  command: UserCommand,
  turn: LeasedUser,
  both: boolean,
): Promise<void> {
  const { host, subscriber } = turn;
  const unanswered = isUnanswered(turn.user);
  const now = deps.clock.now();
  // Recorded before the request: from here on the bank may have these keys, even if this process ends.
  let user = await saveChange(deps, turn.user, { unanswered_since: turn.user.unanswered_since ?? now });
  let taken = user.ini_sent_at !== null && !both;
  let refusal: BankRefused | null = null;
  for (const type of taken ? (["HIA"] as const) : (["INI", "HIA"] as const)) {
    try {
      await sendKeys(host, subscriber, type);
      taken = true;
      // A bank that accepts new keys no longer has the former ones.
      const sent = type === "INI" ? { ini_sent_at: deps.clock.now() } : {};
      user = await saveChange(deps, user, { ...sent, former: null });
    } catch (error) {
      if (!(error instanceof BankRefused) || !isFinal(error)) throw error;
      refusal = error;
      if (!HAS_KEYS.has(error.code)) break;
    }
  }
  if (refusal === null || (taken && HAS_KEYS.has(refusal.code))) {
    const at = deps.clock.now();
    await saveChange(deps, user, {
      ini_sent_at: user.ini_sent_at ?? at,
      hia_sent_at: at,
      state: "sent",
      stop_reason: null,
      ...KEY_CHANGE_SETTLED,
    });
  } else if (taken || (unanswered && !HAS_KEYS.has(refusal.code))) {
    throw refusal;
  } else if (unanswered) {
    const stop_reason = user.former === null ? PERHAPS : THESE_OR_FORMER;
    await saveChange(deps, user, { state: "sent", stop_reason });
  } else {
    await takenBack(deps, command, user, refusal);
  }
}

/** The bank's code for a user whose state no longer allows INI or HIA. */
const HAS_KEYS = new Set(["091002", "091004"]);

const PERHAPS =
  "The bank already has keys of this user, but one of its answers was lost. Send the letter: it shows the bank whether these are the keys that it has.";
const THESE_OR_FORMER =
  "The bank already has keys of this user, but one of its answers was lost. It has these keys or, if it has not reset the user, the previous ones. " +
  "Ask it which, send that letter, and fetch its keys.";

/**
 * Restores the former state of the user: the bank has none of the new keys, and will have none.
 * @throws NotNow, BankRefused.
 */
async function takenBack(
  deps: EbicsDeps,
  command: UserCommand,
  user: EbicsUserRow,
  refusal: BankRefused,
): Promise<never> {
  if (user.former === null) {
    await saveChange(deps, user, { unanswered_since: null });
    throw refusal;
  }
  const before = formerState(deps.keys, user, user.former);
  // The audit log has the new keys under the command's own id, so this needs another one.
  const entry = { ...command, operationId: deps.ids.uuid() };
  await saveChange(deps, user, before, entry, { state: before.state, keys: "kept" });
  throw new NotNow(
    `${refusal.message}. The bank has not reset the user and has not accepted the new keys, so the previous keys stay in use.`,
  );
}
