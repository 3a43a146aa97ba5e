/** The PostgreSQL server that test files make their databases on, with a migrated template in it. */
import pg from "pg";
import { migrate } from "../src/db/migrate.ts";
import { ensureEmbeddedRole } from "../src/db/service-role.ts";
import { givenOrTemporaryServer } from "./temporary-server.ts";

const TEMPLATE = `pss_template_${process.pid}`;

export interface TestServer {
  readonly url: string;
  /** What tests/support/database.ts reads. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes databases that ended tests left behind. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** A template on the server that DATABASE_URL names, else on one that goes away again. */
export async function startTestServer(): Promise<TestServer> {
  const server = await givenOrTemporaryServer();
  const url = server.url;
  try {
    await createTemplate(url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url,
    env: { TEST_SERVER_URL: url, TEST_TEMPLATE: TEMPLATE },
    clear: () => dropDatabases(url, `${TEMPLATE}_`),
    async stop() {
      await dropDatabases(url, TEMPLATE);
      await server.stop();
    },
  };
}

async function createTemplate(url: string): Promise<void> {
  await onServer(url, (client) => client.query(`create database ${TEMPLATE}`));
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href, await ensureEmbeddedRole(template.href));
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [prefix],
    );
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
