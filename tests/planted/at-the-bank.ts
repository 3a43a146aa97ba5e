/** A bug that the simulation of the merchants' bank finds. */
import type { PlantedBug } from "../simulation/planted.ts";

export type Change = PlantedBug["changes"][number];

/** @param seed from which the search starts: one with the faults that reveal it. */
export function bug(seed: number, name: string, ...changes: readonly Change[]): PlantedBug {
  return { seed, name: `bank: ${name}`, changes, sql: "", script: "tools/simulate-bank.ts" };
}
