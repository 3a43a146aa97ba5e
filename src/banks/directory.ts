/**
 * Finds the bank of a valid IBAN: in the imported registries, then in Germany's current list, then in the packed list.
 */
import { readFile } from "node:fs/promises";
import { bankDataByBLZ } from "bankdata-germany";
import type { Reader } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { BIC } from "../sepa/bic.ts";
import type { ValidIban } from "../sepa/iban.ts";
import { unpackBanks, type PackedBanks } from "./packed.ts";
import { readBanks, readBanksVersion, type ImportedBank } from "./store.ts";

export interface Bank {
  readonly bankName: string | null;
  /** 8 or 11 characters. */
  readonly bic: string | null;
}

type BankOfIban = Pick<ValidIban, "country" | "bankCode">;

export interface BankDirectory {
  /** The bank that holds the account; nulls if unknown (contract: IBAN validation). Answers from memory. */
  lookUp(iban: BankOfIban): Bank;
  /** Loads what another process has imported: one small query, and a second one only after an import. */
  refresh(): Promise<void>;
}

const PACKED = new URL("banks.txt", import.meta.url);

/** Opens the directory with the registries imported so far. */
export async function createBankDirectory(db: Reader, clock: Clock): Promise<BankDirectory> {
  const packed = unpackBanks(await readFile(PACKED, "utf8"));
  let registry = await readRegistry(db);
  return {
    lookUp: (iban) => registered(registry, iban) ?? shipped(packed, iban, clock.now()),
    refresh: async () => {
      if ((await readBanksVersion(db)) !== registry.version) registry = await readRegistry(db);
    },
  };
}

interface Registry {
  readonly version: string;
  readonly countries: ReadonlySet<string>;
  readonly banks: ReadonlyMap<string, Bank>;
}

async function readRegistry(db: Reader): Promise<Registry> {
  // The version first: an import between the two queries is then found by the next refresh.
  const version = await readBanksVersion(db);
  const rows = await readBanks(db);
  return {
    version,
    countries: new Set(rows.map(({ country }) => country)),
    banks: new Map(rows.map((row) => [keyOf(row), { bankName: row.name, bic: row.bic }])),
  };
}

function keyOf({ country, bankCode }: Pick<ImportedBank, "country" | "bankCode">): string {
  return `${country}${bankCode}`;
}

/** An imported registry alone decides for its country: a bank code that it does not list is unknown. */
function registered(registry: Registry, { country, bankCode }: BankOfIban): Bank | null {
  if (bankCode === null || !registry.countries.has(country)) return null;
  return registry.banks.get(keyOf({ country, bankCode })) ?? UNKNOWN;
}

const UNKNOWN: Bank = { bankName: null, bic: null };

function shipped(packed: PackedBanks, { country, bankCode }: BankOfIban, at: Date): Bank {
  if (bankCode === null) return UNKNOWN;
  if (country === "DE") return germanBank(bankCode, at);
  return packed.get(country)?.().get(bankCode) ?? UNKNOWN;
}

/** The package contains this quarter's bank codes and the next one's, hence the date. */
function germanBank(bankCode: string, at: Date): Bank {
  const bank = bankDataByBLZ(bankCode, at);
  return bank === null ? UNKNOWN : { bankName: bank.bankName, bic: wellFormed(bank.bic) };
}

function wellFormed(bic: string | undefined): string | null {
  return bic !== undefined && BIC.test(bic) ? bic : null;
}
