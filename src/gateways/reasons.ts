/** What a bank's reason code means for a payment: ISO 20022 and SEPA R-transaction codes to the contract's seven. */
import type { DeclineCode } from "./gateway.ts";

export interface Reason {
  readonly code: DeclineCode;
  /** For people; the raw code is kept beside it. */
  readonly message: string;
  /** Whether collecting the same amount again later can succeed by itself (decision M4). */
  readonly retry: boolean;
}

/** The words where a gateway gives none. */
const MESSAGES: Readonly<Record<DeclineCode, string>> = {
  insufficient_funds: "The account does not have enough funds.",
  invalid_iban: "The account does not exist or the IBAN is not correct.",
  mandate_rejected: "The mandate was not accepted.",
  account_closed: "The account is closed.",
  do_not_honor: "The bank declined the payment.",
  gateway_unavailable: "The payment gateway is not available. Try again later.",
  unknown: "The payment was declined for a reason that is not known.",
};

/** Codes by meaning; those after `retry` may be collected again later. */
const CODES: readonly (readonly [DeclineCode, readonly string[], { readonly retry: readonly string[] }])[] = [
  ["insufficient_funds", [], { retry: ["AM04"] }],
  ["invalid_iban", ["AC01", "AC02", "AC03", "RC01", "RC06"], { retry: [] }],
  ["account_closed", ["AC04"], { retry: [] }],
  ["mandate_rejected", ["MD01", "MD02", "SL01", "SL11", "SL12", "SL13", "SL14"], { retry: [] }],
  [
    "do_not_honor",
    [
      "AC06",
      "AC13",
      "AG01",
      "AM02",
      "AM13",
      "AM14",
      "AM21",
      "BE01",
      "BE07",
      "DNOR",
      "MD06",
      "MD07",
      "MS02",
      "RR01",
      "RR02",
      "RR04",
    ],
    { retry: ["AG07", "MS03"] },
  ],
  [
    "gateway_unavailable",
    ["AG02", "AM10", "BE04", "BE05", "CNOR", "CURR", "FF01", "FF05", "RR03", "TD03", "XT13", "XT33"],
    { retry: ["DT01", "DT03", "DT05", "ED05", "FF10", "TECH", "TM01", "XD75"] },
  ],
];

const REASONS: ReadonlyMap<string, Reason> = new Map(
  CODES.flatMap(([code, final, { retry }]) =>
    [...final, ...retry].map((iso): [string, Reason] => [
      iso,
      { code, message: MESSAGES[code], retry: retry.includes(iso) },
    ]),
  ),
);

/** The account is gone, the mandate does not hold or its debtor has died: nothing is to be debited on it again. */
const MANDATE_ENDS: ReadonlySet<string> = new Set(["AC01", "AC04", "AC06", "MD01", "MD07"]);

/** Whether a bank's reason for sending money back ends the mandate. */
export function endsMandate(isoCode: string): boolean {
  return MANDATE_ENDS.has(isoCode);
}

/** The meaning of an ISO 20022 code such as `AM04`; one that nobody knows is `unknown`. */
export function reasonOf(isoCode: string): Reason {
  return REASONS.get(isoCode) ?? { code: "unknown", message: MESSAGES.unknown, retry: false };
}

/** The normalised message of a contract code. */
export function defaultMessage(code: DeclineCode): string {
  return MESSAGES[code];
}
