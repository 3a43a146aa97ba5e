/**
 * Reads banks.txt, the list of banks in SEPA countries that is part of the service (`npm run banks:pack` writes it).
 * Pure.
 */
import { lazily } from "../lib/lazily.ts";
import type { Bank } from "./directory.ts";

/** The banks by country, parsed on first use, then by bank code. */
export type PackedBanks = ReadonlyMap<string, () => ReadonlyMap<string, Bank>>;

/**
 * Parses the text: the notice, then for each country a line with its two letters, and a line for each bank: BIC or
 * nothing, name, and bank codes separated by spaces, where `0040-0049` stands for ten.
 */
export function unpackBanks(text: string): PackedBanks {
  const [, ...countries] = text.split(/\n(?=[A-Z]{2}\n)/);
  return new Map(
    countries.map((country) => {
      const [code = "", ...banks] = country.trimEnd().split("\n");
      return [code, lazily(() => banksOf(banks))] as const;
    }),
  );
}

function banksOf(lines: readonly string[]): ReadonlyMap<string, Bank> {
  const banks = new Map<string, Bank>();
  for (const line of lines) {
    const [bic = "", bankName = "", codes = ""] = line.split("\t");
    const bank = { bankName, bic: bic === "" ? null : bic };
    for (const code of codes.split(" ").flatMap(codesOf)) banks.set(code, bank);
  }
  return banks;
}

function codesOf(run: string): readonly string[] {
  const [first = "", last = first] = run.split("-");
  if (first === last) return [first];
  const count = Number(last) - Number(first) + 1;
  return Array.from({ length: count }, (_, index) =>
    String(Number(first) + index).padStart(first.length, "0"),
  );
}
