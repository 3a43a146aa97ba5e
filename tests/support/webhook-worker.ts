/**
 * A delivery worker as a separate process, so that it can be killed and stopped. Run as node webhook-worker.ts, with
 * settings as JSON in WORKER.
 */
import type { Deps } from "../../src/deps.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { silentLog } from "../../src/lib/log.ts";
import { createWebhooks, type WebhookStep } from "../../src/webhooks/delivery/dispatch.ts";

export interface WorkerSettings {
  readonly databaseUrl: string;
  /** In hexadecimal. */
  readonly masterKey: string;
  readonly leaseMs: number;
  readonly totalMs: number;
  /** Kills itself with SIGKILL when it reaches the step for the n-th time. */
  readonly die: { readonly at: WebhookStep; readonly time: number } | null;
}

const settings = JSON.parse(process.env["WORKER"] ?? "") as WorkerSettings;
const deps = {
  db: openDatabase(settings.databaseUrl, { connections: 4, onIdleError: () => {} }),
  keys: createKeyring(defaultKeys(Buffer.from(settings.masterKey, "hex"))),
  clock: systemClock,
  ids: randomIds,
  log: silentLog,
  allowPrivateTargets: true,
  tracer: null,
} as unknown as Deps;

let times = 0;
const webhooks = createWebhooks(deps, {
  leaseMs: settings.leaseMs,
  send: { totalMs: settings.totalMs },
  reached(step) {
    if (step !== settings.die?.at) return;
    times += 1;
    if (times === settings.die.time) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write("ready\n");
setInterval(() => webhooks.wake(), 50);
