/** Page of a payment: its history, and the possible actions. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Debit } from "../../gateways/gateway.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, facts, heading, newsNotice, panel, rawBlock, toast } from "../design/blocks.ts";
import { formActs, input, fewChoices, textarea } from "../design/fields.ts";
import { timeline, type TimelineStep } from "../design/timeline.ts";
import { address, accountEnd, money, orNone, reason, copyableReference, time } from "../design/values.ts";
import type { TextKey, Words } from "../words.ts";
import { DELIVERIES_PATH } from "../developers/tabs.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { codeOf, paymentBadge } from "./payment-columns.ts";
import { PAYMENTS_PATH } from "./payments.ts";
import { SUBSCRIPTIONS_PATH } from "./subscriptions.ts";

interface PaymentPage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly payment: ListedTransaction;
  /** Whether it is a refund that reverses the debit at the bank. */
  readonly isReversal: boolean;
  /** The debit of a pending payment, if its gateway gives it. */
  readonly debit: Debit | null;
  readonly steps: readonly TimelineStep[];
  readonly mayRefund: boolean;
  /** The actions on the payment in test mode. */
  readonly tried: Html;
  /** Whether it waits to be written into a file, and the person may cancel it. */
  readonly mayStop: boolean;
  /** The id of a new note, drawn with its form; null for a person who may not write one. */
  readonly noteId: string | null;
  readonly maySeeDeliveries: boolean;
  readonly mayResend: boolean;
  /** The open dialog, with the typed values. */
  readonly refunding: Refunding | null;
  /** For a held reversal: the last day on which its debit can be reversed. */
  readonly heldReversalUntil: { readonly day: string; readonly isOver: boolean } | null;
  /** Whether the dialog that asks for confirmation of the stop is open. */
  readonly stopping: boolean;
  /** Why the action was refused. */
  readonly problem: string | null;
  /** The action that has just been performed. */
  readonly done: string | null;
  /** The record as returned by the API. */
  readonly raw: string;
}

export interface Refunding {
  /** The refund's id, drawn with the form: if it is sent twice, it is one refund. */
  readonly id: string;
  readonly amount: string;
  readonly reason: string;
  /** The chosen way. */
  readonly way: "reversal" | null;
  /** The last day on which the debit can be reversed; null if it cannot be. */
  readonly reversibleUntil: string | null;
  readonly problem: string | null;
}

export function paymentPage(page: PaymentPage): Html {
  const { words, payment, steps, done, raw, refunding, mayStop, stopping, problem } = page;
  const path = `${PAYMENTS_PATH}${payment.id}/`;
  const canRefund = page.mayRefund && payment.amount_refundable !== "0.00";
  return html`${heading(
      html`${payment.type === "sdd_refund" && "−"}${money(words, payment.amount, payment.currency)}`,
      {
        after: paymentBadge(words, payment),
        acts: [
          ...(canRefund
            ? [html`<a class="button" href="${path}?act=refund">${words.say("refund")}</a>`]
            : []),
          ...(mayStop
            ? [html`<a class="button" href="${path}?act=stop">${words.say(stopTexts(payment).name)}</a>`]
            : []),
        ],
        lead: leadOf(words, payment),
      },
    )}
    ${newsNotice(words)} ${problem !== null && callout("bad", problem)}
    <div class="split">
      <div class="stack">
        ${payment.held_until !== null && heldPanel(page, path, payment.held_until)}
        ${panel(
          words.say("timeline"),
          timeline(words, steps, payment.currency, (step) => webhookActs(page, step)),
        )}
        ${page.noteId !== null && notePanel(page, path, page.noteId)} ${rawBlock(words.say("raw"), raw)}
      </div>
      <div class="stack">${factsOf(page)} ${page.tried}</div>
    </div>
    ${done !== null && toast(done)}
    ${canRefund && refunding !== null ? refundDialog(page, path, refunding) : NOTHING}
    ${mayStop && stopping ? stopDialog(page, path) : NOTHING}`;
}

