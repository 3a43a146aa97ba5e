/** The faults of each scenario, repeated at seeded times until it ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { decideUnclear, doBusiness, passDays, passLeases, passMinutes } from "./bank.ts";
import type { Journey } from "./clients.ts";
import { filesOf, importOpen } from "./imports.ts";
import { passMonth, subscribe } from "./months.ts";
import type { Random } from "../random.ts";
import { count, type Tally } from "./tally.ts";
import type { World } from "./world.ts";

interface Strike {
  readonly world: World;
  readonly random: Random;
  readonly tally: Tally;
  readonly journeys: Journey[];
  /** Aborts at the end of the round. */
  readonly signal: AbortSignal;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Minimum duration of a round. */
  readonly lastsMs?: number;
  /** Runs in a separate world whose database has a disk of this many megabytes. */
  readonly diskMegabytes?: number;
  /** Why it cannot run here; null if it can. */
  readonly missing?: (world: World) => string | null;
  /** One fault with its duration and the pause before the next one. */
  strike(strike: Strike): Promise<void>;
}

const KILL: Scenario = {
  name: "kill",
  about: "kill -9 of instances, started again at once or after seconds",
  async strike({ world, random, tally, signal }) {
    const restartAfterMs = random.chance(0.5) ? 0 : random.between(500, 4_000);
    await random.pick(world.instances).kill(restartAfterMs);
    count(tally.faults, "kill -9 of an instance");
    await pause(random.between(300, 2_500), signal);
  },
};

const FREEZE: Scenario = {
  name: "pause",
  about:
    "SIGSTOP of instances, continued with what they had in hand, sometimes after others have taken it over",
  async strike({ world, random, tally, signal }) {
    const instance = random.pick(world.instances);
    instance.pause();
    count(tally.faults, "SIGSTOP of an instance");
    await pause(random.chance(0.3) ? random.between(5_000, 9_000) : random.between(200, 2_000), signal);
    instance.resume();
    await pause(random.between(100, 800), signal);
  },
};

/** Longer than the claim of an attempt (src/gateways/calling.ts), so that recovery ends it. */
const LONG_MS = 33_000;

const SLEEPER: Scenario = {
  name: "sleeper",
  about: "SIGSTOP of one instance for longer than what it has in hand is claimed for",
  lastsMs: LONG_MS,
  async strike({ world, random, tally, signal }) {
    await pause(random.between(1_000, 2_000), signal);
    const instance = random.pick(world.instances);
    instance.pause();
    count(tally.faults, "SIGSTOP of an instance for 33 s");
    await pause(LONG_MS, signal);
    instance.resume();
  },
};

const FLEET: Scenario = {
  name: "fleet",
  about:
    "of several instances one is killed, one sleeps past its leases, and one after the other is replaced",
  lastsMs: LONG_MS,
  async strike({ world, random, tally, signal }) {
    const sleeper = random.pick(world.instances);
    sleeper.pause();
    count(tally.faults, "SIGSTOP of an instance for 33 s");
    const sleeping = pause(LONG_MS, signal).then(() => sleeper.resume());
    const awake = world.instances.filter((instance) => instance !== sleeper);
    await pause(random.between(1_000, 3_000), signal);
    const victim = random.pick(awake);
    await victim.kill(random.between(500, 4_000));
    count(tally.faults, "kill -9 of an instance");
    for (const instance of awake) {
      await pause(random.between(3_000, 6_000), signal);
      if (signal.aborted) break;
      instance.replace();
      count(tally.faults, "an instance is replaced");
    }
    await sleeping;
  },
};

const DATABASE_KILL: Scenario = {
  name: "database-kill",
  about: "kill -9 of PostgreSQL with all its processes, started again at once or after seconds",
  async strike({ world, random, tally, signal }) {
    await world.database.kill();
    count(tally.faults, "kill -9 of PostgreSQL");
    await pause(random.chance(0.5) ? 0 : random.between(500, 4_000), signal);
    await world.database.start();
    world.proxy.lead(world.database.url());
    await pause(random.between(500, 3_000), signal);
  },
};

const DATABASE_PAUSE: Scenario = {
  name: "database-pause",
  about: "SIGSTOP of PostgreSQL for seconds",
  async strike({ world, random, tally, signal }) {
    await world.database.pause();
    count(tally.faults, "SIGSTOP of PostgreSQL");
    await pause(random.chance(0.4) ? random.between(5_000, 8_000) : random.between(300, 2_500), signal);
    await world.database.resume();
    await pause(random.between(300, 1_500), signal);
  },
};

const CUT: Scenario = {
  name: "cut",
  about: "connections to the database are reset, new ones refused for a moment",
  async strike({ world, random, tally, signal }) {
    const share = random.pick([0.2, 0.5, 1]);
    count(tally.faults, "connection cut", world.proxy.cut(share));
    if (random.chance(0.2)) {
      world.proxy.refuseNew(true);
      count(tally.faults, "database refuses connections");
      await pause(random.between(200, 2_000), signal);
      world.proxy.refuseNew(false);
    }
    await pause(random.between(50, 800), signal);
  },
};

const DELAY: Scenario = {
  name: "delay",
  about: "each piece of data between service and database is late",
  async strike({ world, random, tally, signal }) {
    world.proxy.delay(random.pick([20, 100, 300, 1_000]));
    count(tally.faults, "delay");
    await pause(random.between(800, 4_000), signal);
    world.proxy.delay(0);
    await pause(random.between(200, 1_000), signal);
  },
};

