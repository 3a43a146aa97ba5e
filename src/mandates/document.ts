/** A mandate on one sheet of paper, for the debtor who asks for a copy and the bank that asks for proof. Pure. */
import { createHash } from "node:crypto";
import { maskedIban } from "../sepa/iban.ts";
import { addressLine } from "./creditor.ts";
import { merchantParagraphs } from "./merchant-text.ts";
import { html, Html, NOTHING } from "../files/html.ts";
import { utcDate } from "../lib/dates.ts";
import type { ShownNotice } from "./notices.ts";
import type { MandateDetailRow, ShownAmendment } from "./store.ts";

type WordKey =
  | "mandateHeading"
  | "mandateAuthorise"
  | "mandateRefund"
  | "businessHeading"
  | "businessTerms"
  | "mandateRights"
  | "mandateRecurring"
  | "mandateOneOff"
  | "creditor"
  | "creditorIdentifier"
  | "mandateReference"
  | "noticePeriod"
  | "placeAndDate"
  | "accountHolder"
  | "account"
  | "bank"
  | "date";

/** The words of the payment page, which this document shares. */
interface MandateWords {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  say(key: WordKey, values?: Readonly<Record<string, string>>): string;
  date(at: Date): string;
  duration(unit: "day", period: number): string;
  country(code: string): string;
}

/** The words for a mandate, and whether they are those that were accepted. */
interface ShownWords {
  readonly words: MandateWords;
  readonly accepted: boolean;
  /** The merchant's own text, where that was accepted. */
  readonly ownText: string | null;
}

export type WordsOf = (
  tenant: number,
  wished: string | null,
  signed: Pick<MandateDetailRow, "text_version" | "language" | "country" | "scheme">,
) => Promise<ShownWords>;

/** Chosen for print: dark on white, one sheet of A4. */
const STYLE = `
@page{size:A4;margin:20mm}
*{box-sizing:border-box}
body{margin:0 auto;max-width:170mm;padding:1rem;color:#111827;background:#fff;overflow-wrap:anywhere;
font:11pt/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{font-size:16pt;margin:0 0 1rem}
h2{font-size:11pt;margin:1.25rem 0 .25rem}
p{margin:0 0 .5rem}
dl{display:grid;grid-template-columns:minmax(9rem,1fr) 2fr;gap:.25rem 1rem;margin:1rem 0;
border-block:1px solid #6b7280;padding:.75rem 0}
dt{color:#4b5563}
dd{margin:0;font-weight:600}
section,dl{break-inside:avoid}
.proof{font-size:9pt;color:#374151}
@media print{body{padding:0;max-width:none}}
`;
/** Not in a template: a space more than what the policy has the sum of, and browsers refuse it. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing but the sheet's own style: no script, no picture, no frame around it. */
export const DOCUMENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** @param notices that the customer was given, for the bank that examines the sheet. */
export function mandateDocument(
  row: MandateDetailRow,
  { words, accepted, ownText }: ShownWords,
  notices: readonly ShownNotice[] = [],
): Html {
  return html`<!doctype html>
    <html lang="${words.language}" dir="${words.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${heading(row, words)} ${row.reference}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${heading(row, words)}</h1>
          ${ownText === null ? terms(row, words) : ownTerms(row, words, ownText)} ${parties(row, words)}
          ${proof(row, accepted)} ${history(row.amendments)} ${told(notices)}
        </main>
      </body>
    </html>`;
}

function heading({ scheme }: MandateDetailRow, words: MandateWords): string {
  return words.say(scheme === "B2B" ? "businessHeading" : "mandateHeading");
}

function terms(row: MandateDetailRow, words: MandateWords): Html {
  return html`<p>${words.say("mandateAuthorise", { creditor: row.creditor_name })}</p>
    <p>${words.say(row.scheme === "B2B" ? "businessTerms" : "mandateRefund")}</p>
    <p>${words.say("mandateRights")}</p>
    <p>${words.say(row.type === "recurrent" ? "mandateRecurring" : "mandateOneOff")}</p>`;
}

function ownTerms(row: MandateDetailRow, words: MandateWords, text: string): Html {
  const facts = {
    creditor: row.creditor_name,
    identifier: row.creditor_identifier,
    reference: row.reference,
    type: words.say(row.type === "recurrent" ? "mandateRecurring" : "mandateOneOff"),
    address: addressLine(creditorPlace(row), words),
    notice: noticeOf(row, words),
    date: words.date(row.accepted_at),
  };
  return html`${merchantParagraphs(text, facts).map((paragraph) => html`<p>${paragraph}</p>`)}`;
}

function parties(row: MandateDetailRow, words: MandateWords): Html {
  const lines: readonly (readonly [label: string, value: string | null])[] = [
    [words.say("mandateReference"), row.reference],
    [words.say("creditor"), creditorLine(row, words)],
    [words.say("creditorIdentifier"), row.creditor_identifier],
    [words.say("accountHolder"), row.holder_name],
    [words.say("account"), accountEnd(row)],
    ["BIC", row.bic],
    [words.say("bank"), row.bank_name],
    [words.say("noticePeriod"), noticeOf(row, words)],
    signedLine(row, words),
  ];
  return html`<dl>
    ${lines
      .filter(([, value]) => value !== null)
      .map(
        ([label, value]) =>
          html`<dt>${label}</dt>
            <dd dir="auto">${value}</dd>`,
      )}
  </dl>`;
}

