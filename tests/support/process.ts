/** The service as a separate process, as an operator runs it: started, killed and restarted on one database. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Step } from "../../src/deps.ts";
import { caller, OPERATOR_KEY, type CallOptions, type Service } from "./service.ts";
import { childEnv } from "./child-env.ts";

export interface ServiceProcess {
  readonly call: ReturnType<typeof caller>;
  readonly child: ChildProcess;
  /** All of its output. */
  output(): string;
  /** Returns the first line with this text once it is printed. */
  printed(text: string): Promise<string>;
  /** Resolves with the signal or the exit code when it has ended. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
  stop(): Promise<void>;
  /** Makes the process kill itself at this step. */
  dieAt(step: Step): Promise<void>;
}

/** Calls of a service that are sent to the process that is running. */
export function serviceOf(running: () => ServiceProcess): Service {
  const call: ServiceProcess["call"] = (...args) => running().call(...args);
  return {
    call,
    get: (path: string, options?: CallOptions) => call("GET", path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions) => call("POST", path, body, options),
  } as Service;
}

/** The settings that several runs of a service share. */
export interface Machine {
  readonly dataDir: string;
  readonly port: number;
  readonly databaseUrl: string;
  start(env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  remove(): Promise<void>;
}

const MAIN = join(import.meta.dirname, "../../src/main.ts");
/** Starting Node can take long on a busy machine. The limit still detects a service that does not start. */
const START_MS_MAX = 75_000;

export async function machine(databaseUrl: string): Promise<Machine> {
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-process-"));
  const port = await freePort();
  return {
    dataDir,
    port,
    databaseUrl,
    start: (env = {}) => start({ dataDir, port, databaseUrl }, env),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function start(
  { dataDir, port, databaseUrl }: Pick<Machine, "dataDir" | "port" | "databaseUrl">,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const crashAt = join(dataDir, "crash-at");
  await writeFile(crashAt, "");
  const child = spawn(process.execPath, [MAIN], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...childEnv(),
      PORT: String(port),
      DATA_DIR: dataDir,
      OPERATOR_KEY,
      DEMO: "false",
      CRASH_AT: crashAt,
      ...(databaseUrl === "" ? {} : { DATABASE_URL: databaseUrl }),
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.on("exit", (code, signal) => resolve(signal ?? code));
  });
  const call = caller(`http://127.0.0.1:${port}`);
  await untilReady(call, child, () => output);
  return {
    call,
    child,
    ended,
    output: () => output,
    async printed(text) {
      for (;;) {
        const line = output.split("\n").find((one) => one.includes(text));
        if (line !== undefined) return line;
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
    dieAt: (step) => writeFile(crashAt, step),
  };
}

async function untilReady(
  call: ServiceProcess["call"],
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output()}`);
    const ready = await call("GET", "/readyz").catch(() => null);
    if (ready?.status === 200) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  child.kill("SIGKILL");
  throw new Error(`The service did not start:\n${output()}`);
}

/** Below the system's ephemeral ports, which a connection may use before the service listens. */
const PORT_MIN = 10_000;
const PORT_MAX = 30_000;

/** A port that is free now, and unlikely to be chosen by another process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    const probe = createServer().listen(port, "127.0.0.1");
    const free = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    probe.close();
    if (free) return port;
  }
}
