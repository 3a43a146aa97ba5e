/** SQL of the register of master keys, which belongs to no tenant. */
import { sql, type Database, type Reader } from "../db/database.ts";
import type { MasterKeyRow } from "../db/rows.ts";

const READ = sql(
  "keys.read",
  `select number, name, check_value, mac_keys, first_seen_at, dropped_at
     from master_keys
    order by first_seen_at, number`,
).gives<MasterKeyRow>();

/** Every key ever used here, oldest first. */
export function readKeys(db: Reader): Promise<readonly MasterKeyRow[]> {
  return db.query(READ, {});
}

const ADD = sql(
  "keys.add",
  `insert into master_keys (number, name, check_value, first_seen_at)
   values (:number, :name, :checkValue, :at)
       on conflict do nothing
   returning 1`,
);

/** Returns false when another process has added the key, or taken the number, in the meantime. */
export async function addKey(
  db: Database,
  key: { readonly number: number; readonly name: string; readonly checkValue: Buffer; readonly at: Date },
): Promise<boolean> {
  return (await db.commit(ADD, { ...key })).length === 1;
}

const NAME = sql(
  "keys.name",
  `update master_keys set name = :name, check_value = :checkValue
    where number = :number and name is null
   returning 1`,
);

/** Names a key that was only known by its number. */
export async function nameKey(
  db: Database,
  key: { readonly number: number; readonly name: string; readonly checkValue: Buffer },
): Promise<boolean> {
  return (await db.commit(NAME, { ...key })).length === 1;
}

const KEEP_MAC_KEYS = sql(
  "keys.keep_mac_keys",
  `update master_keys set mac_keys = :macKeys
    where number = :number and mac_keys is not distinct from :was`,
);

export async function keepMacKeys(
  db: Database,
  number: number,
  was: Buffer | null,
  macKeys: Buffer,
): Promise<void> {
  await db.commit(KEEP_MAC_KEYS, { number, was, macKeys });
}

const SET_DROPPED = sql("keys.set_dropped", `update master_keys set dropped_at = :at where number = :number`);

/**
 * Sets when a key was given up.
 * @param at from when the service starts without it; null: it is available again.
 */
export async function setDropped(db: Database, number: number, at: Date | null): Promise<void> {
  await db.commit(SET_DROPPED, { number, at });
}

const SESSIONS_OF_KEY = sql(
  "keys.count_sessions",
  `-- every tenant: the operator asks which keys are in use
   select token_key_id as number, count(*)::int as count
     from sessions
    group by 1`,
).gives<{ number: number; count: number }>();

/** The number of sessions with a token made under each key. */
export function countSessions(
  db: Reader,
): Promise<readonly { readonly number: number; readonly count: number }[]> {
  return db.query(SESSIONS_OF_KEY, {});
}

const TENANTS = sql(
  "keys.tenants",
  `-- every tenant: what they have sealed is sealed anew, one tenant after the other
   select tenant from tenants order by tenant`,
).gives<{ tenant: number }>();

export async function allTenants(db: Reader): Promise<readonly number[]> {
  return (await db.query(TENANTS, {})).map(({ tenant }) => tenant);
}
