/** Puts planted bugs into copies of the service, one at a time, and runs the simulation to find them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "../../src/db/migrate.ts";
import { PLANTED_AT_THE_BANK } from "./own-bank/planted.ts";
import { PLANTED, type PlantedBug } from "./planted.ts";

export interface Caught {
  readonly name: string;
  /** The first seed that violated an invariant; null: none did. */
  readonly seed: number | null;
  readonly seconds: number;
  /** The first violation. */
  readonly words: string;
}

const ROOT = join(import.meta.dirname, "../..");
const TEMPLATE = "simulation_template";
const TAKEN = ["src", "tests", "scripts", "tools", "web", "package.json"] as const;
/** The number of copies that two cores can run at a time. */
const AT_A_TIME = 2;

export interface Wanted {
  /** Parts of the names of the bugs to plant; all if empty. */
  readonly words: readonly string[];
  /** The seed that is played first; null: the bug's own. */
  readonly from: number | null;
}

/** @param seeds the number of seeds to play for each bug. */
export async function findPlanted(
  server: string,
  seeds: number,
  { words, from }: Wanted,
  told: (caught: Caught) => void,
): Promise<readonly Caught[]> {
  await onServer(server, `create database ${TEMPLATE}`);
  await migrate(databaseOf(server, TEMPLATE));
  const left = [...PLANTED, ...PLANTED_AT_THE_BANK]
    .map((bug, index) => ({ bug, index }))
    .filter(({ bug: { name } }) => words.length === 0 || words.some((one) => name.includes(one)));
  const all: Caught[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const caught = await findOne(
        server,
        { ...next.bug, seed: from ?? next.bug.seed ?? 1 },
        next.index,
        seeds,
      );
      told(caught);
      all.push(caught);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return all;
}

async function findOne(server: string, bug: PlantedBug, index: number, seeds: number): Promise<Caught> {
  const name = `simulation_planted_${index}`;
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-planted-"));
  try {
    await copyWith(folder, bug);
    await onServer(server, `create database ${name} template ${TEMPLATE}`);
    if (bug.sql !== "") await onServer(databaseOf(server, name), bug.sql);
    return { name: bug.name, ...(await play(folder, databaseOf(server, name), seeds, bug)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await onServer(server, `drop database if exists ${name} with (force)`);
  }
}

/** @throws Error if the snippet does not occur in the file exactly once, so the bug is out of date. */
export async function copyWith(folder: string, bug: Pick<PlantedBug, "name" | "changes">): Promise<void> {
  for (const part of TAKEN) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const { file, from, to } of bug.changes) {
    const path = join(folder, "src", file);
    const text = await readFile(path, "utf8");
    assert.equal(text.split(from).length, 2, `${file} has the snippet of "${bug.name}" once`);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
}

async function play(
  folder: string,
  url: string,
  seeds: number,
  { script = "tools/simulate.ts", seed }: PlantedBug,
): Promise<Omit<Caught, "name">> {
  const child = spawn(process.execPath, [script, "--seeds", String(seeds), "--from", String(seed)], {
    cwd: folder,
    env: { ...process.env, SIMULATION_DATABASE_URL: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const began = performance.now();
  await new Promise((resolve) => {
    child.on("exit", resolve);
  });
  const found = /^seed (\d+) after ([\d.]+) s:\n(.*)$/m.exec(output);
  if (found !== null) {
    return { seed: Number(found[1]), seconds: Number(found[2]), words: found[3] ?? "" };
  }
  const held = output.includes(`${seeds} seeds held`);
  const words = held ? "" : `the run failed: ${output.slice(-300)}`;
  return { seed: null, seconds: (performance.now() - began) / 1_000, words };
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
