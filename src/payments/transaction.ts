/** A stored transaction with the fields of its events. Pure. */
import { inList } from "../db/in-list.ts";
import type { Deps } from "../deps.ts";
import { livemode } from "../gateways/livemode.ts";
import type { RecordFacts } from "../webhooks/events.ts";
import type { TransactionFacts } from "./records.ts";

/** The columns of `TRANSACTION_COLUMNS`. */
export interface StoredTransaction {
  readonly id: string;
  readonly status: string;
  readonly type: string;
  readonly amount: string;
  /** What is given back of it for certain. */
  readonly refunded: string;
  /** That, and what is about to be. */
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
  readonly iban_last4: string | null;
  readonly iban_country: string | null;
  readonly mandate_reference: string | null;
  readonly mandate_accepted_at: Date | null;
  readonly bic: string | null;
}

/** A status as callers see it: `pending` while the end is open (contract: Unknown outcomes). */
export function shownStatus(status: string): string {
  return isOpen(status) ? "pending" : status;
}

/** The outcome of these is not recorded yet, and the gateway will be asked. The schema's checks and indexes name them too. */
export const OPEN_STATUSES = ["submitted", "unresolved", "awaiting_verification", "verifying"] as const;

/** The same, for `in`. */
export const OPEN_IN_SQL = inList(OPEN_STATUSES);

export function isOpen(status: string): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}

/** The fields of its events besides its record. */
export function recordFacts(
  deps: Pick<Deps, "environment">,
  row: Pick<StoredTransaction, "test_mode" | "tenant_reference_id" | "order_number">,
): RecordFacts {
  return {
    livemode: livemode(deps, row),
    tenantReferenceId: row.tenant_reference_id,
    orderNumber: row.order_number,
  };
}

/** What its record is made from, once its status is `status`. */
export function factsOf(row: StoredTransaction, status: string, updatedAt: Date): TransactionFacts {
  return {
    id: row.id,
    merchantTransactionId: row.merchant_transaction_id,
    gatewayReference: row.gateway_reference,
    adapterUniqueId: row.adapter_unique_id,
    tenantReferenceId: row.tenant_reference_id,
    status,
    type: row.type,
    amount: row.amount,
    currency: row.currency,
    processedAt: row.processed_at,
    ibanCountry: row.iban_country,
    ibanLast4: row.iban_last4,
    bic: row.bic,
    mandateReference: row.mandate_reference,
    mandateAcceptedAt: row.mandate_accepted_at,
    source: row.source,
    orderId: row.order_id,
    subscriptionId: row.subscription_id,
    leadId: row.lead_id,
    gatewayId: row.gateway_id,
    createdAt: row.created_at,
    updatedAt,
  };
}
