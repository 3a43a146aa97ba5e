/** What commands work on: the database, or the service on it without its server and its jobs. */
import { databasePlace, readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { hasEmbedded } from "../embedded-postgres/server.ts";
import { openDatabase } from "../db/postgres.ts";
import { createApp } from "../app.ts";
import type { Deps } from "../deps.ts";
import { createLog } from "../lib/log.ts";
import { sharedDatabaseOf } from "../start-database.ts";
import { schemaForCommand } from "../start-schema.ts";
import { UsageError } from "./command.ts";

/** For statements that read whole tables. */
export const SLOW_STATEMENT_MS = 600_000;

export async function hasDatabase(): Promise<boolean> {
  const { dataDir, external } = databasePlace();
  return external || hasEmbedded(dataDir);
}

/** @throws UsageError where a database would have to be made first. */
export async function assertDatabase(): Promise<void> {
  if (await hasDatabase()) return;
  const { dataDir } = databasePlace();
  throw new UsageError(
    `No database found: DATABASE_URL is not set and DATA_DIR ${dataDir} contains none. Set one of them.`,
  );
}

/** The service without its server and its jobs, on the newest schema. */
export async function withService<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const config = await readConfig();
  return withServer(async (url, ownerUrl) => {
    await schemaForCommand(config, { url, ownerUrl });
    const app = await createApp(config, url, createLog("warn"));
    return work(app.deps).finally(() => app.close());
  });
}

/** On the newest schema. */
export async function withDatabase<T>(
  work: (db: Database) => Promise<T>,
  statementTimeoutMs?: number,
): Promise<T> {
  const config = await readConfig();
  return withServer(async (url, ownerUrl) => {
    await schemaForCommand(config, { url, ownerUrl });
    return withPool(url, statementTimeoutMs === undefined ? {} : { statementTimeoutMs }, work);
  });
}

export async function withServer<T>(work: (url: string, ownerUrl: string) => Promise<T>): Promise<T> {
  const server = await sharedDatabaseOf(await readConfig());
  return work(server.url, server.ownerUrl).finally(() => server.stop());
}

export async function withPool<T>(
  url: string,
  limits: { readonly statementTimeoutMs?: number },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = openDatabase(url, { connections: 2, onIdleError: () => {}, ...limits });
  return work(db).finally(() => db.close());
}
