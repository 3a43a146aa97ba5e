/** The IBAN of a mandate: sealed in the database, opened where the whole IBAN is needed. */
import type { ValidIban } from "../sepa/iban.ts";
import type { MandateRow } from "../db/rows.ts";
import type { Deps } from "../deps.ts";

type Account = Pick<
  MandateRow,
  "iban_sealed" | "iban_fingerprint" | "iban_last4" | "iban_country" | "iban_length" | "bic" | "bank_name"
>;

/**
 * The stored form of an account.
 * @param bic used if the bank directory has none.
 */
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

/** Seals the IBAN to its mandate, so that it cannot be opened in another row. */
export function sealIban(deps: Keys, tenant: number, mandateId: string, iban: string): Buffer {
  return deps.keys.seal(tenant, ibanContext(mandateId), iban);
}

export function openIban(
  deps: Keys,
  { tenant, id, iban_sealed }: Pick<MandateRow, "tenant" | "id" | "iban_sealed">,
): string {
  return deps.keys.open(tenant, ibanContext(id), iban_sealed).toString();
}

/** The fingerprints that mandates of this account may have: during a key rotation one under each master key. */
export function fingerprintsOf(
  deps: Keys,
  mandate: Pick<MandateRow, "tenant" | "id" | "iban_sealed" | "iban_fingerprint">,
): readonly Buffer[] {
  if (!deps.keys.isRotating) return [mandate.iban_fingerprint];
  return deps.keys.fingerprints(mandate.tenant, openIban(deps, mandate));
}

/** An amendment that gave a mandate another account. */
interface AccountAmendment {
  readonly tenant: number;
  readonly mandateId: string;
  /** Its number among the mandate's amendments. */
  readonly number: number;
}

/** Seals the mandate's former account to the amendment. */
export function sealFormerIban(deps: Keys, amendment: AccountAmendment, iban: string): Buffer {
  return deps.keys.seal(amendment.tenant, formerContext(amendment), iban);
}

export function openFormerIban(deps: Keys, amendment: AccountAmendment, sealed: Buffer): string {
  return deps.keys.open(amendment.tenant, formerContext(amendment), sealed).toString();
}

/** The context with which an IBAN is sealed. */
export function ibanContext(mandateId: string): string {
  return `mandates.iban:${mandateId}`;
}

/** The context with which the account before an amendment is sealed. */
export function formerContext({ mandateId, number }: Omit<AccountAmendment, "tenant">): string {
  return `mandate_amendments.iban:${mandateId}:${number}`;
}

/** The context with which the presentation from the debtor's wallet is sealed. */
export function presentationContext(mandateId: string): string {
  return `mandates.wallet_presentation:${mandateId}`;
}
