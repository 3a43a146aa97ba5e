/** The embedded PostgreSQL server, with its cluster in `<dataDir>/postgres`. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { access, open, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { assert, must } from "../lib/assert.ts";
import { systemClock } from "../lib/clock.ts";
import { type Cluster, openCluster, passwordOf, writableFolder } from "./cluster.ts";
import { findProcess, run, startProcess } from "./programs.ts";
import { isFolderLocked, lockFolder } from "./folder-lock.ts";

interface EmbeddedOptions {
  /** The folder for the cluster, its log and its password; created if missing. */
  readonly dataDir: string;
  readonly log: (message: string) => void;
  /** False only in tests: commits may be lost in a crash of the machine then. */
  readonly durable?: boolean;
  /** False where a test controls the server: one that exits is not restarted. */
  readonly keepRunning?: boolean;
}

export interface EmbeddedServer {
  /** `postgres://postgres:<password>@127.0.0.1:<port>/payments` */
  readonly url: string;
  /** Stops the server and waits until its process is gone. */
  stop(): Promise<void>;
}

interface Server {
  readonly cluster: Cluster;
  readonly pid: number;
  readonly port: number;
  isRunning(): Promise<boolean>;
}

/** The first lines of PostgreSQL's `postmaster.pid`. */
interface PidFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

const DATABASE = "payments";
const POLL_MS = 20;
const KEEP_POLL_MS = 500;
/** After a crash the server first replays its log, which can take minutes after heavy writing. */
const READY_TIMEOUT_MS = 300_000;
const CONNECT_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 20_000;
/** Longer in total than the 15 s that a statement may take, which may outlive a killed server. */
const START_ATTEMPTS = 40;
const START_PAUSE_MS = 500;
/** Retried errors: another program took the port in the meantime, or a killed server's connections are still ending. */
const PASSING_TROUBLE = /could not create any TCP\/IP sockets|pre-existing shared memory block/;
const LOG_BYTES_MAX = 10 * 1024 * 1024;
const LOG_LINES_SHOWN = 15;

/**
 * Starts the server, or takes over one that a killed service left running.
 * @throws Error when another live service uses the folder, when the folder cannot be written, or with the end of the
 * server's log when it does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log, durable = true, keepRunning = true } = options;
  const folder = await writableFolder(dataDir);
  const lock = lockFolder(folder, dataDir);
  try {
    const cluster = await openCluster(folder, durable);
    const server = (await leftServer(cluster, durable, log)) ?? (await startServer(cluster, durable, log));
    await ensureDatabase(server).catch(async (error: unknown) => {
      await stopServer(server);
      throw error;
    });
    const stopKept = keepRunning ? keep(server, durable, log) : () => stopServer(server);
    let stopped: Promise<void> | undefined;
    return {
      url: urlOf(server, DATABASE),
      stop: () => (stopped ??= stopKept().finally(() => lock.release())),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Whether a service has created its database in `dataDir`. */
export function hasEmbedded(dataDir: string): Promise<boolean> {
  return access(join(dataDir, "postgres")).then(
    () => true,
    () => false,
  );
}

/**
 * The URL of the server of a running service in `dataDir`, for commands; null when no process holds the folder.
 * @throws Error when the service is only just starting.
 */
export async function runningEmbedded(dataDir: string): Promise<string | null> {
  const folder = await writableFolder(dataDir);
  if (!isFolderLocked(folder)) return null;
  const noted = await readPidFile({ path: join(folder, "postgres") });
  if (noted?.status !== "ready") {
    throw new Error(`The service in DATA_DIR ${dataDir} is starting or stopping. Try again in a moment.`);
  }
  return urlOf({ cluster: { password: await passwordOf(folder, true) }, port: noted.port }, DATABASE);
}

/**
 * Restarts the server at the same address whenever it exits: killed for lack of memory, or on a full disk. Otherwise
 * the service would answer 503 for good. The returned function stops both.
 */
function keep(first: Server, durable: boolean, log: EmbeddedOptions["log"]): () => Promise<void> {
  const stop = new AbortController();
  let server = first;
  const again = async (): Promise<Server> => {
    log(`PostgreSQL (process ${server.pid}) exited unexpectedly and is being restarted`);
    await rm(pidFileOf(server.cluster), { force: true });
    return startServer(server.cluster, durable, log, server.port);
  };
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(KEEP_POLL_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      if (stop.signal.aborted || (await server.isRunning())) continue;
      server = await again().catch((error: Error) => {
        log(error.message);
        return server;
      });
    }
  };
  const watching = watch();
  return async () => {
    stop.abort();
    await watching;
    await stopServer(server);
  };
}

/** The server of a killed service, if it is usable; otherwise it is stopped. */
async function leftServer(
  cluster: Cluster,
  durable: boolean,
  log: EmbeddedOptions["log"],
): Promise<Server | null> {
  const noted = await readPidFile(cluster);
  if (noted === null) return null;
  const look = () => findProcess(noted.pid, cluster.name);
  const found = await look();
  // PostgreSQL takes any process with the number of a killed server for that server, even its zombie, and refuses to
  // start.
  if (found === "no server") await rm(pidFileOf(cluster), { force: true });
  if (found !== "the server") return null;
  const isRunning = async () => (await look()) === "the server";
  const server: Server = { cluster, pid: noted.pid, port: noted.port, isRunning };
  if ((await untilReady(server)) && (await isUsable(server, durable))) {
    log(`Using the PostgreSQL server that an earlier run left in ${cluster.path} (process ${server.pid})`);
    return server;
  }
  log(`Stopping the PostgreSQL server that an earlier run left in ${cluster.path} (process ${server.pid})`);
  await stopServer(server);
  await rm(pidFileOf(cluster), { force: true });
  return null;
}

