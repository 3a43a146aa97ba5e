/**
 * Groups test files that share a process, because starting Node and loading the service takes longer than the tests
 * of most small files. Each file is a suite with its name, and they run one after the other.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Few, so that the end of the run does not wait for one group. */
const FILES_MAX = 8;
/** The time limit of a suite and of each of its tests; a file of a group takes seconds. */
const FILE_MS_MAX = 300_000;

/** Reads or changes the state of the process: such a file has its own process. */
const OF_THE_PROCESS =
  /cpuMsOf|memoryUsage|resourceUsage|process\.(?:on|once|exit|chdir|env)\b|\bmock\b|globalThis/;

/** @param folder for the modules of the groups. @returns these, and the files with their own process. */
export async function grouped(files: readonly string[], folder: string): Promise<readonly string[]> {
  const alone = await Promise.all(files.map(async (file) => isOfTheProcess(await readFile(file, "utf8"))));
  const shared = files.filter((_, n) => alone[n] === false);
  const groups = Array.from({ length: Math.ceil(shared.length / FILES_MAX) }, (_, n) =>
    shared.slice(n * FILES_MAX, (n + 1) * FILES_MAX),
  );
  const modules = await Promise.all(
    groups.map(async (group, n) => {
      const path = join(folder, `group-${n + 1}.test.mjs`);
      await writeFile(path, moduleOf(group));
      return path;
    }),
  );
  return [...modules, ...files.filter((_, n) => alone[n] === true)];
}

/** Whether a test file, by its text, needs its own process. */
export function isOfTheProcess(text: string): boolean {
  return OF_THE_PROCESS.test(text);
}

/** A module that runs each of these files as a suite. */
export function moduleOf(group: readonly string[]): string {
  const suites = group.map((file) => {
    const url = pathToFileURL(file).href;
    return `describe(${JSON.stringify(file)}, { timeout: ${FILE_MS_MAX} }, () => import(${JSON.stringify(url)}));`;
  });
  return ['import { describe } from "node:test";', ...suites, ""].join("\n");
}
