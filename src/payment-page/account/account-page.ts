/** The page of a customer's account: their mandates, subscriptions and payments, and the available actions. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { endOfAccount, factLines, type FactLine } from "../render/facts.ts";
import { merchantPage, merchantPanel, type MerchantSheet } from "../render/frame.ts";
import type { AccountMandate, AccountPayment, AccountPageRow, AccountSubscription } from "./store.ts";

export type AccountSheet = MerchantSheet & { readonly row: AccountPageRow };

interface Account {
  readonly subscriptions: readonly AccountSubscription[];
  readonly mandates: readonly AccountMandate[];
  readonly payments: readonly AccountPayment[];
  /** The mandate whose account has just been changed. */
  readonly changed: AccountMandate | null;
  /** The path of the page on which a failed payment is repeated. */
  readonly failedPath: (transactionId: string) => string;
  /** The next debits by subscription, if known. */
  readonly nextDebits: ReadonlyMap<string, IsoDate>;
  /** The debit days of pending payments by payment, if the gateway gives them. */
  readonly debitDays: ReadonlyMap<string, IsoDate>;
}

export function accountPage(sheet: AccountSheet, account: Account): Html {
  const { words } = sheet;
  const { subscriptions, mandates, changed } = account;
  const heading = words.say("accountHeading");
  const main = html`<h1>${heading}</h1>
    ${changed !== null && html`<p class="mandate" role="status">${words.say("accountChanged", { account: endOfAccount(changed) })}</p>`}
    ${subscriptions.map((one) => subscription(sheet, one, account))}
    ${mandates.map((one) => mandate(sheet, one))} ${account.payments.length > 0 && list(sheet, account)}`;
  return merchantPage(sheet, { title: heading, state: "account", main }, merchantPanel(sheet, NOTHING));
}

function subscription(
  sheet: AccountSheet,
  one: AccountSubscription,
  { failedPath, nextDebits }: Pick<Account, "failedPath" | "nextDebits">,
): Html {
  const { words } = sheet;
  const amount = words.amount(one.billing_amount, one.currency);
  return html`<section class="mandate" aria-label="${one.offer_name ?? amount}">
    <h2>${one.offer_name ?? amount}</h2>
    ${factLines([
      [
        words.say("amount"),
        one.billing_frequency === null ? amount : `${amount} ${words.interval(one.billing_frequency)}`,
      ],
      ...when(sheet, one, nextDebits.get(one.id) ?? null),
    ])}
    ${one.failed_id !== null && html`<p><a class="button" href="${failedPath(one.failed_id)}?lang=${words.language}">${words.say("payButton", { amount })}</a></p>`}
    ${one.status !== "CANCELLED" && !one.cancel_at_period_end && cancelForm(sheet, one)}
  </section>`;
}

/** The day of the next debit, or of the end. */
function when(
  { words }: AccountSheet,
  one: AccountSubscription,
  nextDebit: IsoDate | null,
): readonly FactLine[] {
  if (one.cancelled_at !== null) return [[words.say("subscriptionEnded"), words.date(one.cancelled_at)]];
  if (one.cancel_at_period_end && one.next_billing_date !== null)
    return [[words.say("subscriptionEnds"), words.date(one.next_billing_date)]];
  return [[words.say("nextPayment"), nextDebit && words.date(nextDebit)]];
}

/** Two steps without a script: unfold, then submit. */
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
    ${factLines([
      [words.say("creditor"), creditor.name],
      [words.say("creditorIdentifier"), creditor.identifier],
      [words.say("mandateReference"), one.reference],
      [words.say("accountHolder"), one.holder_name],
      [words.say("account"), endOfAccount(one)],
    ])}
    <p class="actions">
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

function list(sheet: AccountSheet, { payments, debitDays }: Pick<Account, "payments" | "debitDays">): Html {
  const { words } = sheet;
  return html`<section class="payments" aria-labelledby="payments">
    <h2 id="payments">${words.say("paymentsHeading")}</h2>
    ${payments.map((one) => payment(sheet, one, debitDays.get(one.id) ?? null))}
  </section>`;
}

/** A receipt of a payment, folded except for its day, amount and status. */
function payment({ words }: AccountSheet, one: AccountPayment, debitDay: IsoDate | null): Html {
  const status = words.say(STATUS_WORDS[one.status as keyof typeof STATUS_WORDS]);
  return html`<details>
    <summary>${words.date(one.paid_at)} · ${words.amount(one.amount, one.currency)} · ${status}</summary>
    ${debitDay !== null && html`<p><strong>${words.say("debitedFrom", { date: words.date(debitDay) })}</strong></p>`}
    ${factLines([
      [words.say("creditor"), one.creditor_name],
      [words.say("creditorIdentifier"), one.creditor_identifier],
      [words.say("orderNumber"), one.order_number],
      [words.say("mandateReference"), one.mandate_reference],
    ])}
  </details>`;
}
