/** The database that the settings name, or the embedded server. */
import type { Config } from "./config.ts";
import { runningEmbedded, startEmbedded } from "./embedded-postgres/server.ts";
import { embeddedRoleUrl, ensureEmbeddedRole } from "./db/service-role.ts";

interface DatabaseServer {
  /** Connects as the role that the service works as. */
  readonly url: string;
  /** Connects as the owner of the tables: for migrations. */
  readonly ownerUrl: string;
  stop(): Promise<void>;
}

/** The service's own database. @throws Error when the embedded server cannot be had: the message says what to do. */
export async function databaseOf(config: Config, log: (message: string) => void): Promise<DatabaseServer> {
  if (config.databaseUrl !== null)
    return theirs(config.databaseUrl, config.databaseOwnerUrl ?? config.databaseUrl);
  const server = await startEmbedded({ dataDir: config.dataDir, log });
  return { ownerUrl: server.url, url: await ensureEmbeddedRole(server.url), stop: () => server.stop() };
}

/** For commands next to the service: the embedded server of a running service, else one of their own. */
export async function sharedDatabaseOf(config: Config): Promise<DatabaseServer> {
  const ownerUrl = config.databaseUrl === null ? await runningEmbedded(config.dataDir) : null;
  return ownerUrl === null ? databaseOf(config, () => {}) : theirs(embeddedRoleUrl(ownerUrl), ownerUrl);
}

/** A server that is managed elsewhere. */
function theirs(url: string, ownerUrl: string): DatabaseServer {
  return { url, ownerUrl, stop: async () => {} };
}
