/** `npm start` leaves no launcher running next to the service, and signals reach the service. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

let folder: string;
let script: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-start-"));
  script = join(folder, "script.mjs");
  await writeFile(
    script,
    `process.on("SIGTERM", () => process.exit(7));
     setInterval(() => {}, 1_000);
     console.log(process.pid, ...process.execArgv);`,
  );
});
after(() => rm(folder, { recursive: true, force: true }));

test("on POSIX the service is the process that npm's shell was: it gets its signals, and its exit code is the service's", async (t) => {
  if (process.platform === "win32") return t.skip("Windows cannot replace a process");
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  assert.ok(scripts.start.includes("src/main.ts"));
  const child = spawn("sh", ["-c", scripts.start.replace("src/main.ts", script)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    // As npm sets it: the pinned Node is first.
    env: { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) },
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  assert.equal(line.toString().trim(), `${child.pid} --max-semi-space-size=8 --heap-growing-percent=100`);
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [7, null]);
});
