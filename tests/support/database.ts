/** A database of its own for a test file: a clone of the migrated template, which takes about a tenth of a second. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Database } from "../../src/db/database.ts";
import { embeddedRoleUrl } from "../../src/db/service-role.ts";
import { openDatabase } from "../../src/db/postgres.ts";

export interface TestDatabase {
  /** As the owner of the tables: what a test does itself. */
  readonly db: Database;
  /** As the role that the service works as. */
  readonly url: string;
  readonly ownerUrl: string;
  close(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const server = fromTestCommand("TEST_SERVER_URL");
  const template = fromTestCommand("TEST_TEMPLATE");
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = openDatabase(url.href, { connections: 20, onIdleError: () => {} });
  return {
    db,
    url: embeddedRoleUrl(url.href),
    ownerUrl: url.href,
    async close() {
      await db.close();
      await onServer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** A database without anything in it, not even tables. */
export interface EmptyDatabase {
  readonly url: string;
  readonly ownerUrl: string;
  close(): Promise<void>;
}

/** @param server the tests' own unless said otherwise. */
export async function emptyDatabase(server = fromTestCommand("TEST_SERVER_URL")): Promise<EmptyDatabase> {
  const name = `${fromTestCommand("TEST_TEMPLATE")}_${randomBytes(6).toString("hex")}`;
  await onServer(server, `create database ${name} template template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: embeddedRoleUrl(url.href),
    ownerUrl: url.href,
    close: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

function fromTestCommand(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error("Tests run through `npm test [files]`, which starts their database");
  return value;
}

/** Two clones at once may find the template busy for a moment: PostgreSQL refuses (55006), and it is asked again. */
async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await client.query(statement);
        return;
      } catch (error) {
        const busy = error instanceof Error && "code" in error && error.code === "55006";
        if (!busy || tries === 50) throw error;
        await client.query("select pg_sleep(0.1)");
      }
    }
  } finally {
    await client.end();
  }
}
