/** The SQL of the tenants' clocks. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import type { TenantClockRow } from "../../db/rows.ts";

const FIND_MOVED = sql(
  "clock.find_moved",
  "-- every tenant: all that have moved their time, of which there are few\n select tenant, ahead_ms from tenant_clocks",
).gives<Pick<TenantClockRow, "tenant" | "ahead_ms">>();

/** How many milliseconds each tenant that has moved its time is ahead. */
export async function findMoved(db: Reader): Promise<ReadonlyMap<number, number>> {
  const rows = await db.query(FIND_MOVED, {});
  return new Map(rows.map(({ tenant, ahead_ms }) => [tenant, Number(ahead_ms)]));
}

const MOVE = sql(
  "clock.move",
  `insert into tenant_clocks (tenant, ahead_ms, updated_at)
   values (:tenant, :aheadMs, :at)
       on conflict (tenant) do update set ahead_ms = excluded.ahead_ms, updated_at = excluded.updated_at
    where tenant_clocks.ahead_ms < excluded.ahead_ms
   returning tenant`,
);

/** Moves a tenant's time; false when it is further ahead already. */
export async function moveAhead(tx: Tx, tenant: number, aheadMs: number, at: Date): Promise<boolean> {
  return (await tx.write(MOVE, { tenant, aheadMs, at })).length === 1;
}
