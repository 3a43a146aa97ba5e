/**
 * What follows a bank's reason for refusing a debit or sending it back: the defaults, what a tenant may choose instead, and
 * what the contract has fixed (docs/guards.md, Return codes). Pure.
 */
import { endsMandate, ISO_CODES, reasonOf, type DeclineCode } from "./reasons.ts";

/**
 * retry: the debit is presented again automatically · ask_customer: it is not, and the customer can pay by the message's link ·
 * end_subscription: nothing more is collected for it · end_mandate: nothing more is debited with it · block_account: nothing
 * more is debited from the account, with any mandate.
 */
export const RETURN_ACTIONS = [
  "retry",
  "ask_customer",
  "end_subscription",
  "end_mandate",
  "block_account",
] as const;
export type ReturnAction = (typeof RETURN_ACTIONS)[number];

/** What a tenant has chosen, by ISO code; a code that is not in it has its default. */
export type ReturnRules = Readonly<Record<string, ReturnAction>>;

/** A fault of the mandate or the account ends the subscription, whatever a tenant chooses (contract: Failed renewals). */
const ENDS_SUBSCRIPTION: ReadonlySet<DeclineCode> = new Set([
  "mandate_rejected",
  "account_closed",
  "invalid_iban",
]);

/** @param code of `error_details`. */
export function endsSubscription(code: DeclineCode): boolean {
  return ENDS_SUBSCRIPTION.has(code);
}

/** What follows a code as long as its tenant has chosen nothing else. */
export function defaultAction(isoCode: string): ReturnAction {
  if (endsMandate(isoCode)) return "end_mandate";
  const { code, retry } = reasonOf(isoCode);
  if (endsSubscription(code)) return "end_subscription";
  return retry === "never" ? "ask_customer" : "retry";
}

/**
 * What may follow a code. A mandate or an account that is gone is never debited again, and a debit is presented again
 * only for lack of funds, a reason that may mean it, or a technical failure (contract: Failed renewals).
 */
export function allowedActions(isoCode: string): readonly ReturnAction[] {
  switch (defaultAction(isoCode)) {
    case "end_mandate":
      return ["end_mandate", "block_account"];
    case "end_subscription":
      return ["end_subscription", "end_mandate", "block_account"];
    case "retry":
      return RETURN_ACTIONS;
    default:
      return RETURN_ACTIONS.filter((action) => action !== "retry");
  }
}

/** The one answer to what follows a code: the tenant's choice where the contract leaves one, else the default. */
export function returnActionOf(isoCode: string | null, rules: ReturnRules): ReturnAction {
  if (isoCode === null) return "ask_customer";
  const chosen = Object.hasOwn(rules, isoCode) ? rules[isoCode] : undefined;
  return chosen !== undefined && allowedActions(isoCode).includes(chosen) ? chosen : defaultAction(isoCode);
}

/** The tenant's own choice where it differs from the default; null where the default decides. */
export function ownChoice(isoCode: string | null, rules: ReturnRules): ReturnAction | null {
  if (isoCode === null) return null;
  const action = returnActionOf(isoCode, rules);
  return action === defaultAction(isoCode) ? null : action;
}

/** What is written of a refusal or a return besides the payment's own end. */
export interface ReturnEffects {
  /** The tenant's own choice, kept with the payment; null where the default has decided. */
  readonly returnAction: ReturnAction | null;
  readonly endsMandate: boolean;
  readonly blocksAccount: boolean;
}

export const NO_EFFECTS: ReturnEffects = { returnAction: null, endsMandate: false, blocksAccount: false };

/** @param isoCode null where the bank gave none. */
export function effectsOf(isoCode: string | null, rules: ReturnRules): ReturnEffects {
  const action = returnActionOf(isoCode, rules);
  const blocksAccount = action === "block_account";
  return {
    returnAction: ownChoice(isoCode, rules),
    endsMandate: blocksAccount || action === "end_mandate",
    blocksAccount,
  };
}

/** Why rules cannot be taken, in words; null when they can. */
export function rulesProblem(rules: Readonly<Record<string, unknown>>): string | null {
  for (const [code, action] of Object.entries(rules)) {
    if (!ISO_CODES.includes(code)) return `${code} is no reason code that this service knows.`;
    const allowed = allowedActions(code);
    if (!allowed.some((one) => one === action))
      return `${code} can be followed by ${allowed.join(", ")}, not by ${String(action)}.`;
  }
  return null;
}
