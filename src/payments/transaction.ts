/** A transaction: its row with the fields of its events, its statuses, its moves on late news (docs/states.md), its references. Pure. */
import { inList } from "../db/in-list.ts";
import type { Deps } from "../deps.ts";
import { readableText, type Ids } from "../lib/ids.ts";
import { centsFromDatabase } from "../lib/money.ts";
import type { continueWork } from "../lib/trace.ts";
import type { MessageKind } from "../messages/outbox.ts";
import { ownChoice, type ReturnRules } from "../sepa/reasons.ts";
import { guardEvent, type NewEvent, type RecordFacts } from "../webhooks/events.ts";
import { recordIn, type OtherRecordFields, type TransactionRecord } from "./records.ts";

/** Fields of its record that a stored transaction has as columns of its own. */
export const STORED_FIELDS = {
  id: "id",
  merchant_transaction_id: "merchant_transaction_id",
  tenant_reference_id: "tenant_reference_id",
  type: "type",
  amount: "amount",
  currency: "currency",
  source: "source",
  order_id: "order_id",
  subscription_id: "subscription_id",
  lead_id: "lead_id",
  payment_gateway_id: "gateway_id",
  created_at: "created_at",
} as const;

/** The columns of `TRANSACTION_COLUMNS`: what is needed to process a transaction, and the rest of its record. */
export interface StoredTransaction extends OtherRecordFields<typeof STORED_FIELDS> {
  readonly id: string;
  readonly status: string;
  readonly type: string;
  readonly amount: string;
  /** The amount whose refund is certain. */
  readonly refunded: string;
  /** The refunded amount plus refunds in progress. */
  readonly refund_claimed: string;
  readonly currency: string;
  readonly merchant_transaction_id: string;
  readonly tenant_reference_id: string | null;
  readonly gateway_reference: string | null;
  readonly adapter_unique_id: string | null;
  readonly created_at: Date;
  readonly processed_at: Date | null;
  readonly updated_at: Date;
  readonly order_id: string | null;
  readonly order_number: string | null;
  /** Of the order's session. */
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly session_id: string | null;
  readonly subscription_id: string | null;
  readonly lead_id: string | null;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly country: string | null;
  readonly source: string;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly test_mode: boolean;
  /** The trace in which its attempt began. */
  readonly traceparent: string | null;
  /** The tenant's rules for reason codes. */
  readonly return_rules: ReturnRules;
}

const REFERENCE_LENGTH = 8;

/** Long enough to be unique for ever: a mandate reference is never reused (SDD rulebook). */
const MANDATE_REFERENCE_LENGTH = 16;

/** `ORD-XXXXXXXX`. */
export function orderNumber(ids: Ids): string {
  return `ORD-${ids.reference(REFERENCE_LENGTH)}`;
}

/** `TXN-YYYYMMDD-XXXXXXXX` with the day in UTC. */
export function merchantTransactionId(ids: Ids, now: Date): string {
  return `TXN-${now.toISOString().slice(0, 10).replaceAll("-", "")}-${ids.reference(REFERENCE_LENGTH)}`;
}

/** `MND-…`: only upper-case letters, digits and hyphens, which every bank accepts. */
export function mandateReference(ids: Ids): string {
  return `MND-${ids.reference(MANDATE_REFERENCE_LENGTH)}`;
}

/** The same format from unpredictable bytes, for a mandate that is shown before it is signed. */
export function mandateReferenceFrom(bytes: Buffer): string {
  return `MND-${readableText(bytes.subarray(0, MANDATE_REFERENCE_LENGTH))}`;
}

interface TracedRow {
  readonly merchant_transaction_id: string;
  readonly session_id: string | null;
  readonly traceparent: string | null;
}

/** Resumes an attempt, for `continueWork`: in the trace in which it began, with the fields by which logs identify it. */
export function attemptAsWork(
  name: string,
  tenant: number,
  { merchant_transaction_id, session_id, traceparent }: TracedRow,
): Parameters<typeof continueWork>[0] {
  const subject = { tenant, merchant_transaction_id, ...(session_id === null ? {} : { session_id }) };
  return { name, parent: traceparent, subject };
}

/** What a gateway reports about a transaction after its payment. */
type Notice = "settled" | "returned" | "charged_back" | "reinstated";

/**
 * settle: the money arrived · fail: it never arrived · charge_back: it arrived and was taken back · reinstate: it
 * arrived after all, which only a person records · stay: already known, or overtaken · contradiction: money moved in a
 * way that the record excludes, so a person has to look.
 */
type Move = "settle" | "fail" | "charge_back" | "reinstate" | "stay" | "contradiction";

/** Statuses with a known outcome. A notice about any other status has to be reported again. */
type KnownStatus = "pending" | "approved" | "declined" | "refunded" | "charged_back";

type Moves = Readonly<Record<KnownStatus, Move>>;

