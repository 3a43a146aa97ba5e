/** The contents of a mandate's printed page, in HTML or PDF. Pure. */
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
  | "date"
  | "emailLabel"
  | "evidenceHeading"
  | "acceptedByBox"
  | "acceptedByPaying"
  | "networkAddress"
  | "textVersion"
  | "signedElsewhere"
  | "otherWording"
  | "endedOn"
  | "endedBy"
  | "formerHeading"
  | "noticesHeading"
  | "toldByMerchant";

/** The texts of the payment page, which this document shares. */
interface MandateWords {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  say(key: WordKey, values?: Readonly<Record<string, string>>): string;
  amount(decimal: string, currency: string): string;
  /** @param day `YYYY-MM-DD` or an instant. */
  date(day: string | Date): string;
  interval(frequency: NonNullable<ShownNotice["billing_frequency"]>): string;
  duration(unit: "day", period: number): string;
  country(code: string): string;
}

/** The texts for a mandate, and whether they are those that were accepted. */
export interface ShownWords {
  readonly words: MandateWords;
  readonly accepted: boolean;
  /** The merchant's own text, if that was accepted. */
  readonly ownText: string | null;
}

export type WordsOf = (
  tenant: number,
  wished: string | null,
  signed: Pick<MandateDetailRow, "text_version" | "language" | "country" | "scheme">,
) => Promise<ShownWords>;

/** The texts of a page, all in one language. */
export interface MandateSheet {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  readonly heading: string;
  readonly reference: string;
  /** The text of the mandate. */
  readonly paragraphs: readonly string[];
  /** The parties, the account, the dates. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** How it was accepted, and what followed. */
  readonly proof: readonly { readonly heading: string; readonly lines: readonly string[] }[];
}

/**
 * The contents.
 * @param notices that the customer received, for a bank that examines the page.
 */
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
      { heading: words.say("evidenceHeading"), lines: evidence(row, words, accepted) },
      { heading: words.say("formerHeading"), lines: row.amendments.map((one) => formerLine(one, words)) },
      { heading: words.say("noticesHeading"), lines: notices.flatMap((one) => toldLine(one, words)) },
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

/** Where a paper mandate was signed is not recorded. */
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

/** `DE****…3000`: no page of the service shows a whole account number. */
export function maskedAccount({ iban_country, iban_last4 }: MandateDetailRow): string {
  return iban_country + maskedIban(iban_country, iban_last4).slice(iban_country.length);
}

function evidence(row: MandateDetailRow, words: MandateWords, accepted: boolean): readonly string[] {
  return [
    ...acceptance(row, words),
    ...(accepted ? [] : [words.say("otherWording")]),
    ...(row.status === "active" ? [] : end(row, words)),
  ];
}

const ACCEPTED_BY = { checkbox: "acceptedByBox", IMPLICIT: "acceptedByPaying" } as const;

function acceptance(row: MandateDetailRow, words: MandateWords): readonly string[] {
  const { acceptance_mode: mode, accepted_at, accepted_ip: ip, text_version: version } = row;
  return mode === null
    ? [words.say("signedElsewhere")]
    : [
        `${words.say(ACCEPTED_BY[mode])}: ${timeInWords(accepted_at.toISOString())}`,
        ...shownFrom(ip, version, words),
      ];
}

/** The network address from which a text was accepted, and its version. */
function shownFrom(ip: string | null, version: string | null, words: MandateWords): readonly string[] {
  return [
    ...(ip === null ? [] : [`${words.say("networkAddress")}: ${ip}`]),
    ...(version === null ? [] : [`${words.say("textVersion")}: ${version}`]),
  ];
}

const ENDED_BY = { creditor: "creditor", debtor: "accountHolder", bank: "bank" } as const;

/**
 * The end of a mandate.
 * @returns one line with the day, one with who ended it; the reason is quoted.
 */
function end(row: MandateDetailRow, words: MandateWords): readonly string[] {
  const { cancelled_at, updated_at, cancelled_by: by, status_reason: reason } = row;
  const why = reason === null ? "" : ` (${reason})`;
  return [
    // An expired mandate was not cancelled.
    `${words.say("endedOn")}: ${words.date(cancelled_at ?? updated_at)}${why}`,
    ...(by === null ? [] : [`${words.say("endedBy")}: ${words.say(ENDED_BY[by])}`]),
  ];
}

function formerLine(amendment: ShownAmendment, words: MandateWords): string {
  const { accepted_ip: ip, text_version: version } = amendment;
  const accepted = ip === null ? [] : shownFrom(ip, version, words);
  const day = words.date(new Date(amendment.at));
  return `${day}: ${[formerDetail(amendment, words), ...accepted].join("; ")}`;
}

function formerDetail(amendment: ShownAmendment, words: MandateWords): string {
  switch (amendment.kind) {
    case "reference":
      return `${words.say("mandateReference")}: ${amendment.original_reference}`;
    case "creditor": {
      const { original_creditor_name: name, original_creditor_identifier: identifier } = amendment;
      return `${words.say("creditor")}: ${[name, identifier].filter((part) => part !== null).join(", ")}`;
    }
    case "holder":
      return `${words.say("accountHolder")}: ${amendment.original_holder_name}`;
    case "account": {
      // The former account of an imported mandate may be unknown.
      const { original_iban_country: country, original_iban_last4: last4 } = amendment;
      return `${words.say("account")}: ${country === null ? "…" : `${country}…${last4}`}`;
    }
  }
}

function toldLine(notice: ShownNotice, words: MandateWords): readonly string[] {
  const { told_at: at, billing_frequency: frequency } = notice;
  if (at === null) return [];
  const debit = [
    words.amount(notice.amount, notice.currency),
    words.date(notice.collection_date),
    ...(frequency === null ? [] : [words.interval(frequency)]),
  ].join(", ");
  const facts = [
    debit,
    `${words.say("mandateReference")}: ${notice.mandate_reference}`,
    ...(notice.told_by === "message" ? byMail(notice, words) : [words.say("toldByMerchant")]),
  ];
  return [`${timeInWords(at.toISOString())}: ${facts.join("; ")}`];
}

/**
 * A notice by mail.
 * @returns the recipient, unless that was erased, and the text version.
 */
function byMail({ recipient, text_version: version }: ShownNotice, words: MandateWords): readonly string[] {
  return [
    `${words.say("emailLabel")}: ${recipient ?? "…"}`,
    ...(version === null ? [] : [`${words.say("textVersion")}: ${version}`]),
  ];
}

/**
 * A time to the second; a date stays a date.
 * @param at an instant in ISO 8601.
 */
export function timeInWords(at: string): string {
  return at.replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
