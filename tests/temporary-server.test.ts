/** The folders of the servers that tests use. */
import { deepEqual } from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeLeft } from "../scripts/temporary-server.ts";
import { lockFolder } from "../src/embedded-postgres/folder-lock.ts";

const HOUR_AGO = new Date(Date.now() - 3_600_000);

test("folders of a killed run are removed, and folders that are in use, new or another user's are kept", async (t) => {
  const parent = await mkdtemp(join(tmpdir(), "memory-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  const made = async (name: string) => {
    const folder = join(parent, name);
    await mkdir(folder);
    return folder;
  };
  const running = await made("payment-sessions-running");
  const left = await made("payment-sessions-left");
  const other = await made("other");
  const lock = lockFolder(running, running);
  lockFolder(left, left).release();
  await made("payment-sessions-begun");
  for (const folder of [running, left, other]) await utimes(folder, HOUR_AGO, HOUR_AGO);

  await removeLeft(parent);

  const kept = (await readdir(parent)).toSorted();
  lock.release();
  deepEqual(kept, ["other", "payment-sessions-begun", "payment-sessions-running"]);
});
