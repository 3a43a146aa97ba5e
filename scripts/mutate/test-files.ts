/** The test files that are asked about mutants, and their order. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Parts of the paths of tests that are used only if they are named; each matches one (tests/mutate.test.ts). */
export const LEFT_OUT: readonly string[] = [
  // Of folders below the money core, or above it that only display it.
  "src/banks/ src/console/ src/db/ src/embedded-postgres/ src/files/ src/http/ src/integrations/ src/lib/",
  "src/messages/ src/operator/ src/payment-page/ src/people/ src/sepa/ src/webhooks/",
  "tests/hosted-page/ tests/people/ tests/postbacks tests/webhooks",
  // They read the source, or files around the service.
  "tests/citations. tests/deploy. tests/exports. tests/guides. tests/migration-rules. tests/monitoring.",
  "tests/joins. tests/locks. tests/mutate. tests/packaging. tests/placement. tests/plans. tests/prove. tests/releases.",
  "tests/row-types.",
  "tests/schema. tests/seed. tests/statements. tests/tenant-ties. tests/test-groups. tests/tidy.",
  // The service runs in other processes, in which no mutant is turned on.
  "crash. tests/chaos. tests/keys-rotation. tests/restored. tests/upgrades.",
  // They need a browser, or take longer than a mutant may cost.
  "browser. tests/backup tests/fuzz. tests/hostile. simulation. planted. large-files. edge.",
].flatMap((line) => line.split(" "));

/**
 * @param parts of the paths; all files without one. A file whose whole path is given is used in any case.
 * @returns the files, those without a service first.
 */
export async function testFiles(root: string, parts: readonly string[]): Promise<readonly string[]> {
  const found = await Array.fromAsync(glob("{src,tests,tools}/**/*.test.ts", { cwd: root }));
  const used = found.filter(
    (file) =>
      parts.includes(file) ||
      (!LEFT_OUT.some((part) => file.includes(part)) &&
        (parts.length === 0 || parts.some((part) => file.includes(part)))),
  );
  const isSlow = new Map<string, boolean>();
  for (const file of used) isSlow.set(file, (await readFile(join(root, file), "utf8")).includes("/support/"));
  return used.toSorted((a, b) => Number(isSlow.get(a)) - Number(isSlow.get(b)) || (a < b ? -1 : 1));
}
