/** The SQL of chargebacks: one statement writes the chargeback, its transaction, its order and their events. */
import { isOnDays, type Days } from "../../db/days.ts";
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { listed, listedTogether } from "../../db/lists.ts";
import { assert } from "../../lib/assert.ts";
import type { IsoDate } from "../../lib/dates.ts";
import type { Window } from "../../lib/window.ts";
import type { NewEvent } from "../../webhooks/events.ts";
import { insertEvents } from "../../webhooks/outbox.ts";
import { effectsOf, type ReturnRules } from "../../sepa/reasons.ts";
import { mandateAfterReason } from "../../mandates/writes.ts";
import {
  CHARGEBACK_FIELDS,
  type ChargebackFacts,
  type FieldKind,
  type RecordRow,
  type TransactionRecord,
} from "../records.ts";
import { lockOrder } from "../store.ts";
import { revenueAfterChargeback, cycleChargedBack, retriesEnd } from "../../subscriptions/writes.ts";

/** The data of a chargeback besides its transaction. */
export interface NewChargeback {
  readonly id: string;
  readonly reportDate: Date;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  readonly source: "webhook" | "reconciliation" | "manual" | "csv_import";
  /** With two decimals; null for the transaction's amount. */
  readonly amount: string | null;
  readonly bankFee: string | null;
  /** `return`, `refund` or `unauthorised_refund`, if a bank statement shows it. */
  readonly reportType: string | null;
}

const TYPES: Readonly<Record<FieldKind, string>> = {
  uuid: "uuid",
  text: "text",
  free_text: "text",
  money: "numeric",
  date: "date",
  time: "timestamptz",
  integer: "integer",
};

/** Each field has a column; of the account only its last digits and its length are stored. */
const KEPT = CHARGEBACK_FIELDS.filter(({ name }) => name !== "iban").map(({ sql, kind, of }) => ({
  column: sql.replace(/^c\./, ""),
  type: TYPES[kind],
  of,
}));
const COLUMNS: readonly { readonly column: string; readonly type: string }[] = [
  ...KEPT,
  { column: "iban_last4", type: "text" },
  { column: "iban_length", type: "integer" },
  // Used later to link an imported chargeback to its payment.
  { column: "original_reference", type: "text" },
  { column: "original_end_to_end_id", type: "text" },
  { column: "original_transaction_id", type: "text" },
];
// They contain no parameters, and the compiler only looks for those, so any text without one will do as their type.
const NAMES = COLUMNS.map(({ column }) => column).join(", ") as "columns";
const TYPED = COLUMNS.map(({ column, type }) => `${column} ${type}`).join(", ") as "columns";

/**
 * SQL: the campaign of the session that its transaction paid.
 * @param of the chargeback.
 */
function campaignOf<Of extends string>(of: Of) {
  return `(select s.campaign_id from transactions p
             join sessions s on s.tenant = :tenant and s.id = p.session_id
            where p.tenant = :tenant and p.id = ${of}.transaction_id)` as const;
}

/**
 * SQL that inserts the row `:chargeback` unless its payment already has a chargeback in force.
 * @param only a WHERE clause, or nothing.
 * @param campaign that of its payment.
 */
export function chargebackInserted<Only extends string, Campaign extends string>({
  only,
  campaign,
}: {
  only: Only;
  campaign: Campaign;
}) {
  return `
     insert into chargebacks (tenant, ${NAMES}, campaign_id, campaign_known)
     select :tenant, ${NAMES}, ${campaign}, r.transaction_id is not null
       from jsonb_to_record(:chargeback::jsonb) as r (${TYPED})
      ${only}
     on conflict (tenant, merchant_transaction_id) where withdrawn_on is null do nothing` as const;
}

/** The row of a payment's chargeback, from the data of its event. */
export function chargebackRow(chargeback: ChargebackFacts, transaction: TransactionRecord): string {
  const { iban } = transaction;
  return JSON.stringify({
    ...Object.fromEntries(KEPT.map(({ column, of }) => [column, of({ chargeback, transaction })])),
    iban_last4: iban?.slice(-4),
    iban_length: iban?.length,
  });
}

