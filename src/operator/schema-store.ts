/** The SQL of the schema's history and of the instances that are connected. */
import { sql, type Reader } from "../db/database.ts";
import { SERVICE_NAME } from "../db/postgres.ts";

const APPLIED = sql(
  "operator.migrations",
  `select number, name, applied_at, compatible_with
     from schema_migrations
    order by number desc
    limit :limit`,
).gives<MigrationApplied>();

export interface MigrationApplied {
  readonly number: number;
  readonly name: string;
  readonly applied_at: Date;
  readonly compatible_with: number | null;
}

/** The newest first. */
export function appliedMigrations(db: Reader, limit: number): Promise<readonly MigrationApplied[]> {
  return db.query(APPLIED, { limit });
}

const CONNECTED = sql(
  "operator.instances",
  `select coalesce(substr(application_name, length(:service) + 2)::integer, 0) as knows,
          coalesce(host(client_addr), '') as address, count(*)::integer as connections,
          min(backend_start) as since
     from pg_stat_activity
    where datname = current_database() and application_name ~ ('^' || :service || ' [0-9]+$')
    group by 1, 2
    order by 1 desc, 2`,
).gives<ConnectedInstance>();

/** Instances of one address that know the same migrations: the database cannot tell them apart. */
export interface ConnectedInstance {
  /** The newest migration that they know. */
  readonly knows: number;
  /** Empty for a connection by a socket of the database's machine. */
  readonly address: string;
  readonly connections: number;
  /** Of their oldest connection. */
  readonly since: Date | null;
}

export function connectedInstances(db: Reader): Promise<readonly ConnectedInstance[]> {
  return db.query(CONNECTED, { service: SERVICE_NAME });
}

const SERVER = sql("operator.server", "select current_setting('server_version') as version").gives<{
  version: string | null;
}>();

/** PostgreSQL's version. */
export async function serverVersion(db: Reader): Promise<string> {
  return (await db.query(SERVER, {}))[0]?.version ?? "";
}
