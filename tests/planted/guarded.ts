/** Ties a planted bug to the tests that came with its fix. */
import type { PlantedBug } from "../simulation/planted.ts";

/** @param tests file and name of each test, or the beginning of its name. */
export function guarded(
  bug: PlantedBug,
  ...tests: readonly (readonly [file: string, test: string])[]
): PlantedBug {
  return { ...bug, tests: tests.map(([file, test]) => ({ file, test })) };
}

/** A bug that is put back by these changes below src/ alone. */
export function putBack(
  name: string,
  changes: readonly (readonly [file: string, from: string, to: string])[],
  ...tests: readonly (readonly [file: string, test: string])[]
): PlantedBug {
  const planted = changes.map(([file, from, to]) => ({ file, from, to }));
  return guarded({ name, changes: planted, sql: "" }, ...tests);
}
