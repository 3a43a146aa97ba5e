/**
 * The drill: instances of the last release under steady load, and the usual operations; only requests at a killed
 * instance may fail.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../src/db/postgres.ts";
import { childEnv } from "../../tests/support/child-env.ts";
import { startReceiver } from "../../tests/support/receiver.ts";
import { unpackRelease } from "../../tests/support/release.ts";
import { OPERATOR_KEY } from "../../tests/support/service.ts";
import { adHoc } from "../ad-hoc.ts";
import { startDatabase } from "../chaos/database.ts";
import { startRedis } from "../chaos/redis.ts";
import { startBalancer, type Balancer } from "./balancer.ts";
import { openShop, startLoad, type Load } from "./load.ts";
import { openMember, type Member } from "./member.ts";
import { replaceAll, untilReady } from "./rolling.ts";

export interface Row {
  readonly step: string;
  readonly seconds: number;
  readonly requests: number;
  /** Failed requests, except those of a killed or paused instance. */
  readonly failed: number;
  readonly ofStopped: number;
  readonly note: string;
  readonly failures: readonly string[];
}

interface DrillOptions {
  readonly instances: number;
  readonly customers: number;
}

const ROOT = join(import.meta.dirname, "../..");
const STEADY_MS = 5_000;
/** Longer than an instance's leases. */
const PAUSED_MS = 33_000;
const DRAIN_SECONDS = 4;

/** @returns whether no other request failed, and both databases have the same books and all acknowledged payments. */
export async function runDrill(
  { instances, customers }: DrillOptions,
  onRow: (row: Row) => void,
): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), "payment-sessions-drill-"));
    closing.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const release = await unpackRelease();
    closing.push(() => release.remove());
    const database = await startDatabase(join(folder, "database"));
    closing.push(() => database.stop());
    const redis = await startRedis();
    if (redis !== null) closing.push(() => redis.stop());
    const receiver = await startReceiver();
    closing.push(() => receiver.close());

    const [first, second] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
    const envWith = (...keys: readonly string[]) => ({
      DATABASE_URL: database.url(),
      DATA_DIR: folder,
      MASTER_KEYS: keys.join(","),
      OPERATOR_KEY,
      MIGRATE_ON_START: "false",
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      DEMO: "false",
      TRUSTED_PROXIES: "127.0.0.1",
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    });
    const mainOf = (root: string) => join(root, "src/main.ts");
    const cli = (root: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      run(join(root, "src/cli.ts"), env, args);

    await cli(release.folder, envWith(first), "migrate");
    const names = Array.from({ length: instances }, (_, index) => `instance ${index + 1}`);
    const members = await Promise.all(names.map(openMember));
    const balancer = await startBalancer(members);
    closing.push(() => balancer.close());
    const begin = { program: mainOf(release.folder), env: envWith(first) };
    for (const member of members) {
      closing.push(() => member.stop());
      member.start(begin);
    }
    for (const member of members) await untilReady(balancer, member);
    const merchant = await openShop(balancer.url, receiver.url);
    const load = startLoad(balancer.url, merchant, customers);
    closing.push(() => load.stop());
    const steps = stepsOn(load, balancer, onRow);
    const [victim, sleeper] = members;
    if (victim === undefined || sleeper === undefined) throw new Error("A fleet has at least two instances");

    await steps.run("steady load", async () => {
      await sleep(STEADY_MS);
      return `release ${release.version}, ${instances} instances${redis === null ? ", no Redis here" : ", Redis"}`;
    });
    const rotated = async (...keys: readonly string[]) => {
      await replaceAll(balancer, members, { program: mainOf(release.folder), env: envWith(...keys) });
      return "restarted one after the other";
    };
    await steps.run("rotate keys: both open", () => rotated(first, second));
    await steps.run("rotate keys: the new one seals", () => rotated(second, first));
    await steps.run("rotate keys: reseal", async () =>
      lastLine(await cli(release.folder, envWith(second, first), "keys", "reseal")),
    );
    await steps.run("rotate keys: without the old one", () => rotated(second));
    await steps.run("upgrade: migrate", async () => lastLine(await cli(ROOT, envWith(second), "migrate")));
    const spec = { program: mainOf(ROOT), env: envWith(second) };
    await steps.run("upgrade: replace instances", async () => {
      await replaceAll(balancer, members, spec);
      return "one after the other";
    });
    await steps.run(
      "kill -9 of an instance",
      async () => {
        victim.signal("SIGKILL");
        await sleep(STEADY_MS);
        victim.start(spec);
        await untilReady(balancer, victim);
        return `${victim.name}, started again after ${STEADY_MS / 1_000} s`;
      },
      [victim],
    );
    await steps.run(
      "pause an instance",
      async () => {
        sleeper.signal("SIGSTOP");
        await sleep(PAUSED_MS);
        sleeper.signal("SIGCONT");
        await untilReady(balancer, sleeper);
        return `${sleeper.name}, for ${PAUSED_MS / 1_000} s`;
      },
      [sleeper],
    );

    const restoredTo = async (name: string): Promise<string> => {
      const file = join(folder, `${name}.backup`);
      await cli(ROOT, envWith(second), "export", file);
      const url = await newDatabase(database.url(), name);
      await cli(ROOT, { ...envWith(second), DATABASE_URL: url }, "import", file);
      return url;
    };
    let restored = "";
    await steps.run("back up and restore, under load", async () => {
      restored = await restoredTo("under_load");
      await cli(ROOT, { ...envWith(second), DATABASE_URL: restored }, "books", "check");
      return "the books of the second database agree";
    });
    let same = false;
    await steps.run("restore when all is quiet, compare", async () => {
      await load.stop();
      await receiver.arrived(load.completed.length);
      for (const member of members) await member.stop();
      const books = await cli(ROOT, envWith(second), "books", "check");
      const url = await restoredTo("quiet");
      const again = await cli(ROOT, { ...envWith(second), DATABASE_URL: url }, "books", "check");
      const there = await Promise.all([database.url(), url].map((one) => paidIn(one, load.completed)));
      same = books === again && there.every((count) => count === load.completed.length);
      return `the books of both ${books === again ? "are the same" : "DIFFER"}; of ${load.completed.length} payments that were told, there are ${there.join(" and ")}`;
    });
    return same && steps.failed() === 0;
  } finally {
    for (const end of closing.toReversed()) await end();
  }
}

