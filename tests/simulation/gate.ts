/**
 * The gate: every call to the database, the bank and the receivers waits here, and one at a time is let through in an order
 * that a seed chooses. So a seed decides what runs between any two of them, and runs the same again.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Random } from "../../tools/random.ts";

/** One request, job pass or other operation of the simulation. */
export interface Actor {
  readonly name: string;
  /** The process that it runs in; null: the outside world. */
  readonly process: Process | null;
  /** Which life of that process. */
  readonly life: number;
  /** The one tenant in whose name it acts; null: any. */
  readonly tenant: number | null;
  /** What it does, for the record of what caused what: a kind of request, or the job that runs now. */
  cause: string;
  waiting: number;
  busy: number;
  finished: boolean;
}

/** An instance of the service: killing it ends all it does, and its next life begins at once. */
export interface Process {
  readonly name: string;
  life: number;
}

/** Thrown into everything that a killed process was doing: none of it has an effect any more. */
export class Killed extends Error {
  constructor() {
    super("The process was killed");
  }
}

/** A fault at a call. `lost` executes it and loses its response; `late` fails it, and executes it later. */
export type Fate = "ok" | "refused" | "lost" | "late" | "killed_before" | "killed_after";

export interface PassOptions {
  /** Which fates this call may have; only `ok` when left out. */
  readonly fates?: readonly Fate[];
  /** The error of a refused or lost call. */
  readonly failure?: () => Error;
  /** May wait for a lock, and holds none that another one could wait for. */
  readonly queues?: boolean;
  /** Others may come to travel with it. */
  readonly crowds?: boolean;
  /** Changes nothing that others see. */
  readonly unseen?: boolean;
  /** Told that the call will happen late. */
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
  /** Marks real input and output of which the scheduler has to see the end. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Starts an operation and returns when it waits here or is done. */
  start(
    name: string,
    process: Process | null,
    work: () => Promise<void>,
    tenant?: number | null,
  ): Promise<Actor>;
  /** Stops a process where it stands: it takes no turn until it goes on, or until nobody else could take one. */
  pause(process: Process): void;
  goOn(): void;
  /**
   * Lets one of those that wait go on, and returns when everything waits again. False when nobody waits. While a statement
   * waits for a lock, others that may wait too stay behind, unless they may crowd: PostgreSQL lets those who wait for a row
   * that was changed go on in any order, and a seed would not play the same again.
   */
  step(mayCrowd?: boolean): Promise<boolean>;
  /** Throws `Killed` into all that the process does. */
  kill(process: Process): void;
  waitingCount(): number;
  /** Returns when everything waits, is done, or waits for a lock. */
  settle(): Promise<void>;
  /** How many calls went through. */
  calls(): number;
  /** How many of them may have changed what others see. */
  changes(): number;
  actors(): number;
  /** The actor in whose name this is asked. */
  current(): Actor | undefined;
  assertAlive(): void;
}

export interface GateParts {
  readonly random: () => Random;
  readonly fateOf: (allowed: readonly Fate[]) => Fate;
  readonly trace: (line: string) => void;
  /** An operation threw, and was not killed. */
  readonly failed: (error: unknown) => void;
  /** How likely a call that others may come to travel with lets all else go first. */
  readonly crowding: () => number;
  /** How many statements wait for a lock of the database; none while a deadlock is being broken. */
  readonly lockWaits: () => Promise<number>;
  /** Whether so many may: a cheap look, for which one that has just been let go still waits. */
  readonly mayAllWait: (busy: number) => Promise<boolean>;
  /** Whether any of so many statements that are under way may wait for a lock. */
  readonly mayWait: (busy: number) => boolean;
}

/** Turns of the event loop after which nothing more happens by itself: promises, ticks and streams are done long before. */
const STABLE_TURNS = 4;
/** Who neither waits nor ends after so many rounds waits for what another one does. */
const ROUNDS_MAX = 5;
/** A statement that takes longer, while locks are held, may wait for one. */
const LOCK_LOOK_MS = 2;

export function createGate(parts: GateParts): Gate {
  const inside = new AsyncLocalStorage<Actor>();
  const waiting: Waiting[] = [];
  const actors = new Set<Actor>();
  const paused = new Set<Process>();
  /** What has ended and has not gone on, by its number. */
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
      // Whoever called hears that the line broke; the other end has it all the same, some time later.
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

  /** Everything waits here, is done, or waits for a lock that another one holds. */
  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      do {
        await stand();
        while (works() && !(await isStuck())) await stand();
      } while (goOnInOrder());
      if (allAtRest()) return;
    }
    // Some travel with a call that waits, here or for a lock.
    if (waiting.length > 0 || works()) return;
    const who = [...actors].filter(({ finished, waiting: waits }) => !finished && waits === 0);
    throw new Error(`Neither waits nor ends: ${who.map(({ name }) => name).join(", ")}`);
  };
  /** Of several that ran at once, whichever ended first, the one that began first goes on first. */
  const goOnInOrder = (): boolean => {
    const first = Math.min(...ended.keys());
    ended.get(first)?.();
    return ended.delete(first);
  };
  /** Lets everything run that needs nothing from outside. */
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
  /** Whether all that is busy waits for locks; false once something has moved. */
  const isStuck = async (): Promise<boolean> => {
    const before = events;
    const stands = () => events === before;
    for (let pause = LOCK_LOOK_MS; stands(); pause *= 2) {
      if (!parts.mayWait(busy)) await changed.promise;
      else {
        await Promise.race([changed.promise, sleep(pause)]);
        // Twice: a statement that was just let go still looks as if it waited.
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
