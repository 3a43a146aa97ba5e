/** One process per data folder: a lock that the operating system releases when its holder exits, however it exits. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

interface FolderLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** Locks live as long as the process: an unreferenced lock would be released by garbage collection. */
const held = new Set<DatabaseSync>();

/**
 * Locks `folder`, which has to exist; `shownAs` is its name in the settings.
 * @throws Error naming the holder and what to do when a process, including this one, already holds it.
 */
export function lockFolder(folder: string, shownAs: string): FolderLock {
  const pidFile = join(folder, "service.pid");
  const lock = locked(join(folder, "service.lock"), (error) =>
    isBusy(error) ? inUse(shownAs, pidFile) : notLockable(shownAs, error),
  );
  held.add(lock);
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      rmSync(pidFile, { force: true });
      held.delete(lock);
      lock.close();
    },
  };
}

/** Whether a live process holds the lock of `folder`. */
export function isFolderLocked(folder: string): boolean {
  try {
    locked(join(folder, "service.lock"), String).close();
    return false;
  } catch (error) {
    return error instanceof Error && isBusy(error.cause);
  }
}

/**
 * Node offers no flock. SQLite, which is part of Node, locks a file in the same way on every platform; unlike a file
 * with a process id, such a lock is never left behind.
 */
function locked(path: string, explained: (error: unknown) => string): DatabaseSync {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path);
    file.exec("pragma journal_mode = memory; begin exclusive");
    return file;
  } catch (error) {
    file?.close();
    throw new Error(explained(error), { cause: error });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

function inUse(shownAs: string, pidFile: string): string {
  return (
    `DATA_DIR ${shownAs} is in use by ${holder(pidFile)}. ` +
    "Stop it, or set another DATA_DIR, or let both use one DATABASE_URL."
  );
}

function holder(pidFile: string): string {
  try {
    return `the service with process id ${readFileSync(pidFile, "utf8").trim()}`;
  } catch {
    // The holder has the lock but has not written its id yet.
    return "another process of the service";
  }
}

function notLockable(shownAs: string, error: unknown): string {
  return (
    `DATA_DIR ${shownAs} cannot be locked (${error instanceof Error ? error.message : String(error)}). ` +
    "Does a file in it belong to another user? Give the folder to this user, or set another DATA_DIR."
  );
}
