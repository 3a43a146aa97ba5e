/**
 * The gate: every call to the database, the bank and the receivers waits here. The gate lets one through at a time, in
 * an order that the seed chooses. So a seed decides what runs between any two calls, and a repeated run is identical.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Random } from "../../tools/random.ts";

/** One request, job pass or other operation of the simulation. */
export interface Actor {
  readonly name: string;
  /** The process that the actor runs in; null: outside of the service. */
  readonly process: Process | null;
  /** The process's `life` when the actor started. */
  readonly life: number;
  /** The tenant that the actor acts for; null: any. */
  readonly tenant: number | null;
  /** The kind of request, or the job that runs now. The record of status changes names it as the writer. */
  cause: string;
  waiting: number;
  busy: number;
  finished: boolean;
}

/** An instance of the service. A kill ends everything that it runs; its next life begins at once. */
export interface Process {
  readonly name: string;
  life: number;
}

/** Thrown into every operation of a killed process, so that it has no further effect. */
export class Killed extends Error {
  constructor() {
    super("The process was killed");
  }
}

/** The fault of a call. `lost` executes it and loses its response; `late` fails and executes it later. */
export type Fate = "ok" | "refused" | "lost" | "late" | "killed_before" | "killed_after";

export interface PassOptions {
  /** The faults that this call may have; only `ok` by default. */
  readonly fates?: readonly Fate[];
  /** The error of a refused or lost call. */
  readonly failure?: () => Error;
  /** The call may wait for a lock, and holds no lock that others could wait for. */
  readonly queues?: boolean;
  /** Other calls may join it in one statement. */
  readonly crowds?: boolean;
  /** The call changes nothing that others can see. */
  readonly unseen?: boolean;
  /** Called when the call fails and will be executed later. */
  readonly late?: () => void;
}

interface Waiting {
  readonly actor: Actor;
  readonly queues: boolean;
  readonly crowds: boolean;
  go(): void;
}

export interface Gate {
  /** Waits for its turn, then does `work`. */
  pass<T>(what: string, work: () => Promise<T> | T, options?: PassOptions): Promise<T>;
  /** Marks real input and output, whose end the scheduler has to wait for. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Starts an operation, and returns when it waits at the gate or has ended. */
  start(
    name: string,
    process: Process | null,
    work: () => Promise<void>,
    tenant?: number | null,
  ): Promise<Actor>;
  /** Pauses a process: its calls get no turn until `goOn`, or until no other call is waiting. */
  pause(process: Process): void;
  goOn(): void;
  /**
   * Lets one waiting call proceed, and returns when everything waits again. False when none is waiting. While a
   * statement waits for a lock, other calls that may wait for one are held back, unless `mayCrowd`: PostgreSQL wakes
   * the waiters of a changed row in any order, so a repeated run would differ.
   */
  step(mayCrowd?: boolean): Promise<boolean>;
  /** Throws `Killed` into everything that the process runs. */
  kill(process: Process): void;
  waitingCount(): number;
  /** Returns when every actor waits at the gate, has ended, or waits for a lock. */
  settle(): Promise<void>;
  /** The number of calls so far. */
  calls(): number;
  /** The number of calls so far that may have changed what others see. */
  changes(): number;
  actors(): number;
  /** The actor on whose behalf this code runs. */
  current(): Actor | undefined;
  assertAlive(): void;
}

export interface GateParts {
  readonly random: () => Random;
  readonly fateOf: (allowed: readonly Fate[]) => Fate;
  readonly trace: (line: string) => void;
  /** Called when an operation fails for another reason than a kill. */
  readonly failed: (error: unknown) => void;
  /** How likely it is that a call which others may join lets all other calls go first. */
  readonly crowding: () => number;
  /** The number of statements that wait for a lock; 0 while the database resolves a deadlock. */
  readonly lockWaits: () => Promise<number>;
  /** A cheap check whether `busy` statements may wait. It still counts a statement whose lock was just granted. */
  readonly mayAllWait: (busy: number) => Promise<boolean>;
  /** Whether any of `busy` running statements may wait for a lock. */
  readonly mayWait: (busy: number) => boolean;
}

/** After so many turns of the event loop without a change, all promises, ticks and streams have run. */
const STABLE_TURNS = 4;
/** An actor that neither waits nor ends for so many rounds waits for another actor. */
const ROUNDS_MAX = 5;
/** While locks are held, a statement that takes longer may be waiting for one. */
const LOCK_LOOK_MS = 2;

