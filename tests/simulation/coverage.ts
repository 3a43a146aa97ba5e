/** The coverage of seeds: each change of a status with its writer, and each step at which an instance was killed. */
import type { Move } from "./moves.ts";
import { MUST_MOVE, MUST_MOVE_LATER, MUST_STOP, MUST_TRAVEL } from "./must.ts";

export interface Coverage {
  add(moves: readonly Move[]): void;
  /** @param steps how often each step was reached. @param kills how often an instance was killed there. */
  table(
    seeds: number,
    steps: ReadonlyMap<string, number>,
    kills: ReadonlyMap<string, number>,
  ): readonly string[];
  /** Required transitions that were not reached. */
  missing(steps: ReadonlyMap<string, number>, kills: ReadonlyMap<string, number>): readonly string[];
}

/** @param later whether the seeds have the later operations as well. */
export function createCoverage(later = false): Coverage {
  const must = [...MUST_MOVE, ...(later ? MUST_MOVE_LATER : [])];
  const counts = new Map<string, number>();
  /** How often a move was counted that fits this row of the table. An empty column or `*` fits any value. */
  const seen = (row: string): number => {
    const wanted = row.split("|").map((part) => part.trim());
    return [...counts].reduce((sum, [key, count]) => {
      const parts = key.split("|");
      const fits = wanted.every(
        (part, at) => part === "*" || part === "" || part.split(",").includes(parts[at] ?? ""),
      );
      return sum + (fits ? count : 0);
    }, 0);
  };
  return {
    add(moves) {
      for (const { kind, was, now, why, by, count } of moves) {
        const isFree = kind === "subscription" && now === "CANCELLED" && why.length > 20;
        // A delivery continues while later jobs run, so its recorded cause may be one of those.
        const who = kind === "delivery" ? "deliver-webhooks" : by;
        const key = [kind, was ?? "–", now, isFree ? "other" : why, who].join("|");
        counts.set(key, (counts.get(key) ?? 0) + count);
      }
    },
    table(seeds, steps, kills) {
      const per = (count: number) => ((count * 1_000) / seeds).toFixed(0).padStart(8);
      return [
        "per 1,000 seeds",
        ...[...counts]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, count]) => {
            const [kind, was, now, why, by] = key.split("|");
            return `${per(count)}  ${kind}: ${was} → ${now}${why === "" ? "" : ` (${why})`} by ${by}`;
          }),
        ...[...steps]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(
            ([step, count]) =>
              `${per(count)}  reached ${step}, killed there ${kills.get(step) ?? 0} times in all`,
          ),
        ...must.map((row) => `${per(seen(row))}  must: ${row}`),
      ];
    },
    missing: (steps, kills) => [
      ...must.filter((row) => seen(row) === 0),
      ...MUST_STOP.filter((step) => !kills.has(step)).map((step) => `killed at ${step}`),
      ...MUST_TRAVEL.map((name) => `${name} for several`).filter((step) => !steps.has(step)),
    ],
  };
}
