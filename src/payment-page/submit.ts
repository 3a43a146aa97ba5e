/** Submits the form: checks the input, pays once, and redirects to the outcome. */
import { Refusal, type RefusalKind } from "../refusals.ts";
import { countInvalidIban } from "../sessions/limits.ts";
import { pay, type PayParts } from "../sessions/pay.ts";
import { checkIban } from "../sepa/iban.ts";
import { faultsOf, mustAccept, needsTyped, type Faults, type Typed } from "./render/form.ts";
import { offeredReferences, shownVersion } from "./mandate-text.ts";
import { addAddress } from "../sessions/store.ts";
import type { PageRow } from "./store.ts";
import { viewOf } from "./render/choose-page.ts";
import type { PageWords } from "./render/wording.ts";

interface SubmitInput {
  readonly tenant: number;
  readonly sessionId: string;
  readonly row: PageRow;
  readonly words: PageWords;
  readonly asksAddress: boolean;
  readonly typed: Typed;
  /** The reference of the mandate on the submitted form. */
  readonly reference: string;
  readonly clientIp: string;
  readonly device: string | null;
  readonly userAgent: string | null;
}

type Submitted =
  | { readonly kind: "faults"; readonly faults: Faults }
  /** The page shows the session's state. `paidNow`: whether this submission caused it. */
  | { readonly kind: "look"; readonly paidNow: boolean }
  /** Other customers hold the last uses of the payment link. */
  | { readonly kind: "link_in_use" }
  | { readonly kind: "to_bank" };

/** The session has changed since the form was shown: by another tab, a second click or the merchant. */
const MOVED_ON: ReadonlySet<RefusalKind> = new Set([
  "payment_in_progress",
  "verification_awaited",
  "session_closed",
  "payment_link_closed",
]);

const COLLECTS_NOTHING: ReadonlySet<RefusalKind> = new Set(["campaign_stopped", "creditor_unidentified"]);

/**
 * Submits the form.
 * @throws Refusal not_found, throttled, unavailable.
 */
export async function submit(deps: PayParts, input: SubmitInput): Promise<Submitted> {
  const { row, typed } = input;
  const { kind } = viewOf(row, deps.time.now(input.tenant));
  if (kind === "link_in_use") return { kind };
  // The form was shown before the last attempt, whose payment was made or declined.
  if (kind !== "form" || !offeredReferences(deps.keys, input.tenant, row).includes(input.reference)) {
    return { kind: "look", paidNow: false };
  }
  const faults: Faults = faultsOf(input, typed);
  if (faults.iban !== undefined && typed.iban.trim() !== "") {
    await countInvalidIban(deps, { ...input, source: "hosted_page" });
  }
  if (Object.keys(faults).length > 0) return { kind: "faults", faults };
  return payOnce(deps, input);
}

async function payOnce(deps: PayParts, input: SubmitInput): Promise<Submitted> {
  const { tenant, sessionId, row, words, typed, reference, clientIp, device, userAgent } = input;
  if (needsTyped(input, checkIban(typed.iban))) {
    await addAddress(deps.db, tenant, sessionId, typed.address);
  }
  try {
    const result = await pay(deps, {
      tenant,
      sessionId,
      attemptId: deps.ids.uuid(),
      clientIp,
      userAgent,
      iban: typed.iban,
      holderName: typed.holder.trim(),
      tenantReferenceId: null,
      confirmsDuplicate: typed.again,
      source: "hosted_page",
      device,
      // The customer's acceptance is recorded even if the page no longer requires it.
      acceptanceMode: mustAccept({ row }) || typed.accepted ? "checkbox" : "IMPLICIT",
      textVersion: shownVersion(row, words.language),
      creditorShown: row.creditor,
      mandateReference: reference,
    });
    return result.status === "awaiting_verification" ? { kind: "to_bank" } : { kind: "look", paidNow: true };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "duplicate_payment")
      return { kind: "faults", faults: { again: words.say("payAgain") } };
    if (error instanceof Refusal && error.kind === "payment_link_in_use") return { kind: "link_in_use" };
    if (error instanceof Refusal && COLLECTS_NOTHING.has(error.kind)) throw new Refusal("unavailable");
    if (error instanceof Refusal && MOVED_ON.has(error.kind)) return { kind: "look", paidNow: false };
    throw error;
  }
}
