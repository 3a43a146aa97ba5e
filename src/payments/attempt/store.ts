/**
 * The SQL shared by all kinds of attempts (payments, renewals, refunds), and the SQL of the tenant_reference_id that an
 * attempt holds.
 */
import { sql, type Database, type Reader, type Tx } from "../../db/database.ts";
import { isFree, leaseEnd } from "../../db/lease.ts";
import { readsTogether } from "../../db/together.ts";
import { CLAIM_MS } from "../../gateways/calling.ts";

/** How a value is named: a parameter of the statement, or a column of `v`, the combined calls (src/db/together.ts). */
type Given = ":" | "v.";

/**
 * SQL: whether another session has reserved a reference, or a payment elsewhere has used it. Asked when a session is
 * created (`insertSession` in src/sessions/store.ts) and paid (`CLAIM` in src/sessions/attempt-store.ts, `open` in
 * src/sessions/pay.ts). The refusal is `tenant_reference_taken` (src/refusals.ts), 409; two requests at once violate a
 * unique index, which src/db/constraints.ts maps to the same refusal.
 */
export function referenceTaken<Reference extends string, Session extends string>(given: {
  readonly reference: Reference;
  readonly session: Session;
}) {
  const { reference, session } = given;
  return `(exists (select from transactions t
                  where t.tenant = :tenant and t.tenant_reference_id = ${reference} and t.session_id is distinct from ${session})
       or exists (select from sessions s
                   where s.tenant = :tenant and s.tenant_reference_id = ${reference} and s.id <> ${session}))` as const;
}

const REFERENCE_TAKEN = readsTogether(
  "payments.reference_taken",
  { sessionId: "uuid", reference: "text" },
  `select ${referenceTaken({ reference: "v.reference", session: "v.sessionId" })} as taken`,
).gives<{ taken: boolean }>();

/** Whether another session has reserved a reference, or a payment elsewhere has used it. */
export async function isReferenceTaken(
  db: Database,
  tenant: number,
  sessionId: string,
  reference: string,
): Promise<boolean> {
  return (await db.together(REFERENCE_TAKEN, tenant, { sessionId, reference }))[0]?.taken === true;
}

const RELEASE_REFERENCE = sql(
  "payments.release_reference",
  `update transactions t set tenant_reference_id = null, updated_at = :now
     from sessions s
    where s.tenant = :tenant and s.id = :sessionId and t.tenant = :tenant and t.session_id = s.id
      and t.status = 'declined' and t.tenant_reference_id = s.tenant_reference_id
   returning t.id`,
);

/** Releases the reference that a declined attempt holds and its session reserved. Returns whether there was one. */
export async function releaseReference(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  return (await db.commit(RELEASE_REFERENCE, { tenant, sessionId, now })).length > 0;
}

/**
 * SQL for a `with` branch that inserts a claimed attempt as `submitted`.
 * @param columns and @param values those of its kind.
 * @param from where the values come from.
 * @param resolveAt when recovery looks at it.
 */
export function attemptOpens<
  By extends Given,
  Values extends string,
  From extends string,
  ResolveAt extends string = `${By}resolveAt`,
>({
  by,
  columns,
  values,
  from,
  resolveAt = `${by}resolveAt` as ResolveAt,
}: {
  by: By;
  columns: string;
  values: Values;
  from: From;
  resolveAt?: ResolveAt;
}) {
  return `
     insert into transactions
       (tenant, status, merchant_transaction_id, traceparent, resolve_at, locked_until, lease_no, created_at, updated_at,
        ${columns})
     select :tenant, 'submitted', ${by}merchantTransactionId, ${by}traceparent, ${resolveAt}, ${leaseEnd(CLAIM_MS)}, 1, ${by}now, ${by}now,
            ${values}
       ${from}
     returning *` as const;
}

/**
 * SQL for a `with` branch that claims attempts, including a verification that the customer has not finished.
 * @param which its FROM and WHERE.
 * @param asks how much to add to the number of recovery's questions.
 */
export function attemptTaken<Which extends string, Asks extends number>(which: Which, asks: Asks) {
  return `
     update transactions
        set status = case when transactions.status = 'awaiting_verification' then 'verifying' else transactions.status end,
            resolve_count = resolve_count + ${asks}, resolve_at = :resolveAt,
            locked_until = ${leaseEnd(CLAIM_MS)}, lease_no = lease_no + 1, updated_at = :now
       ${which}
     returning transactions.*` as const;
}

/**
 * The branches of a statement that claims attempts without a recorded outcome; `t` contains the claimed rows.
 * @param kind a condition for the kind of attempt.
 */
export function claimDue<Kind extends string>(kind: Kind) {
  return `due as (
     select id from transactions
      where tenant = :tenant and resolve_at <= :now and ${kind} and ${isFree("locked_until")}
      order by resolve_at
      limit :limit
        for update skip locked
   ), t as (${attemptTaken(
     `from due
      where transactions.tenant = :tenant and transactions.id = due.id`,
     1,
   )}
   )` as const;
}

const LOCK = sql("attempts.lock", "select from transactions where tenant = :tenant and id = :id for update");

/** Locks an attempt until the transaction ends; later reads see what was written before. */
export async function lockAttempt(tx: Tx, tenant: number, id: string): Promise<void> {
  await tx.query(LOCK, { tenant, id });
}

const TENANTS_WITH_DUE = sql(
  "attempts.tenants_with_due",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from transactions
    where resolve_at <= :now and ${isFree("locked_until")}
    limit :limit`,
).gives<{ tenant: number }>();

/** Tenants with attempts of any kind that are due. */
export async function tenantsWithDueAttempts(
  db: Reader,
  now: Date,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_DUE, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

/**
 * SQL for a `with` branch that ends the attempt `id` by compare-and-set; the rest of the statement only happens if it
 * succeeds. Writing ends the claim, so that neither another claim's answer nor a repeated one succeeds. This is all
 * that the three statements have in common: a payment moves its session, order and mandate and may start a
 * subscription, a renewal moves its cycle, a refund the payment that it refunds.
 * @param more further assignments, each after a comma.
 */
export function attemptEnds<By extends Given, More extends string>(by: By, more: More) {
  return `
     update transactions
        set status = ${by}toStatus, gateway_reference = coalesce(${by}gatewayReference, gateway_reference),
            processed_at = coalesce(${by}processedAt, processed_at), resolve_at = ${by}resolveAt,
            error_code = ${by}errorCode, error_message = ${by}errorMessage, gateway_code = ${by}gatewayCode, gateway_message = ${by}gatewayMessage,
            locked_until = null, lease_no = lease_no + 1, updated_at = ${by}now${more}${by === "v." ? "\n       from v" : ""}
      where tenant = :tenant and transactions.id = ${by}id and ${by}fromStatuses::jsonb ? status
        and (${by}leaseNo::bigint is null or lease_no = ${by}leaseNo)
     returning transactions.*${by === "v." ? ", v.n" : ""}` as const;
}
