/**
 * The pages other than the form: waiting, verification, receipt, ends without a payment, and pages without a session.
 * Pure.
 */
import type { DeclineCode } from "../../sepa/reasons.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { endOfAccount, factLines, type FactLine } from "./facts.ts";
import type { Body, MerchantSheet, Sheet } from "./frame.ts";
import type { Receipt } from "./choose-page.ts";
import type { PageWords } from "./wording.ts";

/** The shop's return address, or null. */
export type WayBack = {
  readonly url: string;
  /** Whether the script redirects the customer there after a while. */
  readonly leaves: boolean;
  /** Whether the customer must wait until the shop has acknowledged the payment. */
  readonly isHeld: boolean;
} | null;

/** The interval at which a page without the script reloads. */
const PROCESSING_REFRESH_SECONDS = 3;
const UNCLEAR_REFRESH_SECONDS = 15;
const IN_USE_REFRESH_SECONDS = 3;

export function processingBody({ words, place }: Sheet): Body {
  return {
    title: words.say("processingHeading"),
    state: "processing",
    refreshSeconds: PROCESSING_REFRESH_SECONDS,
    main: waiting(words, place.path, words.say("processingHeading"), words.say("processingText")),
  };
}

export function unclearBody({ words, place, row }: Sheet): Body {
  const text = words.say("unclearText", { merchant: row.merchant_name });
  return {
    title: words.say("unclearHeading"),
    state: "unclear",
    refreshSeconds: UNCLEAR_REFRESH_SECONDS,
    main: waiting(words, place.path, words.say("unclearHeading"), text),
  };
}

export function linkInUseBody({ words, place }: Sheet): Body {
  return {
    title: words.say("linkInUseHeading"),
    state: "link-in-use",
    refreshSeconds: IN_USE_REFRESH_SECONDS,
    main: waiting(words, place.path, words.say("linkInUseHeading"), words.say("linkInUseText")),
  };
}

function waiting(words: PageWords, path: string, heading: string, text: string): Html {
  return html`<div role="status">
      <div class="spinner" aria-hidden="true"></div>
      <h1>${heading}</h1>
      <p>${text}</p>
    </div>
    <p><a class="quiet" href="${path}?lang=${words.language}">${words.say("refresh")}</a></p>`;
}

/**
 * The bank requires a confirmation: shows the link again to customers who return without one.
 * @param leave whether the browser is redirected to the bank at once.
 * @param notYet whether the bank was asked and reported no confirmation.
 */
export function verificationBody(
  { words, place }: Sheet,
  { url, leave, notYet }: { readonly url: string; readonly leave: boolean; readonly notYet: boolean },
): Body {
  return {
    title: words.say("verifyHeading"),
    state: "verification",
    ...(leave ? { leadsTo: url } : {}),
    main: html`<h1>${words.say("verifyHeading")}</h1>
      ${notYet && html`<p class="notice" role="alert" tabindex="-1" autofocus>${words.say("verifyNotYet")}</p>`}
      <p>${words.say("verifyText")}</p>
      <p><a class="button" href="${url}" rel="noreferrer">${words.say("verifyLink")}</a></p>
      <form method="post" action="${place.path}verify/?lang=${words.language}">
        <button class="quiet">${words.say("verifyDone")}</button>
      </form>`,
  };
}

/** The customer has returned, and the merchant's own form continues from here. */
export function verifiedElsewhereBody({ words, row }: Sheet): Body {
  return {
    title: words.say("verifyHeading"),
    state: "verified-elsewhere",
    main: html`<h1>${words.say("processingHeading")}</h1>
      <p>${words.say("verifiedElsewhere", { merchant: row.merchant_name })}</p>`,
  };
}

const RECEIPT_HEADINGS = {
  paid: "paidHeading",
  submitted: "submittedHeading",
  signed: "signedHeading",
  refunded: "refundedHeading",
  returned: "returnedHeading",
} as const;

export function receiptBody(sheet: Sheet, receipt: Receipt, wayBack: WayBack): Body {
  const { words, row } = sheet;
  const merchant = row.merchant_name;
  const creditor = row.creditor_name ?? row.creditor.name;
  const heading = words.say(RECEIPT_HEADINGS[receipt]);
  const good = receipt === "paid" || receipt === "submitted" || receipt === "signed";
  return {
    title: heading,
    ...(wayBack?.isHeld
      ? { state: "held", refreshSeconds: PROCESSING_REFRESH_SECONDS }
      : { state: `receipt-${receipt}` }),
    main: html`<div role="status">
        ${good && html`<div class="tick" aria-hidden="true"></div>`}
        <h1>${heading}</h1>
        ${receipt === "paid" && html`<p>${words.say("paidText", { merchant })}</p>`}
        ${receipt === "submitted" && html`<p>${words.say("submittedText", { creditor })}</p>`}
        ${receipt === "submitted" && sheet.debit.made !== null && html`<p><strong>${words.say("debitedFrom", { date: words.date(sheet.debit.made.day) })}</strong></p>`}
        ${receipt === "returned" && html`<p>${words.say("returnedText")}</p>`}
      </div>
      <h2>${words.say("receipt")}</h2>
      ${factLines(receiptFacts(sheet, receipt))} ${back(words, merchant, wayBack)}
      <p class="actions">
        ${row.mandate_id !== null && copyOfMandate(sheet)}
        <button class="quiet" id="print" type="button" hidden>${words.say("print")}</button>
      </p>`,
  };
}

