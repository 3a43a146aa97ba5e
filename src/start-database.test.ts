/** The role that the service uses on the embedded server. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testConfig } from "../tests/support/service.ts";
import { isSuperuser } from "./db/service-role.ts";
import { databaseOf } from "./start-database.ts";

test("the service's own server is used as a role that owns nothing; its owner is for migrations", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-role-"));
  const server = await databaseOf(testConfig("http://pay.example.test", { dataDir }), () => {});
  try {
    assert.deepEqual([await isSuperuser(server.url), await isSuperuser(server.ownerUrl)], [false, true]);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
