/**
 * `npm run chaos [-- --minutes M --seed S --only SCENARIO,… --hurry]`: real service processes on a real PostgreSQL while
 * they are killed, paused and cut off; afterwards nothing is stuck, nothing that was acknowledged is lost, nothing is charged twice.
 */
import { parseArgs } from "node:util";
import { runChaos, type ScenarioReport } from "./chaos/run.ts";
import { SCENARIOS } from "./chaos/scenarios.ts";
import { listed, total } from "./chaos/tally.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "15" },
    instances: { type: "string", default: "3" },
    clients: { type: "string", default: "10" },
    hurry: { type: "boolean", default: false },
  },
});
const only = values.only === "" ? [] : values.only.split(",");
const unknown = only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(", ")}. There are:`);
  for (const { name, about } of SCENARIOS) console.error(`  ${name.padEnd(16)}${about}`);
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());

const seed = Number(values.seed);
console.log(`seed ${seed}, ${values.minutes} minutes`);
const began = performance.now();
const reports = await runChaos(
  {
    seed,
    totalMs: Number(values.minutes) * 60_000,
    faultMs: Number(values.seconds) * 1_000,
    instances: Number(values.instances),
    clients: Number(values.clients),
    hurry: values.hurry,
    only,
  },
  stop.signal,
  (report) => console.log(lineOf(report)),
);
summarise(reports);
process.exitCode = stop.signal.aborted || reports.some(({ tally }) => tally.violations.length > 0) ? 1 : 0;

function lineOf({ name, tally, skipped }: ScenarioReport): string {
  if (skipped !== null) return `${seconds()} s  ${name}: skipped, ${skipped}`;
  return (
    `${seconds()} s  ${name}: faults ${listed(tally.faults)}; answers ${listed(tally.answers)}; ` +
    `recovered in ${(tally.recoveryMs / 1_000).toFixed(1)} s; violations ${tally.violations.length}`
  );
}

function summarise(all: readonly ScenarioReport[]): void {
  console.log("");
  console.log("scenario        rounds  faults  requests  slowest s  recovery s  violations");
  for (const { name, tally, skipped } of all) {
    const cells = [
      name.padEnd(14),
      String(tally.rounds).padStart(8),
      String(total(tally.faults)).padStart(8),
      String(total(tally.answers)).padStart(10),
      (tally.slowestMs / 1_000).toFixed(1).padStart(11),
      (tally.recoveryMs / 1_000).toFixed(1).padStart(12),
      String(tally.violations.length).padStart(12),
    ];
    console.log(skipped === null ? cells.join("") : `${name.padEnd(14)}  skipped: ${skipped}`);
  }
  for (const { name, tally } of all) {
    if (tally.notes.size > 0) console.log(`${name}: ${listed(tally.notes)}`);
    for (const violation of tally.violations) console.log(`VIOLATION in ${name}: ${violation}`);
  }
  console.log(`seed ${seed}, ${seconds()} s${stop.signal.aborted ? ", stopped before its end" : ""}`);
}

function seconds(): string {
  return ((performance.now() - began) / 1_000).toFixed(0);
}
