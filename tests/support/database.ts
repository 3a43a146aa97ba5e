/** A separate database for a test file: a clone of the migrated template, which takes about 0.1 s. */
import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, named } from "../../scripts/cluster.ts";
import type { Database } from "../../src/db/database.ts";
import { embeddedRoleUrl } from "../../src/db/service-role.ts";
import { openDatabase } from "../../src/db/postgres.ts";

export interface TestDatabase {
  /** Connects as the owner of the tables, for the test's own statements. */
  readonly db: Database;
  /** Connects as the service's role. */
  readonly url: string;
  readonly ownerUrl: string;
  close(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const server = fromTestCommand("TEST_SERVER_URL");
  const template = fromTestCommand("TEST_TEMPLATE");
  const nodes = testNodes();
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  await createDatabase(nodes, name, `template ${template} strategy file_copy`);
  const url = named(server, name);
  const db = openDatabase(url, { connections: 20, onIdleError: () => {} });
  return {
    db,
    url: embeddedRoleUrl(url),
    ownerUrl: url,
    async close() {
      await db.close();
      await dropDatabase(nodes, name);
    },
  };
}

/** An empty database. */
export interface EmptyDatabase {
  readonly url: string;
  readonly ownerUrl: string;
  close(): Promise<void>;
}

/** @param server the tests' server by default. */
export async function emptyDatabase(
  server = fromTestCommand("TEST_SERVER_URL"),
  { encoding = "UTF8" } = {},
): Promise<EmptyDatabase> {
  const name = `${fromTestCommand("TEST_TEMPLATE")}_${randomBytes(6).toString("hex")}`;
  await createDatabase([server], name, `template template0 encoding '${encoding}' locale 'C'`);
  const url = named(server, name);
  return { url: embeddedRoleUrl(url), ownerUrl: url, close: () => dropDatabase([server], name) };
}

/** The servers on which a database is created: one, or the nodes of a Citus cluster, the coordinator first. */
export function testNodes(): readonly string[] {
  return JSON.parse(fromTestCommand("TEST_NODES")) as readonly string[];
}

function fromTestCommand(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error("Tests run through `npm test [files]`, which starts their database");
  return value;
}
