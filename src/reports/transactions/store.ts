/** The SQL of transactions for a merchant's people: with customer, order, refunds and reasons. */
import { isOnDays, type Days } from "../../db/days.ts";
import { sql, type Reader } from "../../db/database.ts";
import { inList } from "../../db/in-list.ts";
import { listed, listedTogether } from "../../db/lists.ts";
import { isHeld } from "../../payments/refunds/held-store.ts";
import { OPEN_IN_SQL, OPEN_STATUSES } from "../../payments/transaction.ts";
import { recordColumns, type TransactionRecord } from "../../payments/records.ts";
import { REPAID_TWICE } from "../../sessions/repay/store.ts";
import type { Window } from "../../lib/window.ts";

/** The list's fields besides the record of reconciliation. */
interface Beside {
  readonly session_id: string | null;
  readonly original_id: string | null;
  readonly mandate_id: string | null;
  readonly order_number: string | null;
  readonly order_status: string | null;
  readonly campaign_id: string | null;
  /** Of the order's session. */
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly gateway_name: string;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly country: string | null;
  readonly amount_refunded: string;
  /** The amount that can still be refunded. */
  readonly amount_refundable: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly gateway_code: string | null;
  readonly gateway_message: string | null;
  /** The bank's reason of the chargeback in force. */
  readonly chargeback_code: string | null;
  /** Of a refund: its reason. */
  readonly reason: string | null;
  /** Of a held refund: until when. */
  readonly held_until: Date | null;
}

/** A transaction in the list. */
export interface ListedTransaction extends TransactionRecord, Beside {}

export interface TransactionFilters extends Days {
  /** Stored statuses; null: all. */
  readonly statuses: readonly string[] | null;
  readonly types: readonly string[] | null;
  /** With two decimals. */
  readonly amountMin: string | null;
  readonly amountMax: string | null;
  readonly gatewayId: string | null;
  readonly campaignId: string | null;
  readonly paymentLinkId: string | null;
  readonly country: string | null;
  /** One of our reasons, or the bank's code. */
  readonly reason: string | null;
  readonly held: boolean | null;
  readonly collectedTwice: boolean | null;
  readonly ibanLast4: string | null;
  readonly emailKey: string | null;
  readonly leadId: string | null;
  readonly sessionId: string | null;
  readonly subscriptionId: string | null;
  readonly mandateId: string | null;
}

/** A refund itself cannot be refunded. */
const COLUMNS = `
  ${recordColumns()},
  t.session_id, t.original_id, t.mandate_id, o.order_number, o.status as order_status, s.campaign_id,
  (select b.metadata from sessions b where b.tenant = :tenant and b.id = o.session_id) as metadata, g.name as gateway_name,
  coalesce(l.email, t.customer_email_csv) as customer_email,
  coalesce(l.first_name || ' ' || l.last_name, t.customer_name_csv) as customer_name,
  l.country, t.refunded as amount_refunded,
  case when t.status = 'approved' and t.type <> 'sdd_refund' then t.amount - t.refund_claimed else 0.00 end as amount_refundable,
  t.error_code, t.error_message, t.gateway_code, t.gateway_message,
  case when t.status = 'charged_back' then (
            select c.reason_code from chargebacks c
             where c.tenant = :tenant and c.transaction_id = t.id and c.withdrawn_on is null
             order by c.report_date desc limit 1)
   end as chargeback_code,
  t.reason,
  case when ${isHeld("t")} then t.held_until end as held_until` as const;

const JOINED = `
    left join mandates m on m.tenant = :tenant and m.id = t.mandate_id
    left join orders   o on o.tenant = :tenant and o.id = t.order_id
    left join sessions s on s.tenant = :tenant and s.id = t.session_id
    left join leads    l on l.tenant = :tenant and l.id = t.lead_id
    join gateways      g on g.tenant = :tenant and g.id = t.gateway_id` as const;

/** First payments that were collected twice, and their repetitions. */
const OF_REPAID_TWICE =
  `array(select unnest(array[r.id, a.id]) from ${REPAID_TWICE} and r.tenant = :tenant)` as const;

/**
 * What the filters find, planned for their values; `SHOW` reads what is shown of it, by a plan that is made once. As one statement
 * its joins were planned anew for each page, which took longer than reading it.
 *
 * The customer of an e-mail address and of a mandate are looked up first: their payments have an index. Several types are no
 * order of an index, one is.
 */
