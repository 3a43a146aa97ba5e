/** Pay: claim the attempt, ask the gateway, record the outcome. No customer is debited twice, and no outcome is guessed. */
import { checkIban, DOCUMENTATION_IBAN, isDocumentationIban } from "../sepa/iban.ts";
import type { DeclineCode } from "../sepa/reasons.ts";
import type { Deps } from "../deps.ts";
import type { Reader } from "../db/database.ts";
import { customerAddress, type CallParts, CLAIM_MS, instruct } from "../gateways/calling.ts";
import type { Collection, Outcome } from "../gateways/gateway.ts";
import { centsFromDatabase } from "../lib/money.ts";
import { paymentUrl } from "../tenants/signed-address.ts";
import { accountOf, fingerprintsOf } from "../mandates/account.ts";
import { BLOCKED_ACCOUNT, isAccountBlocked } from "../mandates/blocked-store.ts";
import { identifierProblem, type Creditor } from "../mandates/creditor.ts";
import { identifierOfTenant } from "../gateways/records/creditor-store.ts";
import { later } from "../lib/clock.ts";
import { addSubject, traced } from "../lib/trace.ts";
import { merchantTransactionId, mandateReference } from "../payments/transaction.ts";
import { brokenConstraint, withFreshReference } from "../db/constraints.ts";
import { Refusal } from "../refusals.ts";
import { refusedIbanResult, resultOf, type PaymentResult } from "./envelope.ts";
import { countInvalidIban, limitReached } from "./limits.ts";
import { reserveUseAgain } from "./links/use.ts";
import { isReferenceTaken, releaseReference } from "../payments/attempt/store.ts";
import { isCampaignStopped } from "./campaigns/stop-store.ts";
import { duplicateRefusal } from "./duplicate.ts";
import { isReinstated } from "./repay/store.ts";
import { whyNotPayable } from "./refuse.ts";
import { mayRetry } from "./session.ts";
import { recordOutcome, type RecordParts } from "./record-outcome.ts";
import { type AttemptRow, claim, type PaymentClaim, findAttempt, type OpenAttempt } from "./attempt-store.ts";

const USER_AGENT_CHARS_MAX = 500;

export interface PayInput {
  readonly tenant: number;
  readonly sessionId: string;
  /** The attempt's id: repeating the operation finds the attempt that it made. */
  readonly attemptId: string;
  readonly iban: string;
  readonly holderName: string;
  readonly tenantReferenceId: string | null;
  /** The customer confirms a payment that looks like a repetition. */
  readonly confirmsDuplicate: boolean;
  /** The caller's address, behind trusted proxies. */
  readonly clientIp: string;
  /** The caller's User-Agent. */
  readonly userAgent: string | null;
  readonly source: "api_submission" | "hosted_page";
  /** The customer's browser on a page of the service, where accounts are counted per browser; otherwise null. */
  readonly device: string | null;
  readonly acceptanceMode: "checkbox" | "IMPLICIT";
  /** Which mandate text the customer accepted. */
  readonly textVersion: string;
  /** The creditor that the customer was shown; null where the merchant shows the mandate. */
  readonly creditorShown: Creditor | null;
  /** The reference that the customer was shown; null draws one. */
  readonly mandateReference: string | null;
}

/** The dependencies of a payment's steps. */
export type PayParts = Pick<Deps, "reached"> &
  RecordParts &
  Parameters<typeof refuseIban>[0] &
  Parameters<typeof openWithReference>[0] &
  Parameters<typeof collect>[0] &
  Parameters<typeof resultOf>[0];

type CheckedIban = Extract<ReturnType<typeof checkIban>, { readonly valid: true }>;

/**
 * Submits a payment for a session (contract: Paying).
 * The attempt is claimed in one statement, the gateway is asked with no transaction open, and the outcome is recorded
 * with the session, order, mandate and events. An outcome that is uncertain is `unresolved`: the session stays held
 * until recovery learns it, so that no customer is debited twice. The amount is the session's. An IBAN that cannot be
 * debited uses no attempt and gets a `declined` result. Repeating an operation that made its attempt asks the gateway
 * nothing and returns that attempt as it is now.
 * @returns the result envelope, also for a declined payment.
 * @throws Refusal not_found, session_closed, payment_in_progress, verification_awaited, tenant_reference_taken,
 * throttled, duplicate_payment, campaign_stopped, creditor_unidentified, payment_link_closed, payment_link_in_use.
 */
