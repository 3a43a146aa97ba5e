/** PostgreSQL's load tool: measures the statements of an endpoint on the database alone. */
import { execFile } from "node:child_process";
import { access, glob, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { PLANNING } from "../src/db/postgres.ts";

const run = promisify(execFile);

export interface PgbenchRun {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly script: string;
  /** The number of the first payment of each client, less one. */
  readonly from: number;
  /** Runs of the script by each client, or seconds. */
  readonly runs?: number;
  readonly seconds?: number;
}

export interface PgbenchResult {
  readonly perSecond: number;
  readonly averageMs: number;
  readonly runs: number;
}

export type Pgbench = (what: PgbenchRun) => Promise<PgbenchResult>;

/** Null if PostgreSQL's client programs are not installed (Debian: postgresql-contrib). */
export async function findPgbench(folder: string): Promise<Pgbench | null> {
  const packaged = await Array.fromAsync(glob("/usr/lib/postgresql/*/bin/pgbench"));
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "pgbench"));
  for (const path of [...onPath, ...packaged.toSorted().toReversed()]) {
    const usable = await access(path).then(
      () => true,
      () => false,
    );
    if (usable) return (what) => pgbench(path, folder, what);
  }
  return null;
}

async function pgbench(path: string, folder: string, what: PgbenchRun): Promise<PgbenchResult> {
  const file = join(folder, "pgbench.sql");
  await writeFile(file, `\\set n :n + 1\n${what.script}`);
  const threads = Math.min(cpus().length, what.connections);
  const length = what.runs === undefined ? ["-T", String(what.seconds)] : ["-t", String(what.runs)];
  const script = ["-M", "prepared", "-n", "-f", file, "-D", `n=${what.from}`];
  const load = ["-c", String(what.connections), "-j", String(threads)];
  const { stdout, stderr } = await run(path, [...script, ...length, ...load, what.databaseUrl], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, PGOPTIONS: PLANNING },
  });
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const failed = number(/failed transactions: (\d+)/);
  if (failed > 0 || /aborted|ERROR/.test(stderr))
    throw new Error(`pgbench: ${stdout}${stderr.slice(0, 2_000)}`);
  return {
    perSecond: number(/tps = ([\d.]+) \(without/),
    averageMs: number(/latency average = ([\d.]+)/),
    runs: number(/actually processed: (\d+)/),
  };
}
