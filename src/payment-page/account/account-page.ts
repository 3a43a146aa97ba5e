/** The page of a customer's account: what they have with the merchant, and what they can do about it. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { merchantPage, merchantPanel, type MerchantSheet } from "../render/frame.ts";
import type { AccountMandate, AccountPayment, AccountPageRow, AccountSubscription } from "./store.ts";

export type AccountSheet = MerchantSheet & { readonly row: AccountPageRow };

interface Account {
  readonly subscriptions: readonly AccountSubscription[];
  readonly mandates: readonly AccountMandate[];
  readonly payments: readonly AccountPayment[];
  /** The mandate whose account was just changed. */
  readonly changed: AccountMandate | null;
  /** Where a failed payment is put right. */
  readonly failedPath: (transactionId: string) => string;
}

export function accountPage(sheet: AccountSheet, account: Account): Html {
  const { words } = sheet;
  const { subscriptions, mandates, payments, changed } = account;
  const heading = words.say("accountHeading");
  const main = html`<h1>${heading}</h1>
    ${changed !== null && html`<p class="mandate" role="status">${words.say("accountChanged", { account: accountEnd(changed) })}</p>`}
    ${subscriptions.map((one) => subscription(sheet, one, account.failedPath))}
    ${mandates.map((one) => mandate(sheet, one))} ${payments.length > 0 && list(sheet, payments)}`;
  return merchantPage(sheet, { title: heading, state: "account", main }, merchantPanel(sheet, NOTHING));
}

function subscription(
  sheet: AccountSheet,
  one: AccountSubscription,
  failedPath: (transactionId: string) => string,
): Html {
  const { words } = sheet;
  const amount = words.amount(one.billing_amount, one.currency);
  return html`<section class="mandate" aria-label="${one.offer_name ?? amount}">
    <h2>${one.offer_name ?? amount}</h2>
    <dl class="facts">
      ${fact(words.say("amount"), one.billing_frequency === null ? amount : `${amount} ${words.interval(one.billing_frequency)}`)}
      ${when(sheet, one)}
    </dl>
    ${one.failed_id !== null && html`<p><a class="button" href="${failedPath(one.failed_id)}?lang=${words.language}">${words.say("payButton", { amount })}</a></p>`}
    ${one.status !== "CANCELLED" && !one.cancel_at_period_end && cancelForm(sheet, one)}
  </section>`;
}

/** When it goes on, or ends. */
function when({ words }: AccountSheet, one: AccountSubscription): Html {
  if (one.cancelled_at !== null) return fact(words.say("subscriptionEnded"), words.date(one.cancelled_at));
  if (one.next_billing_date === null) return NOTHING;
  const label = words.say(one.cancel_at_period_end ? "subscriptionEnds" : "nextPayment");
  return fact(label, words.date(one.next_billing_date));
}

/** Two steps without a script: unfolded, then sent. */
function cancelForm({ words, place }: AccountSheet, { id }: AccountSubscription): Html {
  return html`<details>
    <summary>${words.say("cancelSubscription")}</summary>
    <form method="post" action="${place.path}subscriptions/${id}/cancel/?lang=${words.language}">
      <p>${words.say("cancelExplained")}</p>
      <button class="quiet">${words.say("cancelSubscription")}</button>
    </form>
  </details>`;
}

function mandate({ words, place }: AccountSheet, one: AccountMandate): Html {
  const { creditor } = one;
  const heading = words.say(creditor.scheme === "B2B" ? "businessHeading" : "mandateHeading");
  const path = `${place.path}mandates/${one.id}/`;
  return html`<section class="mandate" aria-label="${heading} ${one.reference}">
    <h2>${heading}</h2>
    <dl class="facts">
      ${fact(words.say("creditor"), creditor.name)}
      ${creditor.identifier !== null && fact(words.say("creditorIdentifier"), creditor.identifier)}
      ${fact(words.say("mandateReference"), one.reference)}
      ${fact(words.say("accountHolder"), one.holder_name)} ${fact(words.say("account"), accountEnd(one))}
    </dl>
    <p>
      ${one.type === "recurrent" && html`<a class="quiet" href="${path}?lang=${words.language}">${words.say("changeAccount")}</a>`}
      <a class="quiet" href="${path}document/" target="_blank">${words.say("details")}</a>
    </p>
  </section>`;
}

const STATUS_WORDS = {
  pending: "submittedHeading",
  approved: "paidHeading",
  declined: "declinedHeading",
  refunded: "refundedHeading",
  charged_back: "returnedHeading",
} as const;

function list(sheet: AccountSheet, payments: readonly AccountPayment[]): Html {
  const { words } = sheet;
  return html`<section aria-labelledby="payments">
    <h2 id="payments">${words.say("paymentsHeading")}</h2>
    ${payments.map((one) => payment(sheet, one))}
  </section>`;
}

/** A receipt of a payment, folded away. */
function payment({ words }: AccountSheet, one: AccountPayment): Html {
  const key = STATUS_WORDS[one.status as keyof typeof STATUS_WORDS];
  return html`<details>
    <summary>${words.date(one.paid_at)}: ${words.amount(one.amount, one.currency)}</summary>
    <dl class="facts">
      ${fact(words.say("receipt"), words.say(key))}
      ${one.order_number !== null && fact(words.say("orderNumber"), one.order_number)}
      ${one.mandate_reference !== null && fact(words.say("mandateReference"), one.mandate_reference)}
    </dl>
  </details>`;
}

function fact(name: string, value: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function accountEnd({
  iban_country,
  iban_last4,
}: Pick<AccountMandate, "iban_country" | "iban_last4">): string {
  return `${iban_country} •••• ${iban_last4}`;
}
