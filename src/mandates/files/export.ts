/** Exports mandates in the columns of the import. */
import { maskedIban } from "../../sepa/iban.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { utcDate } from "../../lib/dates.ts";
import { openFormerIban, openIban } from "../account.ts";
import { cellOf, COLUMNS, type MandateColumn } from "./columns.ts";
import type { ExportedRow } from "./store.ts";

export type ExportedMandate = Readonly<Record<MandateColumn, string | number | boolean | null>>;

/**
 * A mandate for export.
 * @param whole include whole IBANs; otherwise only their last digits.
 */
export function exported(deps: Pick<Deps, "keys">, row: ExportedRow, whole: boolean): ExportedMandate {
  const day = (at: Date | null) => (at === null ? null : utcDate(at));
  return {
    reference: row.reference,
    status: row.status,
    scheme: row.scheme,
    type: row.type,
    signed_on: utcDate(row.accepted_at),
    last_used_on: day(row.last_used_at),
    holder_name: row.holder_name,
    iban: whole ? openIban(deps, row) : maskedIban(row.iban_country, row.iban_last4),
    bic: row.bic,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    country: row.country,
    address: row.address,
    postal_code: row.postal_code,
    city: row.city,
    language: row.language,
    pre_notification_days: row.pre_notification_days,
    creditor_name: row.creditor_name,
    creditor_identifier: row.creditor_identifier,
    cancelled_on: day(row.cancelled_at),
    cancelled_by: row.cancelled_by,
    status_reason: row.status_reason,
    original_reference: row.original_reference,
    original_creditor_identifier: row.original_creditor_identifier,
    original_creditor_name: row.original_creditor_name,
    original_iban: originalIban(deps, row, whole),
    same_bank: row.same_bank,
  };
}

function originalIban(deps: Pick<Deps, "keys">, row: ExportedRow, whole: boolean): string | null {
  const { tenant, id: mandateId, account_number, original_iban_sealed: sealed } = row;
  if (sealed === null) return null;
  if (!whole) return maskedIban(row.original_iban_country ?? "", row.original_iban_last4 ?? "");
  const number = must(account_number, "the number of an amendment");
  return openFormerIban(deps, { tenant, mandateId, number }, sealed);
}

/** The header row and a row for each mandate. */
export function mandatesCsv(mandates: readonly ExportedMandate[]): string {
  const lines = mandates.map((mandate) => COLUMNS.map((column) => cellOf(mandate[column])).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** The fields in the order of the columns. */
export function inOrder(mandate: ExportedMandate): object {
  return Object.fromEntries(COLUMNS.map((column) => [column, mandate[column]]));
}