const FOUND = `
  select t.id, t.created_at
    from transactions t
    left join mandates m on m.tenant = :tenant and m.id = t.mandate_id
    left join sessions s on s.tenant = :tenant and s.id = t.session_id
    left join leads    l on l.tenant = :tenant and l.id = t.lead_id
   where t.tenant = :tenant
     and (:statuses::text[] is null or t.status = any (:statuses))
     and (:status::text is null or t.status = :status)
     and (:types::text[] is null or t.type = any (:types))
     and (:type::text is null or t.type = :type)
     and ${isOnDays("t.created_at")}
     and (:amountMin::numeric is null or t.amount >= :amountMin)
     and (:amountMax::numeric is null or t.amount <= :amountMax)
     and (:gatewayId::uuid is null or t.gateway_id = :gatewayId)
     and (:campaignId::uuid is null or s.campaign_id = :campaignId)
     and (:paymentLinkId::uuid is null or s.payment_link_id = :paymentLinkId)
     and (:country::text is null or l.country = :country)
     and (:held::boolean is null or :held = (${isHeld("t")}))
     and (:collectedTwice::boolean is null or :collectedTwice = (t.id = any (${OF_REPAID_TWICE})))
     and (:emailKey::text is null
          or t.lead_id = (select e.id from leads e where e.tenant = :tenant and e.email_key = :emailKey))
     and (:leadId::uuid is null or t.lead_id = :leadId)
     and (:sessionId::uuid is null or t.session_id = :sessionId)
     and (:subscriptionId::uuid is null or t.subscription_id = :subscriptionId)
     and (:mandateId::uuid is null or t.mandate_id = :mandateId
          and t.lead_id = (select d.lead_id from mandates d where d.tenant = :tenant and d.id = :mandateId))` as const;

const BY_TIME = ["t.created_at", "t.id"] as const;
const BY_VALUES = { plannedByValues: true } as const;

type Found = Pick<ListedTransaction, "id" | "created_at">;

const LIST = listed("reports.list_transactions", FOUND, BY_TIME, BY_VALUES).gives<Found>();

const SHOW = sql(
  "reports.show_transactions",
  `select ${COLUMNS}
     from transactions t
     ${JOINED}
    where t.tenant = :tenant and t.id = any (:ids::uuid[])`,
).gives<ListedTransaction>();

/** What a payment has until its end is known, and then one of these. */
const ENDS = ["approved", "declined", "refunded", "charged_back"] as const;

/**
 * Several statuses are no order of an index. Each end has one, and all that is open shares one: those that are not asked for are
 * planned to find nothing.
 */
const FOUND_BY_STATUSES = [
  `${FOUND} and t.status in ${inList(["pending", ...OPEN_STATUSES])} and 'pending' = any (:statuses)`,
  ...ENDS.map((end) => `${FOUND} and t.status = '${end}' and '${end}' = any (:statuses)` as const),
] as const;

const LIST_BY_STATUSES = listedTogether(
  "reports.list_transactions_by_statuses",
  FOUND_BY_STATUSES,
  BY_TIME,
  BY_VALUES,
).gives<Found>();

/** So many are found by what they have; the payments of more are read newest first until a page is full. */
const FEW_MAX = 1_000;

/**
 * SQL: whether only a few rows are found.
 * @param rows a FROM with its WHERE.
 */
const areFew = <Rows extends string>(rows: Rows) =>
  `(select count(*) <= ${FEW_MAX} from (select from ${rows} limit ${FEW_MAX + 1}) k)` as const;

const MANDATES_OF_ACCOUNT = "mandates w where w.tenant = :tenant and w.iban_last4 = :ibanLast4";

/** The end of an account is in the mandate, or in an imported payment. */
const FOUND_BY_ACCOUNT = [
  `${FOUND} and ${areFew(MANDATES_OF_ACCOUNT)} and t.id = any (array(
           select p.id from (select w.id, w.lead_id from ${MANDATES_OF_ACCOUNT} limit ${FEW_MAX}) w
             join transactions p on p.tenant = :tenant and p.lead_id = w.lead_id and p.mandate_id = w.id))`,
  `${FOUND} and not ${areFew(MANDATES_OF_ACCOUNT)} and m.iban_last4 = :ibanLast4`,
  `${FOUND} and t.iban_last4 = :ibanLast4 and m.iban_last4 is distinct from :ibanLast4`,
] as const;

