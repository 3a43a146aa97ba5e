/** `npm start`: starts database, migrations, server and jobs, and stops them in order on a signal. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { checkPlace, readHeld, samePlace, type Held } from "./backup/place.ts";
import { createApp, metricsAccess, serveMetrics, type App } from "./app.ts";
import { readConfig, type Config } from "./config.ts";
import { assertDurable } from "./db/migrate.ts";
import type { Database } from "./db/database.ts";
import { openDatabase } from "./db/postgres.ts";
import { isSuperuser } from "./db/service-role.ts";
import { createDemo } from "../tools/demo.ts";
import type { Deps } from "./deps.ts";
import { SECOND_MS, systemClock } from "./lib/clock.ts";
import { createLog, type Log } from "./lib/log.ts";
import { databaseOf } from "./start-database.ts";
import { schemaToStartOn } from "./start-schema.ts";

const SUPERUSER =
  'the database role of DATABASE_URL is a superuser: it could change the audit log and read the server\'s files. See "Database roles" in docs/operations.md.';

const RELEASE_POLL_MS = 2 * SECOND_MS;

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

async function main(): Promise<void> {
  const config = await readConfig();
  const log = createLog(config.logLevel);
  const database = await databaseOf(config, (message) => log.info(message));
  try {
    if (config.environment === "production") await assertDurable(database.url);
    await schemaToStartOn(config, database, log);
    if (await isSuperuser(database.url)) log.warn(SUPERUSER);
    let held: Held | null = null;
    const place = samePlace();
    const app = await createApp(config, database.url, log, {
      reached: crashHook(config),
      held: () => held !== null,
      verify: place,
    });
    held = await checkPlace(app.deps.db, app.deps.clock.now());
    await serve(config, app, log, { held, place, url: database.url, onReleased: () => (held = null) });
    await app.close();
  } finally {
    await database.stop();
  }
  log.info("stopped");
}

interface Hold {
  readonly held: Held | null;
  readonly place: ReturnType<typeof samePlace>;
  /** Of the database. */
  readonly url: string;
  readonly onReleased: () => void;
}

/** Serves until a signal says stop: then requests and job passes under way are finished. */
async function serve(config: Config, app: App, log: Log, hold: Hold): Promise<void> {
  const stopped = stopSignal(log);
  const { port } = await app.server.listen({ host: config.host, port: config.port });
  const metrics = await serveMetrics(config, app);
  if (metrics === null && metricsAccess(config) === "nobody")
    log.info("/metrics is closed: set METRICS_PORT or METRICS_TOKEN to open it");
  const metricsPort = metrics?.port;
  log.info("listening", { host: config.host, port, metricsPort, environment: config.environment });
  const watch = new AbortController();
  void exitOnRestore(hold, log, watch.signal);
  const released = await untilReleased(app, log, hold, stopped);
  if (released && config.demo) console.log(await createDemo(config, app));
  const stopWork = released ? app.startWork() : async () => {};
  await stopped;
  watch.abort();
  app.drain();
  // A balancer has to see that it is not ready before its port is closed.
  await sleep(config.drainSeconds * SECOND_MS);
  await app.server.close();
  await stopWork();
  await metrics?.close();
}

/** Nothing is sent from a restored database before an operator releases it. False when the service was stopped before. */
async function untilReleased(
  app: App,
  log: Log,
  { held, onReleased }: Hold,
  stopped: Promise<void>,
): Promise<boolean> {
  if (held === null) return true;
  log.error(
    'the database was restored from a backup: nothing is sent and no payment is taken until it is released. See "After a restore" in docs/backup.md.',
    `it runs in ${held.reason}`,
  );
  const stop = new AbortController();
  void stopped.then(() => stop.abort());
  while (!stop.signal.aborted) {
    await sleep(RELEASE_POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted || (await readHeld(app.deps.db).catch(() => held)) !== null) continue;
    onReleased();
    log.info("released: the service works again");
    return true;
  }
  return false;
}

/**
 * Ends the process when its database is restored or held while it runs, even if that was released at once: it may have
 * acted on data that the restored database does not contain.
 */
async function exitOnRestore({ url, held, place }: Hold, log: Log, stop: AbortSignal): Promise<void> {
  // The service's own connections refuse such a database.
  const db = openDatabase(url, { connections: 1, onIdleError: () => {} });
  stop.addEventListener("abort", () => void db.close());
  while (!stop.aborted) {
    await sleep(RELEASE_POLL_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    if (await isAsBefore(db, place, held).catch(() => true)) continue;
    log.error(
      "the database was restored while the service ran, or is held by hand: the process ends, and the service is held when it starts again",
      null,
    );
    process.exit(1);
  }
}

/** @param known the hold that the process began with. */
async function isAsBefore(db: Database, place: Hold["place"], known: Held | null): Promise<boolean> {
  const held = await checkPlace(db, systemClock.now());
  if (!(await place.holds(db))) return false;
  return held === null || held.since.getTime() === known?.since.getTime();
}

/** npm, a terminal and a supervisor may each deliver the same signal, so a second one changes nothing. */
function stopSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        log.info("stopping: finishing the requests in progress", { signal });
        resolve();
      });
    }
  });
}

/** For the crash tests: the process kills itself at the step that the file CRASH_AT names when the step is reached. */
function crashHook({ crashAt }: Config): Deps["reached"] {
  if (crashAt === null) return () => {};
  return (step) => {
    if (readFileSync(crashAt, "utf8") === step) process.kill(process.pid, "SIGKILL");
  };
}
