/** `npm start`: starts database, migrations, server and jobs, and stops them in order on a signal. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, metricsAccess, serveMetrics, type App } from "./app.ts";
import { readConfig, type Config } from "./config.ts";
import { assertDurable } from "./db/migrate.ts";
import { isSuperuser } from "./db/service-role.ts";
import { createDemo } from "../tools/demo.ts";
import type { Deps } from "./deps.ts";
import { SECOND_MS } from "./lib/clock.ts";
import { createLog, type Log } from "./lib/log.ts";
import { databaseOf } from "./start-database.ts";
import { schemaToStartOn } from "./start-schema.ts";

const SUPERUSER =
  'the database role of DATABASE_URL is a superuser: it could change the audit log and read the server\'s files. See "Database roles" in docs/operations.md.';

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
    const app = await createApp(config, database.url, log, { reached: crashHook(config) });
    await serve(config, app, log);
    await app.close();
  } finally {
    await database.stop();
  }
  log.info("stopped");
}

/** Serves until a signal says stop: then requests and job passes under way are finished. */
async function serve(config: Config, app: App, log: Log): Promise<void> {
  const stopped = stopSignal(log);
  const { port } = await app.server.listen({ host: config.host, port: config.port });
  const metrics = await serveMetrics(config, app);
  if (metrics === null && metricsAccess(config) === "nobody")
    log.info("/metrics is closed: set METRICS_PORT or METRICS_TOKEN to open it");
  const metricsPort = metrics?.port;
  log.info("listening", { host: config.host, port, metricsPort, environment: config.environment });
  if (config.demo) console.log(await createDemo(config, app));
  const stopWork = app.startWork();
  await stopped;
  app.drain();
  // A balancer has to see that it is not ready before its port is closed.
  await sleep(config.drainSeconds * SECOND_MS);
  await app.server.close();
  await stopWork();
  await metrics?.close();
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
