/** Webhook delivery: creates deliveries from events and leases due receivers, each to one worker at a time. */
import type { Deps } from "../../deps.ts";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { drain, type AttemptReport, type DrainParts, type Held, type WebhookStep } from "./drain.ts";
import { createSender, TOTAL_MS, type Sender, type SenderOptions } from "./send.ts";
import { forgetAnswersJob } from "./forget.ts";
import {
  claimReceivers,
  fanOut,
  tenantsToFanOut,
  tenantsWithDueReceivers,
  type ReceiverRow,
} from "./store.ts";

export interface Webhooks {
  /** Looks every two seconds; a notice of the database makes it look at once. */
  readonly jobs: readonly Job[];
  readonly sender: Sender;
  /** Looks now: something was written that is to be sent. */
  wake(): void;
  /** Resolves when nothing is due and nothing is on the way. */
  settled(): Promise<void>;
  /** Starts nothing more, waits for what is on the way. */
  close(): Promise<void>;
}

/** What a test or the metrics put in. */
export interface WebhookHooks extends Partial<Omit<DrainParts, "deps" | "sender" | "requestMsMax">> {
  readonly leaseMs?: number;
  readonly sender?: Sender;
  readonly send?: Partial<Omit<SenderOptions, "clock" | "allowPrivate">>;
}

const EVERY_MS = 2 * SECOND_MS;
/** A request and a half: long enough that many deliveries go out under one; after a crash they wait no longer than this. */
const LEASE_MS = 30 * SECOND_MS;
/** Receivers served at a time, apart for those that are well and those that failed: hanging ones hold up no others. */
const RECEIVERS_MAX = 100;
const TENANTS_PER_PASS = 50;
const EVENTS_PER_STATEMENT = 500;
/** After so many events and receivers a pass is over, and the next one begins. */
const BATCH = 500;

export function createWebhooks(deps: Deps, hooks: WebhookHooks = {}): Webhooks {
  const { clock, allowPrivateTargets: allowPrivate } = deps;
  const sender = hooks.sender ?? createSender({ clock, allowPrivate, ...hooks.send });
  const { leaseMs = LEASE_MS, reached = () => {}, onAttempt = () => {} } = hooks;
  // A third more than a request may take, for writing it down.
  const requestMsMax = ((hooks.send?.totalMs ?? TOTAL_MS) * 4) / 3;
  const parts: DrainParts = { deps, sender, requestMsMax, reached, onAttempt };
  let closed = false;

  const wake = (): void => {
    passes.run().catch((error: unknown) => deps.log.error("due webhooks could not be queried", error));
  };
  const well = receiversInHand(parts, { failing: false, leaseMs, wake });
  const failing = receiversInHand(parts, { failing: true, leaseMs, wake });
  const passes = oneAtATime(async () => {
    if (closed) return 0;
    return (await fanOutAll(deps)) + (await well.take()) + (await failing.take());
  }, wake);
  const served = () => Promise.all([well.served(), failing.served()]);

  return {
    jobs: [
      { name: "deliver-webhooks", everyMs: EVERY_MS, batch: BATCH, runOnce: passes.run },
      forgetAnswersJob(deps),
    ],
    sender,
    wake,
    async settled() {
      do await served();
      while ((await passes.run()) > 0 || well.count() + failing.count() > 0);
    },
    async close() {
      closed = true;
      await passes.ended();
      await served();
      await sender.close();
    },
  };
}

export type { AttemptReport, WebhookStep };

/** Runs `pass` again while it finds something; a call meanwhile makes it look once more instead of running concurrently. */
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

interface InHand {
  /** Claims what is due and there is room for, and starts to serve it; returns how many. */
  take(): Promise<number>;
  served(): Promise<unknown>;
  count(): number;
}

/** The receivers that this worker serves, either the well ones or those that failed last. */
function receiversInHand(
  parts: DrainParts,
  {
    failing,
    leaseMs,
    wake,
  }: { readonly failing: boolean; readonly leaseMs: number; readonly wake: () => void },
): InHand {
  const { deps } = parts;
  const slots = new Map<symbol, Promise<void>>();
  const serve = async (held: Held): Promise<boolean> => {
    try {
      return await drain(parts, held);
    } catch (error) {
      // It is retried when its lease expires.
      deps.log.error("webhooks could not be delivered", error, { profile_id: held.receiver.profile_id });
      return false;
    }
  };
  const start = (held: Held): void => {
    const slot = Symbol(held.receiver.profile_id);
    const served = async () => {
      const more = await serve(held);
      const wasFull = slots.size >= RECEIVERS_MAX;
      slots.delete(slot);
      if (more || wasFull) wake();
    };
    slots.set(slot, served());
  };
  return {
    async take() {
      const free = RECEIVERS_MAX - slots.size;
      // Measured from before the claim, so that the lease ends here no later than in the database.
      const endsMs = deps.clock.monotonicMs() + leaseMs;
      const claimed = free > 0 ? await claimDue(deps, failing, free, leaseMs) : [];
      for (const { tenant, receiver } of claimed) start({ tenant, receiver, endsMs });
      return claimed.length;
    },
    served: () => Promise.all(slots.values()),
    count: () => slots.size,
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

interface Claimed {
  readonly tenant: number;
  readonly receiver: ReceiverRow;
}

async function claimDue(
  deps: Pick<Deps, "clock" | "db">,
  failing: boolean,
  limit: number,
  leaseMs: number,
): Promise<readonly Claimed[]> {
  const claimed: Claimed[] = [];
  for (const tenant of await tenantsWithDueReceivers(
    deps.db,
    deps.clock.now(),
    failing,
    Math.min(limit, TENANTS_PER_PASS),
  )) {
    const now = deps.clock.now();
    const free = limit - claimed.length;
    if (free === 0) break;
    const receivers = await claimReceivers(deps.db, tenant, { now, leaseMs, failing, limit: free });
    claimed.push(...receivers.map((receiver) => ({ tenant, receiver })));
  }
  return claimed;
}
