/** A small separate disk for the database, if this user may mount one, which can be filled and freed again. */
import { execFile } from "node:child_process";
import { mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface SmallDisk {
  readonly path: string;
  /** Writes until the disk is full. @returns the number of bytes. */
  fill(): Promise<number>;
  free(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** @throws Error when mounting is not permitted. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "payment-sessions-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", path]);
  } catch (error) {
    await rmdir(path);
    throw error;
  }
  const ballast = join(path, "ballast");
  return {
    path,
    fill: () => writeUntilFull(ballast),
    free: () => rm(ballast, { force: true }),
    async remove() {
      await run("umount", [path]);
      await rmdir(path);
    },
  };
}

/** Large pieces first, then smaller ones, until not a page is left. */
async function writeUntilFull(path: string): Promise<number> {
  const file = await open(path, "a");
  let written = 0;
  try {
    for (let size = 1 << 20; size >= 512;) {
      try {
        const { bytesWritten } = await file.write(Buffer.alloc(size));
        written += bytesWritten;
        if (bytesWritten < size) size >>= 1;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
        size >>= 1;
      }
    }
    return written;
  } finally {
    await file.close();
  }
}
