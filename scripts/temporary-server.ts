/** A temporary PostgreSQL server for a script. */
import { mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFolderLocked } from "../src/embedded-postgres/folder-lock.ts";
import { startEmbedded } from "../src/embedded-postgres/server.ts";

export interface TemporaryServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Linux has it; a container often gives it only 64 MB. */
const MEMORY = "/dev/shm";
/** Twice the databases of concurrent tests and 1 GiB of WAL. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;
const PREFIX = "payment-sessions-";
/** The age of a folder that another run may be about to lock. */
const LOCKED_WITHIN_MS = 60_000;

/** An embedded server whose folder is removed at the end. @param durable whether a commit waits for the disk. */
export async function temporaryServer(durable = false): Promise<TemporaryServer> {
  const dataDir = await mkdtemp(join(durable ? tmpdir() : await fastFolder(), PREFIX));
  const server = await startEmbedded({ dataDir, log: () => {}, durable });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * A clone of the template has 700 files. Creating them takes 0.3 s of processor time on an ext4 without a journal
 * after many deletions, and 0.01 s in memory.
 */
async function fastFolder(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, process.availableMemory()),
    () => 0,
  );
  if (room < MEMORY_BYTES_MIN) return tmpdir();
  await removeLeft(MEMORY);
  return MEMORY;
}

/** Removes the folders of servers whose script was killed, which would use memory until the machine restarts. */
export async function removeLeft(parent: string): Promise<void> {
  const folders = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(
    folders.map(async (name) => {
      const folder = join(parent, name);
      const found = await stat(folder).catch(() => null);
      if (found === null || Date.now() - found.mtimeMs < LOCKED_WITHIN_MS) return;
      if (!isFolderLocked(folder)) await rm(folder, { recursive: true, force: true });
    }),
  );
}

/** The server of DATABASE_URL, which keeps running; else an embedded one. */
export async function givenOrTemporaryServer(): Promise<TemporaryServer> {
  const given = process.env["DATABASE_URL"];
  return given === undefined || given === "" ? temporaryServer() : { url: given, stop: async () => {} };
}
