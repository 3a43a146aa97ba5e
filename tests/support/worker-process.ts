/** Runs delivery workers as separate processes, which can be killed and stopped, and writes events for them. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { childEnv } from "./child-env.ts";
import type { WorkerSettings } from "./webhook-worker.ts";
import type { Outbox } from "./webhooks.ts";

const WORKER = join(import.meta.dirname, "webhook-worker.ts");

/** Starts a worker for the outbox. Resolves once it runs. */
export async function startWorkerProcess(
  outbox: Outbox,
  how: Pick<WorkerSettings, "leaseMs" | "totalMs" | "die">,
): Promise<ChildProcess> {
  const { databaseUrl, masterKey } = outbox;
  const settings: WorkerSettings = { databaseUrl, masterKey: masterKey.toString("hex"), ...how };
  const child = spawn(process.execPath, [WORKER], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...childEnv(), WORKER: JSON.stringify(settings) },
  });
  await once(child.stdout, "data");
  return child;
}

/** Writes events of several sessions in turn. Each has its `place` among the events of its session, from 1. */
export async function fillOutbox(outbox: Outbox, sessions: number, eventsPerSession: number): Promise<void> {
  for (let count = 0; count < sessions; count += 1) await outbox.session();
  await outbox.rows(
    `insert into events (tenant, id, type, session_id, payload, created_at)
     select s.tenant, gen_random_uuid(), 'transaction.status_changed', s.id,
            jsonb_build_object('place', n), now() - interval '1 minute'
       from generate_series(1, $1) n, sessions s
      order by n`,
    [eventsPerSession],
  );
}
