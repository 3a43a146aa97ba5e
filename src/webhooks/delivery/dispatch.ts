/** Webhook delivery: creates deliveries from events and sends those that are due. */
import type { Deps } from "../../deps.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { outsideWork } from "../../lib/trace.ts";
import type { AttemptParts, AttemptReport, WebhookStep } from "./attempt.ts";
import { createReceiverQueues, RECEIVERS_MAX, type ReceiverQueues } from "./receiver-queues.ts";
import { createSender, TOTAL_MS, type Sender, type SenderOptions } from "./send.ts";
import { fanOut, tenantsToFanOut } from "./fan-out-store.ts";
import { listDueReceivers } from "./store.ts";

export interface Webhooks {
  /** Looks every two seconds; a database notification makes it look at once. */
  readonly jobs: readonly Job[];
  readonly sender: Sender;
  /** Looks now, because something to be sent was written. */
  wake(): void;
  /** Resolves when nothing is due and no request is in progress. */
  settled(): Promise<void>;
  /** Starts nothing more, and waits for requests in progress. */
  close(): Promise<void>;
}

/** Hooks for tests and metrics. */
export interface WebhookHooks extends Partial<Pick<AttemptParts, "reached" | "onAttempt">> {
  readonly leaseMs?: number;
  readonly sender?: Sender;
  readonly send?: Partial<Omit<SenderOptions, "clock" | "allowPrivate">>;
  /** Called for each request that begins or ends. */
  readonly onInFlight?: (change: 1 | -1) => void;
}

const EVERY_MS = 2 * SECOND_MS;
/**
 * Twice the time of a request: none is in progress when its lease ends, and after a crash its subject waits no longer
 * than this.
 */
const LEASE_MS = 30 * SECOND_MS;
const TENANTS_PER_PASS = 50;
const EVENTS_PER_STATEMENT = 500;
/** The most events and receivers in one pass. */
const BATCH = 500;
/** Receivers whose deliveries are claimed at the same time. */
const CLAIMS_AT_ONCE = 8;

export function createWebhooks(
  deps: Pick<Deps, "allowPrivateTargets" | "clock" | "db" | "ids" | "keys" | "log" | "tracer">,
  hooks: WebhookHooks = {},
): Webhooks {
  const { clock, allowPrivateTargets: allowPrivate } = deps;
  const sender = hooks.sender ?? createSender({ clock, allowPrivate, ...hooks.send });
  const { leaseMs = LEASE_MS, reached = () => {}, onAttempt = () => {}, onInFlight = () => {} } = hooks;
  const totalMs = hooks.send?.totalMs ?? TOTAL_MS;
  let closed = false;

  const wake = (): void => {
    // The pass is not part of the work that wrote the event.
    outsideWork(() => {
      passes.run().catch((error: unknown) => deps.log.error("due webhooks could not be queried", error));
    });
  };
  const parts: AttemptParts = { deps, sender, totalMs, reached, onAttempt };
  const lines = createReceiverQueues(parts, { leaseMs, onRoom: wake, onInFlight, isClosed: () => closed });
  const passes = oneAtATime(async () => {
    if (closed) return 0;
    return (
      (await fanOutAll(deps)) + (await serveDue(deps, lines, false)) + (await serveDue(deps, lines, true))
    );
  }, wake);

  return {
    jobs: [{ name: "deliver-webhooks", everyMs: EVERY_MS, batch: BATCH, runOnce: passes.run }],
    sender,
    wake,
    async settled() {
      do await lines.served();
      while ((await passes.run()) > 0 || !lines.isIdle());
    },
    async close() {
      closed = true;
      await passes.ended();
      while (!lines.isIdle()) await lines.served();
      await sender.close();
    },
  };
}

export type { AttemptReport, WebhookStep };

/**
 * Runs `pass` again while it finds something. A call in the meantime makes it look once more instead of running
 * concurrently.
 */
function oneAtATime(pass: () => Promise<number>, onMore: () => void) {
  let running: Promise<number> | null = null;
  let asked = false;
  const all = async (): Promise<number> => {
    let total = 0;
    while (asked && total < BATCH) {
      asked = false;
      const done = await pass();
      total += done;
      asked ||= done > 0;
    }
    return total;
  };
  return {
    run(this: void): Promise<number> {
      asked = true;
      running ??= all().finally(() => {
        running = null;
        if (asked) onMore();
      });
      return running;
    },
    async ended(): Promise<void> {
      await running?.catch(() => 0);
    },
  };
}

/** Returns how many events were fanned out. */
async function fanOutAll(deps: Pick<Deps, "clock" | "db">): Promise<number> {
  let events = 0;
  for (const tenant of await tenantsToFanOut(deps.db, TENANTS_PER_PASS)) {
    events += await fanOut(deps.db, tenant, deps.clock.now(), EVENTS_PER_STATEMENT);
  }
  return events;
}

/** Returns how many receivers were visited. */
async function serveDue(
  { db, clock }: Pick<Deps, "clock" | "db">,
  lines: ReceiverQueues,
  failing: boolean,
): Promise<number> {
  const due = await listDueReceivers(db, clock.now(), failing, RECEIVERS_MAX);
  let looked = 0;
  for (let at = 0; at < due.length; at += CLAIMS_AT_ONCE) {
    const some = due.slice(at, at + CLAIMS_AT_ONCE);
    const served = await Promise.all(some.map((receiver) => lines.serve(receiver, failing)));
    looked += served.filter(Boolean).length;
  }
  return looked;
}
