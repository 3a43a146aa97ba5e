/** The SQL of references whose news could not be recorded. */
import { sql, type Database, type Reader } from "../../db/database.ts";
import type { GatewayNewsSetAsideRow } from "../../db/rows.ts";

type SetAside = Pick<GatewayNewsSetAsideRow, "reference" | "tries" | "due_at">;

const OF_GATEWAY = sql(
  "set_aside.of_gateway",
  "select reference, tries, due_at from gateway_news_set_aside where tenant = :tenant and gateway_id = :gatewayId",
).gives<SetAside>();

export function setAsideOf(db: Reader, tenant: number, gatewayId: string): Promise<readonly SetAside[]> {
  return db.query(OF_GATEWAY, { tenant, gatewayId });
}

export type ShownSetAside = Omit<GatewayNewsSetAsideRow, "tenant">;

const LIST = sql(
  "set_aside.list",
  `select gateway_id, reference, kind, why, tries, since, due_at from gateway_news_set_aside
    where tenant = :tenant
    order by since, gateway_id, reference
    limit :limit`,
).gives<ShownSetAside>();

/** The tenant's references whose news could not be recorded, oldest first. */
export function listSetAside(db: Reader, tenant: number, limit: number): Promise<readonly ShownSetAside[]> {
  return db.query(LIST, { tenant, limit });
}

const SET_ASIDE = sql(
  "set_aside.write",
  `insert into gateway_news_set_aside (tenant, gateway_id, reference, kind, why, since, due_at)
   values (:tenant, :gatewayId, :reference, :kind, :why, :now, :dueAt)
       on conflict (tenant, gateway_id, reference) do update
      set kind = excluded.kind, why = excluded.why, due_at = excluded.due_at, tries = gateway_news_set_aside.tries + 1`,
);

export async function writeSetAside(
  db: Database,
  tenant: number,
  gatewayId: string,
  row: Pick<GatewayNewsSetAsideRow, "reference" | "kind" | "why" | "due_at">,
  now: Date,
): Promise<void> {
  await db.commit(SET_ASIDE, {
    tenant,
    gatewayId,
    reference: row.reference,
    kind: row.kind,
    why: row.why,
    now,
    dueAt: row.due_at,
  });
}

const FORGET = sql(
  "set_aside.forget",
  `delete from gateway_news_set_aside
    where tenant = :tenant and gateway_id = :gatewayId and due_at <= :at and reference <> all (:failed::text[])`,
);

/** Deletes the references that were due at `at`, except those that failed again. */
export async function forgetSetAside(
  db: Database,
  tenant: number,
  gatewayId: string,
  at: Date,
  failed: readonly string[],
): Promise<void> {
  await db.commit(FORGET, { tenant, gatewayId, at, failed });
}

const COUNT = sql(
  "set_aside.count",
  "-- every tenant: one figure\n select count(*)::integer as count from gateway_news_set_aside",
).gives<{ count: number }>();

/** The number of references with news that could not be recorded, over all tenants. */
export async function countSetAside(db: Reader): Promise<number> {
  const rows = await db.query(COUNT, {});
  return rows[0]?.count ?? 0;
}
