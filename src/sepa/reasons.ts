/** What a bank's reason code means for a payment: ISO 20022 and SEPA R-transaction codes to the seven codes of `error_details`. */

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
 * Whether collecting the same amount again can succeed: `when_funded`, once the account may have money;
 * `when_working`, once the bank's technology works again; `never`, before a person has mended something.
 */
export type Retry = "when_funded" | "when_working" | "never";

interface Reason {
  readonly code: DeclineCode;
  /** For people; the raw code is kept as well. */
  readonly message: string;
  readonly retry: Retry;
}

/** The words where a gateway gives none. */
const MESSAGES: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: "The account does not have enough funds.",
  invalid_iban: "The account does not exist or the IBAN is not correct.",
  mandate_rejected: "The mandate was not accepted.",
  account_closed: "The account is closed.",
  do_not_honor: "The bank declined the payment.",
  gateway_unavailable: "The payment gateway is not available. Try again later.",
  unknown: "The payment was declined for an unknown reason.",
};

/** Codes by meaning, and by whether they are worth another try. */
const CODES: readonly (readonly [DeclineCode, Retry, string])[] = [
  ["insufficient_funds", "when_funded", "AM04"],
  ["invalid_iban", "never", "AC01 AC02 AC03 RC01 RC06 XD19"],
  ["account_closed", "never", "AC04"],
  ["mandate_rejected", "never", "MD01 MD02"],
  // Banks use these two where privacy forbids them to report insufficient funds.
  ["do_not_honor", "when_funded", "AG07 MS03"],
  [
    "do_not_honor",
    "never",
    "AC06 AC13 AG01 AM02 AM13 AM14 AM21 BE01 BE07 DNOR MD06 MD07 MS02 RR01 RR02 RR04",
  ],
  // The debtor's own orders to the bank: whom it pays, how much and how often.
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

/** Cancelled at the creditor's own request: ISO's word for what a merchant has stopped. */
export const CANCELLED = "CUST";

/** Every code of a bank's refusal whose meaning is known. */
export const ISO_CODES: readonly string[] = [...REASONS.keys()];

/** The account is gone, the mandate does not hold or its debtor has died: nothing is to be debited on it again. */
export const MANDATE_ENDS: readonly string[] = ["AC01", "AC04", "AC06", "MD01", "MD07"];

/** Whether a bank's reason for sending money back ends the mandate. */
export function endsMandate(isoCode: string): boolean {
  return MANDATE_ENDS.includes(isoCode);
}

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
