/** Counts of events, and the events that a sufficiently long run has to reach. */
import { ISO_CODES } from "../../../src/sepa/reasons.ts";

export interface Coverage {
  count(what: string, times?: number): void;
  readonly counts: ReadonlyMap<string, number>;
}

export function createCoverage(): Coverage {
  const counts = new Map<string, number>();
  return {
    counts,
    count(what, times = 1) {
      counts.set(what, (counts.get(what) ?? 0) + times);
    },
  };
}

/**
 * The instruction's state × the bank's report → the outcome: the rows of src/gateways/sepa-batch/incoming/decide.ts and
 * of the code around it.
 */
const ENTRIES = [
  "collection batched × credit → settled",
  "collection batched × reject → rejected",
  "collection batched × reject block → rejected",
  "collection batched × reject file → rejected",
  "collection batched × sum → settled",
  "collection batched × sum_less → unmatched",
  "collection batched × sum_part → unmatched",
  "collection settled × credit → known",
  "collection settled × credit_again → unmatched: the bank credits it a second time",
  "collection settled × return → returned",
  "collection settled × return → unmatched",
  "collection settled × return_part → unmatched",
  "collection settled × foreign_currency → unmatched",
  "collection settled × reject → returned",
  "collection settled × sum → known",
  "collection returned × credit → known",
  "collection returned × return → known",
  "collection returned × return_again → unmatched: the bank returned the same money a second time",
  "collection returned × recredit → unmatched: money arrived for a collection that was charged back",
  "collection returned × recredit → unmatched: the bank reversed a return",
  "collection returned × fee → returned: its fee",
  "collection returned × fee → known",
  "collection returned × reject → known",
  "collection rejected × credit → unmatched: money arrived for a collection that had been rejected",
  "collection rejected × reject file → known",
  "refund batched × transfer → settled",
  "refund batched × transfer_sum → settled",
  "refund settled × transfer → known",
  "refund settled × transfer_back → unmatched",
  "collection none × lookalike → unmatched",
  "collection none × stranger → ignored",
  "collection none × pending → known",
  "collection none × accepted → known: file",
  "collection none × accepted → known: block",
  "collection none × accepted → known: transaction",
];

/** The moves of a record from state to state. */
const CHANGES = [
  "collection accepted → batched",
  "collection accepted → rejected",
  "collection accepted → fenced",
  "collection batched → accepted",
  "collection batched → settled",
  "collection batched → rejected",
  "collection settled → returned",
  "collection returned → settled",
  "collection rejected → settled",
  "collection (refund) new → refused",
  "collection (refund) accepted → batched",
  "collection (refund) batched → settled",
  "collection (refund) batched → rejected",
  "file ready → sent",
  "file ready → withdrawn",
  "file stored → sent",
  "mandate pending → active",
  "mandate pending → rejected",
  "mandate active → cancelled",
  "mandate active → expired",
  "subscription ACTIVE → PAST_DUE",
  "subscription ACTIVE → CANCELLED",
  "subscription PAST_DUE → ACTIVE",
  "subscription PAST_DUE → CANCELLED",
  "cycle pending → paid",
  "cycle pending → failed",
  "cycle pending → retry",
  "cycle pending → withdrawn",
  "cycle retry → pending",
  "cycle paid → charged_back",
  "cycle charged_back → paid",
  "unmatched collection open → applied",
  "unmatched collection open → dismissed",
  "unmatched return open → applied",
  "unmatched return open → dismissed",
  "unmatched block open → applied",
  "unmatched withdrawn_return open → applied",
  "unmatched transfer open → dismissed",
];

/** Actions of people, and faults around them. */
const REST = [
  ...["WEEKLY", "BIWEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUALLY", "YEARLY", "ONE_OFF"].map(
    (one) => `act pay ${one} completed`,
  ),
  ...["iban", "holder_name", "reference", "creditor_identifier"].map((one) => `act amend ${one}`),
  ...["creditor identifier", "notice", "account"].map((one) => `act ${one} changed 200`),
  "act refund at once 201",
  "act refund at once 409",
  "act chargebacks/ 201",
  "act transactions/ID/cancel/ 200",
  "act transactions/ID/cancel/ 409",
  "decide at once 200 409",
  "decide wrongly",
  "decide part sum_part 200",
  "file content 409",
  "file withdraw 200",
  "file camt.052 read",
  "file camt.053 known",
  "file camt.054 read",
  "file pain.002 read",
  "two tenants have equal references",
  "three years pass",
  "a renewal is debited on the day that was announced",
  "a commit is lost",
  "a commit is refused",
  ...["before_run", "stored", "before_read", "read"].map((step) => `crash at sepa.${step}`),
];

const REQUIRED: readonly string[] = [
  ...ENTRIES,
  ...CHANGES,
  ...REST,
  ...ISO_CODES.map((code) => `reason ${code}`),
];

/** Rows that only seeds from 40,000 on can reach. */
const EXTRAS: readonly string[] = [
  ...["credit", "return", "transfer", "fee"].map((one) => `two of one day in one file: ${one}`),
  "collection settled × credit_again → known",
  "collection returned × return_again → known",
  "refund settled × transfer_again → unmatched",
  "collection returned × fee_again → unmatched: a second fee with the same id",
  "act chargeback of one that is approved: in a file, made",
  "act chargeback of one that is approved: by hand, made",
  "act chargeback of one that is pending: in a file, rejected",
  "act chargeback of one that is charged_back: in a file, duplicate",
  "act chargeback of one that is charged_back: by hand, 409",
  ...["bank profile", "form of files", "lead time"].map((one) => `act ${one} changed 200`),
  ...[
    "subscription_after_chargeback",
    "subscription_after_refund",
    "closed_day",
    "retry_days",
    "pre_notification_days",
    "refund_hold_days",
  ].map((one) => `act ${one} of the merchant changed 200`),
  "collection new → fenced",
  ...[
    "POST payment-sessions/TOKEN/pay/",
    "POST management/transactions/ID/refunds/",
    "upload",
    "sepa-collect",
    "sepa-send",
    "gateway-news",
    "renew-subscriptions",
    "recover-payments",
  ].map((one) => `an instance stands still in ${one}`),
];

/** @param withExtras whether the seeds have extras. */
export function requiredOf(withExtras: boolean): readonly string[] {
  return withExtras ? [...REQUIRED, ...EXTRAS] : REQUIRED;
}

/** Rows that a run has not reached. */
export function missing({ counts }: Coverage, required: readonly string[]): readonly string[] {
  const reached = [...counts.keys()];
  return required.filter((row) => !reached.some((one) => one.startsWith(row)));
}

export function tableOf({ counts }: Coverage): string {
  const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return rows.map(([what, times]) => `${String(times).padStart(7)}  ${what}`).join("\n");
}
