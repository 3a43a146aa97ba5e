/** The report of a run, as text. */
import type { Finding, FuzzResult } from "./run.ts";

export function reportOf(result: FuzzResult, seed: number): string {
  const { findings, statuses, coverage, requests } = result;
  const weak = [...coverage].filter(([, { good }]) => good === 0).map(([name]) => name);
  return [
    ...findingsText(findings, seed),
    "",
    ...[...coverage].map(
      ([name, { requests, good }]) =>
        `${String(requests).padStart(7)} ${String(good).padStart(7)} 2xx  ${name}`,
    ),
    "",
    `seed ${seed}: ${requests} requests in ${result.seconds} s`,
    Object.entries(statuses)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(" · "),
    `p99 ${result.p99Ms.toFixed(0)} ms, slowest ${result.slowest.ms.toFixed(0)} ms (${result.slowest.what}), over 2 s among others: ${result.slow.size} cases`,
    `memory ${result.memoryMib.join(", ")} MiB`,
    weak.length === 0
      ? "Every endpoint was answered with success."
      : `Weak coverage, never a 2xx: ${weak.join("; ")}`,
    findings.length === 0 ? "Nothing was found." : `${findings.length} findings.`,
  ].join("\n");
}

function findingsText(findings: readonly Finding[], seed: number): readonly string[] {
  const kinds = Map.groupBy(findings, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, ones]) => [
    `\n== ${kind}`,
    ...ones.map(({ endpoint, what, index, request }) =>
      [
        `-- ${endpoint}: ${what}`,
        ...(request === "" ? [] : [indented(request)]),
        ...(index === null ? [] : [`   npm run fuzz -- --seed ${seed} --replay ${index}`]),
      ].join("\n"),
    ),
  ]);
}

function indented(text: string): string {
  return text.replace(/^/gm, "   ");
}
