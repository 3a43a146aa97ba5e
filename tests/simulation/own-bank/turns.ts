/**
 * Who runs when: one thing at a time, as a rule, and one call to the database at a time. Where two run at once, a seed says whose
 * call comes next; where one does several things at once, such as renewals, their calls take turns in their order. So a seed
 * plays the same every time. A process that is killed does nothing more.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { must } from "../../../src/lib/assert.ts";
import { Killed } from "../gate.ts";
import type { Random } from "../../../tools/random.ts";

/** One request, or one pass of a job, with all that it has begun. */
interface Work {
  dead: boolean;
  ended: boolean;
  /** Calls that wait for their turn, and calls that the database has. */
  waiting: number;
  busy: number;
  /** Open transactions that are between two calls. */
  between: number;
  /** Transactions of which the database is beginning one, or ending it. */
  turning: number;
  /** How many single calls and transactions it has begun. */
  begun: number;
  /** Transactions that are open. */
  open: number;
  /** After so many more calls it stands still, with their answer and outside of transactions; null: never. */
  stopsAfter: number | null;
  /** While it stands still. */
  held: PromiseWithResolvers<void> | null;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly opens: boolean;
  /** Whose, and which of its calls and transactions it belongs to: where several wait, which of them came first is chance. */
  readonly of: Work;
  readonly number: number;
  readonly go: () => void;
}

/** What a transaction tells of itself. */
export interface Within {
  readonly pass: <R>(call: () => Promise<R>, opens: boolean) => Promise<R>;
  /** Does what lies between BEGIN and COMMIT. */
  readonly inside: <R>(work: () => Promise<R>) => Promise<R>;
}

export interface Turns {
  /** Does a call to the database when it is its turn. @param opens it is the first of a transaction, or one alone. */
  pass<T>(call: () => Promise<T>, opens: boolean): Promise<T>;
  /** Does a transaction, of which each call goes through `pass`. What `work` does itself is done between BEGIN and COMMIT. */
  transaction<T>(work: (within: Within) => Promise<T>): Promise<T>;
  /** Runs one thing to its end, with what goes on after its answer. Null when it was killed. */
  alone<T>(work: () => Promise<T>): Promise<T | null>;
  /** Runs two at once. */
  together<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<readonly [A | null, B | null]>;
  /**
   * Runs one thing until it has made some calls to the database; then its process stands still, with the answer to the last
   * one, while all that `meanwhile` does is done; then it goes on to its end. @returns what came of it, and whether it stood still.
   */
  overtaken<T>(
    work: () => Promise<T>,
    calls: number,
    meanwhile: () => Promise<void>,
  ): Promise<{ readonly result: T | null; readonly stoodStill: boolean }>;
  /** Ends what is running: it throws `Killed` here and at its next call. */
  kill(): never;
  /** Whether this is asked by something that is running, not by the simulation itself. */
  isInside(): boolean;
}

/** Turns of the event loop after which nothing more happens by itself. */
const STABLE_TURNS = 4;
/** Who neither waits nor ends for so many looks waits for what another one does, and not for a thread that packs a file. */
const STILL_ROUNDS = 5;
/** What Node.js calls work on files that is under way. */
const FILES = /^FSReq/;
/** Between two looks. A call that takes longer beside another one may wait for its lock. */
const LOOK_MS = 2;

/** @param lockWaits how many statements wait for a lock of the database. */
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
  /** Everything waits for its turn, is done, or waits for a lock that another one holds. */
  const settle = async (): Promise<void> => {
    for (;;) {
      await stand();
      if (busy() === 0 && !computing()) return;
      const before = changes;
      // Who neither waits here nor ends waits to travel with a call of the other one (src/db/together.ts).
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
  /** Stands still where a call has been answered, or a transaction is over. */
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
  /** Lets the calls of what has begun go, one at a time, until none waits any more. */
  const serve = async (next: (ready: readonly Waiting[]) => Waiting): Promise<void> => {
    for (;;) {
      await settle();
      // What stands still, and what it has begun beside, waits until it goes on.
      const served = queue.filter(({ of }) => of.held === null);
      if (served.length === 0) break;
      queue.sort((a, b) => under.indexOf(a.of) - under.indexOf(b.of) || a.number - b.number);
      // Beside a statement that waits for a lock nobody begins anything: whom of several it is given to is not ours to say.
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
