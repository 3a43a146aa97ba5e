/** The SQL of how much tenants do, as counts. */
import { sql, type Reader } from "../db/database.ts";
import type { IsoDate } from "../lib/dates.ts";

const PAYMENTS = sql(
  "operator.payments_of_tenants",
  `-- every tenant of a page: the operator's list of them
   select tenant, sum(count)::integer as payments
     from daily_figures
    where tenant = any (:tenants::integer[]) and day >= :from::date
    group by tenant`,
).gives<{ tenant: number; payments: number | null }>();

/** How many payments were opened since a day, as the jobs have added them up. */
export async function paymentsOfTenants(
  db: Reader,
  tenants: readonly number[],
  from: IsoDate,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.query(PAYMENTS, { tenants, from });
  return new Map(rows.map(({ tenant, payments }) => [tenant, payments ?? 0]));
}

const NAMES = sql(
  "operator.names_of_tenants",
  `-- every tenant of a page: the operator reads whose record it is
   select tenant, name from tenants where tenant = any (:tenants::integer[])`,
).gives<{ tenant: number; name: string }>();

export async function namesOfTenants(
  db: Reader,
  tenants: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  return new Map((await db.query(NAMES, { tenants })).map(({ tenant, name }) => [tenant, name]));
}
