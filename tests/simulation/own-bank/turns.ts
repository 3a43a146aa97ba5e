/**
 * Decides whose call to the database comes next. Usually one operation runs at a time. If two run at once, the seed
 * chooses between their calls; if one operation makes several calls at once, such as renewals, they run in their order.
 * So a run of a seed can be repeated exactly. A killed process makes no further calls.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { must } from "../../../src/lib/assert.ts";
import { Killed } from "../gate.ts";
import type { Random } from "../../../tools/random.ts";

/** A request or a pass of a job, with everything that it has started. */
interface Work {
  dead: boolean;
  ended: boolean;
  /** Calls that wait for their turn, and calls that are running in the database. */
  waiting: number;
  busy: number;
  /** Open transactions that are between two calls. */
  between: number;
  /** Transactions that are being begun or ended. */
  turning: number;
  /** The number of single calls and transactions that it has begun. */
  begun: number;
  /** The number of open transactions. */
  open: number;
  /**
   * Pauses after this many further calls, with the response of the last one, and outside of transactions; null: never.
   */
  stopsAfter: number | null;
  /** Set while it is paused. */
  held: PromiseWithResolvers<void> | null;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly opens: boolean;
  /**
   * The operation and the number of the call or transaction. They define the order of waiting calls, because the order
   * of their arrival is random.
   */
  readonly of: Work;
  readonly number: number;
  readonly go: () => void;
}

/** What a transaction reports of itself. */
export interface Within {
  readonly pass: <R>(call: () => Promise<R>, opens: boolean) => Promise<R>;
  /** Runs the code between BEGIN and COMMIT. */
  readonly inside: <R>(work: () => Promise<R>) => Promise<R>;
}

export interface Turns {
  /**
   * Makes a call to the database when its turn comes. @param opens whether it is a single call or the first of a
   * transaction.
   */
  pass<T>(call: () => Promise<T>, opens: boolean): Promise<T>;
  /** Runs a transaction whose calls go through `pass`. The code of `work` runs between BEGIN and COMMIT. */
  transaction<T>(work: (within: Within) => Promise<T>): Promise<T>;
  /** Runs one operation to its end, including what continues after its response. Null if it was killed. */
  alone<T>(work: () => Promise<T>): Promise<T | null>;
  /** Runs two operations at once. */
  together<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<readonly [A | null, B | null]>;
  /**
   * Runs an operation until it has made `calls` calls to the database and has the response to the last one. Then pauses
   * it, runs `meanwhile`, and lets it continue to its end. @returns its result, and whether it was paused.
   */
  overtaken<T>(
    work: () => Promise<T>,
    calls: number,
    meanwhile: () => Promise<void>,
  ): Promise<{ readonly result: T | null; readonly stoodStill: boolean }>;
  /** Kills the running operation: it throws `Killed` here and at its next call. */
  kill(): never;
  /** Whether an operation is calling, not the simulation itself. */
  isInside(): boolean;
}

/** After so many turns of the event loop without a change, nothing more happens without input. */
const STABLE_TURNS = 4;
/**
 * An operation that neither waits nor ends for so many checks waits for another one, not for a thread that compresses a
 * file.
 */
const STILL_ROUNDS = 5;
/** Node.js's name for operations on files that are running. */
const FILES = /^FSReq/;
/** The time between two checks. A call that takes longer while another one runs may wait for its lock. */
const LOOK_MS = 2;

