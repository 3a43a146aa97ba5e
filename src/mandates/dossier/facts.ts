/** The history of a mandate since its signature: each fact with its time, as text and as fields. Pure. */
import type { Canonical } from "../../lib/canonical-json.ts";
import { utcDate } from "../../lib/dates.ts";
import { shownPresentation } from "../mandate.ts";
import type { ShownNotice } from "../notices.ts";
import { maskedAccount, mandateSheet, type ShownWords } from "../sheet.ts";
import type { MandateDetailRow, ShownAmendment } from "../store.ts";
import type { AroundMandate, DebitRow, ReturnRow } from "./store.ts";

/** In the order in which facts of the same instant are listed. */
const KINDS = [
  "signed",
  "presented",
  "confirmed",
  "amended",
  "notice",
  "told",
  "debit",
  "in_file",
  "settled",
  "declined",
  "returned",
  "return_withdrawn",
  "refund",
  "refund_paid",
  "ended",
] as const;
type Kind = (typeof KINDS)[number];

export interface DossierFact {
  /** An instant, or a day if no more is known. */
  readonly at: string;
  readonly kind: Kind;
  /** Identifies the fact, together with the kind. */
  readonly id: string;
  readonly text: string;
  readonly facts: { readonly [name: string]: Canonical };
}

/** The fields that an erasure of the customer empties. */
export const PERSONAL: ReadonlySet<string> = new Set([
  "accepted_ip",
  "accepted_user_agent",
  "account",
  "before",
  "bic",
  "holder_name",
  "presentation",
  "reason",
  "recipient",
  "reference",
]);

/** The stored data of a dossier. */
export interface Evidence {
  readonly mandate: MandateDetailRow;
  readonly around: AroundMandate;
  /** In the language of the signature. */
  readonly shown: ShownWords;
  readonly notices: readonly ShownNotice[];
  readonly debits: readonly DebitRow[];
  readonly returns: readonly ReturnRow[];
  /** From the debtor's wallet; null without one, or if its customer was erased. */
  readonly presentation: string | null;
}

/** The facts, oldest first. */
export function lifeOf(evidence: Evidence): readonly DossierFact[] {
  const { mandate, notices, debits, returns } = evidence;
  const facts = [
    signed(evidence),
    ...presented(evidence),
    ...confirmed(mandate),
    ...mandate.amendments.map(amended),
    ...notices.flatMap(announced),
    ...debits.flatMap((debit) => (debit.original_reference === null ? debited(debit) : refunded(debit))),
    ...returns.flatMap(returned),
    ...ended(mandate),
  ];
  return facts.toSorted(
    (a, b) => compare(a.at, b.at) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || compare(a.id, b.id),
  );
}

/** The mandate before its amendments. The bank of a replaced account is unknown. */
export function asSigned(mandate: MandateDetailRow): MandateDetailRow {
  return mandate.amendments.reduce(
    (row, amendment) => ({ ...row, ...valuesBefore(row, amendment) }),
    mandate,
  );
}

function valuesBefore(row: MandateDetailRow, amendment: ShownAmendment): Partial<MandateDetailRow> {
  switch (amendment.kind) {
    case "reference":
      return { reference: amendment.original_reference ?? row.reference };
    case "holder":
      return { holder_name: amendment.original_holder_name ?? row.holder_name };
    case "creditor":
      return {
        creditor_name: amendment.original_creditor_name ?? row.creditor_name,
        creditor_identifier: amendment.original_creditor_identifier ?? row.creditor_identifier,
      };
    case "account":
      return {
        iban_country: amendment.original_iban_country ?? row.iban_country,
        iban_last4: amendment.original_iban_last4 ?? "XXXX",
        bic: null,
        bank_name: null,
      };
  }
}

function signed({ mandate, around, shown }: Evidence): DossierFact {
  const row = asSigned(mandate);
  const { acceptance_mode: mode, accepted_ip, accepted_user_agent } = row;
  const from = accepted_ip === null ? "" : ` from ${accepted_ip}`;
  const text =
    mode === null
      ? `Signed elsewhere: ${row.reference}`
      : `Accepted by ${mode === "checkbox" ? "ticking the box next to its text" : "paying"}: ${row.reference}${from}`;
  const { reference, scheme, type, source, holder_name, bic, language, text_version } = row;
  const { creditor_name, creditor_identifier, creditor_address, creditor_postal_code } = row;
  const { creditor_city, creditor_country, pre_notification_days } = row;
  return {
    at: mode === null ? utcDate(row.accepted_at) : row.accepted_at.toISOString(),
    kind: "signed",
    id: row.id,
    text,
    facts: {
      reference,
      scheme,
      type,
      source,
      creditor_name,
      creditor_identifier,
      creditor_address,
      creditor_postal_code,
      creditor_city,
      creditor_country,
      pre_notification_days,
      holder_name,
      account: maskedAccount(row),
      bic,
      language,
      acceptance_mode: mode,
      accepted_ip,
      accepted_user_agent,
      page: pageOfAcceptance(row, around),
      text_version,
      text_as_accepted: shown.accepted,
      text: mandateSheet(row, shown).paragraphs,
    },
  };
}

/** Where the customer read the text. */
export function pageOfAcceptance(
  { acceptance_mode, text_version }: MandateDetailRow,
  { page_id }: AroundMandate,
): string | null {
  if (acceptance_mode === null) return null;
  if (text_version === "merchant") return "the merchant's own";
  return page_id === null ? "payment page" : `payment page ${page_id}`;
}

