/** The possible amounts of a payment link: fixed, its campaign's price, or chosen by the customer. Pure. */
import type { PaymentLinkRow } from "../../db/rows.ts";
import { parseAmount, type Cents } from "../../lib/money.ts";
import type { Problems } from "../../management/problems.ts";
import type { LinkReferences } from "./store.ts";

type LinkAmounts = Pick<
  PaymentLinkRow,
  "campaign_id" | "amount" | "amount_min" | "amount_max" | "amount_suggested"
>;

/** The table's constraints repeat these rules. */
export function amountProblems(
  values: Partial<LinkAmounts>,
  { billing_type: billingType }: Pick<LinkReferences, "billing_type">,
): Problems {
  const [fixed, min, max, suggested] = [
    cents(values.amount),
    cents(values.amount_min),
    cents(values.amount_max),
    cents(values.amount_suggested),
  ];
  const isSold = (values.campaign_id ?? null) !== null;
  if (min === null) {
    const withoutMin = "Only with amount_min.";
    return {
      amount:
        fixed === null && !isSold
          ? "Give amount, or amount_min for an amount that the customer chooses."
          : null,
      amount_max: max === null ? null : withoutMin,
      amount_suggested: suggested === null ? null : withoutMin,
    };
  }
  const isOutside = suggested !== null && (suggested < min || (max !== null && suggested > max));
  return {
    amount_min:
      fixed !== null
        ? "Not with amount: it is fixed."
        : isSold && billingType === "TRIAL_RECURRING"
          ? "An offer with a trial has its price."
          : null,
    amount_max: max !== null && max < min ? "Must not be below amount_min." : null,
    amount_suggested: isOutside ? "Must be between amount_min and amount_max." : null,
  };
}

function cents(value: string | null | undefined): Cents | null {
  return value === null || value === undefined ? null : parseAmount(value);
}
