/** A PostgreSQL server of the system's version instead of the embedded one. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./process.ts";

/** The programs' folder of the oldest version installed by Debian's packages; null if there is none. */
export async function installedPostgres(): Promise<string | null> {
  const [first] = (await Array.fromAsync(glob("/usr/lib/postgresql/*/bin/initdb"))).toSorted();
  return first === undefined ? null : join(first, "..");
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so root starts it as an unprivileged user. */
export async function startPostgres(programs: string): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-debian-"));
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (as.uid !== undefined) await chown(folder, as.uid, as.gid);
  const data = join(folder, "data");
  const options = { ...as, cwd: folder };
  const init = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(join(programs, "initdb"), init, options);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"];
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
  const server = spawn(join(programs, "postgres"), args, { ...options, stdio: "ignore" });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return {
    url,
    async stop() {
      server.kill("SIGINT");
      await once(server, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a server accepts connections, at most 30 seconds. */
export async function untilReady(url: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 300) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }
}
