/** The rules of a mandate: references, expiry, and its record in the management API. Pure. */
import type { ValidIban } from "../sepa/iban.ts";
import { mandateExpiry } from "../sepa/windows.ts";
import type { MandateDetailRow, ListedMandateRow } from "./store.ts";

export const MANDATE_STATUSES = ["pending", "active", "rejected", "cancelled", "expired"] as const;
export const SCHEMES = ["CORE", "B2B"] as const;
export const TYPES = ["recurrent", "one_off"] as const;
/** The names of the formats that wallets present. */
export const PRESENTATION_FORMATS = ["dc+sd-jwt", "jwt_vp", "mso_mdoc"] as const;
/** Who can end a mandate. */
export const ENDED_BY = ["creditor", "debtor", "bank"] as const;

/** How long before its end a mandate counts as about to expire. */
export const LAPSING_DAYS = 60;

/** BCP 47, limited to language and simple subtags. */
export const LANGUAGE = "^[a-z]{2,3}(-[A-Za-z]{2,8})*$";
/** The reason of an expired mandate. */
export const UNUSED = "unused_36_months";

/**
 * Whether two accounts are at the same bank, by the bank code in their IBANs. Countries without a bank code never count
 * as the same bank.
 */
export function isSameBank(one: ValidIban, other: ValidIban): boolean {
  return one.country === other.country && one.bankCode !== null && one.bankCode === other.bankCode;
}

/** The record of a list. */
export function listedMandate(row: ListedMandateRow): object {
  const { id, reference, status, scheme, type, source, holder_name, iban_country, iban_last4 } = row;
  const { bic, bank_name, creditor_name, creditor_identifier, language, pre_notification_days } = row;
  const what = { id, reference, status, scheme, type, source };
  const { creditor_address, creditor_postal_code, creditor_city, creditor_country } = row;
  const address = { creditor_address, creditor_postal_code, creditor_city, creditor_country };
  const creditor = { creditor_name, creditor_identifier, ...address };
  const who = { holder_name, iban_country, iban_last4, bic, bank_name, ...creditor };
  return {
    ...what,
    ...who,
    language,
    pre_notification_days,
    bank_confirmed_on: row.bank_confirmed_on,
    signed_at: row.accepted_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_on: mandateExpiry(row.last_used_at ?? row.accepted_at),
    account_blocked_at: row.account_blocked_at?.toISOString() ?? null,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
    cancelled_by: row.cancelled_by,
    status_reason: row.status_reason,
    lead: {
      id: row.lead_id,
      email: row.email,
      first_name: row.first_name,
      last_name: row.last_name,
      country: row.country,
    },
    session_id: row.session_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The shown details of a wallet's presentation; null without one. */
export function shownPresentation({
  wallet_presentation_format: format,
  wallet_presentation_sha256: digest,
  wallet_presentation_at: at,
}: Pick<
  ListedMandateRow,
  "wallet_presentation_format" | "wallet_presentation_sha256" | "wallet_presentation_at"
>): { readonly format: string; readonly sha256: string; readonly at: string } | null {
  if (format === null || digest === null || at === null) return null;
  return { format, sha256: digest, at: at.toISOString() };
}

/** The record with its evidence, its former values, and what is collected under it. */
export function detailed(row: MandateDetailRow): object {
  const { acceptance_mode, text_version, accepted_ip, accepted_user_agent } = row;
  return {
    ...listedMandate(row),
    evidence: {
      acceptance_mode,
      text_version,
      accepted_ip,
      accepted_user_agent,
      wallet_presentation: shownPresentation(row),
    },
    amendments: row.amendments.map((amendment) => ({
      ...amendment,
      at: new Date(amendment.at).toISOString(),
      sent_at: amendment.sent_at === null ? null : new Date(amendment.sent_at).toISOString(),
    })),
    subscriptions: row.subscriptions,
  };
}
