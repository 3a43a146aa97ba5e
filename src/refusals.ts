/** Every refusal with its status and message: one table, checked by the compiler and rendered by http/errors.ts. */

const REFUSALS = {
  malformed_json: [400, "The request body is not valid JSON."],
  unreadable_request: [400, "The request could not be read."],
  unauthorized: [401, "Authentication credentials were not provided or are invalid."],
  scope_missing: [403, "This API key does not have the scope that this endpoint needs."],
  not_found: [404, "Not found."],
  method_not_allowed: [405, "Method not allowed."],
  too_slow: [408, "The request took too long to arrive."],
  payment_in_progress: [409, "A payment attempt is already in progress."],
  tenant_reference_taken: [409, "tenant_reference_id already in use for this tenant"],
  creditor_unidentified: [
    409,
    "This live account cannot collect because it has no creditor identifier. Set one on the gateway or the tenant.",
  ],
  campaign_stopped: [409, "This campaign was stopped because too many of its payments were returned."],
  duplicate_payment: [
    409,
    "This customer has paid the same amount in the last 24 hours. Send confirm_duplicate: true to pay it again.",
  ],
  lead_has_active_session: [
    409,
    "This lead already has an active session. Cancel the existing session or use a different email.",
  ],
  verification_not_expected: [409, "This session is not awaiting verification."],
  verification_awaited: [409, "This session is awaiting verification. Verify it before paying again."],
  not_refundable: [409, "This transaction cannot be refunded."],
  transaction_charged_back: [
    409,
    "This transaction was returned or charged back: a refund would return the money twice.",
  ],
  refund_not_held: [409, "This refund is not held: it was already sent or has ended."],
  not_cancellable: [409, "This transaction can no longer be cancelled."],
  refunds_not_supported: [409, "The gateway of this transaction does not support refunds."],
  not_chargeable: [409, "This transaction cannot be charged back."],
  session_completed: [409, "This session is completed and cannot be cancelled."],
  payment_link_in_use: [409, "Another customer is paying with this link at the moment. Try again shortly."],
  idempotency_in_progress: [409, "A request with this Idempotency-Key is still being processed."],
  record_in_use: [409, "This record is in use."],
  already_exists: [409, "A record with this value already exists."],
  unmatched_resolved: [409, "This entry has already been resolved."],
  unmatched_not_applicable: [
    409,
    "An entry of this kind cannot be applied to a transaction: handle it by hand and dismiss it.",
  ],
  file_not_to_approve: [409, "This file is not waiting for approval."],
  file_approved_before: [409, "You have already approved this file. Another person must approve it as well."],
  file_held_back: [409, "This file must not be sent to the bank."],
  file_not_withdrawable: [
    409,
    "This file was sent, or may have been sent, and cannot be withdrawn. Ask the bank to stop it.",
  ],
  file_not_unclear: [409, "This file is not awaiting confirmation."],
  file_sent_again: [
    409,
    "This file was sent again since. Ask the bank about the last upload, and decide about that one.",
  ],
  ebics_not_now: [409, "The account's EBICS user is not in a state that allows this."],
  ebics_refused: [409, "The bank's EBICS host refused this or did not answer."],
  file_not_ready: [409, "This file is not waiting to be delivered by hand."],
  not_collectable: [409, "This subscription cannot be collected now."],
  subscription_ended: [409, "This subscription has ended or is about to end."],
  mandate_not_active: [409, "This mandate is not active."],
  wallet_presentation_kept: [409, "This mandate already has another presentation."],
  mandate_not_b2b: [409, "Only a mandate between businesses (B2B) is confirmed by the debtor's bank."],
  mandate_reference_taken: [409, "This mandate reference is or was in use. References cannot be reused."],
  customer_erased: [409, "The customer of this payment was erased."],
  too_many_views: [
    409,
    "A list can have at most 50 views per person and 100 for the company. Delete one first.",
  ],
  customer_in_use: [409, "A session, payment or other record of this customer is still open."],
  evidence_kept: [409, "A mandate of this customer must be kept as evidence."],
  session_closed: [410, "Session expired or completed"],
  payment_link_closed: [410, "This payment link no longer accepts payments."],
  payload_too_large: [413, "The request body is too large."],
  unsupported_media_type: [415, "Unsupported media type. Send application/json."],
  idempotency_mismatch: [422, "This Idempotency-Key was used with another request."],
  throttled: [429, "Request was throttled."],
  internal: [500, "Internal server error."],
  unavailable: [503, "The service is temporarily unavailable. Try again shortly."],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

/** The answer's `code`: a name that programs may rely on, so it is never changed. */
export type RefusalKind = keyof typeof REFUSALS;
export const REFUSAL_KINDS = Object.keys(REFUSALS) as readonly RefusalKind[];

interface RefusalOptions {
  /** Replaces the table's message with a more specific one. */
  readonly detail?: string;
  /** Seconds for the Retry-After header. */
  readonly retryAfter?: number;
  /** The error that it stands for, where a caller has to know. */
  readonly cause?: unknown;
  /** Fields of the response besides `detail` and `status_code`. */
  readonly more?: Readonly<Record<string, string>>;
}

/** An expected refusal: thrown anywhere, rendered in one place. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly status: number;
  readonly detail: string;
  readonly retryAfter: number | null;
  readonly more: Readonly<Record<string, string>>;

  constructor(kind: RefusalKind, options: RefusalOptions = {}) {
    super(kind, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Refusal";
    this.kind = kind;
    this.status = REFUSALS[kind][0];
    this.detail = options.detail ?? REFUSALS[kind][1];
    this.retryAfter = options.retryAfter ?? null;
    this.more = options.more ?? {};
  }
}

/** A limit of a tenant's on payments, accounts or mistyped accounts is reached: nothing was passed on to a bank. */
export class TooManyTries extends Refusal {
  /** @param retryAfter seconds. */
  constructor(retryAfter: number) {
    const detail = `Request was throttled. Expected available in ${retryAfter} seconds.`;
    super("throttled", { detail, retryAfter });
  }
}

/** A record was changed after the author of another change had seen it. */
export function changedMeanwhile(): Refusal {
  return new Refusal("record_in_use", {
    detail: "This record was changed in the meantime. Check it and try again.",
  });
}

/** Whether what was asked cannot be reached at the moment: asking again may help. */
export function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.kind === "unavailable";
}

/** Messages per field, nested as the request is nested (contract: Field errors). */
export type FieldMessages = { readonly [field: string]: readonly string[] | FieldMessages };

/** The 400 with one list of messages per field. */
export class FieldErrors extends Error {
  readonly fields: FieldMessages;

  constructor(fields: FieldMessages) {
    super("field errors");
    this.name = "FieldErrors";
    this.fields = fields;
  }
}
