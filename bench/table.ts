/** The figures as a table in Markdown, for the documentation: the median of the runs in each column. */
import type { Figures, Measure } from "./measures.ts";

export interface Result {
  readonly measure: Pick<Measure, "name" | "limit" | "target">;
  readonly runs: readonly Figures[];
}

const COLUMNS: readonly (readonly [
  title: string,
  value: (figures: Figures) => number | null,
  digits: number,
])[] = [
  ["per second", (f) => f.perSecond, 0],
  ["p50 ms", (f) => f.p50, 1],
  ["p95 ms", (f) => f.p95, 1],
  ["p99 ms", (f) => f.p99, 1],
  ["half rate: p50 ms", (f) => f.atHalfRate?.answered.p50 ?? null, 1],
  ["p95 ms", (f) => f.atHalfRate?.answered.p95 ?? null, 1],
  ["p99 ms", (f) => f.atHalfRate?.answered.p99 ?? null, 1],
  ["delivered p50 ms", (f) => f.atHalfRate?.delivered?.p50 ?? null, 1],
  ["delivered p99 ms", (f) => f.atHalfRate?.delivered?.p99 ?? null, 1],
  ["service CPU ms", (f) => f.serviceCpuMs, 2],
  ["database CPU ms", (f) => f.databaseCpuMs, 2],
  ["client CPU ms", (f) => f.clientCpuMs, 3],
  ["WAL kB", (f) => f.walBytes / 1_000, 1],
  ["stored kB", (f) => f.storedBytes / 1_000, 1],
  ["resident MB", (f) => f.residentMb, 0],
  ["limit per second", (f) => f.limitPerSecond, 0],
  ["ratio", (f) => f.ratio, 2],
];

export function table(results: readonly Result[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const titles = ["", ...COLUMNS.map(([title]) => title), "limit", "target"];
  const lines = results.map(({ measure, runs }) => {
    const cells = COLUMNS.map(([, value, digits]) => median(runs.map(value))?.toFixed(digits) ?? "");
    return row([measure.name, ...cells, measure.limit, measure.target]);
  });
  return [row(titles), row(titles.map(() => "---")), ...lines].join("\n");
}

export function median(all: readonly (number | null)[]): number | null {
  const sorted = all.filter((one) => one !== null).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
