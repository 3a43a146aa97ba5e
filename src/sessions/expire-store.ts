/** The SQL that finds expired sessions without an open attempt. */
import { sql, type Reader } from "../db/database.ts";
import { SESSION_JOINS, ATTEMPT_COLUMNS, NO_SUBSCRIPTION, type AttemptRow } from "./attempt-store.ts";

const TENANTS_WITH_EXPIRED = sql(
  "sessions.tenants_with_expired",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from sessions
    where closed_at is null and status = 'PENDING' and open_transaction_id is null and expires_at <= :now
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithExpired(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_EXPIRED, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const FIND_EXPIRED = sql(
  "sessions.find_expired",
  `select ${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}
     from sessions s
     ${SESSION_JOINS}
     left join transactions t on t.tenant = :tenant and t.id = s.open_transaction_id
     left join mandates     m on m.tenant = :tenant and m.id = t.mandate_id
    where s.tenant = :tenant and s.closed_at is null and s.status = 'PENDING' and s.open_transaction_id is null
      and s.expires_at <= :now
    order by s.expires_at
    limit :limit`,
).gives<AttemptRow>();

/** Expired sessions of one tenant without an open attempt. */
export function findExpired(
  db: Reader,
  tenant: number,
  now: Date,
  limit: number,
): Promise<readonly AttemptRow[]> {
  return db.query(FIND_EXPIRED, { tenant, now, limit });
}
