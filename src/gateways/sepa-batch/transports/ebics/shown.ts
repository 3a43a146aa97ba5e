/**
 * An account's EBICS user as the management API and the command line show it: its state, and the hashes of all keys.
 */
import type { Deps } from "../../../../deps.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { Refusal } from "../../../../refusals.ts";
import type { AccountRow } from "../../files-store.ts";
import { keyHash } from "./crypto.ts";
import { formerKeys } from "./former-keys.ts";
import {
  certificateHash,
  KEY_PURPOSES,
  readBankKeys,
  versionOf,
  type BankKeys,
  type KeyPurpose,
  type OwnKeys,
  type StoredBankKeys,
} from "./keys.ts";
import { letterPages } from "./letter.ts";
import type { LetterLanguage } from "./letter-texts.ts";
import { NotNow } from "./not-now.ts";
import { openKeys, settingsOf } from "./session.ts";
import { findUser } from "./users-store.ts";

interface ShownKey {
  readonly use: KeyPurpose;
  readonly version: string;
  /** In hexadecimal digits, as in letters. */
  readonly hash: string;
  readonly certificate_hash: string | null;
}

export interface ShownUser {
  readonly gateway_id: string;
  readonly ebics_version: "H004" | "H005";
  readonly host_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly state: EbicsUserRow["state"];
  readonly stop_reason: string | null;
  readonly keys: readonly ShownKey[];
  /** The former keys, if the bank may still have those. */
  readonly former_keys: readonly ShownKey[];
  readonly bank_keys: readonly ShownKey[];
  /** To be compared with the bank's letter. */
  readonly offered_bank_keys: readonly ShownKey[];
  readonly confirmed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

type ReadDeps = Pick<Deps, "db" | "keys">;

/**
 * Reads an account's user.
 * @throws Refusal not_found without keys; ebics_not_now for another transport.
 */
export async function userOf(deps: ReadDeps, account: AccountRow): Promise<ShownUser> {
  const { row, subscriber } = await found(deps, account);
  const own = (keys: OwnKeys) =>
    KEY_PURPOSES.map((use) => ({
      use,
      version: versionOf(use, subscriber.signatureVersion),
      hash: keyHash(keys[use].publicKey).toString("hex"),
      certificate_hash: certificateHash(keys[use].certificate).toString("hex"),
    }));
  return {
    gateway_id: row.gateway_id,
    ebics_version: subscriber.version,
    host_id: row.host_id,
    partner_id: row.partner_id,
    user_id: row.user_id,
    state: row.state,
    stop_reason: row.stop_reason,
    keys: own(subscriber.keys),
    former_keys: formerKeys(deps.keys, row).flatMap(own),
    bank_keys: shownKeys(row.bank_keys),
    offered_bank_keys: shownKeys(row.offered_bank_keys),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The keys of the letter: the newest, or the former ones that they replace. */
export const LETTER_KEYS = ["newest", "former"] as const;
type LetterKeys = (typeof LETTER_KEYS)[number];

/**
 * The INI and HIA letter as a page.
 * @throws as `userOf`; Refusal not_found when there are no former keys.
 */
export async function letterOf(
  deps: ReadDeps,
  account: AccountRow,
  language: LetterLanguage,
  which: LetterKeys = "newest",
): Promise<string> {
  const { row, subscriber } = await found(deps, account);
  const pairs = which === "newest" ? [subscriber.keys] : formerKeys(deps.keys, row);
  if (pairs.length === 0) throw new Refusal("not_found");
  return letterPages(subscriber, pairs, language).text;
}

async function found(deps: ReadDeps, account: AccountRow) {
  const row = await findUser(deps.db, account.tenant, account.id);
  if (row === null) throw new Refusal("not_found");
  try {
    const { subscriber } = settingsOf(account);
    return { row, subscriber: { ...subscriber, keys: openKeys(deps.keys, row, "keys", row.keys) } };
  } catch (error) {
    if (error instanceof NotNow) throw new Refusal("ebics_not_now", { detail: error.message });
    throw error;
  }
}

function shownKeys(stored: unknown): readonly ShownKey[] {
  if (stored === null) return [];
  const keys: BankKeys = readBankKeys(stored as StoredBankKeys);
  return (["authentication", "encryption"] as const).map((use) => {
    const { publicKey, certificate } = keys[use];
    return {
      use,
      version: use === "authentication" ? "X002" : "E002",
      hash: keyHash(publicKey).toString("hex"),
      certificate_hash: certificate === null ? null : certificateHash(certificate).toString("hex"),
    };
  });
}
