/** Every operation of a run, by name. A seed chooses which of them occur, and how often. */
import { customers, CUSTOMERS, CUSTOMERS_LATER } from "./customers.ts";
import { merchants, MERCHANTS } from "./merchants.ts";
import { newest, NEWEST } from "./newest.ts";
import { selfService, SELF_SERVICE } from "./self-service.ts";
import { settings, SETTINGS } from "./settings.ts";
import type { Act, Stage } from "./stage.ts";
import { workers, WORKERS, WORKERS_LATER } from "./workers.ts";

/** The operations of all seeds, with their relative frequency. */
export const WEIGHTS: Readonly<Record<string, number>> = {
  ...CUSTOMERS,
  ...MERCHANTS,
  ...SETTINGS,
  ...WORKERS,
};
/** The further operations of seeds from 10,000 on. */
export const LATER_WEIGHTS: Readonly<Record<string, number>> = {
  ...SELF_SERVICE,
  ...CUSTOMERS_LATER,
  ...WORKERS_LATER,
};
/** The further operations of seeds from 30,000 on. */
export const NEWEST_WEIGHTS: Readonly<Record<string, number>> = NEWEST;

export interface Cast {
  /** Starts the operation of this name, and returns when it waits or has ended. */
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