/** A held refund, and the possible decisions. */
function heldPanel(
  { words, csrf, mayRefund, heldReversalUntil: last }: PaymentPage,
  path: string,
  until: Date,
): Html {
  const decide = (verb: "release" | "unsend", label: string) =>
    html`<form method="post" action="${path}${verb}/">${csrfField(csrf)}<button>${label}</button></form>`;
  return panel(
    words.say("held"),
    html`<div class="in">
      <p>${words.say("heldWhat", { time: words.time(until) })}</p>
      ${
        last !== null &&
        html`<p>
          ${words.say(last.isOver ? "heldReversalOver" : "heldReversal", { day: words.day(last.day) })}
        </p>`
      }
      ${
        mayRefund &&
        html`<div class="form-acts">
          ${decide("release", words.say("heldRelease"))} ${decide("unsend", words.say("heldCancel"))}
        </div>`
      }
    </div>`,
  );
}

/** A note, for what no step records: a call, an agreement. */
function notePanel({ words, csrf }: PaymentPage, path: string, id: string): Html {
  const { say } = words;
  return panel(
    say("noteOnPayment"),
    html`<form class="in wide" method="post" action="${path}notes/">
      ${csrfField(csrf)} <input type="hidden" name="id" value="${id}" />
      ${textarea({ name: "text", label: say("noteText"), value: "", hint: say("noteHint"), required: true })}
      ${formActs(say("noteWrite"), "")}
    </form>`,
  );
}

/** What was sent to the receiver, with redelivery at the newest attempt of each delivery. */
function webhookActs(
  { words, csrf, payment, steps, maySeeDeliveries, mayResend }: PaymentPage,
  step: TimelineStep,
): Html {
  const { kind, id } = step;
  const newest = steps.findLast((one) => one.kind === kind && one.id === id);
  if (kind !== "webhook" || id === null || step !== newest || !maySeeDeliveries) return NOTHING;
  const path = `${DELIVERIES_PATH}${id}/`;
  return html`<div class="step-acts">
    <a class="button" href="${path}">${words.say("delivery")}</a>
    ${
      mayResend &&
      html`<form method="post" action="${path}again/">
        ${csrfField(csrf)} <input type="hidden" name="payment" value="${payment.id}" />
        <button>${words.say("sendAgain")}</button>
      </form>`
    }
  </div>`;
}

/** Answers "what happened?" in one line. */
function leadOf(words: Words, payment: ListedTransaction): Html {
  const who = payment.customer_name ?? payment.customer_email ?? "";
  const type = words.texts.types[payment.type] ?? payment.type;
  const hasFailed = payment.status === "declined" || payment.status === "charged_back";
  const why = hasFailed ? codeOf(payment) : null;
  return html`${type} · ${who}${why !== null && html` · ${reason(words, why)}`}`;
}

function factsOf({ words, payment, debit, isReversal, now }: PaymentPage): readonly Html[] {
  const say = words.say;
  const { currency } = payment;
  const customer = payment.lead_id === null ? null : `/console/customers/${payment.lead_id}/`;
  return [
    panel(
      say("customer"),
      facts([
        [
          say("name"),
          customer === null
            ? orNone(payment.customer_name)
            : html`<a href="${customer}">${payment.customer_name ?? payment.customer_email}</a>`,
        ],
        [say("email"), address(payment.customer_email)],
        [say("country"), payment.country === null ? null : words.country(payment.country)],
        [say("account4"), accountEnd(payment.iban)],
        [say("bic"), payment.bic],
      ]),
    ),
    panel(
      say("facts"),
      facts([
        [say("amount"), money(words, payment.amount, currency)],
        [
          say("refunded"),
          payment.amount_refunded === "0.00" ? null : money(words, payment.amount_refunded, currency),
        ],
        [
          say("refundable"),
          payment.amount_refundable === "0.00" ? null : money(words, payment.amount_refundable, currency),
        ],
        [say("created"), time(words, payment.created_at, now)],
        [say("debitFrom"), debit && words.day(debit.day)],
        [say("pendingUntil"), debit && words.day(debit.pendingUntil)],
        [say("gateway"), payment.gateway_name],
        [say("order"), payment.order_number === null ? null : copyableReference(words, payment.order_number)],
        [say("reference"), copyableReference(words, payment.merchant_transaction_id)],
        [
          say("ownReference"),
          payment.tenant_reference_id === null ? null : copyableReference(words, payment.tenant_reference_id),
        ],
        [
          say("gatewayReference"),
          payment.transaction_id === null ? null : copyableReference(words, payment.transaction_id),
        ],
        [
          say("mandate"),
          payment.mandate_id === null || payment.mandate_reference_id === null
            ? orNone(payment.mandate_reference_id)
            : html`<a class="code" href="${MANDATES_PATH}${payment.mandate_id}/"
                >${payment.mandate_reference_id}</a
              >`,
        ],
        [
          words.texts.kinds.subscription,
          payment.subscription_id === null
            ? null
            : html`<a href="${SUBSCRIPTIONS_PATH}${payment.subscription_id}/">${say("theSubscription")}</a>`,
        ],
        [say("way"), isReversal ? say("byReversal") : null],
        [say("reason"), payment.reason],
        ["ID", copyableReference(words, payment.id)],
      ]),
    ),
    payment.original_id === null
      ? NOTHING
      : panel(
          say("related"),
          html`<p class="in">
            <a href="${PAYMENTS_PATH}${payment.original_id}/">${say("refundedPayment")}</a>
          </p>`,
        ),
  ];
}

