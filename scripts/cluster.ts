/** Databases on a server, or on a Citus cluster, where a database exists on each node with the same name. */
import pg from "pg";

/** The URLs of the nodes, the coordinator first; without Citus the server's. */
export async function nodesOf(url: string): Promise<readonly string[]> {
  return connected(url, async (client) => {
    const { rows: found } = await client.query("select from pg_extension where extname = 'citus'");
    if (found.length === 0) return [url];
    const { rows } = await client.query<{ host: string; port: number }>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeport",
    );
    return [url, ...rows.map(({ host, port }) => on(url, host, port))];
  });
}

/** Makes the databases of one name on all nodes a cluster, without tables. */
export async function joinNodes(nodes: readonly string[], database: string): Promise<void> {
  const [coordinator = "", ...workers] = nodes.map((node) => named(node, database));
  for (const node of [coordinator, ...workers]) {
    await connected(node, (client) => client.query("create extension citus"));
  }
  await connected(coordinator, async (client) => {
    await client.query("select citus_set_coordinator_host($1, $2)", placeOf(coordinator));
    for (const worker of workers) await client.query("select citus_add_node($1, $2)", placeOf(worker));
  });
}

/** Closes the database to connections, so that it can be cloned at any time. */
export async function closeTemplate(nodes: readonly string[], database: string): Promise<void> {
  for (const node of nodes) {
    await onServer(node, `alter database ${database} with allow_connections false`);
    await onServer(
      node,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
  }
}

/** Creates a database on all nodes concurrently. @param like PostgreSQL's `template …`. */
export async function createDatabase(nodes: readonly string[], database: string, like = ""): Promise<void> {
  await Promise.all(nodes.map((node) => onServer(node, `create database ${database} ${like}`)));
}

/** Removes a database from every node, ending its connections. */
export async function dropDatabase(nodes: readonly string[], database: string): Promise<void> {
  // The coordinator first, because it would continue to call its workers.
  for (const node of nodes) await onServer(node, `drop database if exists ${database} with (force)`);
}

/** Two concurrent clones may find the template busy: PostgreSQL refuses (55006), and it is retried. */
async function onServer(url: string, statement: string): Promise<void> {
  await connected(url, async (client) => {
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
  });
}

/** The same URL with another database. */
export function named(url: string, database: string): string {
  const to = new URL(url);
  to.pathname = `/${database}`;
  return to.href;
}

function on(url: string, host: string, port: number): string {
  const to = new URL(url);
  to.hostname = host;
  to.port = String(port);
  return to.href;
}

function placeOf(url: string): [host: string, port: number] {
  const { hostname, port } = new URL(url);
  return [hostname, Number(port)];
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