const HALF_OPEN: Scenario = {
  name: "half-open",
  about: "connections to the database carry nothing any more, without either end being told",
  async strike({ world, random, tally, signal }) {
    count(tally.faults, "connection half-open", world.proxy.freeze(random.pick([0.2, 0.5, 1])));
    if (random.chance(0.3)) {
      world.proxy.holdNew(true);
      count(tally.faults, "new connections unanswered");
      await pause(random.between(500, 3_000), signal);
      world.proxy.holdNew(false);
    }
    await pause(random.between(500, 3_000), signal);
  },
};

const COMMIT_UNKNOWN: Scenario = {
  name: "commit-unknown",
  about: "the database commits, and the answer never comes back",
  async strike({ world, random, signal }) {
    world.proxy.swallow(random.pick([0.05, 0.15, 0.4]));
    await pause(random.between(500, 2_000), signal);
    world.proxy.swallow(0);
    await pause(random.between(100, 500), signal);
  },
};

const REDIS: Scenario = {
  name: "redis",
  about: "Redis is killed, emptied, frozen",
  missing: ({ redis }) => (redis === null ? "there is no redis-server or valkey-server on the PATH" : null),
  async strike({ world: { redis }, random, tally, signal }) {
    if (redis === null) return;
    const fault = random.pick(["kill", "flush", "pause"] as const);
    count(tally.faults, `${fault} of Redis`);
    if (fault === "flush") await redis.flush();
    else if (fault === "kill") await redis.kill();
    else redis.pause();
    await pause(random.between(200, 3_000), signal);
    await redis.start();
    await pause(random.between(100, 1_000), signal);
  },
};

const SINGLE = [KILL, FREEZE, DATABASE_KILL, DATABASE_PAUSE, CUT, DELAY, HALF_OPEN, COMMIT_UNKNOWN];

const STORM: Scenario = {
  name: "storm",
  about: "everything at once",
  async strike(strike) {
    // Two at a time.
    const other = { ...strike, random: strike.random.fork() };
    await Promise.all([strike.random.pick(SINGLE).strike(strike), other.random.pick(SINGLE).strike(other)]);
    if (strike.world.redis !== null && strike.random.chance(0.3)) await REDIS.strike(strike);
  },
};

const MONTHS: Scenario = {
  name: "months",
  about: "months pass for a merchant's subscriptions, while something else goes wrong",
  async strike(strike) {
    await subscribe(strike, strike.journeys);
    const other = { ...strike, random: strike.random.fork() };
    await Promise.all([passMonth(strike), other.random.pick(SINGLE).strike(other)]);
  },
};

const IMPORTS: Scenario = {
  name: "imports",
  about:
    "files of payments, chargebacks and mandates are imported, and again, while something else goes wrong",
  async strike(strike) {
    const { world, random, signal } = strike;
    world.imports.push(...filesOf(random.pick(world.shops)));
    const other = { ...strike, random: random.fork() };
    const trouble = async (): Promise<void> => {
      await pause(random.between(200, 1_000), signal);
      await random.pick([KILL, KILL, DATABASE_KILL, CUT, COMMIT_UNKNOWN]).strike(other);
    };
    await Promise.all([importOpen(strike), trouble()]);
  },
};

const BANK: Scenario = {
  name: "bank",
  about:
    "the SFTP server of a merchant's own bank hangs, cuts, lies, is slow and away; what carries the files is killed",
  async strike(strike) {
    const { world, random, tally, signal } = strike;
    const bank = await world.openBank();
    const day = { ...strike, bank };
    await doBusiness(day);
    if (signal.aborted) return;
    bank.sftp.misbehave();
    const passing = passDays(day);
    const until = performance.now() + random.between(1_500, 5_000);
    const victim = random.chance(0.6) ? random.pick([...world.instances, ...bank.carriers]) : null;
    while (performance.now() < until) {
      await passMinutes(world, bank, tally);
      await pause(random.between(100, 300), signal);
      if (victim !== null && random.chance(0.1)) {
        await victim.kill(random.pick([0, 500]));
        count(tally.faults, `kill -9 of ${victim.name.split(" ")[0]}`);
      }
    }
    await passing;
    if (random.chance(0.3)) {
      bank.sftp.leave();
      count(tally.faults, "the bank's server is away");
      await pause(random.between(500, 2_000), signal);
    }
    if (victim === null) bank.sftp.heal();
    else await passLeases(world, bank);
    if (random.chance(0.5)) await decideUnclear(world, bank, tally);
  },
};

/** Twice the size of an empty database and its log. */
const DISK_MEGABYTES = 160;

const DISK_FULL: Scenario = {
  name: "disk-full",
  about: "the disk of the database is full for seconds",
  diskMegabytes: DISK_MEGABYTES,
  async strike({ world, random, tally, signal }) {
    await pause(random.between(500, 2_000), signal);
    if (signal.aborted || world.disk === null) return;
    await world.disk.fill();
    count(tally.faults, "disk full");
    await pause(random.between(2_000, 6_000), signal);
    await world.disk.free();
    // A server that could not write its log has ended; its supervisor starts it.
    if (await world.database.isRunning()) return;
    count(tally.faults, "PostgreSQL exited unexpectedly");
    await world.database.start();
    world.proxy.lead(world.database.url());
  },
};

export const SCENARIOS: readonly Scenario[] = [
  ...SINGLE,
  MONTHS,
  IMPORTS,
  BANK,
  REDIS,
  STORM,
  DISK_FULL,
  SLEEPER,
  FLEET,
];

/** Waits, or until the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
