/** A member of a fleet: an address at which one instance after the other runs, with any release and settings. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { childEnv } from "../../tests/support/child-env.ts";
import { freePort } from "../../tests/support/process.ts";

/** The instance at the address. */
export interface Spec {
  /** Its main.ts. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Member {
  readonly name: string;
  readonly url: string;
  start(spec: Spec): void;
  /** Stops it like a supervisor, with SIGTERM and a long wait. @returns the exit code or signal. */
  stop(): Promise<NodeJS.Signals | number | null>;
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** The end of its output. */
  output(): string;
}

const STOP_MS = 60_000;
const OUTPUT_MAX = 20_000;

export async function openMember(name: string): Promise<Member> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  let output = "";
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    start({ program, env }) {
      const started = spawn(process.execPath, [program], {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
        env: { ...childEnv(), ...env, PORT: String(port) },
      });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_MAX)));
    },
    async stop() {
      if (child === null) return null;
      const { exitCode, signalCode } = child;
      if (exitCode !== null || signalCode !== null) return signalCode ?? exitCode;
      const ended = once(child, "exit");
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      const ending = child;
      const late = setTimeout(() => ending.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(late);
      return ending.signalCode ?? ending.exitCode;
    },
    signal: (signal) => void child?.kill(signal),
    output: () => output,
  };
}
