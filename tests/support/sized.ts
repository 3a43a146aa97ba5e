/**
 * How much a test does. `npm test` has to be quick, so what goes through many cases of one kind takes a few of them there;
 * `npm run prove`, which runs every test with PROVE=1, takes all. It lists the files that do (scripts/prove.ts).
 */
const IS_PROOF = process.env["PROVE"] === "1";

/** @param few for `npm test`. @param all for `npm run prove`. */
export function sized(few: number, all: number): number;
export function sized<T>(few: readonly T[], all: readonly T[]): readonly T[];
export function sized<Of>(few: Of, all: Of): Of {
  return IS_PROOF ? all : few;
}
