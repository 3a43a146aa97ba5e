/**
 * The number of cases of a test. Where many cases are similar, `npm test` runs a few. `npm run prove` sets PROVE=1,
 * runs all cases, and lists the test files that use this function (scripts/prove.ts).
 */
const IS_PROOF = process.env["PROVE"] === "1";

/** @param few for `npm test`. @param all for `npm run prove`. */
export function sized(few: number, all: number): number;
export function sized<T>(few: readonly T[], all: readonly T[]): readonly T[];
export function sized<Of>(few: Of, all: Of): Of {
  return IS_PROOF ? all : few;
}
