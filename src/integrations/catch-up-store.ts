/** The SQL of catching up: which partners are due, and how far they were read. */
import { sql, type Database, type Reader } from "../db/database.ts";
import { leaseEnd } from "../db/lease.ts";
import type { IntegrationRow } from "../db/rows.ts";
import { tenantsOf } from "./store.ts";

const READABLE = `read_url is not null and read_token is not null
      and active and provider_active and archived_at is null`;

const TENANTS_TO_READ = sql(
  "integrations.tenants_to_read",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant
     from integrations
    where ${READABLE} and (read_due_at is null or read_due_at <= statement_timestamp())
    group by tenant
    order by min(read_due_at) nulls first
    limit :limit`,
);

export async function tenantsToRead(db: Reader, limit: number): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_TO_READ, { limit }));
}

export interface ReadableRow extends Pick<
  IntegrationRow,
  "id" | "provider" | "key_mapping" | "read_token" | "read_paging" | "read_since" | "created_at"
> {
  readonly read_url: string;
  /** Identifies the claim: the end of its lease. */
  readonly leased_until: Date;
}

// The lease ends at a whole millisecond, as a `Date` has it: another change of the record writes the time back as it was
// read. A subquery in the update could run once for each row of `i`, and each time claim that many more.
const CLAIM_READS = sql(
  "integrations.claim_reads",
  `with due as (
     select id
       from integrations
      where tenant = :tenant and ${READABLE} and (read_due_at is null or read_due_at <= statement_timestamp())
      order by read_due_at nulls first
      limit :limit
        for update skip locked
   )
   update integrations i
      set read_due_at = date_trunc('milliseconds', ${leaseEnd(":leaseMs")})
     from due
    where i.tenant = :tenant and i.id = due.id
   returning i.id, i.provider, i.key_mapping, i.read_url, i.read_token, i.read_paging, i.read_since, i.created_at,
          i.read_due_at as leased_until`,
).gives<ReadableRow>();

/** Leases due records; unfinished ones are available again after `leaseMs`. */
export function claimReads(
  db: Database,
  tenant: number,
  leaseMs: number,
  limit: number,
): Promise<readonly ReadableRow[]> {
  return db.commit(CLAIM_READS, { tenant, leaseMs, limit });
}

// Only the last claim writes. If the settings were changed in the meantime, the reading says nothing about them: the
// record stays due at once, or is being read by another instance.
const FINISH_READ = sql(
  "integrations.finish_read",
  `update integrations
      set last_read_at = :at, last_read_error = :error, read_since = coalesce(:since, read_since),
          read_due_at = ${leaseEnd(":againMs")}
    where tenant = :tenant and id = :id and read_due_at = :leasedUntil`,
);

interface ReadEnd {
  readonly at: Date;
  readonly error: string | null;
  /** When a complete reading began; null for an interrupted one. */
  readonly since: Date | null;
  /** The delay until it is read again. */
  readonly againMs: number;
}

/** Ends a reading; one whose lease was lost writes nothing. */
export async function finishCatchUp(
  db: Database,
  tenant: number,
  { id, leased_until: leasedUntil }: Pick<ReadableRow, "id" | "leased_until">,
  { at, error, since, againMs }: ReadEnd,
): Promise<void> {
  await db.commit(FINISH_READ, { tenant, id, leasedUntil, at, error, since, againMs });
}
