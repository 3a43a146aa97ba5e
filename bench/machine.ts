/** The machine of the measurements, and its software. */
import { execFile } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const GIB = 1024 ** 3;

export interface MachineFacts {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgres: string;
  readonly commit: string;
  /** The machine's load at the start of the benchmark. */
  readonly loadAtStart: readonly number[];
}

/**
 * @param checkout of the measured service; null for this one. @throws Error if the database does not commit durably, which would make the figures meaningless.
 */
export async function machineFacts(
  databaseUrl: string,
  checkout: string | null = null,
): Promise<MachineFacts> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, string>>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous_commit,
            current_setting('full_page_writes') as full_page_writes`,
  );
  await client.end();
  const { version = "?", ...durability } = rows[0] ?? {};
  for (const [setting, value] of Object.entries(durability))
    if (value !== "on") throw new Error(`The database runs with ${setting} = ${value}: switch it on`);
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? "?",
    memoryGib: Math.round(totalmem() / GIB),
    kernel: release(),
    node: process.version,
    postgres: version,
    commit: await commitHash(checkout ?? import.meta.dirname),
    loadAtStart: loadavg().map((load) => Number(load.toFixed(1))),
  };
}

async function commitHash(cwd: string): Promise<string> {
  try {
    const { stdout: hash } = await run("git", ["rev-parse", "--short", "HEAD"], { cwd });
    const { stdout: changes } = await run("git", ["status", "--porcelain", "--untracked-files=no"], { cwd });
    return hash.trim() + (changes === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}
