/**
 * Keeps the former state of an EBICS user, sealed, while it is unknown whether the bank has the former or the new keys.
 */
import type { EbicsUserRow } from "../../../../db/rows.ts";
import type { Keyring } from "../../../../lib/keyring.ts";
import { readOwnKeys, writeOwnKeys, type OwnKeys, type StoredBankKeys } from "./keys.ts";
import { contextOfKeys, openKeys } from "./session.ts";
import type { UserChange } from "./users-store.ts";

interface Former extends Pick<EbicsUserRow, "state" | "stop_reason"> {
  /** Serialised, before sealing. */
  readonly keys: string;
  readonly next_keys: string | null;
  readonly bank_keys: StoredBankKeys | null;
  readonly offered_bank_keys: StoredBankKeys | null;
  readonly ini_sent_at: string | null;
  readonly hia_sent_at: string | null;
  readonly confirmed_at: string | null;
}

/**
 * Seals the user's state.
 * @param user with keys that the bank may have.
 */
export function sealFormer(keys: Keyring, user: EbicsUserRow): Buffer {
  const text = (column: "keys" | "next_keys", sealed: Buffer) =>
    writeOwnKeys(openKeys(keys, user, column, sealed));
  const former: Former = {
    state: user.state,
    stop_reason: user.stop_reason,
    keys: text("keys", user.keys),
    next_keys: user.next_keys === null ? null : text("next_keys", user.next_keys),
    bank_keys: user.bank_keys as StoredBankKeys | null,
    offered_bank_keys: user.offered_bank_keys as StoredBankKeys | null,
    ini_sent_at: user.ini_sent_at?.toISOString() ?? null,
    hia_sent_at: user.hia_sent_at?.toISOString() ?? null,
    confirmed_at: user.confirmed_at?.toISOString() ?? null,
  };
  return keys.seal(user.tenant, contextOfKeys(user.gateway_id, "former"), JSON.stringify(former));
}

function open(keys: Keyring, user: EbicsUserRow, sealed: Buffer): Former {
  const context = contextOfKeys(user.gateway_id, "former");
  return JSON.parse(keys.open(user.tenant, context, sealed).toString()) as Former;
}

/** The former key pairs that the bank may have: two if it was unknown which. */
export function formerKeys(keys: Keyring, user: EbicsUserRow): readonly OwnKeys[] {
  if (user.former === null) return [];
  const { keys: own, next_keys: next } = open(keys, user, user.former);
  return [readOwnKeys(own), ...(next === null ? [] : [readOwnKeys(next)])];
}

/**
 * Restores the former state of the user in place of the one with the new keys.
 * @param sealed its `former`.
 */
export function formerState(keys: Keyring, user: EbicsUserRow, sealed: Buffer): UserChange {
  const former = open(keys, user, sealed);
  const seal = (column: "keys" | "next_keys", text: string) =>
    keys.seal(user.tenant, contextOfKeys(user.gateway_id, column), text);
  const time = (at: string | null) => (at === null ? null : new Date(at));
  return {
    ...former,
    keys: seal("keys", former.keys),
    next_keys: former.next_keys === null ? null : seal("next_keys", former.next_keys),
    ini_sent_at: time(former.ini_sent_at),
    hia_sent_at: time(former.hia_sent_at),
    confirmed_at: time(former.confirmed_at),
    ...KEY_CHANGE_SETTLED,
  };
}

/** Recorded once the bank has shown which keys it has. */
export const KEY_CHANGE_SETTLED = { unanswered_since: null, former: null } as const;
