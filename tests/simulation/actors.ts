/** Everything that can happen in a run, by name: each seed chooses what does, and how often. */
import { customers, CUSTOMERS, CUSTOMERS_LATER } from "./customers.ts";
import { merchants, MERCHANTS } from "./merchants.ts";
import { newest, NEWEST } from "./newest.ts";
import { selfService, SELF_SERVICE } from "./self-service.ts";
import { settings, SETTINGS } from "./settings.ts";
import type { Act, Stage } from "./stage.ts";
import { workers, WORKERS, WORKERS_LATER } from "./workers.ts";

/** The names of all that can be done, with how often. */
export const WEIGHTS: Readonly<Record<string, number>> = {
  ...CUSTOMERS,
  ...MERCHANTS,
  ...SETTINGS,
  ...WORKERS,
};
/** And those that only seeds from 10,000 on have. */
export const LATER_WEIGHTS: Readonly<Record<string, number>> = {
  ...SELF_SERVICE,
  ...CUSTOMERS_LATER,
  ...WORKERS_LATER,
};
/** And those that only seeds from 30,000 on have. */
export const NEWEST_WEIGHTS: Readonly<Record<string, number>> = NEWEST;

export interface Cast {
  /** Starts something of this name, and returns when it waits or is done. */
  act(name: string): Promise<void>;
}

export function createCast(stage: Stage): Cast {
  const ofCustomers = customers(stage);
  const acts: Readonly<Record<string, Act>> = {
    ...ofCustomers,
    ...merchants(stage),
    ...settings(stage),
    ...selfService(stage),
    ...workers(stage),
    ...newest(stage, ofCustomers),
  };
  return {
    async act(name) {
      await acts[name]?.();
    },
  };
}
