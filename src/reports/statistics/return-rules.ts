/**
 * `management/statistics/return-rules/`: the effect that other rules would have had on the payments that came back in
 * the last 90 days (docs/guards.md, Return codes).
 */
import { sql, type Reader } from "../../db/database.ts";
import { later } from "../../lib/clock.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { addDays, utcDate } from "../../lib/dates.ts";
import { cents, centsFromDatabase, formatAmount } from "../../lib/money.ts";
import {
  ISO_CODES,
  reasonOf,
  type DeclineCode,
  returnActionOf,
  allowedActions,
  defaultAction,
  type ReturnAction,
  type ReturnRules,
} from "../../sepa/reasons.ts";
import { figures, figuresAsOf, WAS_ACCEPTED } from "./store.ts";

export const DAYS_BACK = 90;

/** The most declined or returned payments that are examined for the effect of other rules, newest first. */
const LOOKED_AT_MAX = 20_000;
/** The most mandates of accounts that would have been blocked, to find later debits from these accounts. */
const MANDATES_MAX = 20_000;

/** The effect that rules would have had on payments that came back with one code. Amounts have two decimals. */
interface CodeRow {
  readonly code: string;
  readonly currency: string;
  /** Later debits that would not have been made, and the money that they brought. */
  readonly not_made: number;
  readonly not_collected: string;
  /** Debits that were not retried and would have been. */
  readonly tried_again: number;
  readonly mandates_ended: number;
  readonly accounts_blocked: number;
  /** Whether accounts have more mandates than were examined; the numbers are minimums then. */
  readonly is_at_least: boolean;
}

const LOOKED_AT_AFTER = sql(
  "reports.return_rules_after",
  `select created_at as after, id
     from (
       (select created_at, id from transactions
         where tenant = :tenant and status = 'declined' and created_at >= :since
         order by created_at desc, id desc
         limit :most::integer + 1)
       union all
       (select created_at, id from transactions
         where tenant = :tenant and status = 'charged_back' and created_at >= :since
         order by created_at desc, id desc
         limit :most::integer + 1)
     ) ended
    order by created_at desc, id desc
   offset :most limit 1`,
).gives<{ readonly after: Date; readonly id: string }>();

const ENDS = "('end_subscription', 'end_mandate', 'block_account')";
const ENDS_MANDATE = "('end_mandate', 'block_account')";

const A_DEBIT = "n.type in ('sdd_sale', 'sdd_rebill')";

/**
 * A debit is not made if its cycle is not tried again, its subscription has ended, or its account is blocked; the first
 * of these counts.
 *
 * Payments are only looked up for codes that something else would follow. Each is one look into an index (`offset 0`): a plan
 * for any tenant would take a share of the table for granted and read it. A range with two ends is taken for a short one: that
 * of an account is one too, of which a tenant may have any number of mandates.
 */
