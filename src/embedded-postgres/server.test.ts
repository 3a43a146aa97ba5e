/** The guarantees of the embedded server, with real processes in separate folders. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { openCluster } from "./cluster.ts";
import { type EmbeddedServer, startEmbedded } from "./server.ts";
import { openDatabase } from "../db/postgres.ts";
import { lazily } from "../lib/lazily.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

const servers: EmbeddedServer[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

test("an empty folder gets a server that answers and keeps its data in UTF-8, with checksums, durably", async () => {
  const server = await start(await newFolder(), { durable: true });
  const settings = await query<{ name: string; setting: string }>(
    server.url,
    `select name, setting from pg_settings
     where name in ('server_encoding', 'data_checksums', 'fsync', 'synchronous_commit', 'TimeZone', 'listen_addresses')
     order by name`,
  );
  assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
    TimeZone: "UTC",
    data_checksums: "on",
    fsync: "on",
    listen_addresses: "127.0.0.1",
    server_encoding: "UTF8",
    synchronous_commit: "on",
  });
});

test("the data survive a stop and a start, under a path with spaces, quotes and umlauts", async () => {
  const dataDir = join(await newFolder(), "Zahlungen für 'alle' $HOME");
  const first = await start(dataDir);
  await query(first.url, "create table kept as select 'ß' as letter");
  await first.stop();

  const second = await start(dataDir);
  assert.deepEqual(await query(second.url, "select letter from kept"), [{ letter: "ß" }]);
});

test("a stop leaves no process behind, and may be asked for twice", async () => {
  const dataDir = await usedFolder();
  const server = await start(dataDir);
  const pid = await serverPid(dataDir);
  process.kill(pid, 0);
  await Promise.all([server.stop(), server.stop()]);
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("the server of a killed service is found and used again", async () => {
  const dataDir = await usedFolder();
  const left = await startAndKill(dataDir, false);
  await query(left, "create table kept as select 1 as one");
  const pid = await serverPid(dataDir);

  const server = await start(dataDir);
  assert.equal(server.url, left);
  assert.equal(await serverPid(dataDir), pid);
  assert.deepEqual(await query(server.url, "select one from kept"), [{ one: 1 }]);
});

test("a server that ends unexpectedly is started again at the same address, with what was committed", async () => {
  const dataDir = await usedFolder();
  const server = await start(dataDir, { durable: true });
  await query(server.url, "create table kept as select 1 as one");
  const pid = await serverPid(dataDir);
  process.kill(pid, "SIGKILL");
  const kept = await untilAnswered(server.url, "select one from kept");
  assert.deepEqual(kept, [{ one: 1 }]);
  assert.notEqual(await serverPid(dataDir), pid);
  await server.stop();
  await assert.rejects(query(server.url, "select 1"), { kind: "unavailable" });
});

test("a server that was left running without durability is replaced for a service that needs it", async () => {
  const dataDir = await usedFolder();
  await startAndKill(dataDir, false);
  const pid = await serverPid(dataDir);

  const server = await start(dataDir, { durable: true });
  assert.notEqual(await serverPid(dataDir), pid);
  assert.deepEqual(await query(server.url, "show fsync"), [{ fsync: "on" }]);
});

test("a server that was killed is started again when another program has its process id", async (t) => {
  const dataDir = await usedFolder();
  await (await start(dataDir)).stop();
  const stranger = spawn("sleep", ["60"]);
  t.after(() => stranger.kill());
  const path = join(dataDir, "postgres");
  await writeFile(
    join(path, "postmaster.pid"),
    `${stranger.pid}\n${path}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`,
  );

  const server = await start(dataDir);
  assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
});

test("a second start on a folder in use is refused, with the folder, its holder and what to do", async () => {
  const dataDir = await usedFolder();
  const server = await start(dataDir);
  await assert.rejects(start(dataDir), (error: Error) => {
    assert.match(error.message, new RegExp(`DATA_DIR ${dataDir} is in use .* process id ${process.pid}\\.`));
    assert.match(error.message, /set another DATA_DIR, or let both use one DATABASE_URL/);
    return true;
  });
  assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
});

test("of several starts at one moment on an empty folder exactly one wins", async () => {
  const dataDir = await newFolder();
  const starts = await Promise.allSettled([start(dataDir), start(dataDir), start(dataDir)]);
  const won = starts.filter(({ status }) => status === "fulfilled");
  assert.equal(won.length, 1);
});

test("files of an unfinished start are cleaned up", async () => {
  const dataDir = await newFolder();
  await mkdir(join(dataDir, "postgres.new-half", "base"), { recursive: true });
  await writeFile(join(dataDir, "postgres.new-half", "PG_VERSION"), "18\n");
  await start(dataDir);
  const names = await readdir(dataDir);
  assert.deepEqual(
    names.filter((name) => name.startsWith("postgres.new-")),
    [],
  );
});

test("only the generated password gets in, and only the owner can read it", async () => {
  const dataDir = await newFolder();
  const server = await start(dataDir);
  const wrong = new URL(server.url);
  wrong.password = "wrong";
  await assert.rejects(query(wrong.href, "select 1"), { code: "28P01" });
  if (process.platform === "win32") return;
  assert.equal((await stat(join(dataDir, "postgres.password"))).mode & 0o777, 0o600);
});

test("a server that cannot start says why, with the end of its log", async () => {
  const dataDir = await usedFolder();
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, "postgres", "PG_VERSION"), "9\n");
  await assert.rejects(
    start(dataDir),
    /did not start in .*\n(.*\n)*.*database files are incompatible with server/,
  );
});

test("a folder that cannot be written is named, with what to do", async () => {
  const file = join(await newFolder(), "file");
  await writeFile(file, "");
  await assert.rejects(start(file), /DATA_DIR .*file cannot be written .* set DATABASE_URL/);
});

test("root may run it, also in a folder that only root may enter", { skip: !isRoot }, async () => {
  const closed = join(await newFolder(), "closed");
  await mkdir(closed, { mode: 0o700 });
  const server = await start(join(closed, "data"));
  assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
});

test(
  "where another user runs the server for root, the keys next to it stay root's",
  { skip: !isRoot },
  async () => {
    const dataDir = await usedFolder();
    await chown(join(dataDir, "postgres"), NOBODY, NOBODY);
    await writeFile(join(dataDir, "master.key"), "secret", { mode: 0o600 });
    const { identity } = await openCluster(dataDir, false);
    assert.deepEqual(identity, { kind: "user", uid: NOBODY, gid: NOBODY });
    assert.equal((await stat(join(dataDir, "master.key"))).uid, 0);
  },
);

/**
 * A folder whose server was created earlier and stopped: a copy, because creating one takes a second of processor time.
 */
