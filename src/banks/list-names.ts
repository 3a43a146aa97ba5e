/** Corrects or drops what lists contain in place of a bank's name. Pure. */
import type { BankEntry } from "./bundesbank.ts";

const CENTRAL_EUROPE: ReadonlySet<string> = new Set(["CZ", "HR", "HU", "ME", "PL", "RO", "RS", "SI", "SK"]);
/** Control characters in Latin-1 that are letters in Windows-1250: Ž is 0x8E. */
const MISTAKEN = /[\u0080-\u009f]/;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

/**
 * Repairs names where the list's author has read the Windows-1250 of Central Europe as Latin-1: all names of a country,
 * as È stands for Č then too.
 */
export function repairNames(entries: readonly BankEntry[]): readonly BankEntry[] {
  const mistaken = entries.filter(({ country, name }) => CENTRAL_EUROPE.has(country) && MISTAKEN.test(name));
  const countries = new Set(mistaken.map(({ country }) => country));
  const decoder = new TextDecoder("windows-1250");
  return entries.map((entry) =>
    countries.has(entry.country) && !BEYOND_LATIN_1.test(entry.name)
      ? { ...entry, name: decoder.decode(Buffer.from(entry.name, "latin1")) }
      : entry,
  );
}

/** Belgium also lists bank codes that are free or reserved. */
const NO_BANK = /^(?:vrij|libre|onbeschikbaar|indisponible)$/i;

/** Whether the entry is a bank. */
export function isBank({ bic, name }: BankEntry): boolean {
  return bic !== "" || !NO_BANK.test(name);
}
