/** Writes the banks of a list in the form of src/banks/banks.txt, which src/banks/packed.ts reads. Pure. */
import type { ImportedBank } from "../src/banks/store.ts";

/** The text: the notice, then country by country each bank once, in the order of its first bank code. */
export function packBanks(notice: string, rows: readonly ImportedBank[]): string {
  const sorted = rows.toSorted((a, b) => compared(a.country + a.bankCode, b.country + b.bankCode));
  const countries = [...Map.groupBy(sorted, ({ country }) => country)].flatMap(([country, banks]) => [
    country,
    ...linesOf(banks),
  ]);
  return [
    ...notice
      .trim()
      .split("\n")
      .map((line) => `# ${line}`.trim()),
    ...countries,
    "",
  ].join("\n");
}

function linesOf(rows: readonly ImportedBank[]): readonly string[] {
  const banks = Map.groupBy(rows, ({ bic, name }) => `${bic ?? ""}\t${name}`);
  return [...banks].map(([bank, codes]) => `${bank}\t${runsOf(codes.map(({ bankCode }) => bankCode))}`);
}

/** `0040 0041 0042 0050` is `0040-0042 0050`. */
function runsOf(codes: readonly string[]): string {
  const runs: [first: string, last: string][] = [];
  for (const code of codes) {
    const run = runs.at(-1);
    if (run !== undefined && follows(run[1], code)) run[1] = code;
    else runs.push([code, code]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(" ");
}

function follows(code: string, next: string): boolean {
  return /^[0-9]+$/.test(code + next) && Number(next) === Number(code) + 1;
}

function compared(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
