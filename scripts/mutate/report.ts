/** The report of surviving mutants: a table by folder and by operator, and every survivor with its line. */
import { harmlessEntry } from "./harmless.ts";
import { describe, type Mutant } from "./mutant.ts";
import type { Result } from "./results.ts";

/** `src/subscriptions/renew.ts` → `subscriptions`. */
export function folderOf({ file }: Mutant): string {
  return file.split("/")[1] ?? file;
}

interface Counts {
  made: number;
  tried: number;
  killed: number;
  harmless: number;
  refused: number;
}

export function report(
  mutants: readonly Mutant[],
  results: ReadonlyMap<string, Result>,
  textOf: (mutant: Mutant) => string,
): string {
  const alive = mutants.filter((mutant) => {
    const outcome = results.get(mutant.key)?.outcome;
    return (
      outcome !== undefined &&
      ["survived", "uncovered", "endless"].includes(outcome) &&
      harmlessEntry(mutant) === null
    );
  });
  return [
    ...table("folder", mutants, results, folderOf),
    "",
    ...table("operator", mutants, results, ({ operator, statement }) =>
      statement === null ? operator : `sql ${operator}`,
    ),
    "",
    `${alive.length} survived:`,
    ...alive.map((mutant) => {
      const result = results.get(mutant.key);
      const how =
        result?.outcome === "uncovered"
          ? "no test reaches it"
          : result?.outcome === "endless"
            ? `endless: ${result.by}`
            : `${result?.passed} tests passed`;
      return `${describe(mutant, textOf(mutant))}\n    ${mutant.line} (${how})`;
    }),
  ].join("\n");
}

function table(
  title: string,
  mutants: readonly Mutant[],
  results: ReadonlyMap<string, Result>,
  groupOf: (mutant: Mutant) => string,
): readonly string[] {
  const all = new Map<string, Counts>();
  for (const mutant of mutants) {
    for (const group of [groupOf(mutant), "all"]) {
      const counts = all.get(group) ?? {
        made: 0,
        tried: 0,
        killed: 0,
        harmless: 0,
        refused: 0,
      };
      all.set(group, counts);
      count(counts, mutant, results.get(mutant.key)?.outcome);
    }
  }
  const lines = [...all].toSorted(
    ([a], [b]) => Number(a === "all") - Number(b === "all") || a.localeCompare(b),
  );
  return [
    `${title.padEnd(28)}   made  tried killed      % (95 % sure) harmless refused`,
    ...lines.map(([group, { made, tried, killed, harmless, refused }]) => {
      const isKnown = tried > 0;
      const share = !isKnown ? "-" : ((100 * killed) / tried).toFixed(1);
      const cells = [made, tried, killed, share].map((cell) => String(cell).padStart(6));
      const interval = !isKnown ? "-" : sureInterval(killed / tried, tried);
      const more = [interval.padStart(12), String(harmless).padStart(8), String(refused).padStart(7)];
      return `${group.padEnd(28)} ${[...cells, ...more].join(" ")}`;
    }),
  ];
}

/** The 95 % confidence interval (Wilson) of the share of all mutants, in per cent: `83-93`. */
export function sureInterval(share: number, tried: number): string {
  const z = 1.96;
  const middle = (share + z ** 2 / (2 * tried)) / (1 + z ** 2 / tried);
  const half =
    (z * Math.sqrt((share * (1 - share)) / tried + z ** 2 / (4 * tried ** 2))) / (1 + z ** 2 / tried);
  return `${(100 * (middle - half)).toFixed(0)}-${(100 * (middle + half)).toFixed(0)}`;
}

function count(counts: Counts, mutant: Mutant, outcome: Result["outcome"] | undefined): void {
  counts.made += 1;
  if (outcome === undefined) return;
  if (outcome === "refused") counts.refused += 1;
  else if (outcome !== "killed" && harmlessEntry(mutant) !== null) counts.harmless += 1;
  else {
    counts.tried += 1;
    if (outcome === "killed") counts.killed += 1;
  }
}
