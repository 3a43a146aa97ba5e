/** What a mandate says on paper, whatever the paper is. Pure. */
import { utcDate } from "../lib/dates.ts";
import { maskedIban } from "../sepa/iban.ts";
import { addressLine } from "./creditor.ts";
import { merchantParagraphs } from "./merchant-text.ts";
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
  | "placeOnline"
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
export interface ShownWords {
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

/** A sheet's words. */
export interface MandateSheet {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  readonly heading: string;
  readonly reference: string;
  /** The text of the mandate. */
  readonly paragraphs: readonly string[];
  /** Who, which account, when. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** For examiners: in English, whatever the language of the mandate. */
  readonly proof: readonly { readonly heading: string; readonly lines: readonly string[] }[];
}

/** @param notices that the customer was given, for the bank that examines the sheet. */
export function mandateSheet(
  row: MandateDetailRow,
  { words, accepted, ownText }: ShownWords,
  notices: readonly ShownNotice[] = [],
): MandateSheet {
  return {
    language: words.language,
    direction: words.direction,
    heading: words.say(row.scheme === "B2B" ? "businessHeading" : "mandateHeading"),
    reference: row.reference,
    paragraphs: ownText === null ? terms(row, words) : ownTerms(row, words, ownText),
    facts: parties(row, words),
    proof: [
      { heading: "Signature", lines: proof(row, accepted) },
      { heading: "Amended since", lines: row.amendments.map(amendmentLine) },
      { heading: "Notices of debits", lines: notices.flatMap(toldLine) },
    ].filter(({ lines }) => lines.length > 0),
  };
}

function terms(row: MandateDetailRow, words: MandateWords): readonly string[] {
  return [
    words.say("mandateAuthorise", { creditor: row.creditor_name }),
    words.say(row.scheme === "B2B" ? "businessTerms" : "mandateRefund"),
    words.say("mandateRights"),
    words.say(row.type === "recurrent" ? "mandateRecurring" : "mandateOneOff"),
  ];
}

function ownTerms(row: MandateDetailRow, words: MandateWords, text: string): readonly string[] {
  return merchantParagraphs(text, {
    creditor: row.creditor_name,
    identifier: row.creditor_identifier,
    reference: row.reference,
    type: words.say(row.type === "recurrent" ? "mandateRecurring" : "mandateOneOff"),
    address: addressLine(creditorPlace(row), words),
    notice: noticeOf(row, words),
    date: words.date(row.accepted_at),
  });
}

function parties(row: MandateDetailRow, words: MandateWords): MandateSheet["facts"] {
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    [words.say("mandateReference"), row.reference],
    [words.say("creditor"), creditorLine(row, words)],
    [words.say("creditorIdentifier"), row.creditor_identifier],
    [words.say("accountHolder"), row.holder_name],
    [words.say("account"), maskedAccount(row)],
    ["BIC", row.bic],
    [words.say("bank"), row.bank_name],
    [words.say("noticePeriod"), noticeOf(row, words)],
    signedLine(row, words),
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]));
}

function noticeOf({ pre_notification_days: days }: MandateDetailRow, words: MandateWords): string | null {
  return days === null ? null : words.duration("day", days);
}

/** Where a mandate on paper was signed, the service was not told. */
function signedLine({ acceptance_mode, accepted_at }: MandateDetailRow, words: MandateWords) {
  const day = words.date(accepted_at);
  return acceptance_mode === null
    ? ([words.say("date"), day] as const)
    : ([words.say("placeAndDate"), `${words.say("placeOnline")}, ${day}`] as const);
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
export function maskedAccount({ iban_country, iban_last4 }: MandateDetailRow): string {
  return iban_country + maskedIban(iban_country, iban_last4).slice(iban_country.length);
}

function proof(row: MandateDetailRow, accepted: boolean): readonly string[] {
  const status = `Status: ${statusOf(row)}. Scheme: ${row.scheme}.`;
  return accepted ? [signature(row), status] : [signature(row), whichText(row), status];
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

function amendmentLine(amendment: ShownAmendment): string {
  return `${utcDate(new Date(amendment.at))}: ${amendmentBefore(amendment)}`;
}

export function amendmentBefore(amendment: ShownAmendment): string {
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
      const was = country === null ? "the account was another one" : `the account was ${country}…${last4}`;
      const { accepted_ip: ip, text_version: version } = amendment;
      return ip === null ? was : `${was}; accepted by the customer from the address ${ip}, text ${version}`;
    }
  }
}

function toldLine(notice: ShownNotice): readonly string[] {
  const { told_at: at } = notice;
  if (at === null) return [];
  const { amount, currency, collection_date: day, billing_frequency: frequency } = notice;
  const debit = `${amount} ${currency} on ${day}${frequency === null ? "" : `, then ${frequency}`}`;
  const how =
    notice.told_by === "message"
      ? `by e-mail${notice.recipient === null ? "" : ` to ${notice.recipient}`}, text ${notice.text_version}`
      : "to the merchant's server, for the merchant to pass on";
  return [`${at.toISOString()}: ${debit} under ${notice.mandate_reference}; told ${how}.`];
}
