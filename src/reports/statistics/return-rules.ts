/**
 * `management/statistics/return-rules/`: what other rules would have made of the payments that came back in the last 90 days
 * (docs/guards.md, Return codes).
 */
import { sql, type Reader } from "../../db/database.ts";
import { DAY_MS, later } from "../../lib/clock.ts";
import {
  CANCELLED,
  ISO_CODES,
  reasonOf,
  type DeclineCode,
  returnActionOf,
  allowedActions,
  defaultAction,
  type ReturnAction,
  type ReturnRules,
} from "../../sepa/reasons.ts";

export const DAYS_BACK = 90;

/** What the rules would have made of the payments that came back with one code. Amounts have two decimals. */
interface CodeRow {
  readonly code: string;
  readonly currency: string;
  readonly returns: number;
  readonly amount: string;
  /** Later debits that would not have been made, and the money that they brought. */
  readonly not_made: number;
  readonly not_collected: string;
  /** Debits that were not tried again and would have been. */
  readonly tried_again: number;
  readonly mandates_ended: number;
  readonly accounts_blocked: number;
}

const ENDS = "('end_subscription', 'end_mandate', 'block_account')";
const ENDS_MANDATE = "('end_mandate', 'block_account')";

const A_DEBIT = "n.type in ('sdd_sale', 'sdd_rebill')";

/**
 * A debit is not made if its cycle is not tried again, its subscription has ended, or its account is blocked; the first
 * of these counts. What a customer has refused while they were at the page is no return.
 *
 * What came back is few among what was paid, and what is tried is about few codes: payments are only looked up for codes
 * that something else would follow. Each is one look into an index (`offset 0`): a plan for any tenant would take a share
 * of the table for granted and read it. A range with two ends is taken for a short one: that of an account is one too,
 * of which a tenant may have any number of mandates. A refusal is processed when the debit is accepted, at most weeks
 * before it is heard of.
 */
const WHAT_IF = sql(
  "reports.return_rules",
  `with back as materialized (
     select c.transaction_id as id, c.reason_code as code, c.amount, c.currency, c.created_at as at
       from chargebacks c
      where c.tenant = :tenant and c.created_at >= :since::timestamptz and c.created_at < :since::timestamptz + interval '1 year'
        and c.withdrawn_on is null and c.transaction_id is not null and c.reason_code not in ('', '${CANCELLED}')
     union all
     select t.id, t.gateway_code, t.amount, t.currency, t.updated_at
       from transactions t
      where t.tenant = :tenant and t.status = 'declined'
        and t.processed_at >= :since::timestamptz - interval '90 days' and t.processed_at < :since::timestamptz + interval '1 year'
        and t.updated_at >= :since::timestamptz and t.type <> 'sdd_refund' and t.gateway_code not in ('', '${CANCELLED}')
        and (t.type = 'sdd_rebill'
             or (select s.status from sessions s where s.tenant = :tenant and s.id = t.session_id) = 'COMPLETED' and not exists (
                  select from transactions n
                   where n.tenant = :tenant and n.session_id = t.session_id and n.created_at > t.created_at
                  offset 0))
   ), changed as materialized (
     select b.code, b.currency, b.at, r.now, r.next, t.*, m.iban_fingerprint
       from jsonb_to_recordset(:rules::jsonb) as r (code text, now text, next text)
       join back b on b.code = r.code
      cross join lateral (
        select t.id, t.type, t.status, t.subscription_id, t.cycle, t.created_at, t.mandate_id
          from transactions t
         where t.tenant = :tenant and t.id = b.id
        offset 0
      ) t
       left join lateral (
        select m.iban_fingerprint from mandates m where m.tenant = :tenant and m.id = t.mandate_id offset 0
      ) m on true
      where r.now <> r.next
   ), accounts as (
     select distinct on (iban_fingerprint) iban_fingerprint, code, currency, at
       from changed
      where next = 'block_account' and iban_fingerprint is not null
      order by iban_fingerprint, at
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
           from accounts b
          cross join lateral (
            select o.id, o.lead_id
              from mandates o
             where o.tenant = :tenant and o.iban_fingerprint between b.iban_fingerprint and b.iban_fingerprint
            offset 0
          ) o
          cross join lateral (
            select n.id, n.amount, n.status
              from transactions n
             where n.tenant = :tenant and n.lead_id = o.lead_id and n.created_at > b.at and n.mandate_id = o.id and ${A_DEBIT}
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
   select b.code, b.currency, b.returns, b.amount,
          coalesce(l.not_made, 0) as not_made, coalesce(l.not_collected, 0.00)::text as not_collected,
          coalesce(m.tried_again, 0) as tried_again, coalesce(m.mandates_ended, 0) as mandates_ended,
          coalesce(m.accounts_blocked, 0) as accounts_blocked
     from (select code, currency, count(*)::integer as returns, sum(amount)::text as amount from back group by 1, 2) b
     left join least l on l.code = b.code and l.currency = b.currency
     left join more  m on m.code = b.code and m.currency = b.currency
    order by 3 desc, 1, 2` as "select :tenant, :since, :rules",
).gives<CodeRow>();

/** One code with what follows it, and what came back with it. */
export interface RuleFigures {
  readonly code: string;
  readonly meaning: DeclineCode;
  readonly default_action: ReturnAction;
  readonly allowed_actions: readonly ReturnAction[];
  /** As the tenant has it now, and as it would be. */
  readonly action: ReturnAction;
  readonly action_then: ReturnAction;
  /** Null where nothing came back. */
  readonly currency: string | null;
  readonly returns: number;
  readonly amount: string;
  readonly not_made: number;
  readonly not_collected: string;
  readonly tried_again: number;
  readonly mandates_ended: number;
  readonly accounts_blocked: number;
}

const NOTHING_CAME_BACK = {
  currency: null,
  returns: 0,
  amount: "0.00",
  not_made: 0,
  not_collected: "0.00",
  tried_again: 0,
  mandates_ended: 0,
  accounts_blocked: 0,
} as const;

/** Every known code, those with most returns first. @param now of the tenant. @param rules as they are. @param then as they would be. */
export async function returnRuleFigures(
  db: Reader,
  tenant: number,
  now: Date,
  rules: ReturnRules,
  then: ReturnRules,
): Promise<readonly RuleFigures[]> {
  const known = ISO_CODES.map((code) => ({
    code,
    now: returnActionOf(code, rules),
    next: returnActionOf(code, then),
  }));
  const since = later(now, -DAYS_BACK * DAY_MS);
  const rows = await db.query(WHAT_IF, { tenant, since, rules: JSON.stringify(known) });
  const came = rows.map((row) => ({ ...ruleOf(row.code, rules, then), ...row }));
  const seen = new Set(rows.map(({ code }) => code));
  const others = ISO_CODES.filter((code) => !seen.has(code)).toSorted();
  return [...came, ...others.map((code) => ({ ...ruleOf(code, rules, then), ...NOTHING_CAME_BACK }))];
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
