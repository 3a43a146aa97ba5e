/** The numbered list of invariants, and the tests that claim to check them. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { INVARIANTS, type HeldBy } from "../src/books/invariants.ts";

const ROOT = join(import.meta.dirname, "..");
const AREAS = [...new Set(Object.keys(INVARIANTS).map((id) => id.replace(/-\d+$/, "")))];
const CITED = new RegExp(`\\b(?:${AREAS.join("|")})-\\d+\\b`, "g");

/** The files of each kind of proof. */
const FILES: Readonly<Record<HeldBy, readonly string[]>> = {
  "books check": ["src/books/*.ts"],
  simulation: ["tests/simulation/*.ts"],
  "own-bank simulation": ["tests/simulation/own-bank/*.ts"],
  tests: ["tests/**/*.test.ts", "src/**/*.test.ts"],
};
const PROOFS = Object.keys(FILES) as HeldBy[];
const citations = new Map(
  await Promise.all(PROOFS.map(async (proof) => [proof, await citedIn(FILES[proof])] as const)),
);

test("every invariant has a kind of test in its table, and each of these tests cites it", () => {
  const missing = Object.entries(INVARIANTS).flatMap(([id, { by }]) => [
    ...(by.length === 0 ? [`${id} is held by nothing`] : []),
    ...by.filter((proof) => !citations.get(proof)?.has(id)).map((proof) => `${id} is not cited in: ${proof}`),
  ]);
  assert.deepEqual(missing, []);
});

test("no test cites an invariant that is not in the list", () => {
  const unknown = PROOFS.flatMap((proof) =>
    [...(citations.get(proof) ?? [])].filter((id) => !(id in INVARIANTS)).map((id) => `${proof} cites ${id}`),
  );
  assert.deepEqual(unknown, []);
});

/** Without the list's own file. */
async function citedIn(patterns: readonly string[]): Promise<ReadonlySet<string>> {
  const paths = (
    await Promise.all(patterns.map((pattern) => Array.fromAsync(glob(pattern, { cwd: ROOT }))))
  ).flat();
  const texts = await Promise.all(
    paths
      .filter((path) => path !== "src/books/invariants.ts")
      .map((path) => readFile(join(ROOT, path), "utf8")),
  );
  return new Set(texts.flatMap((text) => text.match(CITED) ?? []));
}