async function usedFolder(): Promise<string> {
  const folder = await newFolder();
  await cp(await stoppedServer(), folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

const stoppedServer = lazily(async () => {
  const folder = await mkdtemp(join(tmpdir(), "embedded-test-"));
  const server = await startEmbedded({ dataDir: folder, log: () => {}, durable: false });
  await server.stop();
  return folder;
});
after(async () => rm(await stoppedServer(), { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "embedded-test-"));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string, { durable = false } = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, log: () => {}, durable });
  servers.push(server);
  return server;
}

/** The URL of a server whose service was killed with SIGKILL as soon as the server was up. */
async function startAndKill(dataDir: string, durable: boolean): Promise<string> {
  const service = `
    const { startEmbedded } = await import(${JSON.stringify(new URL("./server.ts", import.meta.url).href)});
    const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: () => {}, durable: ${durable} });
    console.log(server.url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", service], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  return String(url).trim();
}

async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

/** Longer than the killed server's processes need to end, and the new server needs to replay its log. */
const RESTART_MS_MAX = 30_000;

async function untilAnswered(url: string, text: string): Promise<readonly object[]> {
  const deadline = performance.now() + RESTART_MS_MAX;
  for (;;) {
    try {
      return await query(url, text);
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

async function query<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const db = openDatabase(url, { connections: 1, onIdleError: () => {} });
  try {
    return await db.query<Row>(...adHoc(text));
  } finally {
    await db.close();
  }
}
