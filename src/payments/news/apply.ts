/** Applies what a gateway reports after the payment, once and never backwards (contract: Late news). */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import type { News, StatusNews } from "../../gateways/gateway.ts";
import { CANCELLED, reasonOf } from "../../sepa/reasons.ts";
import { must } from "../../lib/assert.ts";
import { utcDate } from "../../lib/dates.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import type { MessageKind } from "../../messages/outbox.ts";
import { completedEvent, statusChangedEvent, type NewEvent } from "../../webhooks/events.ts";
import { continueWork } from "../../lib/trace.ts";
import { chargeBack } from "../chargebacks/charge-back.ts";
import { setBankFee } from "../chargebacks/store.ts";
import {
  attemptAsWork,
  knownStatus,
  livemode,
  moveOf,
  receiptOf,
  recordFacts,
  recordOf,
  returnRuleEvents,
} from "../transaction.ts";
import { transactionRecord } from "../records.ts";
import { writeReinstated, writeRound } from "./reinstate-store.ts";
import { recordRefundNews } from "../refunds/record-refund-outcome.ts";
import { applyReturned, applySettled, lockForNews, type NewsRow } from "../store.ts";

type ReturnNews = Extract<StatusNews, { readonly kind: "returned" | "charged_back" }>;
type FeeNews = Extract<News, { readonly kind: "fee" }>;
type ArrivalNews = Exclude<StatusNews, ReturnNews>;

/** open: its payment has no outcome yet; unknown: no payment has its reference. Both are reported again later. */
type Applied = "taken" | "open" | "unknown";

/**
 * Applies one notice, which `fetchNews` has read from the adapter (for a bank account from `sepa_news`): `moveOf` decides
 * what it changes, and one transaction writes that with its events. For a chargeback that is `chargeBack`, whose
 * statement `CHARGE_BACK` sets the status. Repeating a notice changes nothing.
 */
export function applyNews(
  deps: Pick<Deps, "db" | "environment" | "ids" | "log" | "time">,
  tenant: number,
  gatewayId: string,
  news: News,
): Promise<Applied> {
  return deps.db.transaction(async (tx) => {
    const row = await lockForNews(tx, tenant, gatewayId, news.reference);
    if (row === null) return "unknown";
    return continueWork(attemptAsWork(`news ${news.kind}`, tenant, row), () =>
      write(deps, tx, tenant, row, news),
    );
  });
}

async function write(
  deps: Pick<Deps, "environment" | "ids" | "log" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: News,
): Promise<Applied> {
  const status = knownStatus(row.status);
  if (status === null) return "open";
  if (isOvertaken(row, news)) return "taken";
  if (news.kind === "fee") {
    // A refund's fee is a journal entry; only a chargeback stores its own.
    if (row.type === "sdd_refund") return "taken";
    await addFee(deps, tx, tenant, row, news);
    return "taken";
  }
  const move = moveOf(row.type, status, news.kind);
  switch (move) {
    case "settle":
      if (!isReturn(news)) await settled(deps, tx, tenant, row, news);
      break;
    case "fail":
      if (isReturn(news)) await failed(deps, tx, tenant, row, news);
      break;
    case "charge_back":
      if (isReturn(news)) await chargedBack(deps, tx, tenant, row, news);
      break;
    case "reinstate":
      if (!isReturn(news)) await reinstated(deps, tx, tenant, row, news);
      break;
    case "contradiction":
      contradicts(deps, row, news);
      break;
    case "stay":
      if (!isChargedBackByPeople(row)) break;
      if (news.kind === "settled") contradicts(deps, row, news);
      if (isReturn(news)) await addFee(deps, tx, tenant, row, news);
  }
  // The gateway may have reinstated what was never charged back here: repeated after a person has entered a later
  // chargeback, that notice must not withdraw it.
  const { round = 0 } = news;
  if (move !== "reinstate" && round > row.reinstatements) await writeRound(tx, tenant, row.id, round);
  return "taken";
}

/** Whether a notice is older than the reinstatement: another instance has recorded later news. */
function isOvertaken(
  { reinstatements }: NewsRow,
  { kind, round = reinstatements + 1 }: Pick<News, "kind" | "round">,
): boolean {
  return kind === "reinstated" ? round <= reinstatements : round < reinstatements;
}

function isReturn(news: StatusNews): news is ReturnNews {
  return news.kind === "returned" || news.kind === "charged_back";
}

/**
 * Whether a person or a file entered the chargeback: it may precede the money's arrival, and has no fee of the gateway's
 * news, which are in order.
 */
function isChargedBackByPeople({ status, chargeback_source }: NewsRow): boolean {
  return status === "charged_back" && (chargeback_source === "manual" || chargeback_source === "csv_import");
}

/** Adds the bank's fee to a chargeback. One that was entered by hand with another fee keeps it. */
async function addFee(
  deps: Pick<Deps, "log" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: ReturnNews | FeeNews,
): Promise<void> {
  const { reference, bankFee = null } = news;
  if (bankFee === null || (await setBankFee(tx, tenant, reference, bankFee, deps.time.now(tenant)))) return;
  contradicts(deps, row, news);
}

/** Money moved in a way that the record excludes: the record stays unchanged, and a warning is logged for a person. */
function contradicts(deps: Pick<Deps, "log">, row: NewsRow, news: News): void {
  const { id: transaction_id, status } = row;
  deps.log.warn("gateway news contradicts a transaction", { transaction_id, status, news: news.kind });
}

