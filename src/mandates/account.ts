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
    iban_sealed: sealIban(deps, tenant, mandateId, iban.iban),
    iban_fingerprint: deps.keys.fingerprints(tenant, iban.iban)[0],
    iban_last4: iban.last4,
    iban_country: iban.country,
    iban_length: iban.iban.length,
    bic: bank.bic ?? bic,
    bank_name: bank.bankName,
  };
}

type Keys = Pick<Deps, "keys">;

/** Sealed to its mandate: no other row can be read with it. */
export function sealIban(deps: Keys, tenant: number, mandateId: string, iban: string): Buffer {
  return deps.keys.seal(tenant, ibanContext(mandateId), iban);
}

export function openIban(
  deps: Keys,
  { tenant, id, iban_sealed }: Pick<MandateRow, "tenant" | "id" | "iban_sealed">,
): string {
  return deps.keys.open(tenant, ibanContext(id), iban_sealed).toString();
}

/** An amendment by which a mandate got another account. */
interface AccountAmendment {
  readonly tenant: number;
  readonly mandateId: string;
  /** Of the amendment, among those of its mandate. */
  readonly number: number;
}

/** The account that a mandate had before, sealed to the amendment. */
export function sealFormerIban(deps: Keys, amendment: AccountAmendment, iban: string): Buffer {
  return deps.keys.seal(amendment.tenant, formerContext(amendment), iban);
}

export function openFormerIban(deps: Keys, amendment: AccountAmendment, sealed: Buffer): string {
  return deps.keys.open(amendment.tenant, formerContext(amendment), sealed).toString();
}

/** The context that an IBAN is sealed with. */
export function ibanContext(mandateId: string): string {
  return `mandates.iban:${mandateId}`;
}

/** The context that the account before an amendment is sealed with. */
export function formerContext({ mandateId, number }: Omit<AccountAmendment, "tenant">): string {
  return `mandate_amendments.iban:${mandateId}:${number}`;
}

/** The context that the presentation from the debtor's wallet is sealed with. */
export function presentationContext(mandateId: string): string {
  return `mandates.wallet_presentation:${mandateId}`;
}