function presented({ mandate, presentation }: Evidence): readonly DossierFact[] {
  const kept = shownPresentation(mandate);
  if (kept === null) return [];
  const { at, format, sha256 } = kept;
  const text = `Signed presentation from the debtor's wallet (${format}), SHA-256 ${sha256}`;
  return [{ at, kind: "presented", id: mandate.id, text, facts: { format, sha256, presentation } }];
}

function confirmed({ id, bank_confirmed_on: at }: MandateDetailRow): readonly DossierFact[] {
  return at === null
    ? []
    : [{ at, kind: "confirmed", id, text: "Confirmed by the debtor's bank", facts: {} }];
}

function amended(amendment: ShownAmendment): DossierFact {
  const before = amendmentBefore(amendment);
  return {
    at: new Date(amendment.at).toISOString(),
    kind: "amended",
    id: String(amendment.number),
    text: `Amended: ${before}`,
    facts: { what: amendment.kind, before },
  };
}

/** Fixed texts: they are compared with chained ones, so they must not change. */
function amendmentBefore(amendment: ShownAmendment): string {
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

function announced(notice: ShownNotice): readonly DossierFact[] {
  const { id, amount, currency, collection_date: day, billing_frequency, notice_days, told_by } = notice;
  const { mandate_reference: reference, creditor_identifier, iban_last4: account, told_at } = notice;
  const { recipient, text_version } = notice;
  const debit = `${amount} ${currency} on ${day}${billing_frequency === null ? "" : `, then ${billing_frequency}`}`;
  const made: DossierFact = {
    at: notice.created_at.toISOString(),
    kind: "notice",
    id,
    text: `Notice of ${debit}`,
    facts: { amount, currency, day, billing_frequency, notice_days, reference, creditor_identifier, account },
  };
  if (told_at === null) return [made];
  const how =
    told_by === "message"
      ? `by e-mail to ${recipient ?? "an address that is erased"}`
      : "by the merchant's server, which took the event";
  const facts = { by: told_by, recipient, text_version };
  return [made, { at: told_at.toISOString(), kind: "told", id, text: `Told ${how}: ${debit}`, facts }];
}

function debited(debit: DebitRow): readonly DossierFact[] {
  const { reference: id, amount, currency, sequence_type, type, subscription_id, cycle } = debit;
  const money = `${amount} ${currency}`;
  const opened: DossierFact = {
    at: debit.created_at.toISOString(),
    kind: "debit",
    id,
    text: `Debit ${id} of ${money}`,
    facts: { amount, currency, type, sequence_type, subscription_id, cycle },
  };
  return [opened, ...inFile(debit), ...outcomeOf(debit, money)];
}

function inFile({ reference: id, file_at, file_message_id, due_date }: DebitRow): readonly DossierFact[] {
  if (file_at === null) return [];
  const message_id = file_message_id ?? "";
  const text = `In the bank's file ${message_id}, due on ${due_date ?? "a day not set"}: ${id}`;
  return [{ at: file_at.toISOString(), kind: "in_file", id, text, facts: { message_id, due_date } }];
}

/** A debit that came back had settled before. */
const SETTLED: ReadonlySet<string> = new Set(["approved", "refunded", "charged_back"]);

function outcomeOf(debit: DebitRow, money: string): readonly DossierFact[] {
  const { reference: id, status, amount, currency, error_code, gateway_code } = debit;
  const at = (debit.processed_at ?? debit.created_at).toISOString();
  if (SETTLED.has(status))
    return [{ at, kind: "settled", id, text: `Settled: ${money}, ${id}`, facts: { amount, currency } }];
  if (status !== "declined") return [];
  const why = [error_code, gateway_code].filter((code) => code !== null).join(", ");
  return [{ at, kind: "declined", id, text: `Refused: ${id} (${why})`, facts: { error_code, gateway_code } }];
}

function refunded(debit: DebitRow): readonly DossierFact[] {
  const { reference: id, original_reference: of, amount, currency, status } = debit;
  const money = `${amount} ${currency}`;
  const facts = { of, amount, currency };
  const asked: DossierFact = {
    at: debit.created_at.toISOString(),
    kind: "refund",
    id,
    text: `Refund ${id} of ${money} for ${of}`,
    facts,
  };
  if (status !== "approved") return [asked];
  const at = (debit.processed_at ?? debit.created_at).toISOString();
  return [asked, { at, kind: "refund_paid", id, text: `Refunded: ${money}, ${id}`, facts }];
}

function returned(back: ReturnRow): readonly DossierFact[] {
  const { id, reference: of, amount, currency, reason_code, report_date, withdrawn_on } = back;
  const text = `Returned by the bank: ${amount} ${currency} of ${of} (${reason_code ?? "no reason given"})`;
  const facts = { of, amount, currency, reason_code };
  const came: DossierFact = { at: report_date.toISOString(), kind: "returned", id, text, facts };
  if (withdrawn_on === null) return [came];
  const taken = `The bank took the return of ${of} back`;
  return [came, { at: withdrawn_on, kind: "return_withdrawn", id, text: taken, facts: { of } }];
}

function ended({
  id,
  cancelled_at: at,
  cancelled_by: by,
  status_reason: reason,
}: MandateDetailRow): readonly DossierFact[] {
  if (at === null) return [];
  const why = reason === null ? "" : ` (${reason})`;
  const text = `Ended by the ${by ?? "creditor"}${why}`;
  return [{ at: at.toISOString(), kind: "ended", id, text, facts: { by, reason } }];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
