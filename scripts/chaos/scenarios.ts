/** What goes wrong, by scenario: each strikes again and again at seeded moments until its time is over. */
import { setTimeout as sleep } from "node:timers/promises";

import type { Random } from "./random.ts";
import { count, type Tally } from "./tally.ts";
import type { World } from "./world.ts";

export interface Strike {
  readonly world: World;
  readonly random: Random;
  readonly tally: Tally;
  /** Aborts when the round's time is over. */
  readonly signal: AbortSignal;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** One fault with the time that it lasts and the pause before the next one. */
  strike(strike: Strike): Promise<void>;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "kill",
    about: "kill -9 of instances, started again at once or after seconds",
    async strike({ world, random, tally, signal }) {
      const pauseMs = random.chance(0.5) ? 0 : random.between(500, 4_000);
      await random.pick(world.instances).kill(pauseMs);
      count(tally.faults, "kill -9 of an instance");
      await pause(random.between(300, 2_500), signal);
    },
  },
];

/** Waits, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