export async function pay(deps: PayParts, input: PayInput): Promise<PaymentResult> {
  const iban = checkIban(input.iban);
  if (!iban.valid) return refuseIban(deps, input, iban.message);
  if (!iban.sepa) return refuseIban(deps, input, "The IBAN belongs to a country outside SEPA.");
  const attempt = await traced("payment claim", "internal", {}, () => openWithReference(deps, input, iban));
  if ("refused" in attempt) return refuseIban(deps, input, attempt.refused, attempt.code);
  if ("made" in attempt) {
    const retryAllowed = mayRetry(attempt.made, deps.time.now(input.tenant));
    return resultOf(deps, input.tenant, attempt.made, { by: "pay", retryAllowed });
  }
  addSubject({ merchant_transaction_id: attempt.merchant_transaction_id });
  deps.reached("pay.claimed");
  const outcome = await collect(deps, input.tenant, attempt, iban.iban);
  deps.reached("pay.collected");
  const recorded = await recordOutcome(deps, input.tenant, attempt, outcome);
  deps.reached("pay.recorded");
  return resultOf(deps, input.tenant, recorded.attempt, { by: "pay", retryAllowed: recorded.retryAllowed });
}

/**
 * The result for an IBAN that cannot be debited: the gateway is not asked and no attempt is used (contract: Invalid
 * IBANs).
 */
async function refuseIban(
  deps: Parameters<typeof countInvalidIban>[0] & Pick<Deps, "adapters" | "keys">,
  input: PayInput,
  message: string,
  code: DeclineCode = "invalid_iban",
): Promise<PaymentResult> {
  const session = await findAttempt(deps.db, input.tenant, input.sessionId);
  const refusal = whyNotPayable(session, deps.time.now(input.tenant));
  if (session === null || refusal !== null) throw refusal ?? new Refusal("not_found");
  await countInvalidIban(deps, input);
  return refusedIbanResult(deps, input.tenant, session, input.holderName, { code, message });
}

/** Why an existing account is not debited. */
interface RefusedAccount {
  readonly refused: string;
  readonly code: DeclineCode;
}

/** The attempt that an earlier run of the same operation made. */
interface MadeBefore {
  readonly made: AttemptRow;
}

async function madeBefore(
  { db }: Pick<Deps, "db">,
  { tenant, sessionId, attemptId }: PayInput,
): Promise<MadeBefore | null> {
  const made = await findAttempt(db, tenant, sessionId, attemptId);
  return made === null || made.transaction_id === null ? null : { made };
}

/** Claims the payment with the merchant's reference, or the one that its session has reserved. */
async function openWithReference(
  deps: Parameters<typeof open>[0],
  input: PayInput,
  iban: CheckedIban,
): Promise<OpenAttempt | RefusedAccount | MadeBefore> {
  const { tenant, sessionId } = input;
  try {
    return await open(deps, input, iban);
  } catch (error) {
    // An earlier, declined attempt of this session holds the reference that the session reserves.
    const takesReserved =
      input.tenantReferenceId === null && error instanceof Refusal && error.kind === "tenant_reference_taken";
    const before = takesReserved ? await madeBefore(deps, input) : null;
    if (before !== null) return before;
    if (!takesReserved || !(await releaseReference(deps.db, tenant, sessionId, deps.time.now(tenant))))
      throw error;
    return open(deps, input, iban);
  }
}

async function open(
  deps: Parameters<typeof refuse>[0] & Pick<Deps, "banks" | "reached">,
  input: PayInput,
  iban: CheckedIban,
): Promise<OpenAttempt | RefusedAccount | MadeBefore> {
  deps.reached("pay.before_claim");
  const given = input.mandateReference !== null;
  const unique = [
    "transactions_one_per_merchant_transaction_id",
    ...(given ? [] : ["mandates_one_per_reference"]),
  ];
  try {
    const claimOnce = () => withFreshReference(unique, () => claim(deps.db, claimInput(deps, input, iban)));
    const attempt = await claimOnce();
    if (attempt !== null) return attempt;
    const before = await madeBefore(deps, input);
    if (before !== null) return before;
    const { tenant, sessionId, tenantReferenceId: reference } = input;
    if (reference !== null && (await isReferenceTaken(deps.db, tenant, sessionId, reference)))
      throw new Refusal("tenant_reference_taken");
    const session = await findAttempt(deps.db, tenant, sessionId);
    // Only sessions of payment links need a use.
    const isOfLink = session !== null && session.payment_link_id !== null;
    const lacked = isOfLink && (await reserveUseAgain(deps, tenant, sessionId));
    if (!lacked) return await refuse(deps, input, iban.iban, session, "payment_in_progress");
    const again = await claimOnce();
    if (again !== null) return again;
    // Its use may have been taken by another customer since.
    const now = await findAttempt(deps.db, tenant, sessionId);
    return await refuse(deps, input, iban.iban, now, "payment_link_in_use");
  } catch (error) {
    const before = brokenConstraint(error) === "transactions_pkey" ? await madeBefore(deps, input) : null;
    if (before !== null) return before;
    // The signed mandate was submitted before: this is a second click.
    if (given && brokenConstraint(error) === "mandates_one_per_reference")
      throw new Refusal("payment_in_progress", { retryAfter: 1 });
    throw error;
  }
}

/**
 * Why the claim failed, if the account is the reason.
 * @throws Refusal for any other reason.
 * @param overtaken the refusal if another payment came first and nothing else is in the way.
 */