export function createGate(parts: GateParts): Gate {
  const inside = new AsyncLocalStorage<Actor>();
  const waiting: Waiting[] = [];
  const actors = new Set<Actor>();
  const paused = new Set<Process>();
  /** Calls that have ended and whose caller has not continued, by their number. */
  const ended = new Map<number, () => void>();
  let busy = 0;
  let begun = 0;
  let calls = 0;
  let changes = 0;
  let events = 0;
  let changed = Promise.withResolvers<void>();

  const change = (): void => {
    events += 1;
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  const isDead = ({ process, life }: Actor) => process !== null && process.life !== life;
  const assertAlive = (): void => {
    const actor = inside.getStore();
    if (actor !== undefined && isDead(actor)) throw new Killed();
  };
  const kill = (process: Process): void => {
    parts.trace(`${process.name} is killed`);
    process.life += 1;
    paused.delete(process);
    for (const entry of waiting.splice(0)) {
      if (isDead(entry.actor)) entry.go();
      else waiting.push(entry);
    }
  };
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    const actor = inside.getStore();
    if (actor === undefined) return work();
    const number = (begun += 1);
    const goesOn = Promise.withResolvers<void>();
    busy += 1;
    actor.busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
      ended.set(number, goesOn.resolve);
      change();
      await goesOn.promise;
      actor.busy -= 1;
    }
  };
  const turn = (actor: Actor, { queues = false, crowds = false }: PassOptions): Promise<void> => {
    if (isDead(actor)) throw new Killed();
    actor.waiting += 1;
    change();
    return new Promise((resolve) => {
      waiting.push({
        actor,
        queues,
        crowds,
        go() {
          actor.waiting -= 1;
          change();
          resolve();
        },
      });
    });
  };
  const pass = async <T>(what: string, work: () => Promise<T> | T, options: PassOptions = {}): Promise<T> => {
    const actor = inside.getStore();
    if (actor === undefined) return work();
    await turn(actor, options);
    if (isDead(actor)) throw new Killed();
    calls += 1;
    const fate = parts.fateOf(options.fates ?? ["ok"]);
    parts.trace(`${actor.name}: ${what}${fate === "ok" ? "" : ` (${fate})`}`);
    const failure = options.failure ?? (() => new Error("The line broke"));
    if (fate === "refused") throw failure();
    if (fate === "late") {
      options.late?.();
      // The caller gets an error, and the other side executes the call some time later.
      spawn(
        `${actor.name} late`,
        null,
        async () => {
          await pass(`${what} arrives late`, work, { queues: true }).catch(() => {});
        },
        actor.tenant,
      ).cause = actor.cause;
      throw failure();
    }
    if (fate === "killed_before" && actor.process !== null) {
      kill(actor.process);
      throw new Killed();
    }
    const result = await during(async () => work());
    if (options.unseen !== true) changes += 1;
    if (fate === "killed_after" && actor.process !== null && !isDead(actor)) kill(actor.process);
    if (isDead(actor)) throw new Killed();
    if (fate === "lost") throw failure();
    return result;
  };

  const spawn = (
    name: string,
    process: Process | null,
    work: () => Promise<void>,
    tenant: number | null,
  ): Actor => {
    const life = process?.life ?? 0;
    const cause = name.replace(/#.*/, "");
    const actor: Actor = { name, process, life, tenant, cause, waiting: 0, busy: 0, finished: false };
    actors.add(actor);
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Killed)) parts.failed(error);
      }
      actor.finished = true;
      actors.delete(actor);
      change();
    };
    inside.run(actor, () => void run());
    return actor;
  };

  /** Returns when every actor waits here, has ended, or waits for another actor's lock. */
  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      do {
        await stand();
        while (works() && !(await isStuck())) await stand();
      } while (goOnInOrder());
      if (allAtRest()) return;
    }
    // Actors may share another actor's call, which waits here or for a lock.
    if (waiting.length > 0 || works()) return;
    const who = [...actors].filter(({ finished, waiting: waits }) => !finished && waits === 0);
    throw new Error(`Neither waits nor ends: ${who.map(({ name }) => name).join(", ")}`);
  };
  /**
   * Of several calls that ran at the same time, the one that began first continues first, so that the order does not
   * depend on which ended first.
   */
  const goOnInOrder = (): boolean => {
    const first = Math.min(...ended.keys());
    ended.get(first)?.();
    return ended.delete(first);
  };
  /** Lets all code run that does not wait for input or output. */
  const stand = async (): Promise<void> => {
    for (let stable = 0, seen = events; stable < STABLE_TURNS; stable += 1) {
      await immediate();
      if (events !== seen) stable = 0;
      seen = events;
    }
  };
  const allAtRest = () =>
    actors.values().every((actor) => actor.finished || actor.waiting > 0 || actor.busy > 0);
  const works = () => busy > 0;
  const allWait = async () => (await parts.lockWaits()) >= busy;
  /** Whether all running calls wait for locks; false once anything has changed. */
  const isStuck = async (): Promise<boolean> => {
    const before = events;
    const stands = () => events === before;
    for (let pause = LOCK_LOOK_MS; stands(); pause *= 2) {
      if (!parts.mayWait(busy)) await changed.promise;
      else {
        await Promise.race([changed.promise, sleep(pause)]);
        // Checked twice, because a statement whose lock was just granted is still listed as waiting.
        const waits = stands() && (await parts.mayAllWait(busy)) && (await allWait()) && (await allWait());
        if (waits) return stands();
      }
    }
    return false;
  };

  return {
    pass,
    settle,
    calls: () => calls,
    changes: () => changes,
    during,
    kill,
    assertAlive,
    current: () => inside.getStore(),
    waitingCount: () => waiting.length,
    actors: () => actors.size,
    pause: (process) => void paused.add(process),
    goOn: () => paused.clear(),
    async start(name, process, work, tenant = null) {
      const actor = spawn(name, process, work, tenant);
      await settle();
      return actor;
    },
    async step(mayCrowd = false) {
      if (waiting.length === 0) {
        await settle();
        if (waiting.length === 0) return false;
      }
      const all = waiting.filter(({ actor: { process } }) => process === null || !paused.has(process));
      if (all.length === 0) paused.clear();
      const awake = all.length > 0 ? all : waiting;
      const free = works() && !mayCrowd ? awake.filter(({ queues }) => !queues) : awake;
      const ready = free.length > 0 ? free : awake;
      const others = ready.filter(({ crowds }) => !crowds);
      const lets = others.length > 0 && parts.random().chance(parts.crowding());
      const next = parts.random().pick(lets ? others : ready);
      waiting.splice(waiting.indexOf(next), 1);
      next.go();
      await settle();
      return true;
    },
  };
}

function immediate(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
