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
    // The titles of a table's tests are in the table.
    if (
      !text.includes(`"${name}`) &&
      !titles.some(([, plain, template]) => mayBe(plain ?? template ?? "", name))
    )
      missing.push(`${file}: ${name}`);
  }
  assert.deepEqual(missing, []);
});

/** Whether a title begins with the name. Its placeholders may stand for any text, but not for all of the name. */
function mayBe(title: string, name: string): boolean {
  const [begin = "", ...after] = title.split(/\$\{[^}]*\}/);
  if (begin.startsWith(name)) return true;
  if (begin !== "") return after.length > 0 && name.startsWith(begin);
  const [next = ""] = after.map((words) => words.trim());
  return next !== "" && name.includes(next);
}
