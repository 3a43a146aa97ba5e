/** The payment result envelope: every documented key in every answer, null where there is no source (contract: Result envelope). Pure. */
import type { Deps } from "../deps.ts";
import { type DeclineCode, defaultMessage } from "../sepa/reasons.ts";
import { must } from "../lib/assert.ts";
import { formatAmount } from "../lib/money.ts";
import { sessionToken } from "../tenants/signed-address.ts";
import { livemode, shownStatus } from "../payments/transaction.ts";
import { billingTermsOf, firstAmount } from "../subscriptions/subscription.ts";
import { mayRetry, type TransactionStatus } from "./session.ts";
import type { AttemptRow } from "./attempt-store.ts";

/** The message for an attempt with an unknown outcome (contract: Unknown outcomes). */
export const UNRESOLVED_MESSAGE =
  "The payment gateway gave no definite answer. The outcome is being determined; do not pay again.";

type ResultStatus = "completed" | "awaiting_verification" | "declined" | "failed";

export interface PaymentResult {
  readonly object: "payment_session.result";
  readonly session_token: string;
  readonly status: ResultStatus;
  readonly livemode: boolean;
  readonly created_at: string | null;
  readonly processed_at: string | null;
  readonly order_number: string | null;
  readonly verification_url: string | null;
  readonly error: string | null;
  readonly retry_allowed: boolean | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly transaction: object | null;
  readonly order: object | null;
  readonly subscription: object | null;
  readonly lead: object | null;
  readonly payment_method: object;
  readonly sepa: object;
  readonly adapter: { readonly name: string };
  readonly payment_gateway: object | null;
  readonly error_details: ErrorDetails | null;
}

interface ErrorDetails {
  readonly code: DeclineCode;
  readonly message: string;
  readonly gateway_code: string | null;
  readonly gateway_message: string | null;
}

interface Rendering {
  /**
   * Which endpoint answers: a failed verification is `failed` even when another attempt is allowed (contract: Verify).
   */
  readonly by: "pay" | "verify";
  readonly retryAllowed: boolean;
}

/** The envelope of an attempt in its current state. */
export function resultOf(
  deps: Pick<Deps, "adapters" | "environment" | "keys">,
  tenant: number,
  attempt: AttemptRow,
  rendering: Rendering,
): PaymentResult {
  const status = resultStatus(must(attempt.transaction_status, "an attempt"), rendering);
  const error = status === "declined" || status === "failed" ? errorDetails(attempt) : null;
  return {
    ...around(deps, tenant, attempt),
    status,
    error_details: error,
    error: error?.message ?? null,
    retry_allowed: status === "completed" && rendering.by === "verify" ? null : rendering.retryAllowed,
    verification_url: status === "awaiting_verification" ? attempt.verification_url : null,
    created_at: attempt.transaction_created_at?.toISOString() ?? null,
    processed_at: attempt.processed_at?.toISOString() ?? null,
    amount: attempt.transaction_amount,
    transaction: transactionBlock(attempt),
    payment_method: paymentMethod(attempt),
    sepa: {
      mandate_reference: attempt.mandate_reference,
      sequence_type: attempt.sequence_type,
      creditor_identifier: null,
    },
  };
}

/** The envelope for an IBAN that cannot be debited: no transaction was made (contract: Invalid IBANs). */
export function refusedIbanResult(
  deps: Pick<Deps, "adapters" | "environment" | "keys" | "time">,
  tenant: number,
  session: AttemptRow,
  holderName: string,
  { code, message }: { readonly code: DeclineCode; readonly message: string },
): PaymentResult {
  return {
    ...around(deps, tenant, session),
    status: "declined",
    error_details: { code, message, gateway_code: null, gateway_message: null },
    error: message,
    retry_allowed: mayRetry(session, deps.time.now(tenant)),
    verification_url: null,
    created_at: null,
    processed_at: null,
    amount: formatAmount(firstAmount(billingTermsOf({ ...session, amount: session.session_amount }))),
    transaction: null,
    payment_method: {
      type: "sepa_debit",
      iban_last4: null,
      iban_country: null,
      bic: null,
      bank_name: null,
      holder_name: holderName,
    },
    sepa: { mandate_reference: null, sequence_type: null, creditor_identifier: null },
  };
}

function resultStatus(status: TransactionStatus, { by, retryAllowed }: Rendering): ResultStatus {
  switch (status) {
    case "approved":
    case "pending":
    case "refunded":
    case "charged_back":
      return "completed";
    case "awaiting_verification":
    case "verifying":
      return "awaiting_verification";
    case "declined":
      return by === "pay" && retryAllowed ? "declined" : "failed";
    case "submitted":
    case "unresolved":
      return "failed";
  }
}

function errorDetails(attempt: AttemptRow): ErrorDetails {
  const code = attempt.error_code ?? "gateway_unavailable";
  return {
    code,
    message:
      attempt.transaction_status === "submitted"
        ? UNRESOLVED_MESSAGE
        : (attempt.error_message ?? defaultMessage(code)),
    gateway_code: attempt.gateway_code,
    gateway_message: attempt.gateway_message,
  };
}

/** The keys that do not depend on the attempt. */
function around(deps: Pick<Deps, "adapters" | "environment" | "keys">, tenant: number, row: AttemptRow) {
  const address = { tenant, sessionId: row.session_id };
  return {
    object: "payment_session.result",
    session_token: sessionToken(deps.keys, row.token_key_id, address),
    livemode: livemode(deps, row),
    order_number: row.order_number,
    currency: row.currency,
    order: { id: row.order_id, order_number: row.order_number, status: row.order_status },
    subscription: subscriptionBlock(row),
    lead: { id: row.lead_id },
    adapter: { name: must(deps.adapters.get(row.adapter), `adapter ${row.adapter}`).displayName },
    payment_gateway: {
      id: row.gateway_id,
      name: row.gateway_name,
      descriptor: row.descriptor,
      test_mode: row.test_mode,
    },
  } as const;
}

function subscriptionBlock(row: AttemptRow): object | null {
  if (row.subscription_id === null) return null;
  return {
    id: row.subscription_id,
    status: row.subscription_status,
    billing_frequency: row.subscription_frequency,
    next_billing_date: row.next_billing_date,
  };
}

function transactionBlock(attempt: AttemptRow): object {
  return {
    id: attempt.transaction_id,
    merchant_transaction_id: attempt.merchant_transaction_id,
    gateway_reference: attempt.gateway_reference,
    tenant_reference_id: attempt.tenant_reference_id,
    status: shownStatus(must(attempt.transaction_status, "an attempt")),
    type: attempt.transaction_type,
  };
}

function paymentMethod(attempt: AttemptRow): object {
  return {
    type: "sepa_debit",
    iban_last4: attempt.iban_last4,
    iban_country: attempt.iban_country,
    bic: attempt.bic,
    bank_name: attempt.bank_name,
    holder_name: attempt.holder_name,
  };
}
