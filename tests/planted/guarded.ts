/** Ties a planted bug to the tests that came with its fix. */
import type { PlantedBug } from "../simulation/planted.ts";

/** @param tests file and name of each test, or the beginning of its name. */
export function guarded(
  bug: PlantedBug,
  ...tests: readonly (readonly [file: string, test: string])[]
): PlantedBug {
  return { ...bug, tests: tests.map(([file, test]) => ({ file, test })) };
}