// The payment (t), its order (o), the subscription's counters (u), its retries (k), its cycle (y), the record of the chargeback
// (c), the mandate (m) and the events (new_events).
const CHARGE_BACK = sql(
  "chargebacks.charge_back",
  `with t as (
     update transactions set status = 'charged_back', return_action = :returnAction, updated_at = :now
      where tenant = :tenant and id = :transactionId and status in ('pending', 'approved', 'refunded') and type <> 'sdd_refund'
     returning *
   ), o as (
     update orders set status = 'CHARGEDBACK', updated_at = :now
       from t
      where orders.tenant = :tenant and orders.id = t.order_id
        and (orders.status in ('PENDING', 'COMPLETED', 'REFUNDED') or (orders.status = 'FAILED' and t.type = 'sdd_rebill'))
   ), u as (${revenueAfterChargeback({ payment: "t" })}
   ), k as (${retriesEnd({ from: "u" })}
   ), y as (${cycleChargedBack({ payment: "t" })}
   ), c as (${chargebackInserted({ only: "where exists (select from t)", campaign: campaignOf("r") })}
     returning id
   ), m as (${mandateAfterReason({ from: "t", reason: ":reasonCode" })}
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select t.id, exists (select from c) as is_recorded from t`,
).gives<{ id: string; is_recorded: boolean }>();

/**
 * Without the `coalesce` the planner uses an index of all of a tenant's unlinked chargebacks. Citus takes no `format` of
 * columns in an update: it is not immutable.
 */
const SET_ASIDE = sql(
  "chargebacks.set_aside",
  `update chargebacks
      set merchant_transaction_id = merchant_transaction_id || ' (' || id::text || ')', updated_at = :now,
          report_info = coalesce(report_info, merchant_transaction_id || ' has another chargeback.')
    where tenant = :tenant and merchant_transaction_id = :merchantTransactionId and coalesce(transaction_id is null, false) and withdrawn_on is null`,
);

/**
 * Moves pending, approved or refunded → charged_back, and the order with it, and inserts the chargeback. An imported one
 * that has the payment's reference and was never linked to it gives the reference up and stays unlinked, for a person.
 * @param row from `chargebackRow`.
 */
export async function writeChargeback(
  tx: Tx,
  tenant: number,
  transaction: {
    readonly id: string;
    readonly merchant_transaction_id: string;
    readonly status: string;
    readonly order_id: string | null;
    readonly return_rules: ReturnRules;
  },
  now: Date,
  chargeback: Pick<NewChargeback, "amount" | "reasonCode">,
  row: string,
  events: readonly NewEvent[],
): Promise<void> {
  await lockOrder(tx, tenant, transaction.order_id);
  const { merchant_transaction_id: merchantTransactionId } = transaction;
  await tx.write(SET_ASIDE, { tenant, merchantTransactionId, now });
  const { amount, reasonCode } = chargeback;
  const rows = await tx.write(CHARGE_BACK, {
    amount,
    reasonCode,
    chargeback: row,
    tenant,
    transactionId: transaction.id,
    now,
    statusBefore: transaction.status,
    ...effectsOf(reasonCode, transaction.return_rules),
    events: JSON.stringify(events),
  });
  assert(
    rows.every((moved) => moved.is_recorded),
    `the chargeback of ${merchantTransactionId} is recorded with it`,
  );
}

const SET_BANK_FEE = sql(
  "chargebacks.set_bank_fee",
  `update chargebacks set cb_bank_fee = greatest(cb_bank_fee, :fee::numeric), updated_at = :now
    where tenant = :tenant and merchant_transaction_id = :merchantTransactionId and transaction_id is not null and withdrawn_on is null
      and (source = 'reconciliation' or coalesce(cb_bank_fee, :fee) = :fee)
   returning 1`,
);

