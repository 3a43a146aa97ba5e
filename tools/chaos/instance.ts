/** An instance of the service under a supervisor: a separate process, restarted whenever it has ended. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childEnv } from "../../tests/support/child-env.ts";

export interface Instance {
  readonly name: string;
  readonly url: string;
  isRunning(): boolean;
  /** kill -9; started again after the pause. */
  kill(restartAfterMs: number): Promise<void>;
  /** SIGTERM, as an upgrade stops it; started again when it has ended. */
  replace(): void;
  pause(): void;
  resume(): void;
  /** The end of its output. */
  output(): string;
  /** Unexpected exits of the process after it had begun to serve. */
  takeFalls(): readonly string[];
  /** SIGTERM, and SIGKILL if needed. @returns the exit code or signal. */
  stop(): Promise<NodeJS.Signals | number | null>;
}

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const RESTART_MS = 300;
const STOP_MS = 10_000;
const OUTPUT_MAX = 200_000;

/** @param program the service, or a part of it. */
export function startInstance(
  name: string,
  port: number,
  env: Readonly<Record<string, string>>,
  program: string = MAIN,
): Instance {
  let child: ChildProcess;
  let output = "";
  let falls: string[] = [];
  let stopping = false;
  let killedFor: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let paused = false;

  function begin(): void {
    let served = false;
    paused = false;
    const started = spawn(process.execPath, [program], {
      stdio: ["ignore", "pipe", "pipe"],
      // In a separate process group, because Ctrl-C is for the harness.
      detached: true,
      env: { ...childEnv(), ...env, PORT: String(port) },
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        const text = chunk.toString();
        served ||= text.includes('"listening"');
        output = (output + text).slice(-OUTPUT_MAX);
      });
    }
    started.once("exit", (code, signal) => {
      if (stopping) return;
      // It does not start without a database; the supervisor retries.
      if (killedFor === null && served)
        falls.push(`${name} ended with ${signal ?? code}: ${output.slice(-600)}`);
      timer = setTimeout(begin, killedFor ?? RESTART_MS);
      killedFor = null;
    });
  }
  begin();

  return {
    name,
    url: `http://127.0.0.1:${port}`,
    isRunning: () => !hasEnded(child),
    async kill(restartAfterMs) {
      const dying = child;
      if (hasEnded(dying)) return;
      killedFor = restartAfterMs;
      dying.kill("SIGKILL");
      while (!hasEnded(dying)) await sleep(5);
    },
    replace() {
      if (hasEnded(child)) return;
      killedFor = 0;
      child.kill("SIGTERM");
    },
    pause() {
      paused = true;
      child.kill("SIGSTOP");
    },
    resume() {
      if (paused) child.kill("SIGCONT");
      paused = false;
    },
    output: () => output,
    takeFalls() {
      const taken = falls;
      falls = [];
      return taken;
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      if (paused) child.kill("SIGCONT");
      child.kill("SIGTERM");
      const deadline = performance.now() + STOP_MS;
      while (!hasEnded(child)) {
        if (performance.now() > deadline) child.kill("SIGKILL");
        await sleep(10);
      }
      return child.signalCode ?? child.exitCode;
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