/** A server that was started without durability must not serve a caller that relies on it. */
async function isUsable(server: Server, durable: boolean): Promise<boolean> {
  try {
    const rows = await onServer(server, "select current_setting('fsync') = 'on' as durable");
    return rows[0]?.["durable"] === durable;
  } catch {
    return false;
  }
}

/**
 * Starts it.
 * @throws Error with the end of the server's log.
 */
async function startServer(
  cluster: Cluster,
  durable: boolean,
  log: EmbeddedOptions["log"],
  samePort?: number,
): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = samePort ?? (await freePort());
    const child = await launch(cluster, port, durable);
    const server = launched(cluster, port, child);
    if (await untilReady(server)) {
      child.once("exit", (code, signal) =>
        log(`PostgreSQL (process ${server.pid}) ended: ${signal ?? code}`),
      );
      log(`PostgreSQL runs in ${cluster.path} on port ${server.port} (process ${server.pid})`);
      return server;
    }
    await stopServer(server);
    const said = await lastLogLines(cluster);
    if (attempt === START_ATTEMPTS || !isPassing(said, server.pid)) {
      throw new Error(`PostgreSQL did not start in ${cluster.path}. The end of its log:\n${said}`);
    }
    await sleep(START_PAUSE_MS);
  }
}

function isPassing(logLines: string, pid: number): boolean {
  return logLines.split("\n").some((line) => line.includes(`[${pid}]`) && PASSING_TROUBLE.test(line));
}

async function launch(cluster: Cluster, port: number, durable: boolean): Promise<ChildProcess> {
  const logFile = await open(cluster.logFile, "a", 0o600);
  try {
    if ((await logFile.stat()).size > LOG_BYTES_MAX) await logFile.truncate();
    const { identity, binaries } = cluster;
    return await startProcess(
      identity,
      binaries.postgres,
      serverArguments(cluster, port, durable),
      logFile.fd,
    );
  } finally {
    await logFile.close();
  }
}

function launched(cluster: Cluster, port: number, child: ChildProcess): Server {
  // Not its command line, which is empty for the moment in which unshare becomes postgres.
  const isRunning = async () => child.exitCode === null && child.signalCode === null;
  return { cluster, port, pid: must(child.pid, "the id of a started process"), isRunning };
}

function serverArguments(cluster: Cluster, port: number, durable: boolean): readonly string[] {
  const settings = {
    cluster_name: cluster.name,
    listen_addresses: "127.0.0.1",
    port,
    // The path of a socket is limited to about 100 bytes.
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    // Refused statements are reported by the caller: their details quote rows with personal data.
    log_min_messages: "log",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
    ...(durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: 300 }),
  };
  return [
    "-D",
    cluster.path,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** A port that is free now: the system's choice. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  assert(typeof address === "object" && address !== null, "a listening server has a port");
  return address.port;
}

/** Waits until the server accepts connections; false when it ends, is ending, or takes too long. */
async function untilReady(server: Server): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + READY_TIMEOUT_MS;
  while (systemClock.monotonicMs() < deadline) {
    const noted = await readPidFile(server.cluster);
    if (noted?.pid === server.pid && noted.status === "ready") return true;
    if (noted?.pid === server.pid && noted.status === "stopping") return false;
    if (!(await server.isRunning())) return false;
    await sleep(POLL_MS);
  }
  return false;
}

async function ensureDatabase(server: Server): Promise<void> {
  const found = await onServer(server, `select from pg_database where datname = '${DATABASE}'`);
  if (found.length === 0) await onServer(server, `create database ${DATABASE}`);
}

/** Open transactions are rolled back; a server that does not stop is killed, and recovers at the next start. */
async function stopServer(server: Server): Promise<void> {
  const { identity, binaries } = server.cluster;
  // Fast shutdown, immediate shutdown, kill.
  for (const signal of ["INT", "QUIT", "KILL"]) {
    if (!(await server.isRunning())) return;
    await run(identity, binaries.pg_ctl, ["kill", signal, String(server.pid)]);
    if (await untilGone(server)) return;
  }
  throw new Error(`PostgreSQL (process ${server.pid}) in ${server.cluster.path} does not stop`);
}

async function untilGone(server: Server): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + STOP_TIMEOUT_MS;
  while (systemClock.monotonicMs() < deadline) {
    if (!(await server.isRunning())) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function pidFileOf(cluster: Pick<Cluster, "path">): string {
  return join(cluster.path, "postmaster.pid");
}

async function readPidFile(cluster: Pick<Cluster, "path">): Promise<PidFile | null> {
  const text = await readFile(pidFileOf(cluster), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7] ?? "" } : null;
}

async function lastLogLines(cluster: Cluster): Promise<string> {
  const text = await readFile(cluster.logFile, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-LOG_LINES_SHOWN).join("\n");
}

/** Runs one statement on a connection of its own, in the database that is always there. */
async function onServer(server: Server, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({
    connectionString: urlOf(server, "postgres"),
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function urlOf(
  { cluster, port }: { readonly cluster: Pick<Cluster, "password">; readonly port: number },
  database: string,
): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
}
