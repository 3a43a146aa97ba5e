/** The SQL that stops campaigns with too many returns, and restarts them. */
import { sql, type Reader, type Tx } from "../../db/database.ts";

/** Older payments do not count: nearly all returns happen within eight weeks. */
const WITHIN = "interval '60 days'";
/** After this time a stopped campaign no longer counts as a problem: its merchant has seen it. */
const STOPPED_LATELY = "interval '7 days'";

const TENANTS = sql(
  "campaigns.tenants_with_limits",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from campaigns
    where return_rate_max is not null and stopped_at is null and archived_at is null
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithLimits(db: Reader, _now: Date, limit: number): Promise<readonly number[]> {
  return (await db.query(TENANTS, { limit })).map(({ tenant }) => tenant);
}

/** A campaign whose return rate is above its limit. */
export interface CampaignOverLimit {
  readonly id: string;
  readonly name: string;
  readonly test_mode: boolean;
  readonly counted_from: Date | null;
  readonly collected: number;
  readonly returned: number;
}

const FIND_BAD = sql(
  "campaigns.find_over_limit",
  `select c.id, c.name, g.test_mode, c.counted_from, r.collected, r.returned
     from campaigns c
     join gateways g on g.tenant = :tenant and g.id = c.gateway_id
    cross join lateral (
      select (count(*) filter (where t.status in ('approved', 'refunded', 'charged_back')))::integer as collected,
             (count(*) filter (where t.status = 'charged_back'))::integer as returned
        from transactions t
        join orders   o on o.tenant = :tenant and o.id = t.order_id
        join sessions s on s.tenant = :tenant and s.id = o.session_id
       where t.tenant = :tenant and s.campaign_id = c.id and t.type in ('sdd_sale', 'sdd_rebill')
         and t.created_at > :now::timestamptz - ${WITHIN}
         and (c.counted_from is null or t.created_at > c.counted_from)
    ) r
    where c.tenant = :tenant and c.return_rate_max is not null and c.stopped_at is null and c.archived_at is null
      and r.collected >= c.return_rate_min_payments and r.returned * 100 > c.return_rate_max * r.collected`,
).gives<CampaignOverLimit>();

export function findCampaignsOverLimit(
  db: Reader,
  tenant: number,
  now: Date,
): Promise<readonly CampaignOverLimit[]> {
  return db.query(FIND_BAD, { tenant, now });
}

const STOP = sql(
  "campaigns.stop",
  `update campaigns set stopped_at = :now, updated_at = :now
    where tenant = :tenant and id = :id and stopped_at is null and counted_from is not distinct from :countedFrom
      and :collected::integer >= return_rate_min_payments
      and :returned::integer * 100 > return_rate_max * :collected::integer
   returning id`,
);

/** Stops a campaign; returns false when it was stopped, restarted or given another limit in the meantime. */
export async function stopCampaign(
  tx: Tx,
  tenant: number,
  now: Date,
  { id, counted_from: countedFrom, collected, returned }: CampaignOverLimit,
): Promise<boolean> {
  return (await tx.write(STOP, { tenant, now, id, countedFrom, collected, returned })).length === 1;
}

const RESUME = sql(
  "campaigns.resume",
  `update campaigns set stopped_at = null, counted_from = :now, updated_at = :now
    where tenant = :tenant and id = :id and stopped_at is not null
   returning id`,
);

/** Restarts a campaign: earlier collections no longer count. Returns false when it was not stopped. */
export async function restartCampaign(tx: Tx, tenant: number, id: string, now: Date): Promise<boolean> {
  return (await tx.write(RESUME, { tenant, id, now })).length === 1;
}

const IS_STOPPED = sql(
  "campaigns.is_stopped",
  "select from campaigns where tenant = :tenant and id = :id and stopped_at is not null",
);

export async function isCampaignStopped(db: Reader, tenant: number, id: string | null): Promise<boolean> {
  return id !== null && (await db.query(IS_STOPPED, { tenant, id })).length === 1;
}

const COUNT_STOPPED = sql(
  "campaigns.count_stopped",
  `-- every tenant: one figure
   select count(*)::integer as count from campaigns
    where stopped_at > statement_timestamp() - ${STOPPED_LATELY} and archived_at is null`,
).gives<{ count: number }>();

/** The number of campaigns, over all tenants, that were stopped within the last week and not restarted. */
export async function countStoppedCampaigns(db: Reader): Promise<number> {
  return (await db.query(COUNT_STOPPED, {}))[0]?.count ?? 0;
}