/** Runs steps, and reports the load's results for each. */
function stepsOn(load: Load, balancer: Balancer, onRow: (row: Row) => void) {
  let failed = 0;
  return {
    failed: () => failed,
    /** @param stopped instances that it kills or pauses, whose requests may fail. */
    async run(step: string, work: () => Promise<string>, stopped: readonly Member[] = []): Promise<void> {
      const began = performance.now();
      const [requests, unexpected, failures] = [
        load.requests(),
        load.unexpected.length,
        balancer.failures.length,
      ];
      const note = await work();
      const lost = balancer.failures.slice(failures);
      const isOfStopped = ({ instance }: { readonly instance: string | null }) =>
        stopped.some(({ name }) => name === instance);
      const excused = lost.filter(isOfStopped);
      const wrong = load.unexpected.slice(unexpected).filter(({ what }) => !what.includes("answered 502"));
      // The response of a resumed instance to a request from before the pause.
      const late = wrong.filter(isOfStopped);
      const answers = wrong.filter((one) => !isOfStopped(one));
      const blamed = lost.filter((one) => !excused.includes(one));
      const row = {
        step,
        seconds: (performance.now() - began) / 1_000,
        requests: load.requests() - requests,
        failed: blamed.length + answers.length,
        ofStopped: excused.length + late.length,
        note,
        failures: [
          ...blamed.map(({ instance, request, why }) => `${instance}: ${request}: ${why}`),
          ...answers.map(({ instance, what }) => `${instance}: ${what}`),
        ],
      };
      failed += row.failed;
      onRow(row);
    },
  };
}

/** @returns the command's output. @throws Error with the output if it fails. */
async function run(
  program: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...childEnv(), ...env },
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}: ${output}${errors}`);
  return output;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

async function newDatabase(server: string, name: string): Promise<string> {
  await withRows(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** How many of the payments are in the database, and were collected. */
async function paidIn(url: string, transactions: readonly string[]): Promise<number> {
  const found = await withRows(
    url,
    "select count(*)::int as n from transactions where id = any ($1::uuid[]) and status in ('approved', 'refunded')",
    [transactions],
  );
  return found[0]?.["n"] ?? 0;
}

async function withRows(url: string, text: string, values: readonly unknown[] = []) {
  const db = openDatabase(url, { connections: 1, onIdleError: () => {}, statementTimeoutMs: 60_000 });
  return db.query<{ readonly n?: number }>(...adHoc(text, values)).finally(() => db.close());
}