const PAYMENT_MOVES: Readonly<Record<Notice, Moves>> = {
  settled: {
    pending: "settle",
    approved: "stay",
    declined: "contradiction",
    refunded: "stay",
    charged_back: "stay",
  },
  returned: {
    pending: "fail",
    approved: "charge_back",
    declined: "stay",
    refunded: "charge_back",
    charged_back: "stay",
  },
  charged_back: {
    pending: "charge_back",
    approved: "charge_back",
    declined: "contradiction",
    refunded: "charge_back",
    charged_back: "stay",
  },
  reinstated: {
    pending: "settle",
    approved: "stay",
    declined: "reinstate",
    refunded: "stay",
    charged_back: "reinstate",
  },
};

/** A refund is never refunded or charged back itself. */
const REFUND_MOVES: Readonly<Record<Notice, Moves>> = {
  settled: {
    pending: "settle",
    approved: "stay",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  returned: {
    pending: "fail",
    approved: "contradiction",
    declined: "stay",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  charged_back: {
    pending: "contradiction",
    approved: "contradiction",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
  reinstated: {
    pending: "contradiction",
    approved: "contradiction",
    declined: "contradiction",
    refunded: "contradiction",
    charged_back: "contradiction",
  },
};

/** The status if its outcome is known; null while it is open. */
export function knownStatus(status: string): KnownStatus | null {
  switch (status) {
    case "pending":
    case "approved":
    case "declined":
    case "refunded":
    case "charged_back":
      return status;
    default:
      return null;
  }
}

/**
 * The move for a notice.
 * @param type the transaction's.
 */
export function moveOf(type: string, status: KnownStatus, notice: Notice): Move {
  return (type === "sdd_refund" ? REFUND_MOVES : PAYMENT_MOVES)[notice][status];
}

/** What an outcome reports about a transaction besides its status. */
type Reported = Pick<StoredTransaction, "gateway_reference" | "adapter_unique_id" | "processed_at">;

/** Its record with the given status. */
export function recordOf(row: StoredTransaction, status: string, updatedAt: Date): TransactionRecord {
  return recordAfter(recordIn(row, STORED_FIELDS), row, status, updatedAt);
}

/** The record of a transaction after an outcome. */
export function recordAfter(
  record: ReturnType<typeof recordIn>,
  reported: Reported,
  status: string,
  updatedAt: Date,
): TransactionRecord {
  return {
    ...record,
    transaction_id: reported.gateway_reference,
    // For gateways with a second reference; null means the same one.
    adapter_unique_id: reported.adapter_unique_id ?? reported.gateway_reference,
    date_processed: reported.processed_at,
    status,
    updated_at: updatedAt,
  };
}

/** The message to the customer when a payment's money has arrived; none for a mandate alone. */
export function receiptOf(status: string, amount: string): readonly MessageKind[] {
  return status === "approved" && centsFromDatabase(amount) > 0 ? ["receipt"] : [];
}

/** The fields of its events besides its record. */
export function recordFacts(
  deps: Pick<Deps, "environment">,
  row: Pick<StoredTransaction, "test_mode" | "tenant_reference_id" | "order_number" | "metadata">,
): RecordFacts {
  return {
    livemode: livemode(deps, row),
    tenantReferenceId: row.tenant_reference_id,
    orderNumber: row.order_number,
    metadata: row.metadata,
  };
}

/** Whether live money moves: only in production, at a gateway that is not in test mode (contract: Live mode). */
export function livemode(
  { environment }: Pick<Deps, "environment">,
  gateway: { readonly test_mode: boolean },
): boolean {
  return environment === "production" && !gateway.test_mode;
}

/**
 * The event fields for a return or rejection that followed the tenant's own rule instead of the default
 * (docs/guards.md, Return codes).
 * @param code the bank's.
 */
export function returnRuleEvents(
  deps: Pick<Deps, "environment" | "ids">,
  row: StoredTransaction,
  code: string | null,
): readonly NewEvent[] {
  const action = ownChoice(code, row.return_rules);
  if (action === null) return [];
  const guard = { kind: "return_rule", transaction_id: row.id, code, action } as const;
  return [guardEvent(deps.ids.uuid(), recordFacts(deps, row), guard)];
}

/** The statuses that callers see. */
export const SHOWN_STATUSES = ["pending", "approved", "declined", "refunded", "charged_back"] as const;
export const TRANSACTION_TYPES = ["sdd_sale", "sdd_rebill", "sdd_refund", "other_type"] as const;

/** A status as callers see it: `pending` until the outcome is known (contract: Unknown outcomes). */
export function shownStatus(status: string): string {
  return isOpen(status) ? "pending" : status;
}

/** Statuses without a recorded outcome; recovery asks their gateway. The schema's checks and indexes name them too. */
export const OPEN_STATUSES = ["submitted", "unresolved", "awaiting_verification", "verifying"] as const;

/** The same, for `in`. */
export const OPEN_IN_SQL = inList(OPEN_STATUSES);

/** Those of them that wait for the gateway's answer, not for the customer. */
export const RESOLVABLE_STATUSES = [
  "submitted",
  "verifying",
  "unresolved",
] as const satisfies readonly (typeof OPEN_STATUSES)[number][];

/** The same, for `in`. */
export const RESOLVABLE_IN_SQL = inList(RESOLVABLE_STATUSES);

export function isOpen(status: string): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}
