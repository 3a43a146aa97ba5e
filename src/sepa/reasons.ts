/**
 * The meaning of a bank's reason code for a payment: ISO 20022 and SEPA R-transaction codes are mapped to the seven
 * codes of `error_details`. And what follows a code: the defaults, what a tenant may choose instead, and what the
 * contract fixes (docs/guards.md, Return codes). Pure.
 */

/** `error_details.code` of a result (contract: Result envelope). */
export type DeclineCode =
  | "insufficient_funds"
  | "invalid_iban"
  | "mandate_rejected"
  | "account_closed"
  | "do_not_honor"
  | "gateway_unavailable"
  | "unknown";

/**
 * Whether collecting the same amount again can succeed: `when_funded`, once the account may have funds; `when_working`,
 * once the bank's systems work again; `never`, until a person has corrected something.
 */
export type Retry = "when_funded" | "when_working" | "never";

interface Reason {
  readonly code: DeclineCode;
  /** For people; the raw code is kept as well. */
  readonly message: string;
  readonly retry: Retry;
}

/** The message where a gateway gives none. */
const MESSAGES: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: "The account does not have enough funds.",
  invalid_iban: "The account does not exist or the IBAN is not correct.",
  mandate_rejected: "The mandate was not accepted.",
  account_closed: "The account is closed.",
  do_not_honor: "The bank declined the payment.",
  gateway_unavailable: "The payment gateway is not available. Try again later.",
  unknown: "The payment was declined for an unknown reason.",
};

/** Codes by meaning, and by whether another attempt is worthwhile. */
const CODES: readonly (readonly [DeclineCode, Retry, string])[] = [
  ["insufficient_funds", "when_funded", "AM04"],
  ["invalid_iban", "never", "AC01 AC02 AC03 RC01 RC06 XD19"],
  ["account_closed", "never", "AC04"],
  ["mandate_rejected", "never", "MD01 MD02"],
  // Banks use these two where privacy rules forbid them to report insufficient funds.
  ["do_not_honor", "when_funded", "AG07 MS03"],
  [
    "do_not_honor",
    "never",
    "AC06 AC13 AG01 AM02 AM13 AM14 AM21 BE01 BE07 DNOR MD06 MD07 MS02 RR01 RR02 RR04",
  ],
  // The debtor's instructions to the bank: who may debit, how much and how often.
  ["do_not_honor", "never", "SL01 SL11 SL12 SL13 SL14 XT79"],
  ["gateway_unavailable", "never", "AG02 AM10 AM16 AM17 AM18 AM19 AM20 BE04 BE05 CNOR CURR FF01 FF05 RR03"],
  ["gateway_unavailable", "never", "TD03 XT13 XT33 XT53"],
  ["gateway_unavailable", "when_working", "DT01 DT03 DT05 ED05 FF10 TECH TM01 XD75"],
];

const REASONS: ReadonlyMap<string, Reason> = new Map(
  CODES.flatMap(([code, retry, isoCodes]) =>
    isoCodes.split(" ").map((iso): [string, Reason] => [iso, { code, message: MESSAGES[code], retry }]),
  ),
);

/** Cancelled at the creditor's request: ISO's code for what a merchant has cancelled. */
export const CANCELLED = "CUST";

/** Every rejection code with a known meaning. */
export const ISO_CODES: readonly string[] = [...REASONS.keys()];

/** The meaning of an ISO 20022 code such as `AM04`; other codes are `unknown`. */
export function reasonOf(isoCode: string): Reason {
  if (isoCode === CANCELLED) {
    return { code: "unknown", message: "The payment was cancelled before it was collected.", retry: "never" };
  }
  return REASONS.get(isoCode) ?? { code: "unknown", message: MESSAGES.unknown, retry: "never" };
}

/** The normalised message of a code. */
export function defaultMessage(code: DeclineCode): string {
  return MESSAGES[code];
}

/**
 * retry: the debit is presented again automatically · ask_customer: it is not, and the customer can pay through the
 * link in the message · end_subscription: nothing more is collected for it · end_mandate: nothing more is debited under
 * it · block_account: nothing more is debited from the account, under any mandate.
 */
