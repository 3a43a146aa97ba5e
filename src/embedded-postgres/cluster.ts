/** The data folder of the embedded server: the cluster, created completely or not at all, and its password. */
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { randomIds } from "../lib/ids.ts";
import { type Binaries, findBinaries, findIdentity, handOver, type Identity, run } from "./programs.ts";

export interface Cluster {
  readonly path: string;
  readonly logFile: string;
  readonly password: string;
  readonly binaries: Binaries;
  readonly identity: Identity;
  /** Identifies the server's command line: a folder keeps its inode when it is moved while its server runs. */
  readonly name: string;
}

const PASSWORD_BYTES = 24;
const STAGED = "postgres.new-";

/**
 * The real path of `dataDir`, created if missing.
 * @throws Error with what to do when it cannot be written.
 */
export async function writableFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `DATA_DIR ${dataDir} cannot be written by this user (${reason}). ` +
        "Give the folder to this user, set another DATA_DIR, or set DATABASE_URL.",
      { cause: error },
    );
  }
}

/**
 * Opens the cluster in `folder`, created if missing. The caller holds the folder's lock.
 * @throws Error when it cannot be created, or its password is lost.
 */
export async function openCluster(folder: string, durable: boolean): Promise<Cluster> {
  await removeLeftovers(folder);
  const path = join(folder, "postgres");
  const binaries = await findBinaries();
  const exists = (await inode(path)) !== null;
  const password = await passwordOf(folder, exists);
  const identity = exists
    ? await findIdentity(binaries, path)
    : await createCluster(folder, path, binaries, durable);
  const name = `payment-sessions-${await inode(path)}`;
  return { path, logFile: join(folder, "postgres.log"), password, binaries, identity, name };
}

/** Deletes the remains of an interrupted start. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // initdb may outlive its killed parent by a moment and still be writing.
    if (name.startsWith(STAGED))
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

async function inode(path: string): Promise<number | null> {
  try {
    return (await stat(path)).ino;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** The password is on disk before the cluster, so that no crash leaves a cluster without a password. */
export async function passwordOf(folder: string, clusterExists: boolean): Promise<string> {
  const path = join(folder, "postgres.password");
  const kept = (await readFile(path, "utf8").catch(() => "")).trim();
  if (kept !== "") return kept;
  if (clusterExists)
    throw new Error(`The password of the database in ${folder} is missing: ${path} cannot be read`);
  const password = randomIds.secret(PASSWORD_BYTES).toString("hex");
  await writeFile(path, `${password}\n`, { mode: 0o600, flush: true });
  return password;
}

/** Creates the cluster in a temporary folder and moves it into place when it is complete. */
async function createCluster(
  folder: string,
  path: string,
  binaries: Binaries,
  durable: boolean,
): Promise<Identity> {
  const staged = join(folder, `${STAGED}${randomIds.uuid()}`);
  await mkdir(staged, { mode: 0o700 });
  const identity = await findIdentity(binaries, staged);
  await handOver(identity, join(folder, "postgres.password"));
  const made = await run(identity, binaries.initdb, initdbArguments(folder, staged, durable));
  if (!made.ok) {
    await rm(staged, { recursive: true, force: true });
    throw new Error(`The database could not be created in ${folder}:\n${made.output}${hint(made.output)}`);
  }
  await rename(staged, path);
  await flushFolder(folder);
  return identity;
}

function initdbArguments(folder: string, path: string, durable: boolean): readonly string[] {
  return [
    "--pgdata",
    path,
    "--username=postgres",
    `--pwfile=${join(folder, "postgres.password")}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...(durable ? [] : ["--no-sync"]),
  ];
}

function hint(output: string): string {
  if (!output.includes("shared libraries")) return "";
  return "\nThe package's install script did not run. Allow install scripts (npm config ignore-scripts) and run npm ci.";
}

/** Without this a power cut could undo the renaming. Windows does not have the call and does not need it. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