const LIST_BY_ACCOUNT = listedTogether(
  "reports.list_transactions_by_account",
  FOUND_BY_ACCOUNT,
  BY_TIME,
  BY_VALUES,
).gives<Found>();

const NOT_DECLINED_FOR = "t.error_code is distinct from :reason and t.gateway_code is distinct from :reason";

const IS_OF_ACCOUNT = `(:ibanLast4::text is null or t.iban_last4 = :ibanLast4
          or m.iban_last4 = :ibanLast4)` as const;

const CHARGEBACKS_OF_REASON = "chargebacks c where c.tenant = :tenant and c.reason_code = :reason";

/**
 * A reason is ours, the gateway's, or that of a chargeback: each has an index, a condition that joins them by `or` has none.
 * Of a reason that many chargebacks have, those that stand are read in the order of their payments, which are charged back exactly
 * then (MONEY-9); the others are few.
 */
const FOUND_BY_REASON = [
  `${FOUND} and ${IS_OF_ACCOUNT} and t.error_code = :reason`,
  `${FOUND} and ${IS_OF_ACCOUNT} and t.gateway_code = :reason and t.error_code is distinct from :reason`,
  `${FOUND} and ${IS_OF_ACCOUNT} and ${NOT_DECLINED_FOR} and ${areFew(CHARGEBACKS_OF_REASON)}
     and t.id = any (array(select c.transaction_id from ${CHARGEBACKS_OF_REASON} limit ${FEW_MAX}))`,
  // Counted: an `exists` would be turned into a join with all of them.
  `${FOUND} and ${IS_OF_ACCOUNT} and ${NOT_DECLINED_FOR} and not ${areFew(CHARGEBACKS_OF_REASON)}
     and t.status = 'charged_back'
     and (select count(*) > 0 from ${CHARGEBACKS_OF_REASON} and c.transaction_id = t.id)`,
  `${FOUND} and ${IS_OF_ACCOUNT} and ${NOT_DECLINED_FOR} and not ${areFew(CHARGEBACKS_OF_REASON)}
     and t.status <> 'charged_back'
     and t.id = any (array(select c.transaction_id from ${CHARGEBACKS_OF_REASON} and c.withdrawn_on is not null))`,
] as const;

const LIST_BY_REASON = listedTogether(
  "reports.list_transactions_by_reason",
  FOUND_BY_REASON,
  BY_TIME,
  BY_VALUES,
).gives<Found>();

/** How often a page is read at most: the second time is enough unless lists change to another server once more. */
const TRIES_MAX = 3;

/** One page of a tenant's transactions. */
export async function listTransactions(
  db: Reader,
  tenant: number,
  filters: TransactionFilters,
  window: Window,
): Promise<readonly ListedTransaction[]> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const ids = (await findWindow(db, tenant, filters, window)).map(({ id }) => id);
    if (ids.length === 0) return [];
    const rows = await db.query(SHOW, { tenant, ids });
    const shown = new Map(rows.map((row) => [row.id, row]));
    // A replica that took over between the two may lack the newest; a shorter page would end a list or an export.
    if (ids.every((id) => shown.has(id))) return ids.flatMap((id) => shown.get(id) ?? []);
  }
  throw new Error("transactions that were found are not there");
}