const WHAT_IF = sql(
  "reports.return_rules",
  `with rules as materialized (
     select * from jsonb_to_recordset(:rules::jsonb) as r (code text, now text, next text)
   ), changed as materialized (
     select b.*, r.now, r.next, m.iban_fingerprint
       from (
         select p.id, p.type, p.status, p.subscription_id, p.cycle, p.created_at, p.mandate_id, p.currency,
                p.gateway_code as code, p.updated_at as at
           from transactions p
          where p.tenant = :tenant and p.status = 'declined' and p.gateway_code in (select code from rules)
            and p.created_at >= :after::timestamptz and p.created_at < :after::timestamptz + interval '1 year'
            and (p.created_at, p.id) > (:after::timestamptz, :afterId::uuid)
            and ${WAS_ACCEPTED}
         union all
         select p.id, p.type, p.status, p.subscription_id, p.cycle, p.created_at, p.mandate_id, p.currency,
                c.reason_code, c.created_at
           from transactions p
          cross join lateral (
            select c.reason_code, c.created_at
              from chargebacks c
             where c.tenant = :tenant and c.transaction_id = p.id and c.withdrawn_on is null
             order by c.report_date desc
             limit 1
          ) c
          where p.tenant = :tenant and p.status = 'charged_back'
            and p.created_at >= :after::timestamptz and p.created_at < :after::timestamptz + interval '1 year'
            and (p.created_at, p.id) > (:after::timestamptz, :afterId::uuid)
       ) b
       join rules r on r.code = b.code
       left join lateral (
        select m.iban_fingerprint from mandates m where m.tenant = :tenant and m.id = b.mandate_id offset 0
      ) m on true
   ), accounts as (
     select distinct on (iban_fingerprint) iban_fingerprint, code, currency, at
       from changed
      where next = 'block_account' and iban_fingerprint is not null
      order by iban_fingerprint, at
   ), blocked as materialized (
     select b.code, b.currency, b.at, o.id, o.lead_id
       from accounts b
      cross join lateral (
        select o.id, o.lead_id
          from mandates o
         where o.tenant = :tenant and o.iban_fingerprint between b.iban_fingerprint and b.iban_fingerprint
        offset 0
      ) o
      limit :mandatesMost::integer + 1
   ), gone as (
     select distinct on (id) code, currency, amount, status
       from (
         select n.id, b.code, b.currency, b.at, n.amount, n.status
           from changed b
          cross join lateral (
            select n.id, n.amount, n.status, n.cycle, n.created_at
              from transactions n
             where n.tenant = :tenant and n.subscription_id = b.subscription_id and n.created_at > b.created_at
               and n.mandate_id = b.mandate_id and ${A_DEBIT}
            offset 0
          ) n
          where b.now = 'retry' and n.cycle = b.cycle
             or b.next in ${ENDS} and b.now not in ${ENDS} and n.created_at > b.at
         union all
         select n.id, b.code, b.currency, b.at, n.amount, n.status
           from blocked b
          cross join lateral (
            select n.id, n.amount, n.status
              from transactions n
             where n.tenant = :tenant and n.lead_id = b.lead_id and n.created_at > b.at and n.mandate_id = b.id and ${A_DEBIT}
            offset 0
          ) n
       ) n
      order by id, at
   ), least as (
     select code, currency, count(*)::integer as not_made,
            coalesce(sum(amount) filter (where status in ('approved', 'refunded')), 0.00) as not_collected
       from gone group by 1, 2
   ), more as (
     select b.code, b.currency,
            (count(*) filter (where b.next = 'retry' and b.status = 'declined' and b.type = 'sdd_rebill'
               and not exists (select from transactions n
                                where n.tenant = :tenant and n.subscription_id = b.subscription_id and n.cycle = b.cycle
                                  and n.created_at > b.created_at
                               offset 0)
               and (select count(*) from transactions n
                     where n.tenant = :tenant and n.subscription_id = b.subscription_id and n.cycle = b.cycle) < 3))::integer as tried_again,
            (count(distinct b.mandate_id) filter (where b.next in ${ENDS_MANDATE} and b.now not in ${ENDS_MANDATE}))::integer as mandates_ended,
            (count(distinct b.iban_fingerprint) filter (where b.next = 'block_account'))::integer as accounts_blocked
       from changed b
      group by 1, 2
   )
   select m.code, m.currency, coalesce(l.not_made, 0) as not_made, coalesce(l.not_collected, 0.00)::text as not_collected,
          m.tried_again, m.mandates_ended, m.accounts_blocked,
          exists (select from blocked offset :mandatesMost) as is_at_least
     from more m
     left join least l on l.code = m.code and l.currency = m.currency` as "select :tenant, :after, :afterId, :rules, :mandatesMost",
).gives<CodeRow>();

/** One code with its action, and what came back with it. */
export interface RuleFigures {
  readonly code: string;
  readonly meaning: DeclineCode;
  readonly default_action: ReturnAction;
  readonly allowed_actions: readonly ReturnAction[];
  /** The tenant's current action, and the one to be tried. */
  readonly action: ReturnAction;
  readonly action_then: ReturnAction;
  /** Null if nothing came back. */
  readonly currency: string | null;
  readonly returns: number;
  readonly amount: string;
  readonly not_made: number;
  readonly not_collected: string;
  readonly tried_again: number;
  readonly mandates_ended: number;
  readonly accounts_blocked: number;
}

const NOTHING_CAME_BACK = { returns: 0, amount: "0.00" } as const;
const NOTHING_CHANGED = {
  not_made: 0,
  not_collected: "0.00",
  tried_again: 0,
  mandates_ended: 0,
  accounts_blocked: 0,
} as const;

