/** The content of each kind of message. Pure. */
import { must } from "../lib/assert.ts";
import type { IsoDate } from "../lib/dates.ts";
import { centsFromDatabase } from "../lib/money.ts";
import { filled, type PageWords } from "../payment-page/render/wording.ts";
import { reasonOf, type DeclineCode } from "../sepa/reasons.ts";
import type { Content } from "./layout.ts";
import { mailableName } from "./names.ts";
import type { MessageWithSubject } from "./store.ts";
import { MESSAGE_TEXTS } from "./texts/all.ts";
import type { MessageTexts } from "./texts/texts.ts";

interface Told {
  readonly row: MessageWithSubject;
  readonly words: PageWords;
  readonly texts: MessageTexts;
  readonly isPaid: boolean;
  readonly amount: string;
}

/** The customer has reclaimed the money from the bank. */
const REFUND_REQUEST = "MD06";

interface Further {
  /** Of a first payment that has not settled; null where the gateway does not report it. */
  readonly debitDay: IsoDate | null;
  /** The day of the next retry of a failed payment; null if there is none. */
  readonly nextTryDay: IsoDate | null;
  /** The page on which a failed payment can be repeated; null: none. */
  readonly payUrl: string | null;
  /** The page where the customer changes the account; null: not from this message. */
  readonly accountUrl: string | null;
}

export function messageContent(row: MessageWithSubject, words: PageWords, further: Further): Content {
  const texts = MESSAGE_TEXTS[words.language];
  const amount = must(row.amount, "the amount of a payment or a notice");
  const told: Told = {
    row,
    words,
    texts,
    isPaid: centsFromDatabase(amount) > 0,
    amount: words.amount(amount, must(row.currency, "the currency of a payment or a notice")),
  };
  switch (row.kind) {
    case "mandate_copy":
      return mandateCopy(told, further.debitDay);
    case "pre_notification":
      return preNotification(told);
    case "receipt":
      return receipt(told);
    case "payment_failed":
      return failed(told, further);
    case "payment_returned":
      return returned(told);
  }
}

function mandateCopy(told: Told, debitDay: IsoDate | null): Content {
  const { row, words, texts, amount, isPaid } = told;
  return {
    subject: filled(texts.mandateSubject, { creditor: row.creditor_name }),
    paragraphs: [greeting(told), filled(texts.mandateText, { creditor: row.creditor_name })],
    facts: [
      ...(isPaid ? [fact(words.say("amount"), amount)] : []),
      ...(debitDay === null ? [] : [fact(texts.debitDay, words.date(debitDay))]),
      ...parties(told),
    ],
    closing: [question(told)],
  };
}

function preNotification(told: Told): Content {
  const { row, words, texts, amount } = told;
  const date = words.date(row.collection_date ?? "");
  const { billing_frequency: frequency } = row;
  return {
    subject: filled(texts.noticeSubject, { amount, date }),
    paragraphs: [
      greeting(told),
      filled(texts.noticeText, { creditor: row.creditor_name, amount, date }),
      ...(frequency === null
        ? []
        : [filled(texts.noticeRepeats, { amount, interval: words.interval(frequency) })]),
    ],
    facts: [fact(words.say("amount"), amount), fact(texts.debitDay, date), ...parties(told)],
    closing: [question(told)],
  };
}

function receipt(told: Told): Content {
  const { row, texts, amount } = told;
  return {
    subject: filled(texts.receiptSubject, { amount, creditor: row.creditor_name }),
    paragraphs: [greeting(told), filled(texts.receiptText, { creditor: row.creditor_name, amount })],
    facts: payment(told),
    closing: [question(told)],
  };
}

function failed(told: Told, { nextTryDay: again, payUrl, accountUrl }: Further): Content {
  const { row, words, texts, amount } = told;
  return {
    subject: filled(texts.failedSubject, { amount, creditor: row.creditor_name }),
    paragraphs: [
      greeting(told),
      filled(texts.failedText, { creditor: row.creditor_name, amount }),
      words.texts.reasons[(row.error_code ?? "unknown") as DeclineCode],
      ...(again === null ? [] : [filled(texts.failedAgain, { date: words.date(again) })]),
      ...(row.next_attempt_at === null && payUrl === null
        ? [filled(texts.failedEnd, { creditor: row.creditor_name })]
        : []),
      ...(payUrl === null ? [] : [texts.failedPay]),
    ],
    links: [
      ...(payUrl === null ? [] : [{ label: words.say("payButton", { amount }), url: payUrl }]),
      ...(accountUrl === null ? [] : [{ label: words.say("changeAccount"), url: accountUrl }]),
    ],
    facts: payment(told),
    closing: [question(told)],
  };
}

function returned(told: Told): Content {
  const { row, words, texts, amount } = told;
  const code = row.chargeback_reason;
  return {
    subject: filled(texts.returnedSubject, { amount, creditor: row.creditor_name }),
    paragraphs: [
      greeting(told),
      filled(texts.returnedText, { creditor: row.creditor_name, amount }),
      code === REFUND_REQUEST ? texts.returnedByYou : words.texts.reasons[reasonOf(code ?? "").code],
      filled(texts.returnedEnd, { creditor: row.creditor_name }),
    ],
    facts: [...payment(told), ...(code === null ? [] : [fact(texts.bankCode, code)])],
    closing: [question(told)],
  };
}

function greeting({ row, texts }: Told): string {
  const name = mailableName(`${row.first_name} ${row.last_name}`);
  return name === null ? texts.greetingUnnamed : filled(texts.greeting, { name });
}

function question({ row, words }: Told): string {
  return words.say("askMerchant", { merchant: row.message_sender ?? row.tenant_name });
}

function payment(told: Told): Content["facts"] {
  const { row, words, amount } = told;
  return [
    fact(words.say("amount"), amount),
    ...(row.paid_at === null ? [] : [fact(words.say("date"), words.date(row.paid_at))]),
    ...(row.order_number === null ? [] : [fact(words.say("orderNumber"), row.order_number)]),
    ...parties(told),
  ];
}

/** Creditor and mandate, by which a customer's bank can identify the debit. */
function parties({ row, words }: Told): Content["facts"] {
  return [
    fact(words.say("creditor"), row.creditor_name),
    ...(row.creditor_identifier === null
      ? []
      : [fact(words.say("creditorIdentifier"), row.creditor_identifier)]),
    fact(words.say("mandateReference"), row.mandate_reference),
    fact(words.say("account"), `${row.iban_country}…${row.iban_last4}`),
  ];
}

function fact(label: string, value: string) {
  return [label, value] as const;
}
