/**
 * `npm run ops:drill [-- --instances N --customers N]`: performs usual operations on instances on loopback under
 * steady load: rotates keys, upgrades from the last release, kills an instance, pauses one, restores a backup. Prints
 * a table.
 */
import { parseArgs } from "node:util";
import { runDrill, type Row } from "./fleet/drill.ts";

const { values } = parseArgs({
  options: {
    instances: { type: "string", default: "2" },
    customers: { type: "string", default: "4" },
  },
});
const rows: Row[] = [];
const began = performance.now();
console.log(line(["step", "seconds", "requests", "failed", "of the stopped", ""]));
const held = await runDrill(
  { instances: Number(values.instances), customers: Number(values.customers) },
  (row) => {
    rows.push(row);
    console.log(
      line([
        row.step,
        row.seconds.toFixed(1),
        String(row.requests),
        String(row.failed),
        String(row.ofStopped),
        row.note,
      ]),
    );
    for (const what of row.failures) console.log(`    ${what}`);
  },
);
const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
console.log(
  line([
    "all",
    seconds,
    String(sum((row) => row.requests)),
    String(sum((row) => row.failed)),
    String(sum((row) => row.ofStopped)),
    held ? "held" : "did not hold",
  ]),
);
process.exitCode = held ? 0 : 1;

function line([step = "", ...cells]: readonly string[]): string {
  const note = cells.pop() ?? "";
  return `${step.padEnd(34)}${cells.map((cell) => cell.padStart(10)).join("")}  ${note}`.trimEnd();
}
