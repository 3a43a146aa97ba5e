/**
 * `npm run plant -- [--only WORDS]…`: puts fixed bugs back into a copy of the service, one at a time, and runs the
 * tests of their fixes. Exits with 1 if one of these tests passes.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryServer } from "../scripts/temporary-server.ts";
import { migrationCount } from "../src/db/migrations.ts";
import { PUT_BACK } from "../tests/planted/all.ts";
import { copyWith } from "../tests/simulation/plant.ts";
import type { Guard, PlantedBug } from "../tests/simulation/planted.ts";

/** For two cores. */
const AT_A_TIME = 2;
const MIGRATIONS = "src/db/migrations";

const { values: options } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [""] } },
});
const wanted = PUT_BACK.filter(({ name }) => options.only.some((words) => name.includes(words)));
const left = [...wanted];
let missed = 0;
await Promise.all(Array.from({ length: AT_A_TIME }, work));
console.log(`caught ${wanted.length - missed} of ${wanted.length}`);
process.exitCode = missed === 0 && wanted.length > 0 ? 0 : 1;

/** Tries one bug after the other, with its own server. */
async function work(): Promise<void> {
  const server = await temporaryServer();
  try {
    for (let bug = left.shift(); bug !== undefined; bug = left.shift()) {
      const passed = await notCaught(bug, server.url);
      if (passed.length > 0) missed += 1;
      const lines = [`${passed.length === 0 ? "caught" : "MISSED"}  ${bug.name}`];
      console.log([...lines, ...passed.map((name) => `        passes: ${name}`)].join("\n"));
    }
  } finally {
    await server.stop();
  }
}

/** The tests that pass despite the bug. */
async function notCaught(bug: PlantedBug, server: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-plant-"));
  try {
    await copyWith(folder, bug);
    if (bug.sql !== "") await writeMigration(join(folder, MIGRATIONS), bug.sql);
    const guards = bug.tests ?? [];
    const failed = await failedTests(folder, server, guards);
    return guards.filter(({ test }) => !failed.some((name) => name.startsWith(test))).map(({ test }) => test);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds a migration after all others. */
async function writeMigration(folder: string, sql: string): Promise<void> {
  const number = String((await migrationCount()) + 1).padStart(4, "0");
  await writeFile(join(folder, `${number}_planted.sql`), `-- compatible with: ${number}\n${sql};\n`);
}

async function failedTests(
  folder: string,
  server: string,
  guards: readonly Guard[],
): Promise<readonly string[]> {
  const files = new Set(guards.map(({ file }) => file));
  const names = guards.map(({ test }) => `--named=${test}`);
  const child = spawn(process.execPath, ["scripts/test.ts", "--test-reporter=tap", ...names, ...files], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: server },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => {
    child.on("close", resolve);
  });
  return [...output.matchAll(/^\s*not ok \d+ - (.*)$/gmu)].map(([, name = ""]) => unescaped(name));
}

/** TAP escapes characters that begin a comment or a directive. */
function unescaped(name: string): string {
  return name.replaceAll(/\\(?<sign>[\\#])/gu, "$<sign>");
}
