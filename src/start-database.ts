/** The database that the settings name, or the embedded server. */
import type { Config } from "./config.ts";
import { runningEmbedded, startEmbedded } from "./db/embedded.ts";

export interface DatabaseServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The service's own database. @throws Error when the embedded server cannot be had: the message says what to do. */
export async function databaseOf(config: Config, log: (message: string) => void): Promise<DatabaseServer> {
  if (config.databaseUrl !== null) return theirs(config.databaseUrl);
  return startEmbedded({ dataDir: config.dataDir, log });
}

/** For commands beside the service: the embedded server that a running service has, else one of their own. */
export async function sharedDatabaseOf(config: Config): Promise<DatabaseServer> {
  const running = config.databaseUrl === null ? await runningEmbedded(config.dataDir) : null;
  return running === null ? databaseOf(config, () => {}) : theirs(running);
}

/** A server that somebody else starts and stops. */
function theirs(url: string): DatabaseServer {
  return { url, stop: async () => {} };
}
