/** The result of each mutant that was tried: one line each in .mutate/results.jsonl; the last line counts. */
import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Result {
  readonly key: string;
  /**
   * `killed`: a test failed. `survived`: every test that ran passed. `endless`: a test did not end, which may be the
   * machine's fault. `uncovered`: no test reaches it. `refused`: TypeScript or PostgreSQL rejects it, so it does not
   * count.
   */
  readonly outcome: "killed" | "survived" | "endless" | "uncovered" | "refused";
  /** The test file, the test and its message. */
  readonly by: string | null;
  /** How many tests passed with it. */
  readonly passed: number;
}

/** Where results are kept between runs. */
export async function keptFolder(root: string): Promise<string> {
  const folder = join(root, ".mutate");
  await mkdir(folder, { recursive: true });
  return folder;
}

export async function readResults(folder: string): Promise<Map<string, Result>> {
  const path = join(folder, "results.jsonl");
  if (!existsSync(path)) return new Map();
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.key, result]));
}

export async function writeResults(folder: string, results: readonly Result[]): Promise<void> {
  const lines = results.map((result) => `${JSON.stringify(result)}\n`);
  await appendFile(join(folder, "results.jsonl"), lines.join(""));
}
