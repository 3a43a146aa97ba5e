/** Planted bugs match the code that they change. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { ALL } from "../planted/all.ts";

test("the code that each planted bug changes exists once", async () => {
  const stale: string[] = [];
  for (const { name, changes } of ALL) {
    for (const { file, from } of changes) {
      const text = await readFile(join(import.meta.dirname, "../../src", file), "utf8");
      if (text.split(from).length !== 2)
        stale.push(`${name}: ${file} has it ${text.split(from).length - 1} times`);
    }
  }
  assert.deepEqual(stale, []);
});

test("each test that a planted bug has to break exists under this name", async () => {
  const missing: string[] = [];
  for (const { file, test: name } of ALL.flatMap(({ tests = [] }) => tests)) {
    const text = await readFile(join(import.meta.dirname, "../..", file), "utf8");
    const titles = [...text.matchAll(/\btest\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)];
    if (!titles.some(([, plain, template]) => mayBe(plain ?? template ?? "", name)))
      missing.push(`${file}: ${name}`);
  }
  assert.deepEqual(missing, []);
});

/** Whether a title contains the name. Its placeholders may stand for any text. */
function mayBe(title: string, name: string): boolean {
  const [begin = "", ...filled] = title.split(/\$\{/);
  if (filled.length === 0) return title.includes(name);
  return begin === "" || begin.includes(name) || name.includes(begin);
}
