/** The SQL of the limits on payments: counts per day, taken under a row lock, so that concurrent payments cannot pass together. */
import { sql, type Database, type Reader } from "../db/database.ts";

/** What a tenant has not set. Payments in test mode are limited only where it has, because test IBANs are shared. */
const IBAN_PAYMENTS_MAX = 10;
const LEAD_PAYMENTS_MAX = 20;
const ADDRESS_PAYMENTS_MAX = 50;
const INVALID_IBANS_MAX = 30;

const WINDOW = "interval '1 day'";

/**
 * The customer's address as it is counted, IPv6 by /64. A merchant's server that pays for its customers is not a customer:
 * without the customer's address nothing is counted.
 */
const addressOf = <CustomerIp extends string, ClientIp extends string, Source extends string>(
  customerIp: CustomerIp,
  clientIp: ClientIp,
  source: Source,
) =>
  `(
  select case when family(a.ip) = 6 then network(set_masklen(a.ip, 64))::text else host(a.ip) end
    from (select nullif(split_part(coalesce(${customerIp}, case when ${source} = 'hosted_page' then ${clientIp} end), '%', 1), '')::inet as ip) a)` as const;

/**
 * SQL: the limits of the claims, as kind, key and most with the `n` and `now` of each.
 * @param claims the CTE with each session, its tenant's settings, `test_mode` and `n`.
 */
export function wantedCounts(claims: string) {
  const most = (column: string, otherwise: number) =>
    `coalesce(c.${column}, case when c.test_mode then null else ${otherwise} end)`;
  return `select v.n, v.now, w.kind, w.key, w.most
       from ${claims} c join v on v.n = c.n
      cross join lateral (values
        ('address', ${addressOf("c.customer_ip", "v.clientIp", "v.source")}, ${most("address_payments_max", ADDRESS_PAYMENTS_MAX)}),
        ('iban', encode(v.ibanFingerprint, 'hex'), ${most("iban_payments_max", IBAN_PAYMENTS_MAX)}),
        ('lead', c.lead_id::text, ${most("lead_payments_max", LEAD_PAYMENTS_MAX)})
      ) as w (kind, key, most)
      where w.key is not null and w.most is not null` as const;
}

/** SQL: counts one more of each in `wanted`, in one order so that two payments never wait for each other; returns those that may. */
export function countUp(wanted: string) {
  return `insert into payment_counts as k (tenant, kind, key, started_at, count, most)
     select :tenant, kind, key, now, 1, most from ${wanted} order by kind, key
         on conflict (tenant, kind, key) do update
        set started_at = case when excluded.started_at - k.started_at >= ${WINDOW} then excluded.started_at else k.started_at end,
            count = case when excluded.started_at - k.started_at >= ${WINDOW} then 1 else k.count + 1 end,
            most = excluded.most
      where excluded.started_at - k.started_at >= ${WINDOW} or k.count < excluded.most
     returning kind, key` as const;
}

/** SQL: whether a session has been given more IBANs that cannot be debited than its tenant allows. */
export function tooManyInvalid<SessionId extends string, Now extends string>(sessionId: SessionId, now: Now) {
  return `exists (select from payment_counts
                  where tenant = :tenant and kind = 'invalid_iban' and key = ${sessionId}::text
                    and count >= most and started_at > ${now} - ${WINDOW})` as const;
}

const COUNT_INVALID = sql(
  "sessions.count_invalid_iban",
  `with wanted as (
     select 'invalid_iban' as kind, s.id::text as key, :now::timestamptz as now, coalesce(n.invalid_ibans_max, ${INVALID_IBANS_MAX}) as most
       from sessions s join tenants n on n.tenant = :tenant
      where s.tenant = :tenant and s.id = :sessionId
   ), counted as (
     ${countUp("wanted")}
   )
   select kind, key from counted`,
);

/** Counts an IBAN that cannot be debited; false when the session has had too many. */
export async function countInvalid(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  return (await db.commit(COUNT_INVALID, { tenant, sessionId, now })).length === 1;
}

const FIND_REACHED = sql(
  "sessions.find_reached_limit",
  `with reached as (
     select k.kind, k.started_at + ${WINDOW} as free_at,
            exists (select from session_moves v
                     where v.tenant = :tenant and v.session_id = :sessionId and v.at > k.started_at
                       and v.cause = 'limit_reached_' || k.kind) as is_noted
       from sessions s
       join payment_counts k on k.tenant = :tenant and k.count >= k.most and k.started_at > :now::timestamptz - ${WINDOW}
        and (k.kind, k.key) in (
          ('invalid_iban', s.id::text), ('lead', s.lead_id::text), ('iban', encode(:ibanFingerprint, 'hex')),
          ('address', ${addressOf("s.customer_ip", ":clientIp::text", ":source::text")}))
      where s.tenant = :tenant and s.id = :sessionId
      order by free_at desc
      limit 1
   ), noted as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, :sessionId, :now, 'PENDING', 'PENDING', 'limit_reached_' || r.kind
       from reached r
      where not r.is_noted
   )
   select kind, free_at from reached`,
).gives<ReachedLimit>();

interface ReachedLimit {
  readonly kind: string;
  readonly free_at: Date;
}

/** The limit that a payment has reached, noted once in the session's history; null when none is. */
export async function findReached(
  db: Database,
  input: {
    readonly tenant: number;
    readonly sessionId: string;
    readonly now: Date;
    readonly ibanFingerprint: Buffer | null;
    readonly clientIp: string;
    readonly source: string;
  },
): Promise<ReachedLimit | null> {
  const { tenant, sessionId, now, ibanFingerprint, clientIp, source } = input;
  const values = { tenant, sessionId, now, ibanFingerprint, clientIp, source };
  return (await db.commit(FIND_REACHED, values))[0] ?? null;
}

const TENANTS_WITH_OLD_COUNTS = sql(
  "sessions.tenants_with_old_counts",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from payment_counts where started_at <= :now::timestamptz - ${WINDOW} limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithOldCounts(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_OLD_COUNTS, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const FORGET_COUNTS = sql(
  "sessions.forget_counts",
  `delete from payment_counts
    where tenant = :tenant and (kind, key) in (
      select kind, key from payment_counts
       where tenant = :tenant and started_at <= :now::timestamptz - ${WINDOW}
       limit :limit for update skip locked)
   returning 1`,
);

export async function forgetCounts(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_COUNTS, { tenant, now, limit })).length;
}