function findWindow(
  db: Reader,
  tenant: number,
  filters: TransactionFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly Found[]> {
  const { reason, ibanLast4, ...others } = valuesOf(filters);
  const values = { ...others, tenant, at, id, limit };
  if (reason !== null) return db.query(LIST_BY_REASON[towards], { ...values, ibanLast4, reason });
  if (ibanLast4 !== null) return db.query(LIST_BY_ACCOUNT[towards], { ...values, ibanLast4 });
  if (haveEnds(values)) return db.query(LIST_BY_STATUSES[towards], values);
  return db.query(LIST[towards], values);
}

/** Whether several statuses are asked for that one index does not have. */
function haveEnds({ statuses }: Pick<TransactionFilters, "statuses">): boolean {
  return statuses?.some((status) => (ENDS as readonly string[]).includes(status)) === true;
}

/** One status or type is asked for as one. */
function valuesOf({ statuses, types, ...filters }: TransactionFilters) {
  const one = (given: readonly string[] | null) => (given?.length === 1 ? (given[0] ?? null) : null);
  const [status, type] = [one(statuses), one(types)];
  return {
    ...filters,
    status,
    statuses: status === null ? statuses : null,
    type,
    types: type === null ? types : null,
  };
}

/** Counting an export must not take as long as writing it: each charged-back payment of a reason costs five reads. */
export const EXPORT_COUNTED_MAX = 2_000;

const COUNT = sql(
  "reports.count_transactions",
  `select count(*)::integer as counted from (${FOUND} limit :limit) x`,
  BY_VALUES,
).gives<{ readonly counted: number }>();

const together = <const Text extends string>(texts: readonly Text[]) =>
  texts.map((text) => `(${text} limit :limit)`).join(" union all ") as `${Text} limit :limit`;

const COUNT_BY_STATUSES = sql(
  "reports.count_transactions_by_statuses",
  `select count(*)::integer as counted from (${together(FOUND_BY_STATUSES)} limit :limit) x`,
  BY_VALUES,
).gives<{ readonly counted: number }>();

const COUNT_BY_REASON = sql(
  "reports.count_transactions_by_reason",
  `select count(*)::integer as counted from (${together(FOUND_BY_REASON)} limit :limit) x`,
  BY_VALUES,
).gives<{ readonly counted: number }>();

const COUNT_BY_ACCOUNT = sql(
  "reports.count_transactions_by_account",
  `select count(*)::integer as counted from (${together(FOUND_BY_ACCOUNT)} limit :limit) x`,
  BY_VALUES,
).gives<{ readonly counted: number }>();

/** The number of payments that the filters find; one more than the limit if there are more. */
export async function countTransactions(
  db: Reader,
  tenant: number,
  filters: TransactionFilters,
): Promise<number> {
  const { reason, ibanLast4, ...others } = valuesOf(filters);
  const values = { ...others, tenant, limit: EXPORT_COUNTED_MAX + 1 };
  const counted = () => {
    if (reason !== null) return db.query(COUNT_BY_REASON, { ...values, ibanLast4, reason });
    if (ibanLast4 !== null) return db.query(COUNT_BY_ACCOUNT, { ...values, ibanLast4 });
    if (haveEnds(values)) return db.query(COUNT_BY_STATUSES, values);
    return db.query(COUNT, values);
  };
  const [row] = await counted();
  return row?.counted ?? 0;
}

const FIND = sql(
  "reports.find_transaction",
  `select ${COLUMNS}
     from transactions t
     ${JOINED}
    where t.tenant = :tenant and t.id = :id`,
).gives<ListedTransaction>();

export async function findTransaction(
  db: Reader,
  tenant: number,
  id: string,
): Promise<ListedTransaction | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

/** A step in a payment's history. */
interface TimelineRow {
  readonly at: Date;
  readonly kind: string;
  /** A status, an event type or a name, by kind. */
  readonly what: string | null;
  /** Why: a cause, a reason or its code. */
  readonly why: string | null;
  readonly amount: string | null;
  /** The id of its subject. */
  readonly id: string | null;
  /** Of a webhook: the profile to which it was sent. Of a note: its author. */
  readonly whom: string | null;
}

/** Statuses of payments that had been collected before; the status itself only shows the end. */
const WENT_BACK = "t.status in ('charged_back', 'refunded')" as const;

/**
 * Everything that happened to the payments of a session (or to one without a session), their refunds and chargebacks,
 * in order; at the same time causes come before effects: a session is created, its page opened, a payment made and
 * answered, and that completes the session. Each source is found by an index. Deliveries have real times: for a tenant
 * whose clock was moved ahead, they are shown as long after their event as they were sent.
 */
const TIMELINE = sql(
  "reports.timeline",
  `with one as (
     select coalesce(original_id, id) as id, case when type <> 'sdd_rebill' then session_id end as session_id
       from transactions where tenant = :tenant and id = :id
   ), related as (
     select one.id from one
     union
     select p.id from one join transactions p on p.tenant = :tenant and p.original_id = one.id
     union
     select p.id from one join transactions p on p.tenant = :tenant and p.session_id = one.session_id
   ), t as (
     select p.* from related join transactions p on p.tenant = :tenant and p.id = related.id
   ), i as (
     select c.*, t.id as transaction_id from t
       join sepa_collections c on c.tenant = :tenant and c.gateway_id = t.gateway_id
        and c.reference = t.merchant_transaction_id
   ), subject as (
     select distinct coalesce(o.session_id, t.session_id, t.original_id, t.id) as id
       from t left join orders o on o.tenant = :tenant and o.id = t.order_id
   ), d as (
     select w.*, e.created_at as event_at from subject
       join webhook_deliveries w on w.tenant = :tenant and w.subject_id = subject.id
       join events e on e.tenant = :tenant and e.id = w.event_id
      where e.transaction_id is null or e.transaction_id in (select t.id from t)
   )
   select x.at, x.kind, x.what, x.why, x.amount, x.id,
          case when x.kind = 'webhook' then (select p.name from webhook_deliveries w
                                   join webhook_profiles p on p.tenant = :tenant and p.id = w.profile_id
                                  where w.tenant = :tenant and w.id = x.id)
               when x.kind = 'note' then (select n.actor_name from payment_notes n where n.tenant = :tenant and n.id = x.id)
          end as whom
     from (
     select m.at, case when m.from_status is null then 0 else 4 end as step, 'session' as kind, m.to_status as what, m.cause as why, null::text as amount, m.transaction_id as id
       from session_moves m
      where m.tenant = :tenant and m.session_id in (select t.session_id from t)
        and m.from_status is distinct from m.to_status
     union all
     select s.opened_at, 1, 'page', 'opened', null, null, null
       from sessions s
      where s.tenant = :tenant and s.id in (select t.session_id from t) and s.opened_at is not null
     union all
     select t.created_at, 2, case when t.type = 'sdd_refund' then 'refund' else 'payment' end, 'created', t.reason,
            t.amount::text, t.id from t
     union all
     select coalesce(t.processed_at, t.updated_at), 3, case when t.type = 'sdd_refund' then 'refund' else 'payment' end,
            case when t.status in ${OPEN_IN_SQL} then 'pending' when ${WENT_BACK} then 'approved' else t.status end,
            case when not ${WENT_BACK} then coalesce(t.gateway_code, t.error_code) end, t.amount::text, t.id from t
      where t.status <> 'submitted' and not (${WENT_BACK} and t.processed_at is null)
     union all
     select f.created_at, 5, 'bank_file', case when f.sent_at is null then f.status else 'ready' end, f.name, i.amount::text, i.transaction_id
       from i join sepa_files f on f.tenant = :tenant and f.id = i.file_id
     union all
     select f.sent_at, 6, 'bank_file', 'sent', i.due_date::text, i.amount::text, i.transaction_id
       from i join sepa_files f on f.tenant = :tenant and f.id = i.file_id
      where f.sent_at is not null
     union all
     select i.settled_on::timestamptz, 7, 'bank', 'settled', null, i.amount::text, i.transaction_id
       from i where i.settled_on is not null
     union all
     select i.returned_on::timestamptz, 8, 'bank', 'returned', i.reason_code, i.amount::text, i.transaction_id
       from i where i.returned_on is not null
     union all
     select c.report_date, 9, 'chargeback', case when c.withdrawn_on is null then 'charged_back' else 'withdrawn' end,
            coalesce(c.reason_code, c.reason_message), c.amount::text, c.id
       from t
       join lateral (select * from chargebacks where tenant = :tenant and transaction_id = t.id limit 100) c on true
     union all
     select t.updated_at, 10, 'rule', t.return_action, coalesce(b.reason_code, t.gateway_code), null, t.id
       from t
       left join lateral (select reason_code from chargebacks c
                           where c.tenant = :tenant and c.transaction_id = t.id and c.withdrawn_on is null limit 1) b on true
      where t.return_action is not null
     union all
     select greatest(a.at, d.event_at + (a.at - d.created_at)), 10, 'webhook', d.event_type, coalesce(a.response_code::text, a.error), null, d.id
       from d join webhook_attempts a on a.tenant = :tenant and a.delivery_id = d.id
     union all
     select greatest(d.created_at, d.event_at), 10, 'webhook', d.event_type, d.status, null, d.id
       from d where d.attempts = 0
     union all
     select n.created_at, 11, 'note', null, n.text, null, n.id
       from t join payment_notes n on n.tenant = :tenant and n.transaction_id = t.id
   ) x
   order by x.at, x.step, x.id
   limit 500`,
).gives<TimelineRow>();

/** The steps of a transaction and of everything that belongs to it, oldest first; at most 500. */
export function findTimeline(db: Reader, tenant: number, id: string): Promise<readonly TimelineRow[]> {
  return db.query(TIMELINE, { tenant, id });
}