/**
 * Stores the bank's fee if it arrives after the chargeback. A gateway reports the fee in all, which only grows: a smaller
 * one is of before. Returns false when no chargeback is open, or one entered by hand has another fee.
 */
export async function setBankFee(
  tx: Tx,
  tenant: number,
  merchantTransactionId: string,
  fee: string,
  now: Date,
): Promise<boolean> {
  return (await tx.write(SET_BANK_FEE, { tenant, merchantTransactionId, fee, now })).length === 1;
}

/** A chargeback as shown: its record, with times as dates. */
export interface ChargebackRecord extends RecordRow<typeof CHARGEBACK_FIELDS> {
  /** When the bank withdrew it. */
  readonly withdrawn_on: IsoDate | null;
}

/** The chargeback record in its field order (contract: Reconciliation records). */
const RECORD = `${CHARGEBACK_FIELDS.map(({ name, sql: value }) => `${value} as ${name}`).join(", ")}, c.withdrawn_on`;

const FIND = sql(
  "chargebacks.find",
  `select ${RECORD} from chargebacks c where c.tenant = :tenant and c.id = :id`,
).gives<ChargebackRecord>();

export async function findChargeback(
  db: Reader,
  tenant: number,
  id: string,
): Promise<ChargebackRecord | null> {
  const rows = await db.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

const OF_TRANSACTION = sql(
  "chargebacks.of_transaction",
  `select id from chargebacks
    where tenant = :tenant and merchant_transaction_id = :merchantTransactionId and transaction_id is not null and withdrawn_on is null`,
).gives<{ id: string }>();

/** The id of a transaction's chargeback; not of an imported one that only has its reference. */
export async function findChargebackOf(
  db: Reader,
  tenant: number,
  merchantTransactionId: string,
): Promise<string | null> {
  const rows = await db.query(OF_TRANSACTION, { tenant, merchantTransactionId });
  return rows[0]?.id ?? null;
}

export interface ChargebackFilters extends Days {
  /** True: only those with a transaction; false: only those without. */
  readonly linked: boolean | null;
  readonly reasonCode: string | null;
  readonly gatewayId: string | null;
  /** Of the session that the transaction paid. */
  readonly campaignId: string | null;
  /** The customer's bank: the first eight characters of its BIC. */
  readonly bank: string | null;
}

const FOUND = `select ${RECORD} from chargebacks c
      where c.tenant = :tenant
        and (:linked::boolean is null or (c.transaction_id is not null) = :linked)
        and (:reasonCode::text is null or c.reason_code = :reasonCode)
        and (:gatewayId::uuid is null or c.gateway_id = :gatewayId)
        and (:bank::text is null or left(c.bic, 8) = :bank)
        and ${isOnDays("c.report_date")}` as const;

const BY_TIME = ["c.created_at", "c.id"] as const;
const BY_VALUES = { plannedByValues: true } as const;

const LIST = listed("chargebacks.list", FOUND, BY_TIME, BY_VALUES).gives<ChargebackRecord>();

/** Those that code before migration 0079 wrote do not name their campaign; after 0081 there are next to none. */
const LIST_OF_CAMPAIGN = listedTogether(
  "chargebacks.list_of_campaign",
  [
    `${FOUND} and c.campaign_id = :campaignId::uuid`,
    `${FOUND} and not c.campaign_known and c.transaction_id is not null
        and ${campaignOf("c")} = :campaignId`,
  ],
  BY_TIME,
  BY_VALUES,
).gives<ChargebackRecord>();

export function listChargebacks(
  db: Reader,
  tenant: number,
  { campaignId, ...filters }: ChargebackFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ChargebackRecord[]> {
  const values = { ...filters, tenant, at, id, limit };
  return campaignId === null
    ? db.query(LIST[towards], values)
    : db.query(LIST_OF_CAMPAIGN[towards], { ...values, campaignId });
}