/** The dialog: shows how much money goes to whom, and asks for confirmation. */
function refundDialog({ words, csrf, payment }: PaymentPage, path: string, refunding: Refunding): Html {
  const left = words.money(payment.amount_refundable, payment.currency);
  const customer = payment.customer_name ?? payment.customer_email ?? "";
  return dialog(
    `${words.say("refund")}: ${words.money(payment.amount, payment.currency)}`,
    html`<p>${words.say("refundWhat", { customer, last4: payment.iban?.slice(-4) ?? "?" })}</p>
      ${refunding.problem !== null && callout("bad", refunding.problem)}
      <form method="post" action="${path}refund/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${refunding.id}" />
        ${input({
          name: "amount",
          label: `${words.say("amount")} (${payment.currency})`,
          value: words.typedAmount(refunding.amount),
          inputMode: "decimal",
          required: true,
          hint: words.say("refundLeft", { amount: left }),
        })}
        ${refunding.reversibleUntil !== null && wayFields(words, refunding.way, refunding.reversibleUntil)}
        ${input({
          name: "reason",
          label: words.say("refundReason"),
          value: refunding.reason,
          maxLength: 500,
          hint: words.say("refundReasonHint"),
        })}
        <div class="form-acts">
          <button class="main">${words.say("refundNow")}</button>
          <a class="button" href="${path}" data-close>${words.say("cancel")}</a>
        </div>
      </form>`,
  );
}

/** Only if there is a choice. */
function wayFields(words: Words, way: Refunding["way"], until: string): Html {
  const { say } = words;
  return fewChoices({ name: "way", label: say("way"), value: way ?? "transfer", hint: say("wayHint") }, [
    ["transfer", say("wayTransfer")],
    ["reversal", say("wayReversal", { day: words.day(until) })],
  ]);
}

/** The texts of a cancellation, with its consequences. */
function stopTexts({ type }: ListedTransaction): { readonly name: TextKey; readonly what: TextKey } {
  if (type === "sdd_refund") return { name: "stopRefund", what: "stopRefundWhat" };
  return { name: "stopDebit", what: type === "sdd_rebill" ? "stopRenewalWhat" : "stopDebitWhat" };
}

function stopDialog({ words, csrf, payment }: PaymentPage, path: string): Html {
  const { name, what } = stopTexts(payment);
  const customer = payment.customer_name ?? payment.customer_email ?? "";
  const amount = words.money(payment.amount, payment.currency);
  const back = html`<a class="button" href="${path}" data-close>${words.say("cancel")}</a>`;
  return dialog(
    `${words.say(name)}: ${amount}`,
    html`<p>${words.say(what, { customer, last4: payment.iban?.slice(-4) ?? "?" })}</p>
      <form method="post" action="${path}stop/">
        ${csrfField(csrf)} ${formActs(words.say(name), "bad", back)}
      </form>`,
  );
}
