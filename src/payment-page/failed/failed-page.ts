/** The page of a failed payment: what failed and why, and a button that has it made again. Opening it writes nothing. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { IsoDate } from "../../lib/dates.ts";
import type { DeclineCode } from "../../sepa/reasons.ts";
import type { FailedRow } from "../../subscriptions/failed/store.ts";
import { merchantPage, merchantPanel, type Body, type MerchantSheet } from "../render/frame.ts";
import { endedBody } from "../render/messages.ts";
import type { FailedPageRow } from "./store.ts";

/** What the customer can do about a failed payment, or how it has ended. */
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
  /** Why the newest attempt has failed. */
  readonly reason: string | null;
  /** Of the newest attempt while it is under way, where its gateway says. */
  readonly debitDay: IsoDate | null;
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

function bodyOf(sheet: FailedSheet, { state, reason, debitDay }: Shown): Body {
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
            ${debitDay !== null && html`<p><strong>${words.say("debitedFrom", { date: words.date(debitDay) })}</strong></p>`}
          </div>
          ${factsOf(sheet, [])}`,
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
      ${factsOf(sheet, [[words.say("date"), words.date(row.failed_at)]])}
      <p>${words.say("askMerchant", { merchant: row.merchant_name })}</p>
      <form method="post" action="${place.path}?lang=${words.language}">
        <button class="pay">
          <span>${words.say("payButton", { amount: words.amount(row.amount, row.currency) })}</span>
        </button>
      </form>`,
  };
}

function factsOf({ row, words }: FailedSheet, more: readonly (readonly [string, string])[]): Html {
  const facts = [
    ...more,
    [words.say("creditor"), row.creditor_name],
    [words.say("account"), `${row.iban_country} •••• ${row.iban_last4}`],
    [words.say("orderNumber"), row.order_number],
  ] as const;
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
