/** The content of a direct debit file (pain.008), without XML. */
import type { IsoDate } from "../../lib/dates.ts";
import type { Cents } from "../../lib/money.ts";
import { hasLetter, toSepaText } from "./text.ts";

/** The second is for banks that do not accept the first; it has no addresses: see `hasAddresses`. */
export type DirectDebitVersion = "pain.008.001.08" | "pain.008.001.02";

type Scheme = "CORE" | "B2B";

/**
 * RCUR is right for every mandate that can be used again, FRST only for banks that require it, OOFF for one-off
 * mandates.
 */
export type SequenceType = "FRST" | "RCUR" | "OOFF";

/** Texts may contain any characters: they are converted to the SEPA character set and cut when the file is written. */
export interface DirectDebitFile {
  readonly version: DirectDebitVersion;
  /** Never reused by this creditor. */
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
  /** The creditor identifier, as returned by `checkCreditorIdentifier`. */
  readonly identifier: string;
  readonly address?: Address | null;
}

/** The creditor named in mandates. */
export type CreditorIdentity = Pick<Creditor, "name" | "identifier">;

/** Collections of one kind with the same due date. */
export interface FileBlock {
  readonly id: string;
  readonly sequenceType: SequenceType;
  readonly dueDate: IsoDate;
  /** If its mandates name a creditor other than the file's. */
  readonly creditor?: CreditorIdentity;
  readonly collections: readonly FileCollection[];
}

export interface FileCollection {
  /** Never reused by this creditor: returns refer to it, up to 13 months later. */
  readonly endToEndId: string;
  readonly instructionId: string | null;
  readonly amount: Cents;
  readonly mandate: FileMandate;
  readonly debtor: FileDebtor;
  /** The text on the customer's statement; omitted if nothing of it can be written. */
  readonly remittance: string;
}

export interface FileMandate {
  readonly reference: string;
  readonly signedOn: IsoDate;
  /** What has changed since the last collection; null if nothing has. */
  readonly amendment: Amendment | null;
}

export interface Amendment {
  readonly originalReference?: string;
  readonly originalCreditor?: { readonly name?: string; readonly identifier?: string };
  /** The former account: named if it was at the same bank, not named if the bank may be another one. */
  readonly originalAccount?:
    | { readonly sameBank: true; readonly iban: string }
    | { readonly sameBank: false };
}

export interface FileDebtor {
  readonly name: string;
  readonly iban: string;
  /** Only if it is certain: banks find it by the IBAN, and a wrong one causes a return. */
  readonly bic: string | null;
  /** Only where the scheme requires it: see `needsAddress`. */
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

/** SEPA countries outside the European Economic Area, and their territories with IBANs of their own. */
export const OUTSIDE_EEA: readonly string[] = "AD AL CH GB GI MC MD ME MK RS SM VA".split(" ");

/** Whether the debtor's address is required for an account of this country (the first two letters of the IBAN). */
export function needsAddress(ibanCountry: string): boolean {
  return OUTSIDE_EEA.includes(ibanCountry);
}

/** Whether an address has a city in the SEPA character set, without which it is unusable. */
export function hasCity(
  address: { readonly city: string | null } | null,
): address is { readonly city: string } & typeof address {
  return address !== null && hasLetter(toSepaText(address.city ?? "", 35));
}

/**
 * Whether files of a version contain addresses. The older version has structured addresses only in ISO's schema: the
 * German banks' variant allows nothing but address lines, which are forbidden since 15 November 2026, and refuses the
 * whole file.
 */
export function hasAddresses(version: DirectDebitVersion): boolean {
  return version === "pain.008.001.08";
}