/** @param lockWaits returns the number of statements that wait for a lock. */
export function createTurns(random: Random, lockWaits: () => Promise<number>): Turns {
  const inside = new AsyncLocalStorage<Work>();
  const queue: Waiting[] = [];
  let under: Work[] = [];
  let scheduled = false;
  let changes = 0;
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changes += 1;
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const busy = () => under.reduce((sum, work) => sum + work.busy, 0);
  const computing = () =>
    under.some((work) => work.between > 0 || (!work.ended && work.waiting + work.busy === 0));
  const stand = async (): Promise<void> => {
    for (let stable = 0, seen = changes; stable < STABLE_TURNS; stable += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (changes !== seen) stable = 0;
      seen = changes;
    }
  };
  const isOutside = () =>
    under.some(({ turning }) => turning > 0) ||
    process.getActiveResourcesInfo().some((one) => FILES.test(one));
  const standsStill = async (): Promise<boolean> => {
    const before = changes;
    for (let rounds = 0; rounds < STILL_ROUNDS; rounds += 1) {
      if (isOutside()) return false;
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
      await stand();
      if (changes !== before) return false;
    }
    return !isOutside();
  };
  /** Returns when each operation waits for its turn, has ended, or waits for another one's lock. */
  const settle = async (): Promise<void> => {
    for (;;) {
      await stand();
      if (busy() === 0 && !computing()) return;
      const before = changes;
      // An operation that neither waits here nor ends is waiting to share another one's statement (src/db/together.ts).
      if (scheduled && busy() === 0 && queue.length > 0 && (await standsStill())) return;
      if (!scheduled || computing() || queue.length === 0) {
        await changed.promise;
        continue;
      }
      await Promise.race([
        changed.promise,
        new Promise((resolve) => {
          setTimeout(resolve, LOOK_MS);
        }),
      ]);
      const stuck = async () => changes === before && (await lockWaits()) >= busy();
      if ((await stuck()) && (await stuck()) && changes === before) return;
    }
  };
  const start = async <T>(work: () => Promise<T>, stopsAfter: number | null = null): Promise<T | null> => {
    const one: Work = {
      dead: false,
      ended: false,
      waiting: 0,
      busy: 0,
      between: 0,
      turning: 0,
      begun: 0,
      open: 0,
      stopsAfter,
      held: null,
    };
    under.push(one);
    try {
      return await inside.run(one, work);
    } catch (error) {
      if (error instanceof Killed) return null;
      throw error;
    } finally {
      one.ended = true;
      change();
    }
  };
  const numbered = (work: Work): number => {
    work.begun += 1;
    return work.begun;
  };
  /** Pauses after a call or at the end of a transaction. */
  const stop = async (work: Work): Promise<void> => {
    if (work.stopsAfter === null) return;
    work.stopsAfter -= 1;
    if (work.stopsAfter > 0 || work.open > 0) return;
    work.stopsAfter = null;
    work.held = Promise.withResolvers<void>();
    work.waiting += 1;
    change();
    await work.held.promise;
    work.waiting -= 1;
  };
  const pass = async <T>(call: () => Promise<T>, opens: boolean, begun?: number): Promise<T> => {
    const work = inside.getStore();
    if (work === undefined) return call();
    if (work.dead) throw new Killed();
    const number = begun ?? numbered(work);
    if (scheduled) {
      work.waiting += 1;
      await new Promise<void>((resolve) => {
        queue.push({ opens, of: work, number, go: resolve });
        change();
      });
      work.waiting -= 1;
      if (work.dead) {
        change();
        throw new Killed();
      }
    }
    work.busy += 1;
    let result: T;
    try {
      result = await call();
      if (work.dead) throw new Killed();
    } finally {
      work.busy -= 1;
      change();
    }
    await stop(work);
    return result;
  };
  const begin = (): void => {
    under = [];
    scheduled = true;
  };
  /** Lets the calls of the running operations proceed, one at a time, until none is waiting. */
  const serve = async (next: (ready: readonly Waiting[]) => Waiting): Promise<void> => {
    for (;;) {
      await settle();
      // A paused operation, with everything that it has started, waits until it continues.
      const served = queue.filter(({ of }) => of.held === null);
      if (served.length === 0) break;
      queue.sort((a, b) => under.indexOf(a.of) - under.indexOf(b.of) || a.number - b.number);
      // While a statement waits for a lock, no call opens another transaction, because PostgreSQL decides which waiter
      // gets the lock.
      const ready = queue.filter((one) => served.includes(one));
      const going = busy() > 0 ? ready.filter(({ opens }) => !opens) : ready;
      const one = next(going.length > 0 ? going : ready);
      queue.splice(queue.indexOf(one), 1);
      one.go();
    }
    scheduled = false;
  };
  return {
    isInside: () => inside.getStore() !== undefined,
    kill() {
      const work = inside.getStore();
      if (work !== undefined) work.dead = true;
      throw new Killed();
    },
    async transaction(run) {
      const work = inside.getStore();
      if (work === undefined) return run({ pass: (call) => call(), inside: (act) => act() });
      const number = numbered(work);
      work.between += 1;
      work.turning += 1;
      work.open += 1;
      let result;
      try {
        result = await run({
          async pass(call, opens) {
            work.between -= 1;
            try {
              return await pass(call, opens, number);
            } finally {
              work.between += 1;
              change();
            }
          },
          async inside(act) {
            work.turning -= 1;
            change();
            try {
              return await act();
            } finally {
              work.turning += 1;
              change();
            }
          },
        });
      } finally {
        work.between -= 1;
        work.turning -= 1;
        work.open -= 1;
        change();
      }
      await stop(work);
      return result;
    },
    pass: (call, opens) => pass(call, opens),
    async alone(work) {
      begin();
      const one = Promise.allSettled([start(work)]);
      await serve((ready) => must(ready[0], "a call that waits"));
      const [result] = await one;
      if (result.status === "rejected") throw result.reason;
      return result.value;
    },
    async overtaken(work, calls, meanwhile) {
      begin();
      const one = Promise.allSettled([start(work, calls)]);
      const [its] = under as [Work];
      const first = (ready: readonly Waiting[]) => must(ready[0], "a call that waits");
      await serve(first);
      const { held } = its;
      if (held !== null) {
        await meanwhile();
        under = [its];
        scheduled = true;
        its.held = null;
        held.resolve();
        await serve(first);
      }
      const [result] = await one;
      if (result.status === "rejected") throw result.reason;
      return { result: result.value, stoodStill: held !== null };
    },
    async together(one, other) {
      begin();
      const both = Promise.allSettled([start(one), start(other)]);
      await serve((ready) => random.pick(ready));
      const [a, b] = await both;
      if (a.status === "rejected") throw a.reason;
      if (b.status === "rejected") throw b.reason;
      return [a.value, b.value];
    },
  };
}
