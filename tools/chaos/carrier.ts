/** A process of the service that only writes, sends and fetches bank files, without waiting a minute between visits. */
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { startJobs } from "../../src/jobs.ts";
import { createLog } from "../../src/lib/log.ts";

const PACE_MS = 300;

const config = await readConfig();
const log = createLog(config.logLevel);
const app = await createApp(config, config.databaseUrl ?? "", log);
const jobs = app.jobs
  .filter(({ name }) => name.startsWith("sepa-") || name === "refresh-clocks")
  .map((job) => ({ ...job, everyMs: PACE_MS }));
startJobs(jobs, (name, _done, error) => {
  if (error !== null) log.error("a job pass failed", error, { job: name });
});
log.info("listening");
