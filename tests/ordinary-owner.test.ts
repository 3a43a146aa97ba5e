/** The database as docs/operations.md sets it up: its owner is not a superuser, and the service's role owns nothing. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import pg from "pg";
import { migrate } from "../src/db/migrate.ts";
import { openDatabase } from "../src/db/postgres.ts";
import { adHoc } from "../tools/ad-hoc.ts";
import { emptyDatabase } from "./support/database.ts";

const closing: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closing.toReversed()) await close();
});

test("every migration runs as an owner that is not a superuser, and the service's role can read the tables", async () => {
  const database = await emptyDatabase();
  const name = new URL(database.ownerUrl).pathname.slice(1);
  const role = `owner_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: database.ownerUrl });
  await admin.connect();
  closing.push(async () => {
    await admin.query(`drop owned by ${role} cascade`);
    await admin.query(`alter database ${name} owner to current_user`);
    await admin.query(`drop role ${role}`);
    await admin.end();
    await database.close();
  });
  await admin.query(`create role ${role} login nosuperuser password 'x'`);
  await admin.query(`alter database ${name} owner to ${role}`);
  const owner = new URL(database.ownerUrl);
  owner.username = role;
  owner.password = "x";
  assert.ok((await migrate(owner.href, database.url, { log: () => {} })).length > 20);
  const db = openDatabase(database.url, { connections: 1, onIdleError: () => {} });
  closing.push(() => db.close());
  assert.deepEqual(await db.query(...adHoc("select name from tenants")), []);
});
