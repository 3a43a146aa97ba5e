/**
 * The PostgreSQL server for the databases of test files, with a migrated template. When DATABASE_URL names the
 * coordinator of a Citus cluster, the template is distributed, and tests run on the cluster.
 */
import pg from "pg";
import { distribute } from "../src/db/distribute.ts";
import { migrate } from "../src/db/migrate.ts";
import { ensureEmbeddedRole } from "../src/db/service-role.ts";
import { closeTemplate, createDatabase, dropDatabase, joinNodes, named, nodesOf } from "./cluster.ts";
import { givenOrTemporaryServer } from "./temporary-server.ts";

const TEMPLATE = `pss_template_${process.pid}`;
/** Two on each of two workers, because a clone copies the files of all. */
const SHARDS = 4;

export interface TestServer {
  readonly url: string;
  /** More than one: a Citus cluster. */
  readonly nodes: number;
  /** The settings for tests/support/database.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes databases that ended tests left behind. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** A template on the server of DATABASE_URL, else on a temporary one. */
export async function startTestServer(): Promise<TestServer> {
  const server = await givenOrTemporaryServer();
  const url = server.url;
  const nodes = await nodesOf(url);
  try {
    await createTemplate(nodes);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url,
    nodes: nodes.length,
    env: { TEST_SERVER_URL: url, TEST_TEMPLATE: TEMPLATE, TEST_NODES: JSON.stringify(nodes) },
    clear: () => dropDatabases(nodes, `${TEMPLATE}_`),
    async stop() {
      await dropDatabases(nodes, TEMPLATE);
      await server.stop();
    },
  };
}

async function createTemplate(nodes: readonly string[]): Promise<void> {
  await createDatabase(nodes, TEMPLATE);
  const template = named(nodes[0] ?? "", TEMPLATE);
  const isCluster = nodes.length > 1;
  if (isCluster) await joinNodes(nodes, TEMPLATE);
  const serviceUrl = await ensureEmbeddedRole(template);
  await migrate(template, serviceUrl);
  if (!isCluster) return;
  await distribute(template, { shards: SHARDS, say: () => {} });
  await closeTemplate(nodes, TEMPLATE);
}

async function dropDatabases(nodes: readonly string[], prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: nodes[0] });
  await client.connect();
  const { rows } = await client
    .query<{ name: string }>("select datname as name from pg_database where starts_with(datname, $1)", [
      prefix,
    ])
    .finally(() => client.end());
  for (const { name } of rows) await dropDatabase(nodes, name);
}