export const RETURN_ACTIONS = [
  "retry",
  "ask_customer",
  "end_subscription",
  "end_mandate",
  "block_account",
] as const;
export type ReturnAction = (typeof RETURN_ACTIONS)[number];

/** A tenant's choices by ISO code; a code without one has its default. */
export type ReturnRules = Readonly<Record<string, ReturnAction>>;

/**
 * The tenant's choice if it differs from the default; null where the default applies. Never `retry`, which is only
 * allowed where it is the default.
 */
export function ownChoice(isoCode: string | null, rules: ReturnRules): ReturnAction | null {
  if (isoCode === null) return null;
  const action = returnActionOf(isoCode, rules);
  return action === defaultAction(isoCode) ? null : action;
}

/** What follows a code: the tenant's choice where the contract allows one, otherwise the default. */
export function returnActionOf(isoCode: string | null, rules: ReturnRules): ReturnAction {
  if (isoCode === null) return "ask_customer";
  const chosen = Object.hasOwn(rules, isoCode) ? rules[isoCode] : undefined;
  return chosen !== undefined && allowedActions(isoCode).includes(chosen) ? chosen : defaultAction(isoCode);
}

/** What follows a code by default. */
export function defaultAction(isoCode: string): ReturnAction {
  if (endsMandate(isoCode)) return "end_mandate";
  const { code, retry } = reasonOf(isoCode);
  if (endsSubscription(code)) return "end_subscription";
  return retry === "never" ? "ask_customer" : "retry";
}

/** The account is closed, the mandate is invalid or its debtor has died: nothing must be debited under it again. */
export const MANDATE_ENDS: readonly string[] = ["AC01", "AC04", "AC06", "MD01", "MD07"];

/** Whether a bank's reason for sending money back ends the mandate. */
export function endsMandate(isoCode: string): boolean {
  return MANDATE_ENDS.includes(isoCode);
}

/**
 * A fault of the mandate or the account ends the subscription, whatever the tenant chooses (contract: Failed renewals).
 */
const ENDS_SUBSCRIPTION: ReadonlySet<DeclineCode> = new Set([
  "mandate_rejected",
  "account_closed",
  "invalid_iban",
]);

/**
 * Whether a code ends the subscription.
 * @param code of `error_details`.
 */
export function endsSubscription(code: DeclineCode): boolean {
  return ENDS_SUBSCRIPTION.has(code);
}

/**
 * The actions that may follow a code. A mandate or account that has ended is never debited again, and a debit is
 * presented again only after a lack of funds, a reason that may mean one, or a technical failure (contract: Failed
 * renewals).
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

/** What is written after a rejection or return besides the payment's own end. */
export interface ReturnEffects {
  /** The tenant's own choice, stored with the payment; null where the default applied. */
  readonly returnAction: ReturnAction | null;
  readonly endsMandate: boolean;
  readonly blocksAccount: boolean;
}

export const NO_EFFECTS: ReturnEffects = { returnAction: null, endsMandate: false, blocksAccount: false };

/**
 * What follows a rejection or return.
 * @param isoCode null where the bank gave none.
 */
export function effectsOf(isoCode: string | null, rules: ReturnRules): ReturnEffects {
  const action = returnActionOf(isoCode, rules);
  const blocksAccount = action === "block_account";
  return {
    returnAction: ownChoice(isoCode, rules),
    endsMandate: blocksAccount || action === "end_mandate",
    blocksAccount,
  };
}

/** Why rules are invalid; null if they are valid. */
export function rulesProblem(rules: Readonly<Record<string, unknown>>): string | null {
  for (const [code, action] of Object.entries(rules)) {
    if (!ISO_CODES.includes(code)) return `${code} is not a reason code that this service knows.`;
    const allowed = allowedActions(code);
    if (!allowed.some((one) => one === action))
      return `${code} can be followed by ${allowed.join(", ")}, not by ${String(action)}.`;
  }
  return null;
}
