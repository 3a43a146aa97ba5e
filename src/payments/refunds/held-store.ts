/** The SQL of refunds that are held until their payment is unlikely to come back, or a person decides. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { attemptTaken } from "../attempt/store.ts";
import { REFUND_COLUMNS, REFUND_JOINS, type RefundRow } from "./store.ts";

/**
 * SQL: whether a refund is held. Of a person's release and the end of the period at the same time, only one finds it
 * held.
 */
export const isHeld = <Name extends string>(refund: Name) =>
  `${refund}.held_until is not null and ${refund}.released_at is null and ${refund}.status = 'submitted'` as const;

const IS_HELD = isHeld("r");

/** Locks the payment before its refund, as a claim does; a return that is being written is waited for. */
const HOLD_PAYMENT = sql(
  "refunds.lock_payment_of_held",
  `select from transactions p
    where p.tenant = :tenant and p.status = 'approved'
      and p.id = (select r.original_id from transactions r where r.tenant = :tenant and r.id = :id)
      for no key update`,
);

/** Setting `released_at` is the claim to send it: of concurrent calls only one finds it unset. */
const RELEASE = sql(
  "refunds.release",
  `update transactions r set released_at = :now where r.tenant = :tenant and r.id = :id and ${IS_HELD} returning r.id`,
);

const TAKE = sql(
  "refunds.claim_held",
  `with t as (${attemptTaken(
    `where tenant = :tenant and id = :id and status = 'submitted' and held_until is not null and (released_at is null) = :isHeld`,
    0,
  )}
   )
   select ${REFUND_COLUMNS} from t ${REFUND_JOINS}`,
).gives<RefundRow>();

interface Taking {
  readonly tenant: number;
  readonly id: string;
  readonly now: Date;
  readonly resolveAt: Date;
}

/** Releases a held refund and claims it for sending; null when it is not held, or its payment has come back. */
export async function releaseHeld(tx: Tx, taking: Taking): Promise<RefundRow | null> {
  const { tenant, id, now } = taking;
  if ((await tx.query(HOLD_PAYMENT, { tenant, id })).length === 0) return null;
  if ((await tx.write(RELEASE, { tenant, id, now })).length === 0) return null;
  return (await tx.write(TAKE, { ...taking, isHeld: false }))[0] ?? null;
}

/** Claims a held refund to end it without sending; null when it is not held. */
export async function claimHeld(tx: Tx, taking: Taking): Promise<RefundRow | null> {
  return (await tx.write(TAKE, { ...taking, isHeld: true }))[0] ?? null;
}

/** SQL: its period is over, or its payment has come back. */
const IS_OVER = "(r.held_until <= :now or p.status <> 'approved')";

const TENANTS = sql(
  "refunds.tenants_with_held",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct r.tenant from transactions r
     join transactions p on p.tenant = r.tenant and p.id = r.original_id
    where ${IS_HELD} and ${IS_OVER}
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithHeld(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  return (await db.query(TENANTS, { now, limit })).map(({ tenant }) => tenant);
}

const FIND_OVER = sql(
  "refunds.find_held_over",
  `select r.id from transactions r
     join transactions p on p.tenant = :tenant and p.id = r.original_id
    where r.tenant = :tenant and ${IS_HELD} and ${IS_OVER}
    order by r.held_until, r.id
    limit :limit`,
).gives<{ id: string }>();

/** The held refunds of a tenant that are to be sent, or can no longer be. */
export async function findHeldToEnd(
  db: Reader,
  tenant: number,
  now: Date,
  limit: number,
): Promise<readonly string[]> {
  return (await db.query(FIND_OVER, { tenant, now, limit })).map(({ id }) => id);
}
