/** Transactions and chargebacks as they are shown outside: the contract's reconciliation records, the IBAN masked. Pure. */
import { maskedIban } from "../banking/iban.ts";

/** A record's fields: text and null only, so that it has one canonical form. */
export type OutsideRecord = Readonly<Record<string, string | null>>;

/** What a transaction's record is made from. */
export interface TransactionFacts {
  readonly id: string;
  readonly merchantTransactionId: string;
  readonly gatewayReference: string | null;
  readonly tenantReferenceId: string | null;
  readonly status: string;
  readonly type: string;
  /** With two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly processedAt: Date | null;
  readonly ibanCountry: string | null;
  readonly ibanLast4: string | null;
  readonly bic: string | null;
  readonly mandateReference: string | null;
  readonly mandateAcceptedAt: Date | null;
  readonly source: string;
  readonly orderId: string | null;
  readonly subscriptionId: string | null;
  readonly leadId: string | null;
  readonly gatewayId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Contract, transaction record. */
export function transactionRecord(facts: TransactionFacts): OutsideRecord {
  return {
    id: facts.id,
    adapter_unique_id: facts.gatewayReference,
    merchant_transaction_id: facts.merchantTransactionId,
    transaction_id: facts.gatewayReference,
    tenant_reference_id: facts.tenantReferenceId,
    status: facts.status,
    type: facts.type,
    amount: facts.amount,
    currency: facts.currency,
    date_processed: iso(facts.processedAt),
    iban: masked(facts),
    bic: facts.bic,
    customer_email_csv: null,
    customer_name_csv: null,
    mandate_reference_id: facts.mandateReference,
    mandate_date: iso(facts.mandateAcceptedAt),
    source: facts.source,
    order_id: facts.orderId,
    subscription_id: facts.subscriptionId,
    lead_id: facts.leadId,
    payment_gateway_id: facts.gatewayId,
    created_at: iso(facts.createdAt),
    updated_at: iso(facts.updatedAt),
  };
}

/** What a chargeback's record has beside its transaction. */
export interface ChargebackFacts {
  readonly id: string;
  readonly reportDate: Date;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  readonly source: string;
  /** With two decimals; null for the transaction's own. */
  readonly amount: string | null;
  readonly bankFee: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly at: Date;
}

/** Contract, chargeback record. */
export function chargebackRecord(chargeback: ChargebackFacts, transaction: TransactionFacts): OutsideRecord {
  return {
    id: chargeback.id,
    adapter_unique_id: transaction.gatewayReference,
    merchant_transaction_id: transaction.merchantTransactionId,
    tenant_reference_id: transaction.tenantReferenceId,
    status: "charged_back",
    type: "chargeback",
    amount: chargeback.amount ?? transaction.amount,
    currency: transaction.currency,
    report_date: iso(chargeback.reportDate),
    transaction_date: iso(transaction.processedAt),
    reason_code: chargeback.reasonCode,
    reason_message: chargeback.reasonMessage,
    report_type: null,
    report_message: null,
    report_info: null,
    arn: null,
    iban: masked(transaction),
    bic: transaction.bic,
    email: chargeback.email,
    country: chargeback.country,
    source: chargeback.source,
    cb_bank_fee: chargeback.bankFee,
    transaction_id: transaction.id,
    lead_id: transaction.leadId,
    payment_gateway_id: transaction.gatewayId,
    created_at: iso(chargeback.at),
    updated_at: iso(chargeback.at),
  };
}

function masked({ ibanCountry, ibanLast4 }: TransactionFacts): string | null {
  return ibanCountry === null || ibanLast4 === null ? null : maskedIban(ibanCountry, ibanLast4);
}

function iso(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
