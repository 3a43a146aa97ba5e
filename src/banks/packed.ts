/** Reads banks.txt, the banks of the SEPA countries that come with the service (`npm run banks:pack` writes it). Pure. */
import { lazily } from "../lib/lazily.ts";
import type { Bank } from "./directory.ts";

/** The banks by country, read when the country is first asked for, then by bank code. */
export type PackedBanks = ReadonlyMap<string, () => ReadonlyMap<string, Bank>>;

/**
 * Reads the text: the notice, then for each country a line with its two letters, and a line for each bank: BIC or
 * nothing, name, and bank codes with a space in between, of which `0040-0049` is ten.
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
