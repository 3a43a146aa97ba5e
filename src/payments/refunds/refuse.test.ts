/** Why a transaction cannot be refunded: the first reason that applies, as a message for the caller. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Cents } from "../../lib/money.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { whyNotRefundable } from "./refuse.ts";
import type { RefundableRow } from "./store.ts";

/** 5.00 of 20.00 EUR were refunded. */
const PAID = {
  type: "sdd_sale",
  status: "approved",
  amount: "20.00",
  refund_claimed: "5.00",
  currency: "EUR",
  has_chargeback: false,
  is_erased: false,
} as const;

function why(changes: object | null, able = true, amount: number | null = null): string {
  const row = changes === null ? null : ({ ...PAID, ...changes } as unknown as RefundableRow);
  const error = whyNotRefundable(row, able, amount as Cents | null);
  if (error instanceof FieldErrors) return `amount: ${String(error.fields["amount"])}`;
  assert.ok(error instanceof Refusal);
  return error.kind === "not_refundable" ? error.detail : error.kind;
}

const ERASED = "The customer was erased, so the account is no longer known.";

for (const [name, changes, able, expected] of [
  ["there is none", null, true, "not_found"],
  ["a refund", { type: "sdd_refund", status: "charged_back" }, false, "This transaction is a refund."],
  ["a gateway that cannot", { is_erased: true }, false, "refunds_not_supported"],
  ["its customer was erased", { is_erased: true, status: "charged_back" }, true, ERASED],
  ["charged back", { status: "charged_back" }, true, "transaction_charged_back"],
  [
    "a chargeback of an import",
    { has_chargeback: true, status: "refunded" },
    true,
    "transaction_charged_back",
  ],
  ["refunded", { status: "refunded" }, true, "This transaction is refunded in full."],
  [
    "declined",
    { status: "declined" },
    true,
    "Only an approved transaction can be refunded; this one is declined.",
  ],
  [
    "pending",
    { status: "pending" },
    true,
    "Only an approved transaction can be refunded; this one is pending.",
  ],
  [
    "unresolved",
    { status: "unresolved" },
    true,
    "Only an approved transaction can be refunded; this one is pending.",
  ],
  [
    "a mandate alone",
    { amount: "0.00", refund_claimed: "0.00" },
    true,
    "This transaction collected nothing.",
  ],
  ["nothing is left", { refund_claimed: "20.00" }, true, "The whole amount is refunded or being refunded."],
] as const) {
  test(`not refundable, ${name}: ${expected}`, () => assert.equal(why(changes, able), expected));
}

test("a refund above the remaining amount is refused with that amount; one that met a change may be tried again", () => {
  assert.equal(why({}, true, 1_501), "amount: At most 15.00 EUR can still be refunded.");
  for (const amount of [1_500, 1, null])
    assert.equal(why({}, true, amount), "This transaction has just changed. Try again.");
  const changed = whyNotRefundable(PAID as unknown as RefundableRow, true, null);
  assert.equal((changed as Refusal).retryAfter, 1);
  assert.equal(
    (whyNotRefundable({ ...PAID, status: "refunded" } as unknown as RefundableRow, true, null) as Refusal)
      .retryAfter,
    null,
  );
});
