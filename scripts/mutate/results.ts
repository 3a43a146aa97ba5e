/** The result of each mutant that was tried: one line each in .mutate/results.jsonl; the last line counts. */
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Result {
  readonly key: string;
  /**
   * `killed`: a test failed. `survived`: every executed test passed; `left` is the number of test files that were not
   * run. `endless`: a test did not end, twice, the second time while no other mutant was tried. `undecided`: its
   * table tests passed, and no others were run (`--tables`). `uncovered`: no test runs it. `refused`: TypeScript or
   * PostgreSQL rejects it, so it does not count.
   */
  readonly outcome: "killed" | "survived" | "endless" | "undecided" | "uncovered" | "refused";
  /** The test file, and the test if one was named. */
  readonly by: string | null;
  /** How many test files ran. */
  readonly tried: number;
  readonly left: number;
}

export async function readResults(folder: string): Promise<Map<string, Result>> {
  const path = join(folder, "results.jsonl");
  if (!existsSync(path)) return new Map();
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.key, result]));
}

export async function writeResult(folder: string, result: Result): Promise<void> {
  await appendFile(join(folder, "results.jsonl"), `${JSON.stringify(result)}\n`);
}
