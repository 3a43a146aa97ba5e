/**
 * The number of cases of a test. `npm test` runs a few of many similar cases; `npm run prove`, which runs every test
 * with PROVE=1, runs all, and lists the test files that use this (scripts/prove.ts).
 */
const IS_PROOF = process.env["PROVE"] === "1";

/** @param few for `npm test`. @param all for `npm run prove`. */
export function sized(few: number, all: number): number;
export function sized<T>(few: readonly T[], all: readonly T[]): readonly T[];
export function sized<Of>(few: Of, all: Of): Of {
  return IS_PROOF ? all : few;
}
