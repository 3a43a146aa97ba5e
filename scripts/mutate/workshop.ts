/**
 * A copy of the repository in which mutants are tried, so that the working tree does not change, and one PostgreSQL
 * for all of them.
 */
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startTestServer, type TestServer } from "../test-server.ts";
import { failureIn, type Failure } from "./failed-mark.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What no test reads. */
const LEFT_OUT = new Set(["node_modules", ".git", "data", ".mutate", "bench", "coverage"]);
const OUTPUT_KEPT = 4_000;
/** Each ended run may leave a database, and thousands of them make a server slow. */
const RUNS_BETWEEN_CLEARING = 20;

export interface Run {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Ran {
  readonly passed: boolean;
  /** The first failed test; null if none was reported, for example after a failed hook or a time-out. */
  readonly failed: Failure | null;
  readonly timedOut: boolean;
  readonly ms: number;
  /** The end of its output. */
  readonly output: string;
}

export class Workshop {
  readonly folder: string;
  readonly server: TestServer;
  #runs = 0;

  /** @param folder for the copy, with `scripts/mutate` and `node_modules`; it is removed at the end. */
  constructor(folder: string, server: TestServer) {
    this.folder = folder;
    this.server = server;
  }

  static async open(): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), "payment-sessions-mutants-"));
    const filter = (path: string): boolean => path === ROOT || !LEFT_OUT.has(basename(path));
    await cp(ROOT, folder, { recursive: true, filter });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    return new Workshop(folder, await startTestServer());
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Replaces a file by `text` while `work` runs. */
  async withFile<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, file);
    const original = await readFile(path, "utf8");
    await writeFile(path, text);
    try {
      return await work();
    } finally {
      await writeFile(path, original);
    }
  }

  /** Runs Node in the copy; what it started ends with it. */
  async run({ args, env, timeoutMs }: Run): Promise<Ran> {
    const began = performance.now();
    const child = spawn(process.execPath, [...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.server.env, TEST_CHROMIUM: "null", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group, so that processes that a test has started end with it.
      detached: true,
    });
    let output = "";
    const take = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-OUTPUT_KEPT));
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child.pid);
    }, timeoutMs);
    const code = await new Promise<number | null>((resolve) => {
      child.on("exit", resolve);
    });
    clearTimeout(timer);
    endGroup(child.pid);
    this.#runs += 1;
    if (this.#runs % RUNS_BETWEEN_CLEARING === 0) await this.server.clear();
    return { passed: code === 0, failed: failureIn(output), timedOut, ms: performance.now() - began, output };
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of the group have ended.
  }
}
