/**
 * The SQL of payment limits: counts per day, incremented under a row lock, so that concurrent payments cannot pass
 * together.
 */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import { lockSession } from "./store.ts";

/** The default limits. In test mode only limits that the tenant has set apply, as test IBANs are shared. */
const IBAN_PAYMENTS_MAX = 10;
const LEAD_PAYMENTS_MAX = 20;
const ADDRESS_PAYMENTS_MAX = 50;
const INVALID_IBANS_MAX = 30;

/** The limits of the tenant `n`. */
export const PAYMENT_LIMITS =
  "n.iban_payments_max, n.lead_payments_max, n.address_payments_max, n.invalid_ibans_max, n.lead_accounts_max, n.address_accounts_max, n.device_accounts_max";

const WINDOW = "interval '1 day'";
/** Beyond half of the allowed accounts, the delay before another one is accepted. */
const PAUSE = "interval '1 minute'";

/**
 * The customer's network address as counted, IPv6 by /64. The address of a merchant's server is not the customer's:
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
 * SQL: the limits of the claims, as kind, key and maximum with the `n` and `now` of each.
 * @param claims the CTE with each session, its tenant's settings, `test_mode` and `n`.
 */
export function wantedCounts(claims: string) {
  const most = (column: string, otherwise: number) =>
    `coalesce(c.${column}, case when c.test_mode then null else ${otherwise} end)`;
  return `select v.n, v.now, w.kind, w.key, w.most, w.account
       from ${claims} c join v on v.n = c.n
      cross join lateral (values
        ('address', ${addressOf("c.customer_ip", "v.clientIp", "v.source")}, ${most("address_payments_max", ADDRESS_PAYMENTS_MAX)}, null),
        ('address_accounts', ${addressOf("c.customer_ip", "v.clientIp", "v.source")}, c.address_accounts_max, v.ibanFingerprint),
        ('device_accounts', v.device, c.device_accounts_max, v.ibanFingerprint),
        ('iban', encode(v.ibanFingerprint, 'hex'), ${most("iban_payments_max", IBAN_PAYMENTS_MAX)}, null),
        ('lead', c.lead_id::text, ${most("lead_payments_max", LEAD_PAYMENTS_MAX)}, null),
        ('lead_accounts', c.lead_id::text, c.lead_accounts_max, v.ibanFingerprint)
      ) as w (kind, key, most, account)
      where w.key is not null and w.most is not null` as const;
}

/**
 * SQL: increments each count in `wanted`, in a fixed order so that two payments never deadlock, and returns the claims
 * within their limits. Where accounts are counted, a known one is not counted again. A claim that one limit refuses
 * counts for the others too (docs/guards.md, Many accounts).
 */
export function countUp(wanted: string) {
  const isOver = `excluded.started_at - k.started_at >= ${WINDOW}` as const;
  const isKnown = "excluded.accounts <@ k.accounts";
  return `insert into payment_counts as k (tenant, kind, key, started_at, count, most, accounts, counted_at)
     select :tenant, kind, key, now, 1, most, case when account is not null then array[account] end, now
       from ${wanted} order by kind, key
         on conflict (tenant, kind, key) do update
        set started_at = case when ${isOver} then excluded.started_at else k.started_at end,
            count = case when ${isOver} then 1 when ${isKnown} then k.count else k.count + 1 end,
            accounts = case when ${isOver} then excluded.accounts when ${isKnown} then k.accounts else k.accounts || excluded.accounts end,
            counted_at = case when not ${isOver} and ${isKnown} then k.counted_at else excluded.counted_at end,
            most = excluded.most
      where ${isOver} or ${isKnown}
         or (k.count < excluded.most
             and (excluded.accounts is null or k.count * 2 < excluded.most or excluded.counted_at - k.counted_at >= ${PAUSE}))
     returning kind, key` as const;
}

const mostInvalid = <Settings extends string>(settings: Settings) =>
  `coalesce(${settings}.invalid_ibans_max, ${INVALID_IBANS_MAX})` as const;

/**
 * SQL: whether a session was given more undebitable IBANs than its tenant allows.
 * @param settings the tenant's.
 */
export function tooManyInvalid<SessionId extends string, Now extends string, Settings extends string>(
  sessionId: SessionId,
  now: Now,
  settings: Settings,
) {
  return `exists (select from payment_counts
                  where tenant = :tenant and kind = 'invalid_iban' and key = ${sessionId}::text
                    and count >= ${mostInvalid(settings)} and started_at > ${now} - ${WINDOW})` as const;
}

const COUNT_INVALID = sql(
  "sessions.count_invalid_iban",
  `with wanted as (
     select 'invalid_iban' as kind, :id::uuid::text as key, :now::timestamptz as now, ${mostInvalid("n")} as most,
            null::bytea as account
       from tenants n
      where n.tenant = :tenant
   ), counted as (
     ${countUp("wanted")}
   )
   select kind, key from counted`,
);

/**
 * Counts an IBAN that cannot be debited; returns false when there were too many.
 * @param id of the session, or of the customer without one.
 */
export async function countInvalid(db: Database, tenant: number, id: string, now: Date): Promise<boolean> {
  return (await db.commit(COUNT_INVALID, { tenant, id, now })).length === 1;
}

/** SQL: the newest session `s` of lead `l`, if any. */
export const NEWEST_SESSION = `left join lateral (
         select gateway_id, hosted_page_id from sessions
          where sessions.tenant = :tenant and sessions.lead_id = l.id
          order by created_at desc, id desc limit 1
       ) s on true` as const;

/**
 * The statement's `c` for a customer without a session: their newest session's gateway shows whether real money moves.
 */
