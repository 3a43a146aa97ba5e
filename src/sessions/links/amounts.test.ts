import assert from "node:assert/strict";
import test from "node:test";
import { messagesOf } from "../../management/problems.ts";
import { amountProblems } from "./amounts.ts";

const SOLD = { campaign_id: "00000000-0000-4000-8000-000000000001" };
const ONLY_WITH_MIN = ["Only with amount_min."];
const NOT_CHOSEN = ["Give amount, or amount_min for an amount that the customer chooses."];

type Given = Parameters<typeof amountProblems>[0];
type BillingType = Parameters<typeof amountProblems>[1]["billing_type"];

const LINKS: readonly (readonly [what: string, given: Given, of: BillingType, problems: object])[] = [
  ["a fixed amount", { amount: "10.00" }, null, {}],
  ["no amount", {}, null, { amount: NOT_CHOSEN }],
  ["an amount that was cleared", { amount: null }, null, { amount: NOT_CHOSEN }],
  ["its campaign's price", SOLD, "ONE_OFF", {}],
  ["an amount instead of its campaign's price", { ...SOLD, amount: "10.00" }, "RECURRING", {}],
  ["a least amount", { amount_min: "5.00" }, null, {}],
  ["an amount and a most one", { amount: "10.00", amount_max: "20.00" }, null, { amount_max: ONLY_WITH_MIN }],
  [
    "an amount and a suggested one",
    { amount: "10.00", amount_suggested: "10.00" },
    null,
    { amount_suggested: ONLY_WITH_MIN },
  ],
  [
    "an amount and a least one",
    { amount: "10.00", amount_min: "5.00" },
    null,
    { amount_min: ["Not with amount: it is fixed."] },
  ],
  ["a most amount that is the least", { amount_min: "5.00", amount_max: "5.00" }, null, {}],
  [
    "a most amount below the least",
    { amount_min: "5.00", amount_max: "4.99" },
    null,
    { amount_max: ["Must not be below amount_min."] },
  ],
  ["the least one suggested", { amount_min: "5.00", amount_suggested: "5.00" }, null, {}],
  ["the most one suggested", { amount_min: "5.00", amount_max: "9.00", amount_suggested: "9.00" }, null, {}],
  [
    "less than the least suggested",
    { amount_min: "5.00", amount_suggested: "4.99" },
    null,
    { amount_suggested: ["Must be between amount_min and amount_max."] },
  ],
  [
    "more than the most suggested",
    { amount_min: "5.00", amount_max: "9.00", amount_suggested: "9.01" },
    null,
    { amount_suggested: ["Must be between amount_min and amount_max."] },
  ],
  ["a least amount of what a campaign sells", { ...SOLD, amount_min: "5.00" }, "RECURRING", {}],
  [
    "a least amount of a trial",
    { ...SOLD, amount_min: "5.00" },
    "TRIAL_RECURRING",
    { amount_min: ["An offer with a trial has its price."] },
  ],
];

for (const [what, given, billing_type, problems] of LINKS)
  test(`a payment link with ${what}: ${Object.keys(problems).join() || "taken"}`, () =>
    assert.deepEqual(messagesOf(amountProblems(given, { billing_type })), problems));