async function settled(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: ArrivalNews,
): Promise<void> {
  if (row.type === "sdd_refund") {
    await recordRefundNews(deps, tx, tenant, row.id, { kind: "approved", ...reportedOf(row, news) });
    return;
  }
  const now = deps.time.now(tenant);
  const references = settlementOf(row, news);
  const events = [
    ...settledEvents(deps, row, news.at),
    ...statusChanged(deps, { ...row, ...references }, "approved", now, receiptOf("approved", row.amount)),
  ];
  await applySettled(tx, tenant, row.id, now, references, events);
}

/** A payment counts as processed when its money arrives; some gateways give their reference only then. */
function settlementOf(
  row: NewsRow,
  news: ArrivalNews,
): Pick<NewsRow, "gateway_reference" | "adapter_unique_id" | "processed_at"> {
  const { gatewayReference = null, at } = news;
  return {
    processed_at: at,
    gateway_reference: gatewayReference ?? row.gateway_reference,
    adapter_unique_id: gatewayReference === null ? row.adapter_unique_id : row.merchant_transaction_id,
  };
}

/**
 * Reinstates a payment after a decline or chargeback. A payment that had never settled emits its completed event now.
 */
async function reinstated(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: ArrivalNews & Pick<News, "round">,
): Promise<void> {
  const now = deps.time.now(tenant);
  const references = settlementOf(row, news);
  const status = row.refunded === row.amount ? "refunded" : "approved";
  const events = [
    ...settledEvents(deps, row, news.at),
    ...statusChanged(deps, { ...row, ...references }, status, now),
  ];
  const round = news.round ?? row.reinstatements + 1;
  await writeReinstated(tx, tenant, row, now, { ...references, on: utcDate(news.at), round }, events);
}

async function failed(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: ReturnNews,
): Promise<void> {
  const { code, message } = reasonOf(news.reasonCode);
  const { reasonCode: gatewayCode, reasonMessage: gatewayMessage } = news;
  if (row.type === "sdd_refund") {
    const outcome = {
      kind: "declined",
      code,
      gatewayCode,
      gatewayMessage,
      ...reportedOf(row, news),
    } as const;
    await recordRefundNews(deps, tx, tenant, row.id, outcome);
    return;
  }
  const now = deps.time.now(tenant);
  const error = { code, message, gatewayCode, gatewayMessage };
  // A debit that the merchant cancelled was not rejected by a bank.
  const messages: readonly MessageKind[] = gatewayCode === CANCELLED ? [] : ["payment_failed"];
  const events = [
    ...statusChanged(deps, row, "declined", now, messages),
    ...returnRuleEvents(deps, row, gatewayCode),
  ];
  await applyReturned(tx, tenant, row.id, now, error, row.return_rules, events);
}

async function chargedBack(
  deps: Pick<Deps, "environment" | "ids" | "log" | "time">,
  tx: Tx,
  tenant: number,
  row: NewsRow,
  news: ReturnNews,
): Promise<void> {
  // A mandate without a payment has no money that could be returned.
  if (centsFromDatabase(row.amount) === 0) {
    contradicts(deps, row, news);
    return;
  }
  await chargeBack(deps, tx, tenant, row, {
    id: deps.ids.uuid(),
    reportDate: news.at,
    reasonCode: news.reasonCode,
    reasonMessage: news.reasonMessage,
    source: news.source ?? "webhook",
    amount: news.amount ?? null,
    bankFee: news.bankFee ?? null,
    reportType: news.reportType ?? null,
  });
}

/** The time of a refund is that of its acceptance by the gateway. */
function reportedOf(row: NewsRow, news: News) {
  return { gatewayReference: row.gateway_reference, processedAt: row.processed_at ?? news.at };
}

function statusChanged(
  deps: Pick<Deps, "environment" | "ids">,
  row: NewsRow,
  status: string,
  now: Date,
  messages: readonly MessageKind[] = [],
): readonly NewEvent[] {
  const record = transactionRecord(recordOf(row, status, now));
  return [statusChangedEvent(deps.ids.uuid(), recordFacts(deps, row), record, row.status, messages)];
}

/**
 * The completed event when a payment settles, if the tenant chose that moment (contract: Payments that settle later).
 * For a payment that was charged back, only its events show whether one was emitted.
 */
function settledEvents(
  deps: Pick<Deps, "environment" | "ids">,
  row: NewsRow,
  settledAt: Date,
): readonly NewEvent[] {
  if (row.completed_event_at !== "settlement" || row.session_id === null || row.is_completed_emitted)
    return [];
  const session = {
    orderNumber: must(row.order_number, "the order of a session"),
    amount: centsFromDatabase(row.amount),
    currency: row.currency,
    email: must(row.email, "the lead of a session"),
    firstName: row.first_name ?? "",
    lastName: row.last_name ?? "",
    country: row.country ?? "",
    leadId: must(row.lead_id, "the lead of a session"),
    campaignId: row.campaign_id,
    campaignName: row.campaign_name ?? "",
    offerName: row.offer_name ?? "",
    billingType: row.billing_type ?? "",
    metadata: row.metadata,
    livemode: livemode(deps, row),
  };
  const payment = {
    transactionStatus: "approved",
    // A renewal that was charged back in the meantime determines the order's status.
    orderStatus: row.order_status === "CHARGEDBACK" ? "CHARGEDBACK" : "COMPLETED",
    tenantReferenceId: row.tenant_reference_id,
    merchantTransactionId: row.merchant_transaction_id,
    transactionId: row.id,
    subscriptionId: row.subscription_id,
    createdAt: row.created_at,
    processedAt: settledAt,
  };
  return [completedEvent(deps.ids.uuid(), session, payment)];
}
