/** A Redis (or Valkey) that can be killed, emptied and frozen; null if no server is installed. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createClient } from "redis";
import { freePort } from "../../tests/support/process.ts";

export interface ChaosRedis {
  readonly url: string;
  kill(): Promise<void>;
  flush(): Promise<void>;
  pause(): void;
  /** Makes sure that it runs and is not paused. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<ChaosRedis | null> {
  const program = redisServer();
  if (program === null) return null;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | null = null;
  const redis: ChaosRedis = {
    url,
    async kill() {
      const ending = server;
      server = null;
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = once(ending, "exit");
      ending.kill("SIGKILL");
      await ended;
    },
    async flush() {
      if (server === null) return;
      const client = await createClient({ url }).connect();
      await client.flushAll();
      client.destroy();
    },
    pause() {
      server?.kill("SIGSTOP");
    },
    async start() {
      server?.kill("SIGCONT");
      if (server !== null) return;
      const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
      // In a separate process group, because Ctrl-C is for the harness.
      server = spawn(program, options, { stdio: ["ignore", "pipe", "ignore"], detached: true });
      for await (const text of server.stdout ?? []) {
        if (String(text).includes("Ready to accept connections")) break;
      }
    },
    stop: () => redis.kill(),
  };
  await redis.start();
  return redis;
}

function redisServer(): string | null {
  for (const program of ["redis-server", "valkey-server"]) {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" });
      return program;
    } catch {
      continue;
    }
  }
  return null;
}
