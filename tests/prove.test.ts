/** `npm run prove` runs everything of which `npm test` runs a part. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { childEnv } from "./support/child-env.ts";

const ROOT = join(import.meta.dirname, "..");

test("prove runs all tests with all cases, and the docs name each file that has more cases", async () => {
  const script = join(ROOT, "scripts/prove.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--list"], { env: childEnv() });
  assert.match(stdout, /\| `PROVE=1 npm test` \|/);
  assert.match(stdout, /\| `PROVE=1 npm run test:long` \|/);
  const named = [...stdout.matchAll(/^- `(.+)`$/gm)].map(([, file = ""]) => file);
  const sized: string[] = [];
  for await (const file of glob("{src,tests,tools}/**/*.test.ts", { cwd: ROOT })) {
    if (/^import \{ sized \}/m.test(await readFile(join(ROOT, file), "utf8"))) sized.push(file);
  }
  assert.ok(sized.length > 10);
  assert.deepEqual(named, sized.toSorted());
});
