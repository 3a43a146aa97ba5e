/** The SQL that attempts of all kinds have in common: a payment's, a renewal's and a refund's. */
import { sql, type Reader } from "../../db/database.ts";
import { isFree, leaseEnd } from "../../db/lease.ts";
import { CLAIM_MS } from "../../gateways/resolve-backoff.ts";
import type { AttemptEnd } from "./end.ts";

/**
 * SQL for a `with` branch that opens a claimed attempt as `submitted`.
 * @param columns and @param values those of its kind. @param from where the values come from.
 */
export function attemptOpens<Values extends string, From extends string>({
  columns,
  values,
  from,
}: {
  columns: string;
  values: Values;
  from: From;
}) {
  return `
     insert into transactions
       (tenant, status, merchant_transaction_id, resolve_at, locked_until, lease_no, created_at, updated_at,
        ${columns})
     select :tenant, 'submitted', :merchantTransactionId, :resolveAt, ${leaseEnd(CLAIM_MS)}, 1, :now, :now,
            ${values}
       ${from}
     returning *` as const;
}

/**
 * SQL for a `with` branch that claims attempts; a verification that waits is one that is asked about.
 * @param which its FROM and WHERE. @param asks by how much it counts the questions of recovery.
 */
export function attemptTaken<Which extends string, Asks extends number>(which: Which, asks: Asks) {
  return `
     update transactions
        set status = case transactions.status when 'awaiting_verification' then 'verifying' else transactions.status end,
            resolve_count = resolve_count + ${asks}, resolve_at = :resolveAt,
            locked_until = ${leaseEnd(CLAIM_MS)}, lease_no = lease_no + 1, updated_at = :now
       ${which}
     returning transactions.*` as const;
}

/**
 * The branches of a statement that takes attempts without a recorded outcome; `t` is what it has taken.
 * @param kind a condition that says which attempts.
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

const TENANTS_WITH_DUE = sql(
  "attempts.tenants_with_due",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from transactions
    where resolve_at <= :now and ${isFree("locked_until")}
    limit :limit`,
).gives<{ tenant: number }>();

/** Tenants with attempts of any kind whose gateway is to be asked. */
export async function tenantsWithDue(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_DUE, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

/**
 * SQL for a `with` branch that compares and sets the attempt `:id`: everything else of its statement happens only if that
 * won. Writing ends the claim: neither another claim's answer nor this one's again finds the number that it was given.
 * @param more further assignments, each after a comma.
 */
export function attemptEnds<More extends string>(more: More) {
  return `
     update transactions
        set status = :to, gateway_reference = coalesce(:gatewayReference, gateway_reference),
            processed_at = coalesce(:processedAt, processed_at), resolve_at = :resolveAt,
            error_code = :errorCode, error_message = :errorMessage, gateway_code = :gatewayCode, gateway_message = :gatewayMessage,
            locked_until = null, lease_no = lease_no + 1, updated_at = :now${more}
      where tenant = :tenant and id = :id and status = any (:from) and (:leaseNo::bigint is null or lease_no = :leaseNo)
     returning *` as const;
}

/** The parameters of `attemptEnds`, but for which attempt it is and when. */
export function endValues({
  to,
  from,
  leaseNo,
  gatewayReference,
  processedAt,
  resolveAt,
  error,
}: AttemptEnd) {
  return {
    to,
    from,
    leaseNo,
    gatewayReference,
    processedAt,
    resolveAt,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    gatewayCode: error?.gatewayCode ?? null,
    gatewayMessage: error?.gatewayMessage ?? null,
  };
}
