/**
 * The page of a failed payment: what failed and why, and a button that repeats it. Opening the page writes nothing.
 * Pure.
 */
import { html, type Html } from "../../files/html.ts";
import type { Debit } from "../../gateways/gateway.ts";
import type { DeclineCode } from "../../sepa/reasons.ts";
import type { FailedRow } from "../../subscriptions/failed/store.ts";
import { merchantPage, merchantPanel, type Body, type MerchantSheet } from "../render/frame.ts";
import { endOfAccount, factLines, type FactLine } from "../render/facts.ts";
import { endedBody } from "../render/messages.ts";
import type { FailedPageRow } from "./store.ts";

/** The customer's options for a failed payment, or its result. */
type FailedState = "open" | "submitted" | "paid" | "failed" | "closed";

type FailedSheet = MerchantSheet & { readonly row: FailedPageRow };

export function failedState({
  cycle_status: status,
  newest_status,
  may_be_put_right,
}: FailedRow): FailedState {
  if (may_be_put_right) return "open";
  if (status === "paid") return "paid";
  if (status === "collecting" || status === "pending") return "submitted";
  return newest_status === "declined" && (status === "retry" || status === "failed") ? "failed" : "closed";
}

interface Shown {
  readonly state: FailedState;
  /** Why the newest attempt failed. */
  readonly reason: string | null;
  /** The time of the newest attempt, once it was made. */
  readonly paidAt: Date | null;
  /** The debit of the newest attempt while it is under way or once it was made, if the gateway gives it. */
  readonly debit: Debit | null;
}

export function failedPage(sheet: FailedSheet, shown: Shown): Html {
  return merchantPage(sheet, bodyOf(sheet, shown), panel(sheet));
}

function panel(sheet: FailedSheet): Html {
  const { row, words } = sheet;
  return merchantPanel(
    sheet,
    html`${row.offer_name !== null && row.offer_name !== row.merchant_name && html`<p class="headline">${row.offer_name}</p>`}
      <p class="due">
        <span>${words.say("amount")}</span><strong>${words.amount(row.amount, row.currency)}</strong>
      </p>`,
  );
}

function bodyOf(sheet: FailedSheet, shown: Shown): Body {
  const { state, reason, debit } = shown;
  const { row, words } = sheet;
  switch (state) {
    case "open":
      return openBody(sheet);
    case "failed":
      return {
        title: words.say("declinedHeading"),
        state: "failed",
        main: html`<div role="status">
            <h1>${words.say("declinedHeading")}</h1>
            <p>${words.texts.reasons[(reason ?? "unknown") as DeclineCode]}</p>
          </div>
          <p>${words.say("askMerchant", { merchant: row.merchant_name })}</p>`,
      };
    case "closed":
      return endedBody(sheet, "closed", null, null);
    case "paid":
    case "submitted": {
      const heading = words.say(`${state}Heading`);
      return {
        title: heading,
        state: `receipt-${state}`,
        main: html`<div role="status">
            <div class="tick" aria-hidden="true"></div>
            <h1>${heading}</h1>
            <p>${words.say(`${state}Text`, { merchant: row.merchant_name, creditor: row.creditor_name })}</p>
            ${state === "submitted" && debit !== null && html`<p><strong>${words.say("debitedFrom", { date: words.date(debit.day) })}</strong></p>`}
          </div>
          <h2>${words.say("receipt")}</h2>
          ${factLines(receiptFacts(sheet, shown))}`,
      };
    }
  }
}

function openBody(sheet: FailedSheet): Body {
  const { row, words, place } = sheet;
  const heading = words.say("failedHeading");
  return {
    title: heading,
    state: "failed-payment",
    main: html`<h1>${heading}</h1>
      <p>${words.texts.reasons[(row.error_code ?? "unknown") as DeclineCode]}</p>
      ${factLines([
        [words.say("date"), words.date(row.failed_at)],
        [words.say("creditor"), row.creditor_name],
        [words.say("account"), endOfAccount(row)],
        [words.say("orderNumber"), row.order_number],
      ])}
      <p>${words.say("askMerchant", { merchant: row.merchant_name })}</p>
      <form method="post" action="${place.path}?lang=${words.language}">
        <button class="pay">
          <span>${words.say("payButton", { amount: words.amount(row.amount, row.currency) })}</span>
        </button>
      </form>`,
  };
}

/** The same facts as on the receipt of a first payment. */
function receiptFacts({ row, words }: FailedSheet, { state, paidAt, debit }: Shown): readonly FactLine[] {
  return [
    [words.say("creditor"), row.creditor_name],
    [words.say("orderNumber"), row.order_number],
    [words.say("amount"), words.amount(row.amount, row.currency)],
    [words.say("date"), paidAt && words.date(paidAt)],
    [words.say("pendingUntil"), state === "submitted" ? debit && words.date(debit.pendingUntil) : null],
    [words.say("accountHolder"), row.holder_name],
    [words.say("account"), endOfAccount(row)],
    [words.say("mandateReference"), row.mandate_reference],
    [words.say("creditorIdentifier"), row.creditor_identifier],
    [words.say("statementText"), debit && debit.statementText],
  ];
}
