/** The harness's durable PostgreSQL, which can be killed, stopped and restarted on the same folder. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startEmbedded, type EmbeddedServer } from "../../src/embedded-postgres/server.ts";

export interface ChaosDatabase {
  /** Bypasses the fault proxy. Changes with each start. */
  url(): string;
  isRunning(): Promise<boolean>;
  /** kill -9 of the server and all its processes; returns how many. */
  kill(): Promise<number>;
  /** SIGSTOP for all its processes. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it if it does not run. @throws Error when it cannot be started. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

export async function startDatabase(dataDir: string): Promise<ChaosDatabase> {
  const begin = (): Promise<EmbeddedServer> => startEmbedded({ dataDir, log: () => {}, keepRunning: false });
  let server = await begin();
  const pidFile = join(dataDir, "postgres", "postmaster.pid");
  const pid = async (): Promise<number | null> => {
    const noted = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
    return noted > 0 && isAlive(noted) ? noted : null;
  };
  /** The server first: a stopped one creates no more processes. */
  const signalAll = async (signal: NodeJS.Signals): Promise<number> => {
    const parent = await pid();
    if (parent === null) return 0;
    const all = [parent, ...(await childrenOf(parent))];
    for (const one of all) send(one, signal);
    return all.length;
  };
  const database: ChaosDatabase = {
    url: () => server.url,
    isRunning: async () => (await pid()) !== null,
    async kill() {
      await signalAll("SIGSTOP");
      const killed = await signalAll("SIGKILL");
      while (await database.isRunning()) await sleep(5);
      return killed;
    },
    async pause() {
      await signalAll("SIGSTOP");
      // Processes that it created between the listing and the stop.
      await signalAll("SIGSTOP");
    },
    async resume() {
      await signalAll("SIGCONT");
    },
    async start() {
      if (await database.isRunning()) return;
      await server.stop();
      server = await begin();
    },
    async stop() {
      await database.resume();
      await server.stop();
    },
  };
  return database;
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
}

function isAlive(pid: number): boolean {
  return send(pid, 0);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
