/** The service under measurement: one process per core except one for the client, on one database. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../tests/support/process.ts";

/** As `npm start` has them. */
const START_OPTIONS = ["--max-semi-space-size=8", "--heap-growing-percent=100"];
const OWN_FOLDER = join(import.meta.dirname, "..");
const READY_MS_MAX = 60_000;
const POLL_MS = 5;

export interface ServiceOptions {
  readonly dataDir: string;
  /** Null for the embedded server in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The folder for Node's processor profiles; null for none. */
  readonly profileDir: string | null;
  /** The checkout whose service is started; null for this one. */
  readonly checkout: string | null;
  /** Starts it with `npm start`: then `pid` is npm's. */
  readonly throughNpm?: boolean;
}

export interface Instance {
  readonly pid: number;
  readonly port: number;
  /** From starting the process to its first "ready". */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** @throws Error when it does not become ready. */
export async function startInstance(options: ServiceOptions): Promise<Instance> {
  const port = await freePort();
  const log = openSync(join(options.dataDir, "service.log"), "a");
  const startedMs = performance.now();
  const profiling = options.profileDir === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profileDir}`];
  const folder = options.checkout ?? OWN_FOLDER;
  const [program, args] = options.throughNpm
    ? ["npm", ["start"]]
    : [process.execPath, [...START_OPTIONS, ...profiling, join(folder, "src/main.ts")]];
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ["ignore", log, log],
    env: {
      PATH: process.env["PATH"],
      // scripts/run.mjs sets it, here as for a user.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      PORT: String(port),
      DATA_DIR: options.dataDir,
      DEMO: "false",
      // The client acts as a proxy in front of the service and sends customers' addresses.
      TRUSTED_PROXIES: "127.0.0.0/8",
      ...(options.databaseUrl === null ? {} : { DATABASE_URL: options.databaseUrl }),
    },
  });
  await untilReady(child, port);
  return {
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedMs,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (ready?.ok === true) return;
    await sleep(POLL_MS);
  }
  child.kill("SIGKILL");
  throw new Error("The service did not become ready: its log is service.log in its data folder");
}
