/** The SQL of payment links besides their records: their references, and their uses. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import type { PaymentLinkRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import type { BillingType } from "../../subscriptions/subscription.ts";

/** The records that a link names; archived and foreign ones are not usable. */
export interface LinkReferences {
  readonly campaign_usable: boolean;
  readonly currency: string | null;
  readonly billing_type: BillingType | null;
  readonly gateway_usable: boolean;
  /** The gateway's, or that of the campaign's gateway. */
  readonly adapter: string | null;
  readonly hosted_page_usable: boolean;
  readonly webhook_profile_usable: boolean;
}

const FIND_REFERENCES = sql(
  "payment_links.find_references",
  `select c.id is not null and c.archived_at is null as campaign_usable, o.currency, o.billing_type,
          g.id is not null and g.archived_at is null as gateway_usable, g.adapter,
          p.id is not null and p.archived_at is null as hosted_page_usable,
          w.id is not null and w.archived_at is null as webhook_profile_usable
     from tenants n
     left join campaigns        c on c.tenant = :tenant and c.id = :campaignId
     left join offers           o on o.tenant = :tenant and o.id = c.offer_id
     left join gateways         g on g.tenant = :tenant and g.id = coalesce(:gatewayId, c.gateway_id)
     left join hosted_pages     p on p.tenant = :tenant and p.id = :hostedPageId
     left join webhook_profiles w on w.tenant = :tenant and w.id = :webhookProfileId
    where n.tenant = :tenant`,
).gives<LinkReferences>();

type Ids = Pick<PaymentLinkRow, "campaign_id" | "gateway_id" | "hosted_page_id" | "webhook_profile_id">;

export async function findLinkReferences(
  reader: Reader,
  tenant: number,
  ids: Partial<Ids>,
): Promise<LinkReferences> {
  const rows = await reader.query(FIND_REFERENCES, {
    tenant,
    campaignId: ids.campaign_id ?? null,
    gatewayId: ids.gateway_id ?? null,
    hostedPageId: ids.hosted_page_id ?? null,
    webhookProfileId: ids.webhook_profile_id ?? null,
  });
  return must(rows[0], "the tenant of an authenticated call");
}

/**
 * SQL: whether a link accepts attempts, apart from its uses.
 * @param k its alias; @param now a parameter or column.
 */
export function linkIsOpen<K extends string, Now extends string>(k: K, now: Now) {
  return `(${k}.active and ${k}.archived_at is null and coalesce(${k}.ends_at > ${now}, true))` as const;
}

/** A session that needs a use of its link, with the link, whose row is locked until the transaction ends. */
interface WantedUse {
  readonly link_id: string;
  readonly is_open: boolean;
  readonly uses_max: number | null;
}

const LOCK_LINK = sql(
  "payment_links.lock_for_use",
  `select k.id as link_id, ${linkIsOpen("k", ":now::timestamptz")} as is_open, k.uses_max
     from payment_links k
    where k.tenant = :tenant
      and k.id = (select s.payment_link_id from sessions s where s.tenant = :tenant and s.id = :sessionId)
      for no key update`,
).gives<WantedUse>();

