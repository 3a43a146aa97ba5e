/**
 * A streaming replica of an embedded server. Copies the server's folder while it runs, like pg_basebackup, which the
 * embedded package does not contain.
 */
import { once } from "node:events";
import { appendFile, cp, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findBinaries, findIdentity, handOver, startProcess } from "../../src/embedded-postgres/programs.ts";
import { freePort } from "./process.ts";
import { untilReady } from "./debian-postgres.ts";

export interface ReplicaServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Files that the replica creates itself, or that belong only to the running server. */
const LEFT_OUT = /\/(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_stat_tmp|pg_dynshmem)\/.+)$/;

/**
 * @param primaryUrl the owner's URL of a durable embedded server. Other servers do not write the WAL that a replica
 * needs.
 */
export async function startReplica(primaryUrl: string): Promise<ReplicaServer> {
  const home = await mkdtemp(join(tmpdir(), "payment-sessions-replica-"));
  const folder = join(home, "postgres");
  const primary = new pg.Client({ connectionString: primaryUrl });
  await primary.connect();
  try {
    const { rows } = await primary.query<{ at: string }>("select current_setting('data_directory') as at");
    const source = rows[0]?.at ?? "";
    await primary.query("select pg_backup_start('replica', true)");
    await cp(source, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
    const stopped = await primary.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    await writeFile(join(folder, "backup_label"), stopped.rows[0]?.labelfile ?? "");
  } finally {
    await primary.end();
  }
  const { hostname, port: primaryPort, username, password } = new URL(primaryUrl);
  await writeFile(join(folder, "standby.signal"), "");
  await appendFile(
    join(folder, "postgresql.auto.conf"),
    `\nprimary_conninfo = 'host=${hostname} port=${primaryPort} user=${username} password=${password}'\n`,
  );
  const binaries = await findBinaries();
  const identity = await findIdentity(binaries, folder);
  const files = (await readdir(home, { recursive: true })).map((name) => join(home, name));
  await handOver(identity, home, ...files);
  const port = await freePort();
  const log = await open(join(home, "log"), "a", 0o600);
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "hot_standby=on", "fsync=off"];
  const child = await startProcess(
    identity,
    binaries.postgres,
    ["-D", folder, "-p", String(port), ...settings.flatMap((one) => ["-c", one])],
    log.fd,
  );
  await log.close();
  const url = new URL(primaryUrl);
  url.port = String(port);
  await untilReady(url.href);
  return {
    url: url.href,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGINT");
        await once(child, "exit");
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}