function receiptFacts({ words, row, debit }: Sheet, receipt: Receipt): readonly FactLine[] {
  return [
    [words.say("creditor"), row.creditor_name ?? row.creditor.name],
    [words.say("orderNumber"), row.order_number],
    [words.say("amount"), row.transaction_amount && words.amount(row.transaction_amount, row.currency)],
    [words.say("date"), row.transaction_created_at && words.date(row.transaction_created_at)],
    [
      words.say("pendingUntil"),
      receipt === "submitted" && debit.made !== null ? words.date(debit.made.pendingUntil) : null,
    ],
    [words.say("accountHolder"), row.holder_name],
    [words.say("account"), row.iban_last4 && endOfAccount(row)],
    [words.say("bank"), row.bank_name],
    [words.say("mandateReference"), row.mandate_reference],
    [
      words.say("creditorIdentifier"),
      row.creditor_name === null ? row.creditor.identifier : row.creditor_identifier,
    ],
    [words.say("statementText"), debit.made?.statementText ?? row.descriptor],
    [words.say("nextPayment"), debit.next && words.date(debit.next)],
  ];
}

const LEAVE_AFTER_SECONDS = 20;

/** The customer's own copy of the mandate as signed. */
function copyOfMandate({ words, place, row }: Sheet): Html {
  const heading = row.mandate_scheme === "B2B" ? "businessHeading" : "mandateHeading";
  return html`<a class="quiet" href="${place.path}mandate/" target="_blank">${words.say(heading)}</a>`;
}

/** The way back; the script counts down and can be stopped. */
function back(words: PageWords, merchant: string, wayBack: WayBack): Html {
  if (wayBack === null) return NOTHING;
  const text = words.say("backToMerchant", { merchant });
  const { url, leaves, isHeld } = wayBack;
  if (isHeld) return html`<p><a class="button" role="link" aria-disabled="true">${text}</a></p>`;
  const counted = (seconds: number) => words.count("leavingIn", "seconds", seconds);
  const countdown = html`<p
    id="leaving"
    hidden
    data-url="${url}"
    data-seconds="${LEAVE_AFTER_SECONDS}"
    data-texts="${JSON.stringify(Array.from({ length: LEAVE_AFTER_SECONDS + 1 }, (_, seconds) => counted(seconds)))}"
  >
    <span></span> <button class="quiet" type="button">${words.say("stay")}</button>
  </p>`;
  return html`<p>
      <a class="button" href="${url}" rel="noreferrer">${text}</a>
    </p>
    ${leaves && countdown}`;
}

const ENDED_TEXTS = {
  failed: ["failedHeading", "failedText"],
  cancelled: ["cancelledHeading", "cancelledText"],
  expired: ["expiredHeading", "expiredText"],
  closed: ["closedHeading", "closedText"],
  linkUsed: ["linkUsedHeading", "linkUsedText"],
  linkOver: ["linkOverHeading", "linkOverText"],
} as const;

export function endedBody(
  { words, row }: Pick<MerchantSheet, "words" | "row">,
  why: keyof typeof ENDED_TEXTS,
  reason: DeclineCode | null,
  wayBack: WayBack,
): Body {
  const [heading, text] = ENDED_TEXTS[why];
  const merchant = row.merchant_name;
  return {
    title: words.say(heading),
    state: why,
    main: html`<div role="status">
        <h1>${words.say(heading)}</h1>
        ${reason !== null && html`<p>${words.texts.reasons[reason]}</p>`}
        <p>${words.say(text, { merchant })}</p>
      </div>
      ${why !== "linkOver" && html`<p>${words.say("askMerchant", { merchant })}</p>`}
      ${back(words, merchant, wayBack)}`,
  };
}

export type Trouble = "unknown" | "tooFast" | "tries" | "unavailable" | "badRequest";

/** An error outside a session; `backPath` is the path of the page if it may exist. */
export function troubleBody(words: PageWords, trouble: Trouble, backPath: string | null): Body {
  const heading = words.say(`${trouble}Heading`);
  return {
    title: heading,
    state: trouble,
    main: html`<div role="status">
        <h1>${heading}</h1>
        <p>${words.say(`${trouble}Text`)}</p>
      </div>
      ${backPath !== null && html`<p><a class="button" href="${backPath}">${words.say("backToPayment")}</a></p>`}`,
  };
}
