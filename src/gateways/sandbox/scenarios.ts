/** What the sandbox bank does with each documented test IBAN (docs/api.md, "The sandbox"). */

import type { TestAccount } from "../gateway.ts";

export type Scenario =
  | { readonly kind: "approve" | "charge_back" | "settle_later" | "return_later" | "unreachable" | "slow" }
  | { readonly kind: "answer_lost" | "not_charged" | "rebill_fails_first" }
  | { readonly kind: "verify" | "verify_fails" }
  | { readonly kind: "decline"; readonly code: string; readonly message: string };

const decline = (code: string, message: string): Scenario => ({ kind: "decline", code, message });

/** The bank's answer for an account without funds. */
export const NO_FUNDS = decline("AM04", "Insufficient funds.");

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ["DE89370400440532013000", { kind: "approve" }],
  ["NL91ABNA0417164300", { kind: "approve" }],
  ["DE62370400440532013001", decline("MS03", "The debtor's bank gave no reason.")],
  ["DE35370400440532013002", { kind: "charge_back" }],
  ["DE08370400440532013003", { kind: "settle_later" }],
  ["DE78370400440532013004", { kind: "return_later" }],
  ["DE13370400440532013010", { kind: "verify" }],
  ["DE83370400440532013011", { kind: "verify_fails" }],
  ["DE34370400440532013020", NO_FUNDS],
  ["DE07370400440532013021", decline("AC01", "The account number is not correct.")],
  ["DE77370400440532013022", decline("MD01", "There is no valid mandate.")],
  ["DE50370400440532013023", decline("AC04", "The account is closed.")],
  ["DE23370400440532013024", decline("AG01", "Direct debits are not allowed on this account.")],
  ["DE93370400440532013025", { kind: "unreachable" }],
  ["DE66370400440532013026", decline("ZZ99", "An unknown reason code.")],
  ["DE55370400440532013030", { kind: "answer_lost" }],
  ["DE28370400440532013031", { kind: "not_charged" }],
  ["DE98370400440532013032", { kind: "slow" }],
  ["DE76370400440532013040", { kind: "rebill_fails_first" }],
]);

/** The test accounts and the scenario of each. */
export const TEST_ACCOUNTS: readonly (readonly [iban: string, scenario: Scenario])[] = [...SCENARIOS];

/** The test accounts that the payment page offers. */
export const PAGE_ACCOUNTS: readonly TestAccount[] = [
  { iban: "DE89370400440532013000", outcome: "approved" },
  { iban: "NL91ABNA0417164300", outcome: "approved" },
  { iban: "DE34370400440532013020", outcome: "declined" },
  { iban: "DE13370400440532013010", outcome: "verification" },
  { iban: "DE08370400440532013003", outcome: "pending" },
];

/** Any other valid SEPA IBAN is approved. */
export function scenarioOf(iban: string): Scenario {
  return SCENARIOS.get(iban) ?? { kind: "approve" };
}