/** Every known code, and the extent of the figures. */
export interface RulesTried {
  /** Those with most returns first. */
  readonly codes: readonly RuleFigures[];
  /** Since when changes of past days may be missing; null: everything is current. */
  readonly asOf: Date | null;
  /** The effect of the tried rules covers payments opened after this time, or at the same instant; null: all. */
  readonly triedAfter: Date | null;
  /** Whether not all later debits were examined; the numbers are minimums then. */
  readonly isAtLeast: boolean;
}

/**
 * Figures for payments opened in the last 90 days. The job has counted how many came back; the effect of other rules is
 * looked up payment by payment, only where the rules differ.
 * @param now the tenant's.
 * @param rules the current ones.
 * @param then those to be tried.
 */
export async function returnRuleFigures(
  db: Reader,
  tenant: number,
  now: Date,
  rules: ReturnRules,
  then: ReturnRules,
  { most = LOOKED_AT_MAX, mandatesMost = MANDATES_MAX }: Bounds = {},
): Promise<RulesTried> {
  const known = ISO_CODES.map((code) => ({
    code,
    now: returnActionOf(code, rules),
    next: returnActionOf(code, then),
  }));
  const differ = known.filter((one) => one.now !== one.next);
  const days = { from: addDays(utcDate(now), -DAYS_BACK), to: utcDate(now) };
  const since = new Date(`${days.from}T00:00:00Z`);
  const [asOf, [bound]] = await Promise.all([
    figuresAsOf(db, tenant, days),
    differ.length === 0 ? [] : db.query(LOOKED_AT_AFTER, { tenant, since, most }),
  ]);
  const triedAfter = bound?.after ?? null;
  const [rows, tried] = await Promise.all([
    figures(db, tenant, days, { period: "total", group: "code" }),
    differ.length === 0
      ? []
      : db.query(WHAT_IF, {
          tenant,
          // Payments of the first instant of the first day count.
          after: triedAfter ?? later(since, -1),
          // Of payments of the same instant those with greater ids, as an import may contain any number of them.
          afterId: bound?.id ?? NEWEST_FIRST.id,
          rules: JSON.stringify(differ),
          mandatesMost,
        }),
  ]);
  const back = rows.flatMap(({ group_id: code, currency, ...row }) => {
    const amount = centsFromDatabase(row.declined_amount) + centsFromDatabase(row.returned_amount);
    const sums = { returns: row.declined + row.returned, amount: formatAmount(cents(amount)) };
    return code === null ? [] : [{ code, currency, ...sums }];
  });
  const newer = tried
    .filter((one) => !back.some(isOf(one)))
    .map(({ code, currency }) => ({ code, currency, ...NOTHING_CAME_BACK }));
  const came = [...back, ...newer].toSorted((a, b) => b.returns - a.returns);
  const others = ISO_CODES.filter((code) => !came.some((one) => one.code === code))
    .toSorted()
    .map((code) => ({ code, currency: null, ...NOTHING_CAME_BACK }));
  const codes = [...came, ...others].map((one) => {
    const { not_made, not_collected, tried_again, mandates_ended, accounts_blocked } =
      tried.find(isOf(one)) ?? NOTHING_CHANGED;
    const changed = { not_made, not_collected, tried_again, mandates_ended, accounts_blocked };
    return { ...ruleOf(one.code, rules, then), ...one, ...changed };
  });
  return { codes, asOf, triedAfter, isAtLeast: tried.some((one) => one.is_at_least) };
}

interface OfCode {
  readonly code: string;
  readonly currency: string | null;
}

function isOf({ code, currency }: OfCode): (one: OfCode) => boolean {
  return (one) => one.code === code && one.currency === currency;
}

/** The limits of the examination; tests lower them. */
interface Bounds {
  readonly most?: number;
  readonly mandatesMost?: number;
}

function ruleOf(code: string, rules: ReturnRules, then: ReturnRules) {
  return {
    code,
    meaning: reasonOf(code).code,
    default_action: defaultAction(code),
    allowed_actions: allowedActions(code),
    action: returnActionOf(code, rules),
    action_then: returnActionOf(code, then),
  };
}
