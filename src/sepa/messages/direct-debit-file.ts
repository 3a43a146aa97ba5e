/** The content of a direct debit file (pain.008), without XML. */
import type { IsoDate } from "../../lib/dates.ts";
import type { Cents } from "../../lib/money.ts";
import { hasLetter, toSepaText } from "./text.ts";

/** The second is for banks that cannot take the first; it has no addresses: see `hasAddresses`. */
export type DirectDebitVersion = "pain.008.001.08" | "pain.008.001.02";

type Scheme = "CORE" | "B2B";

/** RCUR is right for every mandate that can be used again, FRST only for banks that insist on it, OOFF for the others. */
export type SequenceType = "FRST" | "RCUR" | "OOFF";

/** Texts may be as people write them: they are turned into the SEPA character set and cut when the file is written. */
export interface DirectDebitFile {
  readonly version: DirectDebitVersion;
  /** Never used before by this creditor. */
  readonly messageId: string;
  readonly createdAt: Date;
  readonly scheme: Scheme;
  /** Whether the bank books each block as one sum. */
  readonly batchBooking: boolean;
  readonly creditor: Creditor;
  readonly blocks: readonly FileBlock[];
}

interface Creditor {
  readonly name: string;
  readonly iban: string;
  readonly bic: string | null;
  /** The creditor identifier, as `checkCreditorIdentifier` gives it. */
  readonly identifier: string;
  readonly address?: Address | null;
}

/** Whom mandates name. */
export type CreditorIdentity = Pick<Creditor, "name" | "identifier">;

/** Everything of one kind that is due on one day. */
export interface FileBlock {
  readonly id: string;
  readonly sequenceType: SequenceType;
  readonly dueDate: IsoDate;
  /** Where its mandates name another than the account of the file. */
  readonly creditor?: CreditorIdentity;
  readonly collections: readonly FileCollection[];
}

export interface FileCollection {
  /** Never used before by this creditor: returns come back under it, up to 13 months later. */
  readonly endToEndId: string;
  readonly instructionId: string | null;
  readonly amount: Cents;
  readonly mandate: FileMandate;
  readonly debtor: FileDebtor;
  /** What the customer reads on the statement; left out when nothing is left of it. */
  readonly remittance: string;
}

export interface FileMandate {
  readonly reference: string;
  readonly signedOn: IsoDate;
  /** What has changed since the last collection, null when nothing has. */
  readonly amendment: Amendment | null;
}

export interface Amendment {
  readonly originalReference?: string;
  readonly originalCreditor?: { readonly name?: string; readonly identifier?: string };
  /** The account before: named when it was at the same bank, not named when the bank may be another one. */
  readonly originalAccount?:
    | { readonly sameBank: true; readonly iban: string }
    | { readonly sameBank: false };
}

export interface FileDebtor {
  readonly name: string;
  readonly iban: string;
  /** Only when it is sure: banks find it by the IBAN, and a wrong one brings the collection back. */
  readonly bic: string | null;
  /** Only where the scheme asks for it: see `needsAddress`. */
  readonly address: Address | null;
}

/** At least a city and its country. */
export interface Address {
  readonly street: string | null;
  readonly buildingNumber: string | null;
  readonly postalCode: string | null;
  readonly city: string;
  /** ISO 3166, two letters. */
  readonly country: string;
}

/** SEPA's countries outside the European Economic Area, and the territories with IBANs of their own among them. */
export const OUTSIDE_EEA: readonly string[] = "AD AL CH GB GI MC MD ME MK RS SM VA".split(" ");

/** Whether the debtor's address is required for an account of this country (the first two letters of the IBAN). */
export function needsAddress(ibanCountry: string): boolean {
  return OUTSIDE_EEA.includes(ibanCountry);
}

/** Whether an address has a city in the SEPA character set, without which it is not usable. */
export function hasCity(
  address: { readonly city: string | null } | null,
): address is { readonly city: string } & typeof address {
  return address !== null && hasLetter(toSepaText(address.city ?? "", 35));
}

/**
 * Whether files of a version carry addresses. The older one has them structured in ISO's schema only: German banks' schema of
 * it takes nothing but lines, which are forbidden since 15 November 2026, and refuses the whole file.
 */
export function hasAddresses(version: DirectDebitVersion): boolean {
  return version === "pain.008.001.08";
}