const OF_LEAD = `
     select 1 as n, l.id as lead_id, null::text as customer_ip, coalesce(g.test_mode, true) as test_mode, ${PAYMENT_LIMITS}
       from leads l
       join tenants n on n.tenant = :tenant
       ${NEWEST_SESSION}
       left join gateways g on g.tenant = :tenant and g.id = s.gateway_id
      where l.tenant = :tenant and l.id = :leadId` as const;

/**
 * SQL: the account that one customer gives, as `wantedCounts` reads it.
 * @param source where the customer gave it.
 */
const oneAccount = <Source extends string>(source: Source) =>
  `
     select 1 as n, :now::timestamptz as now, :ibanFingerprint::bytea as ibanFingerprint, :clientIp::text as clientIp,
            ${source} as source, :device::text as device` as const;

const COUNT_OF_LEAD = sql(
  "sessions.count_account_of_lead",
  `with v as (${oneAccount("'hosted_page'")}
   ), c as (${OF_LEAD}
   ), wanted as (
     ${wantedCounts("c")}
   ), counted as (
     ${countUp("wanted")}
   )
   select (select count(*) from wanted) = (select count(*) from counted) as may`,
).gives<{ may: boolean }>();

/** An account that a customer gives without a session. */
interface AccountOfLead {
  readonly leadId: string;
  readonly ibanFingerprint: Buffer | null;
  readonly clientIp: string;
  readonly device: string | null;
  readonly now: Date;
}

/**
 * Counts an account like a payment with it would; returns false when a limit is exceeded. For too many invalid ones see
 * `findReachedOfLead`.
 */
export async function countAccountOfLead(tx: Tx, tenant: number, given: AccountOfLead): Promise<boolean> {
  return (await tx.write(COUNT_OF_LEAD, { tenant, ...given }))[0]?.may ?? false;
}

/** SQL: the limits reached under the current settings, which may have changed since the last attempt was counted. */
const REACHED = `select k.kind, k.cause, k.free_at, k.started_at
       from (select k.kind, k.started_at, case when k.count >= w.most then 'limit_reached_' else 'slowed_down_' end || k.kind as cause,
                    case when k.count >= w.most then k.started_at + ${WINDOW} else k.counted_at + ${PAUSE} end as free_at
               from wanted w
               join payment_counts k on k.tenant = :tenant and k.kind = w.kind and k.key = w.key
              where (k.count >= w.most or k.accounts is not null and k.count * 2 >= w.most)
                and k.started_at > w.now - ${WINDOW}
                and (k.accounts is null or not array[w.account] <@ k.accounts)) k
      where k.free_at > :now
      order by k.free_at desc
      limit 1` as const;

const FIND_REACHED_OF_LEAD = sql(
  "sessions.find_reached_limit_of_lead",
  `with v as (${oneAccount("'hosted_page'")}
   ), c as (${OF_LEAD}
   ), wanted as (
     ${wantedCounts("c")}
      union all
     select 1, v.now, 'invalid_iban', :leadId::text, ${mostInvalid("c")}, null from c join v on v.n = c.n
   )
   select k.free_at from (${REACHED}) k`,
).gives<Pick<ReachedLimit, "free_at">>();

/** When the limit that such an account has reached ends; null when none is reached. */
export async function findReachedOfLead(
  db: Reader,
  tenant: number,
  given: AccountOfLead,
): Promise<Date | null> {
  return (await db.query(FIND_REACHED_OF_LEAD, { tenant, ...given }))[0]?.free_at ?? null;
}

const FIND_REACHED = sql(
  "sessions.find_reached_limit",
  `with v as (${oneAccount(":source::text")}
   ), c as (
     select 1 as n, s.id, s.lead_id, s.customer_ip, g.test_mode, ${PAYMENT_LIMITS}
       from sessions s
       join gateways g on g.tenant = :tenant and g.id = s.gateway_id
       join tenants  n on n.tenant = :tenant
      where s.tenant = :tenant and s.id = :sessionId
   ), wanted as (
     ${wantedCounts("c")}
      union all
     select 1, v.now, 'invalid_iban', c.id::text, ${mostInvalid("c")}, null from c join v on v.n = c.n
   ), reached as (
     select k.kind, k.cause, k.free_at,
            exists (select from session_moves v
                     where v.tenant = :tenant and v.session_id = :sessionId and v.at > k.started_at
                       and v.cause = k.cause) as is_noted
       from (${REACHED}) k
   ), noted as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, :sessionId, :now, 'PENDING', 'PENDING', r.cause
       from reached r
      where not r.is_noted
   )
   select kind, cause, free_at, is_noted from reached`,
).gives<ReachedLimit>();

interface ReachedLimit {
  readonly kind: string;
  /** The limit's name in the session's history; `slowed_down_…` for one that only delays. */
  readonly cause: string;
  readonly free_at: Date;
  /** Whether it has already been recorded, with its event. */
  readonly is_noted: boolean;
}

/** The limit that a payment has reached, recorded once in the session's history; null when none is. */
export async function findReached(
  tx: Tx,
  input: {
    readonly tenant: number;
    readonly sessionId: string;
    readonly now: Date;
    readonly ibanFingerprint: Buffer | null;
    readonly clientIp: string;
    readonly source: string;
    readonly device: string | null;
  },
): Promise<ReachedLimit | null> {
  const { tenant, sessionId, now, ibanFingerprint, clientIp, source, device } = input;
  await lockSession(tx, tenant, sessionId);
  const values = { tenant, sessionId, now, ibanFingerprint, clientIp, source, device };
  return (await tx.write(FIND_REACHED, values))[0] ?? null;
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