/** Locks the link of a session; null when it has none. */
export async function lockLink(
  tx: Tx,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<WantedUse | null> {
  return (await tx.query(LOCK_LINK, { tenant, sessionId, now }))[0] ?? null;
}

const COUNT_TAKEN = sql(
  "payment_links.count_taken",
  `select count(*)::integer as taken, count(*) filter (where status = 'COMPLETED')::integer as completed
     from sessions
    where tenant = :tenant and payment_link_id = :linkId and id <> :sessionId
      and (status = 'COMPLETED' or open_transaction_id is not null or holds_link_use)`,
).gives<{ taken: number; completed: number }>();

/** The number of the link's uses that other sessions have: paid, in an attempt in progress, or held. */
export async function countTaken(
  tx: Tx,
  tenant: number,
  linkId: string,
  sessionId: string,
): Promise<{ readonly taken: number; readonly completed: number }> {
  return must((await tx.query(COUNT_TAKEN, { tenant, linkId, sessionId }))[0], "a count");
}

const COUNT_PAID = sql(
  "payment_links.count_paid",
  `select k.id, (select count(*)::integer from sessions u
                  where u.tenant = :tenant and u.payment_link_id = k.id and u.status = 'COMPLETED') as paid
     from payment_links k
    where k.tenant = :tenant and k.id = any(:ids::uuid[]) and k.uses_max is not null`,
).gives<{ id: string; paid: number | null }>();

/** The number of payments of each link with a limit; links without one may have any number. */
export async function countPaid(
  reader: Reader,
  tenant: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query(COUNT_PAID, { tenant, ids });
  return new Map(rows.map(({ id, paid }) => [id, paid ?? 0]));
}

const FREE_IDLE = sql(
  "payment_links.release_idle_uses",
  `with idle as (
     select id from sessions
      where tenant = :tenant and payment_link_id = :linkId and holds_link_use and id <> :sessionId
        and status <> 'COMPLETED' and open_transaction_id is null
      order by id
        for no key update
   )
   update sessions s set holds_link_use = false from idle where s.tenant = :tenant and s.id = idle.id`,
);

/**
 * Takes uses that other sessions hold without an attempt, after waiting for one that begins its attempt right now.
 * Locks in the order of a batch of claims, so that neither deadlocks the other.
 */
export async function releaseIdleUses(
  tx: Tx,
  tenant: number,
  linkId: string,
  sessionId: string,
): Promise<void> {
  await tx.write(FREE_IDLE, { tenant, linkId, sessionId });
}

const HOLD_USE = sql(
  "payment_links.reserve_use",
  `update sessions set holds_link_use = true
    where tenant = :tenant and id = :sessionId and status = 'PENDING' and open_transaction_id is null
   returning id`,
).gives<{ id: string }>();

/** Takes a use; returns false when the session is not idle. */
export async function reserveUse(tx: Tx, tenant: number, sessionId: string): Promise<boolean> {
  return (await tx.write(HOLD_USE, { tenant, sessionId })).length === 1;
}

/** The data for a link's page, and for its sessions. */
export interface LinkTerms {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly campaign_id: string | null;
  readonly gateway_id: string | null;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  readonly amount: string | null;
  readonly amount_min: string | null;
  readonly amount_max: string | null;
  readonly amount_suggested: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly is_open: boolean;
  /** Whether all of its uses are paid. */
  readonly is_used_up: boolean;
}

/** SQL for the columns of `LinkTerms`. @param now a parameter or column. */
export function linkTerms<Now extends string>(now: Now) {
  return `k.id, k.name, k.description, k.campaign_id, k.gateway_id, k.hosted_page_id, k.webhook_profile_id, k.amount,
          k.amount_min, k.amount_max, k.amount_suggested, k.metadata, ${linkIsOpen("k", now)} as is_open,
          ${linkIsUsedUp("k")} as is_used_up` as const;
}

/**
 * SQL: whether all uses of a link are paid.
 * @param k its alias.
 */
function linkIsUsedUp<K extends string>(k: K) {
  return `coalesce(${k}.uses_max is not null
            and (select count(*) from sessions u
                  where u.tenant = :tenant and u.payment_link_id = ${k}.id and u.status = 'COMPLETED') >= ${k}.uses_max, false)` as const;
}

/**
 * Why a session without an attempt cannot begin one: all uses are paid, the link accepts no payments now, or others
 * have the last uses.
 */
export type LinkState = "used" | "closed" | "in_use";

/**
 * SQL: the `LinkState` of the link `k`; null when nothing is in the way, or there is no link.
 * @param now a parameter or column.
 */
export function linkState<K extends string, Now extends string>(k: K, now: Now) {
  return `case when ${k}.id is null then null
               when ${linkIsUsedUp(k)} then 'used'
               when not ${linkIsOpen(k, now)} then 'closed'
               when ${k}.uses_max is not null
                and (select count(*) from sessions u
                      where u.tenant = :tenant and u.payment_link_id = ${k}.id
                        and (u.status = 'COMPLETED' or u.open_transaction_id is not null)) >= ${k}.uses_max then 'in_use' end` as const;
}