function noticeOf({ pre_notification_days: days }: MandateDetailRow, words: MandateWords): string | null {
  return days === null ? null : words.duration("day", days);
}

/** Where a mandate on paper was signed, the service was not told. */
function signedLine({ acceptance_mode, accepted_at }: MandateDetailRow, words: MandateWords) {
  const day = words.date(accepted_at);
  return acceptance_mode === null
    ? ([words.say("date"), day] as const)
    : ([words.say("placeAndDate"), `online, ${day}`] as const);
}

function creditorPlace(row: MandateDetailRow) {
  const {
    creditor_address: address,
    creditor_postal_code,
    creditor_city: city,
    creditor_country: country,
  } = row;
  return { address, postal_code: creditor_postal_code, city, country };
}

function creditorLine(row: MandateDetailRow, words: MandateWords): string {
  const line = addressLine(creditorPlace(row), words);
  return line === null ? row.creditor_name : `${row.creditor_name}, ${line}`;
}

/** `DE****…3000`: no page of this service shows a whole account. */
function accountEnd({ iban_country, iban_last4 }: MandateDetailRow): string {
  return iban_country + maskedIban(iban_country, iban_last4).slice(iban_country.length);
}

/** For examiners: in English, whatever the language of the mandate. */
function proof(row: MandateDetailRow, accepted: boolean): Html {
  return html`<section class="proof" lang="en" dir="ltr">
    <h2>Signature</h2>
    <p>${signature(row)}</p>
    ${accepted ? NOTHING : html`<p>${whichText(row)}</p>`}
    <p>Status: ${statusOf(row)}. Scheme: ${row.scheme}.</p>
  </section>`;
}

const ACCEPTED_BY: Readonly<Record<"checkbox" | "IMPLICIT", string>> = {
  checkbox: "by ticking the box next to its text",
  IMPLICIT: "by paying",
};

function signature({ acceptance_mode, accepted_at, accepted_ip, text_version }: MandateDetailRow): string {
  if (acceptance_mode === null) {
    return `Signed on ${utcDate(accepted_at)} elsewhere; the signature is kept by the party that collected it.`;
  }
  const from = accepted_ip === null ? "" : ` from the address ${accepted_ip}`;
  return `Accepted ${ACCEPTED_BY[acceptance_mode]} (${acceptance_mode}) at ${accepted_at.toISOString()}${from}; text ${text_version}.`;
}

function whichText({ text_version, source }: MandateDetailRow): string {
  if (source === "import")
    return "The text above is the scheme's; the signed text may have been worded differently.";
  return text_version === "merchant"
    ? "The merchant showed the mandate's text on its own page; the text above is the scheme's."
    : "The text above is the scheme's; the accepted text was worded differently or in another language.";
}

function statusOf({ status, cancelled_at, cancelled_by, status_reason }: MandateDetailRow): string {
  const when = cancelled_at === null ? "" : ` on ${utcDate(cancelled_at)}`;
  const who = cancelled_by === null ? "" : ` by the ${cancelled_by}`;
  return `${status}${when}${who}${status_reason === null ? "" : ` (${status_reason})`}`;
}

function history(amendments: readonly ShownAmendment[]): Html {
  if (amendments.length === 0) return NOTHING;
  return html`<section class="proof" lang="en" dir="ltr">
    <h2>Amended since</h2>
    ${amendments.map((amendment) => html`<p>${utcDate(new Date(amendment.at))}: ${before(amendment)}</p>`)}
  </section>`;
}

function before(amendment: ShownAmendment): string {
  switch (amendment.kind) {
    case "reference":
      return `the reference was ${amendment.original_reference}`;
    case "creditor": {
      const { original_creditor_name: name, original_creditor_identifier: identifier } = amendment;
      return `the creditor was ${[name, identifier].filter((part) => part !== null).join(", ")}`;
    }
    case "holder":
      return `the account holder was ${amendment.original_holder_name}`;
    case "account": {
      const { original_iban_country: country, original_iban_last4: last4 } = amendment;
      return country === null ? "the account was another one" : `the account was ${country}…${last4}`;
    }
  }
}

function told(notices: readonly ShownNotice[]): Html {
  const lines = notices.flatMap((notice) =>
    notice.told_at === null ? [] : [toldLine(notice, notice.told_at)],
  );
  if (lines.length === 0) return NOTHING;
  return html`<section class="proof" lang="en" dir="ltr">
    <h2>Notices of debits</h2>
    ${lines.map((line) => html`<p>${line}</p>`)}
  </section>`;
}

function toldLine(notice: ShownNotice, at: Date): string {
  const { amount, currency, collection_date: day, billing_frequency: frequency } = notice;
  const debit = `${amount} ${currency} on ${day}${frequency === null ? "" : `, then ${frequency}`}`;
  const how =
    notice.told_by === "message"
      ? `by e-mail${notice.recipient === null ? "" : ` to ${notice.recipient}`}, text ${notice.text_version}`
      : "to the merchant's server, for the merchant to pass on";
  return `${at.toISOString()}: ${debit} under ${notice.mandate_reference}; told ${how}.`;
}
