/** Test files that share a process behave as they do alone. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { grouped } from "../scripts/test-groups.ts";
import { childEnv } from "./support/child-env.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-groups-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const FILE = `
import { after, before, test } from "node:test";
let hooks = "";
before(() => { hooks += "before "; });
after(() => console.log(FILE + " had " + hooks));
test("of " + FILE, () => { hooks += "test "; if (FILE === "bad") throw new Error("as it should"); });
`;

test("in a group each file has its own hooks, and a failure counts for its file and the run", async () => {
  const files: string[] = [];
  for (const name of ["good", "bad", "other"]) {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, FILE.replaceAll("FILE", JSON.stringify(name)));
    files.push(file);
  }
  const groups = await grouped(files, folder);
  assert.equal(groups.length, 1);
  const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...groups], {
    env: childEnv(),
    encoding: "utf8",
  });
  assert.equal(status, 1);
  for (const name of ["good", "bad", "other"])
    assert.match(stdout, new RegExp(`${name} had before test`), stdout);
  assert.deepEqual(
    [...stdout.matchAll(/^ {4}(ok|not ok) \d+ - of (.*)$/gm)].map(([, how, name]) => [how, name]),
    [
      ["ok", "good"],
      ["not ok", "bad"],
      ["ok", "other"],
    ],
  );
  assert.match(stdout, /^# tests 3$/m);
});

test("every file runs, and a file that changes the state of its process has its own process", async () => {
  const files: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const file = join(folder, `file-${n}.mjs`);
    await writeFile(file, n === 7 ? 'process.env["A"] = "b";' : "");
    files.push(file);
  }
  const groups = await grouped(files, folder);
  assert.ok(groups.includes(files[7] ?? ""));
  const seen = groups.filter((file) => /group-\d+/.test(file));
  const texts = (await Promise.all(seen.map((file) => readFile(file, "utf8")))).join("");
  assert.deepEqual(
    [...texts.matchAll(/import\("file:\/\/(.*)"\)/g)].map(([, path]) => path),
    files.filter((_, n) => n !== 7),
  );
});