async function refuse(
  deps: Parameters<typeof limitReached>[0] & Pick<Deps, "keys">,
  input: PayInput,
  iban: string,
  session: AttemptRow | null,
  overtaken: "payment_in_progress" | "payment_link_in_use",
): Promise<RefusedAccount> {
  const { tenant } = input;
  const fingerprints = deps.keys.fingerprints(tenant, iban);
  const unpayable = whyNotPayable(session, deps.time.now(tenant));
  if (unpayable === null && session?.test_mode === false && isDocumentationIban(iban))
    return { refused: DOCUMENTATION_IBAN, code: "invalid_iban" };
  if (unpayable === null && session !== null && (await isUnidentified(deps.db, tenant, session)))
    throw new Refusal("creditor_unidentified");
  if (unpayable === null && (await isAccountBlocked(deps.db, tenant, fingerprints)))
    return { refused: BLOCKED_ACCOUNT, code: "do_not_honor" };
  // The other payment may have ended between the two statements; this one was still the second.
  throw (
    unpayable ??
    ((await isReinstated(deps.db, tenant, input.sessionId)) ? new Refusal("session_closed") : null) ??
    ((await isCampaignStopped(deps.db, tenant, session?.campaign_id ?? null))
      ? new Refusal("campaign_stopped")
      : null) ??
    (await limitReached(deps, input, fingerprints[0], session)) ??
    (session === null || input.confirmsDuplicate
      ? null
      : await duplicateRefusal(deps, tenant, session, fingerprints)) ??
    new Refusal(overtaken, { retryAfter: 1 })
  );
}

/** The account's creditor identifier may have been removed since the session was created. */
async function isUnidentified(db: Reader, tenant: number, session: AttemptRow): Promise<boolean> {
  const { test_mode, settings } = session;
  return !test_mode && identifierProblem(test_mode, settings, await identifierOfTenant(db, tenant)) !== null;
}

function claimInput(
  deps: Pick<Deps, "banks" | "ids" | "keys" | "time">,
  input: PayInput,
  iban: CheckedIban,
): PaymentClaim {
  const now = deps.time.now(input.tenant);
  const mandateId = deps.ids.uuid();
  const account = accountOf(deps, input.tenant, mandateId, iban);
  return {
    tenant: input.tenant,
    sessionId: input.sessionId,
    now,
    resolveAt: later(now, CLAIM_MS),
    transactionId: input.attemptId,
    merchantTransactionId: merchantTransactionId(deps.ids, now),
    tenantReferenceId: input.tenantReferenceId,
    clientIp: input.clientIp,
    userAgent: input.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    source: input.source,
    device: input.device,
    mandateId,
    mandateReference: input.mandateReference ?? mandateReference(deps.ids),
    acceptanceMode: input.acceptanceMode,
    textVersion: input.textVersion,
    confirmsDuplicate: input.confirmsDuplicate,
    creditorShown: input.creditorShown,
    holderName: input.holderName,
    ibanSealed: account.iban_sealed,
    ibanFingerprint: account.iban_fingerprint,
    ibanFingerprints: fingerprintsOf(deps, { tenant: input.tenant, id: mandateId, ...account }),
    ibanLast4: account.iban_last4,
    ibanCountry: account.iban_country,
    ibanLength: account.iban_length,
    isDocumentationIban: isDocumentationIban(iban.iban),
    bic: account.bic,
    bankName: account.bank_name,
  };
}

/** The middle step: sends the instruction of the claimed attempt, with no transaction open. */
function collect(
  deps: CallParts & Pick<Deps, "log" | "publicUrl">,
  tenant: number,
  attempt: OpenAttempt,
  iban: string,
): Promise<Outcome> {
  return instruct(deps, tenant, attempt, "collect", (gateway) => {
    const collection = collectionOf(deps, tenant, attempt, iban);
    return (signal) => gateway.collect(collection, signal);
  });
}

function collectionOf(
  deps: Pick<Deps, "keys" | "publicUrl">,
  tenant: number,
  attempt: OpenAttempt,
  iban: string,
): Collection {
  return {
    reference: attempt.merchant_transaction_id,
    amount: centsFromDatabase(attempt.transaction_amount),
    currency: attempt.currency,
    sequenceType: attempt.sequence_type ?? "FRST",
    recurring: attempt.billing_type !== "ONE_OFF",
    iban,
    bic: attempt.bic,
    holderName: attempt.holder_name,
    email: attempt.email,
    country: attempt.country,
    address: customerAddress(attempt),
    customerIp: attempt.customer_ip,
    mandate: {
      reference: attempt.mandate_reference,
      signedAt: attempt.mandate_accepted_at,
      scheme: attempt.mandate_scheme,
      preNotificationDays: attempt.mandate_notice_days,
    },
    creditor: { name: attempt.creditor_name, identifier: attempt.creditor_identifier },
    returnUrl: paymentUrl(deps, attempt.token_key_id, tenant, attempt.session_id),
    descriptor: attempt.descriptor,
  };
}
