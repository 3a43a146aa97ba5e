/** The SQL of EBICS users: their keys, their state at the bank, and the lease of the current session. */
import { sql, type Database, type Reader, type Tx } from "../../../../db/database.ts";
import { isFree, isFreeFor, leaseEnd } from "../../../../db/lease.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import type { StoredBankKeys } from "./keys.ts";
import { NotNow } from "./not-now.ts";

const FIND = sql(
  "ebics_users.find",
  "select * from ebics_users where tenant = :tenant and gateway_id = :gatewayId",
).gives<EbicsUserRow>();

export async function findUser(db: Reader, tenant: number, gatewayId: string): Promise<EbicsUserRow | null> {
  return (await db.query(FIND, { tenant, gatewayId }))[0] ?? null;
}

const HOLD = sql(
  "ebics_users.lock",
  "select * from ebics_users where tenant = :tenant and gateway_id = :gatewayId for update",
).gives<EbicsUserRow>();

/** Locks the user until the transaction ends. */
export async function lockUser(tx: Tx, tenant: number, gatewayId: string): Promise<EbicsUserRow | null> {
  return (await tx.query(HOLD, { tenant, gatewayId }))[0] ?? null;
}

/** The states of a user at the bank. */
export type ListedUser = Pick<
  EbicsUserRow,
  "gateway_id" | "state" | "stop_reason" | "created_at" | "updated_at"
>;

const LIST = sql(
  "ebics_users.list",
  `select gateway_id, state, stop_reason, created_at, updated_at from ebics_users
    where tenant = :tenant and (:state::text is null or state = :state)
    order by updated_at, gateway_id`,
).gives<ListedUser>();

/**
 * A tenant's users, longest unchanged first.
 * @param state null: all. `stopped`: the bank refuses them, and nothing is sent or fetched until a person resumes it.
 */
export function listUsers(
  db: Reader,
  tenant: number,
  state: EbicsUserRow["state"] | null,
): Promise<readonly ListedUser[]> {
  return db.query(LIST, { tenant, state });
}

const KEEP_KEYS = sql(
  "ebics_users.keep_keys",
  `insert into ebics_users as u
     (tenant, gateway_id, host_id, partner_id, user_id, state, keys, former, locked_until, created_at, updated_at)
   values (:tenant, :gatewayId, :hostId, :partnerId, :userId, 'made', :keys, :former, ${leaseEnd(0)}, :now, :now)
       on conflict (tenant, gateway_id) do update
      set host_id = excluded.host_id, partner_id = excluded.partner_id, user_id = excluded.user_id, state = 'made',
          keys = excluded.keys, former = excluded.former, unanswered_since = null, next_keys = null, ini_sent_at = null, hia_sent_at = null, bank_keys = null,
          offered_bank_keys = null, confirmed_at = null, stop_reason = null, updated_at = excluded.updated_at,
          lease_no = u.lease_no + 1
    where :anew and ${isFreeFor("u.locked_until", "excluded.locked_until", 0)}
   returning 1`,
);

/**
 * Stores new keys. Returns false if there are others: they are replaced only with `anew`, and never during a session
 * that uses them.
 * @param user.keys sealed, like its `former`.
 */
export async function keepKeys(
  tx: Tx,
  user: Pick<
    EbicsUserRow,
    "tenant" | "gateway_id" | "host_id" | "partner_id" | "user_id" | "keys" | "former"
  >,
  anew: boolean,
  now: Date,
): Promise<boolean> {
  const {
    tenant,
    gateway_id: gatewayId,
    host_id: hostId,
    partner_id: partnerId,
    user_id: userId,
    keys,
    former,
  } = user;
  const values = { tenant, gatewayId, hostId, partnerId, userId, keys, former, anew, now };
  return (await tx.write(KEEP_KEYS, values)).length === 1;
}

const SAVE = sql(
  "ebics_users.save",
  `update ebics_users
      set state = :state, keys = :keys, next_keys = :nextKeys, ini_sent_at = :iniSentAt, hia_sent_at = :hiaSentAt,
          bank_keys = :bankKeys::jsonb, offered_bank_keys = :offered::jsonb, confirmed_at = :confirmedAt,
          stop_reason = :stopReason, unanswered_since = :unanswered, former = :former, updated_at = :now
    where tenant = :tenant and gateway_id = :gatewayId and lease_no = :leaseNo
   returning 1`,
);

/** The changes of a session with the bank. */
export type UserChange = Partial<
  Pick<
    EbicsUserRow,
    | "state"
    | "keys"
    | "next_keys"
    | "ini_sent_at"
    | "hia_sent_at"
    | "confirmed_at"
    | "stop_reason"
    | "unanswered_since"
    | "former"
  >
> & {
  readonly bank_keys?: StoredBankKeys | null;
  readonly offered_bank_keys?: StoredBankKeys | null;
};

/**
 * Updates the user under the current lease.
 * @throws NotNow when another session has taken over.
 */
export async function saveUser(
  tx: Tx,
  user: EbicsUserRow,
  change: UserChange,
  now: Date,
): Promise<EbicsUserRow> {
  const next: EbicsUserRow = { ...user, ...change, updated_at: now };
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const saved = await tx.write(SAVE, {
    tenant: next.tenant,
    gatewayId: next.gateway_id,
    leaseNo: next.lease_no,
    state: next.state,
    keys: next.keys,
    nextKeys: next.next_keys,
    iniSentAt: next.ini_sent_at,
    hiaSentAt: next.hia_sent_at,
    bankKeys: json(next.bank_keys),
    offered: json(next.offered_bank_keys),
    confirmedAt: next.confirmed_at,
    stopReason: next.stop_reason,
    unanswered: next.unanswered_since,
    former: next.former,
    now,
  });
  if (saved.length === 0) throw new NotNow("Another EBICS session has taken over.", true);
  return next;
}

const TAKE_TURN = sql(
  "ebics_users.lease",
  `update ebics_users set locked_until = ${leaseEnd(":leaseMs")}, lease_no = lease_no + 1
    where tenant = :tenant and gateway_id = :gatewayId and ${isFree("locked_until")}
   returning *`,
).gives<EbicsUserRow>();

/** Leases the user for one session; null if there is none, or another session is in progress. */
export async function leaseUser(
  db: Database,
  tenant: number,
  gatewayId: string,
  leaseMs: number,
): Promise<EbicsUserRow | null> {
  return (await db.commit(TAKE_TURN, { tenant, gatewayId, leaseMs }))[0] ?? null;
}

const END_TURN = sql(
  "ebics_users.end_turn",
  "update ebics_users set locked_until = null where tenant = :tenant and gateway_id = :gatewayId and lease_no = :leaseNo",
);

export async function releaseUser(
  db: Database,
  { tenant, gateway_id: gatewayId, lease_no: leaseNo }: EbicsUserRow,
): Promise<void> {
  await db.commit(END_TURN, { tenant, gatewayId, leaseNo });
}
