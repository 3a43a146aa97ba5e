/** The IBAN of a mandate: sealed in the database, opened where the whole IBAN is needed. */
import type { ValidIban } from "../sepa/iban.ts";
import type { MandateRow } from "../db/rows.ts";
import type { Deps } from "../deps.ts";

type Account = Pick<
  MandateRow,
  "iban_sealed" | "iban_fingerprint" | "iban_last4" | "iban_country" | "iban_length" | "bic" | "bank_name"
>;

/** @param bic from another source, where the bank directory has none. */
export function accountOf(
  deps: Pick<Deps, "keys" | "banks">,
  tenant: number,
  mandateId: string,
  iban: ValidIban,
  bic: string | null = null,
): Account {
  const bank = deps.banks.lookUp(iban);
  return {
    iban_sealed: deps.keys.seal(tenant, `mandates.iban:${mandateId}`, iban.iban),
    iban_fingerprint: deps.keys.fingerprints(tenant, iban.iban)[0],
    iban_last4: iban.last4,
    iban_country: iban.country,
    iban_length: iban.iban.length,
    bic: bank.bic ?? bic,
    bank_name: bank.bankName,
  };
}

export function openIban(
  deps: Pick<Deps, "keys">,
  { tenant, id, iban_sealed }: Pick<MandateRow, "tenant" | "id" | "iban_sealed">,
): string {
  return deps.keys.open(tenant, `mandates.iban:${id}`, iban_sealed).toString();
}
