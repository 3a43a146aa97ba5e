/** Sees to it that the schema is one that this version works with before anything of the service runs on it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config.ts";
import { migrate } from "./db/migrate.ts";
import { isUsable, readSchemaState, SchemaError, type SchemaState } from "./db/schema-state.ts";
import { answerWhileWaiting } from "./http/waiting.ts";
import type { Log } from "./lib/log.ts";

interface Urls {
  readonly url: string;
  readonly ownerUrl: string;
}

type Settings = Pick<Config, "migrateOnStart" | "host" | "port">;

const LOOK_MS = 1_000;

/** For a start: migrates, or waits until that was done elsewhere, and says so to probes meanwhile. @throws Error when it is too new. */
export async function schemaToStartOn(config: Settings, urls: Urls, log: Log): Promise<void> {
  if (config.migrateOnStart) {
    await migrate(urls.ownerUrl, urls.url, { log: (message) => log.info(message) });
    return;
  }
  const first = await readSchemaState(urls.url);
  if (first.kind === "older" || first.kind === "empty") await untilMigrated(config, urls.url, first, log);
  else assertUsable(first);
  if (first.kind === "newer") log.info(wordsOf(first));
}

/** For a command: migrates where a start would, and refuses where it would wait. @throws Error saying what to do. */
export async function schemaForCommand(config: Settings, urls: Urls): Promise<void> {
  if (config.migrateOnStart) await migrate(urls.ownerUrl, urls.url);
  else assertUsable(await readSchemaState(urls.url));
}

async function untilMigrated(config: Settings, url: string, first: SchemaState, log: Log): Promise<void> {
  let state = first;
  log.warn(wordsOf(state));
  const waiting = await answerWhileWaiting(config, () => wordsOf(state));
  try {
    while (!isUsable(state)) {
      await sleep(LOOK_MS);
      // A database that is away for a moment is looked at again.
      state = await readSchemaState(url).catch(() => state);
      if (state.kind === "too_new") assertUsable(state);
    }
  } finally {
    await waiting.close();
  }
}

function assertUsable(state: SchemaState): void {
  if (!isUsable(state)) throw new SchemaError(wordsOf(state));
}

function wordsOf({ words, kind }: SchemaState): string {
  return words ?? `The schema is ${kind}.`;
}
