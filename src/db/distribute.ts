/** Distributes the tables over the nodes of a Citus cluster by `PLACEMENTS`, completely or, on failure, not at all. */
import pg from "pg";
import {
  isToBePlaced,
  place,
  placeFunctions,
  prepareForPlacing,
  tablesOf,
  type PlacedTable,
} from "./place.ts";
import { MIGRATION_LOCK } from "./migrate.ts";
import { serviceConnections } from "./running-service.ts";

/** The schema is tested with Citus 13.2. */
const CITUS_MAJOR_MIN = 13;

/** The cluster or the database does not meet the requirements; the message says what is missing and what to do. */
export class CannotDistribute extends Error {}

interface Options {
  /** The number of shards, only given before the first table is distributed. */
  readonly shards: number | null;
  /** Called with each completed step. */
  readonly say: (step: string) => void;
}

/** What was done, and what was already correct. */
export interface Distributed {
  readonly placed: readonly string[];
  readonly left: readonly string[];
  /** Tables that do not belong to the service. */
  readonly foreign: readonly string[];
  readonly nodes: number;
}

/**
 * Distributes the database of `ownerUrl`, on its newest schema. A second run finds nothing to do. Citus keeps grants.
 * @throws CannotDistribute before anything is changed.
 */
export async function distribute(ownerUrl: string, { shards, say }: Options): Promise<Distributed> {
  return connected(ownerUrl, async (client) => {
    const nodes = await workersOf(client);
    say(`Citus with ${nodes.length} ${nodes.length === 1 ? "worker" : "workers"}: ${nodes.join(", ")}`);
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const tables = await tablesOf(client);
    refuseWrongPlaces(tables);
    const missing = tables.filter(isToBePlaced);
    if (missing.length > 0) await refuseRunningService(client);
    if (shards !== null) await chooseShards(client, tables, shards);
    await inTransaction(client, async () => {
      await place(client, tables, say);
      await prepareForPlacing(client);
      await placeFunctions(client, say);
    });
    return {
      placed: missing.map(({ name }) => name),
      left: tables.filter((table) => table.wanted !== null && !isToBePlaced(table)).map(({ name }) => name),
      foreign: tables.filter(({ wanted }) => wanted === null).map(({ name }) => name),
      nodes: nodes.length,
    };
  });
}

/**
 * Checks the cluster.
 * @throws CannotDistribute unless the database is on the coordinator of a cluster whose nodes all answer.
 */
export async function checkCluster(ownerUrl: string): Promise<void> {
  await connected(ownerUrl, workersOf);
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  return work(client).finally(() => client.end());
}

function refuseWrongPlaces(tables: readonly PlacedTable[]): void {
  const wrong = tables.filter((table) => isToBePlaced(table) && table.is !== "coordinator");
  if (wrong.length === 0) return;
  const words = wrong.map(({ name, wanted }) => `${name} (should be ${wanted})`).join(", ");
  throw new CannotDistribute(
    `These tables are distributed in another way: ${words}. ` +
      "Undo that with undistribute_table('NAME'), then run this again.",
  );
}

/**
 * The workers.
 * @throws CannotDistribute as `checkCluster`.
 */
async function workersOf(client: pg.Client): Promise<readonly string[]> {
  await checkExtension(client);
  const { rows: nodes } = await client.query<{
    node: string;
    group: number;
    holds: boolean;
    active: boolean;
  }>(
    `select nodename || ':' || nodeport as node, groupid as group, shouldhaveshards as holds, isactive as active
       from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  if (!nodes.some(({ group }) => group === 0)) {
    throw new CannotDistribute(
      "The coordinator does not know its own address, which its workers need: select citus_set_coordinator_host('HOST', PORT)",
    );
  }
  const workers = nodes.filter(({ holds }) => holds);
  if (workers.length === 0) {
    throw new CannotDistribute(
      "The coordinator has no workers: select citus_add_node('HOST', PORT) for each of them",
    );
  }
  const { rows: answers } = await client.query<{ node: string; version: string | null }>(
    `select n.nodename || ':' || n.nodeport as node, case when a.success then a.result end as version
       from run_command_on_all_nodes($$select extversion from pg_extension where extname = 'citus'$$) a
       join pg_dist_node n using (nodeid)`,
  );
  const silent = nodes.filter(
    ({ node, active }) => !active || answers.find((answer) => answer.node === node)?.version === undefined,
  );
  if (silent.length > 0) {
    throw new CannotDistribute(
      `These nodes do not answer, or are not active: ${silent.map(({ node }) => node).join(", ")}. ` +
        "Start them, or take them out with citus_remove_node, then run this again.",
    );
  }
  const versions = new Set(answers.map(({ version }) => version));
  if (versions.size > 1) {
    const words = answers.map(({ node, version }) => `${node} has ${version ?? "none"}`).join(", ");
    throw new CannotDistribute(`The nodes have different versions of Citus: ${words}`);
  }
  return workers.map(({ node }) => node);
}

async function checkExtension(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ major: number; version: string }>(
    `select split_part(extversion, '.', 1)::integer as major, extversion as version
       from pg_extension where extname = 'citus'`,
  );
  const [citus] = rows;
  if (citus === undefined) {
    throw new CannotDistribute(
      "The database does not have the extension citus. On every node: name it in shared_preload_libraries, " +
        'restart, and run "create extension citus" in the database.',
    );
  }
  if (citus.major < CITUS_MAJOR_MIN) {
    throw new CannotDistribute(
      `Citus ${CITUS_MAJOR_MIN} or newer is needed; the database has ${citus.version}`,
    );
  }
  const { rows: here } = await client.query<{ group: number }>(
    "select groupid as group from pg_dist_local_group",
  );
  if (here[0]?.group !== 0) {
    throw new CannotDistribute("DATABASE_URL names a worker; the tables are distributed on the coordinator");
  }
}

/** Writes of a running service would have to wait, and its prepared plans would fail afterwards. */
async function refuseRunningService(client: pg.Client): Promise<void> {
  const open = await serviceConnections(client);
  if (open === 0) return;
  throw new CannotDistribute(
    `The service has ${open} connections to the database. Stop every instance first; nothing was changed.`,
  );
}

async function chooseShards(
  client: pg.Client,
  tables: readonly PlacedTable[],
  shards: number,
): Promise<void> {
  const done = tables.some(({ is }) => is === "by tenant");
  if (done)
    throw new CannotDistribute("The number of shards was chosen when the first table was distributed");
  await client.query(`set citus.shard_count to ${shards}`);
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await client.query("set local lock_timeout = '5s'");
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
