/**
 * `management/statistics/return-rules/`: what other rules would have made of the payments that came back in the last 90 days
 * (docs/guards.md, Return codes).
 */
import { sql, type Reader } from "../../db/database.ts";
import { DAY_MS, later } from "../../lib/clock.ts";
import { CANCELLED, ISO_CODES, reasonOf, type DeclineCode } from "../../sepa/reasons.ts";
import {
  returnActionOf,
  allowedActions,
  defaultAction,
  type ReturnAction,
  type ReturnRules,
} from "../../sepa/return-rules.ts";

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

/**
 * A debit is not made if its cycle is not tried again, its subscription has ended, or its account is blocked; the first
 * of these counts. What a customer has refused while they were at the page is no return.
 */
const WHAT_IF = sql(
  "reports.return_rules",
  `with rules as (
     select * from jsonb_to_recordset(:rules::jsonb) as r (code text, now text, next text)
   ), back as (
     select t.id, t.type, t.status, t.amount, t.currency, t.subscription_id, t.cycle, t.created_at, t.mandate_id,
            coalesce(c.reason_code, t.gateway_code, '') as code, coalesce(c.created_at, t.updated_at) as at,
            coalesce(r.now, 'ask_customer') as now, coalesce(r.next, 'ask_customer') as next
       from transactions t
       left join chargebacks c on c.tenant = :tenant and c.merchant_transaction_id = t.merchant_transaction_id and c.withdrawn_on is null
       left join rules       r on r.code = coalesce(c.reason_code, t.gateway_code)
      where t.tenant = :tenant and t.type <> 'sdd_refund' and t.created_at >= :since::timestamptz - interval '14 months'
        and coalesce(c.created_at, t.updated_at) >= :since
        and coalesce(c.reason_code, t.gateway_code, '') not in ('', '${CANCELLED}')
        and (t.status = 'charged_back'
             or t.status = 'declined' and (t.type = 'sdd_rebill' or (select s.status from sessions s where s.tenant = :tenant and s.id = t.session_id) = 'COMPLETED' and not exists (
                  select from transactions n
                   where n.tenant = :tenant and n.session_id = t.session_id and n.created_at > t.created_at)))
   ), gone as (
     select distinct on (n.id) b.code, b.currency, n.amount, n.status
       from back b
       join mandates     m on m.tenant = :tenant and m.id = b.mandate_id
       join mandates     o on o.tenant = :tenant and o.iban_fingerprint = m.iban_fingerprint and (o.id = m.id or b.next = 'block_account')
       join transactions n on n.tenant = :tenant and n.lead_id = o.lead_id and n.mandate_id = o.id and n.id <> b.id and n.type in ('sdd_sale', 'sdd_rebill')
                          and n.created_at > b.created_at
      where b.next <> b.now
        and (b.now = 'retry' and n.subscription_id = b.subscription_id and n.cycle = b.cycle
             or b.next in ${ENDS} and b.now not in ${ENDS} and n.subscription_id = b.subscription_id and n.created_at > b.at
             or b.next = 'block_account' and n.created_at > b.at)
      order by n.id, b.at
   ), least as (
     select code, currency, count(*)::integer as not_made,
            coalesce(sum(amount) filter (where status in ('approved', 'refunded')), 0.00) as not_collected
       from gone group by 1, 2
   )
   select b.code, b.currency, count(*)::integer as returns, sum(b.amount)::text as amount,
          coalesce(max(l.not_made), 0)::integer as not_made, coalesce(max(l.not_collected), 0.00)::text as not_collected,
          (count(*) filter (where b.next = 'retry' and b.now <> 'retry' and b.status = 'declined' and b.type = 'sdd_rebill'
             and not exists (select from transactions n
                              where n.tenant = :tenant and n.subscription_id = b.subscription_id and n.cycle = b.cycle
                                and n.created_at > b.created_at)
             and (select count(*) from transactions n
                   where n.tenant = :tenant and n.subscription_id = b.subscription_id and n.cycle = b.cycle) < 3))::integer as tried_again,
          (count(distinct b.mandate_id) filter (where b.next in ${ENDS_MANDATE} and b.now not in ${ENDS_MANDATE}))::integer as mandates_ended,
          (count(distinct m.iban_fingerprint) filter (where b.next = 'block_account' and b.now <> 'block_account'))::integer as accounts_blocked
     from back b
     left join mandates m on m.tenant = :tenant and m.id = b.mandate_id
     left join least    l on l.code = b.code and l.currency = b.currency
    group by 1, 2
    order by 3 desc, 1, 2`,
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
