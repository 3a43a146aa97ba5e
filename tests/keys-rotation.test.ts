/** Two real processes get another master key, one after the other, while customers pay, and no request fails. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";
import { keyName } from "../src/lib/keyring.ts";
import { adHoc } from "../tools/ad-hoc.ts";
import { assertBooksAgree } from "./support/books.ts";
import { childEnv } from "./support/child-env.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { createIntegration, type Integration } from "./support/integrations.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { openPage, pathOf, referenceOf, sendForm } from "./support/page.ts";
import { machine, serviceOf, type Machine, type ServiceProcess } from "./support/process.ts";
import { freshAddress, type Json, type Response, type Service } from "./support/service.ts";

const OLD = Buffer.alloc(32, 21);
const NEW = Buffer.alloc(32, 22);
/** Node starts ten times, possibly on a busy machine. */
const MS_MAX = 300_000;
/** Each customer waits this long after a purchase, so that the processor has time for the starts. */
const PAUSE_MS = 200;
const base64 = (keys: readonly Buffer[]) => keys.map((key) => key.toString("base64")).join(",");

/** An instance as the load balancer sees it. It gets requests while `in` is true. */
interface Instance {
  readonly host: Machine;
  process: ServiceProcess;
  in: boolean;
  underWay: number;
}

let database: TestDatabase;
let fleet: readonly Instance[];
let merchant: Merchant;
let partner: Integration;
let turn = 0;

/** The load balancer sends each call to the next instance that is in. */
const balanced: Service = serviceOf(() => {
  throw new Error("not one process");
});

function through(instance: Instance): Service {
  const call: Service["call"] = async (...args) => {
    instance.underWay += 1;
    try {
      return await instance.process.call(...args);
    } finally {
      instance.underWay -= 1;
    }
  };
  return {
    ...balanced,
    call,
    get: (path, options) => call("GET", path, undefined, options),
    post: (path, body, options) => call("POST", path, body, options),
  };
}

/** The next instance, so that two calls in a row go to different instances if there are two. */
function next(): Service {
  for (;;) {
    turn += 1;
    const instance = fleet[turn % fleet.length];
    if (instance?.in === true) return through(instance);
  }
}

before(async () => {
  database = await testDatabase();
  const hosts = await Promise.all([machine(database.url), machine(database.url)]);
  const started: Instance[] = [];
  for (const host of hosts)
    started.push({ host, process: await host.start({ MASTER_KEY: base64([OLD]) }), in: true, underWay: 0 });
  fleet = started;
  merchant = await createMerchant(next());
  partner = await createIntegration(next(), merchant.key);
});
after(async () => {
  await Promise.all(fleet.map(({ process }) => process.stop()));
  await Promise.all(fleet.map(({ host }) => host.remove()));
  await database.close();
});

const failed: string[] = [];
let served = 0;
const counts = { requests: 0, sessions: 0, postbacks: 0 };

function expect(status: readonly number[], what: string, answer: Response): Response {
  counts.requests += 1;
  if (!status.includes(answer.status)) failed.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  return answer;
}

interface Sold {
  readonly token: string;
}

/** A customer's purchase, with each step at another instance than the previous one. */
async function customer(n: number): Promise<Sold> {
  const options = { key: merchant.key, headers: { "idempotency-key": `create-${n}` }, from: freshAddress() };
  const body = {
    lead: lead(),
    gateway_id: merchant.gatewayId,
    amount: "19.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const created = expect([201], "create", await next().post("payment-sessions/", body, options));
  const replayed = expect([201], "replay", await next().post("payment-sessions/", body, options));
  if (replayed.text !== created.text) failed.push("the replayed answer is another one");
  const token: string = created.body["session_token"];
  expect([200], "retrieve", await next().get(`payment-sessions/${token}/`));
  const page = await openPage(next(), pathOf(token));
  if (expect([200], "page", page).status !== 200) return { token };
  const sent = await sendForm(next(), token, { iban: IBAN.approved, reference: referenceOf(page) });
  expect([303], "form", sent);
  const read = expect([200], "retrieve", await next().get(`payment-sessions/${token}/`));
  if (read.body["status"] !== "COMPLETED") failed.push(`the form was not taken: ${read.text}`);
  counts.sessions += 1;
  return { token };
}

/** Sends one postback to both instances at once; it counts once. */
async function postback(n: number): Promise<void> {
  const body = { request_uuid: `postback-${n}` };
  const answers = await Promise.all([next(), next()].map((at) => at.post(partner.path, body)));
  const ids = new Set(answers.map((answer) => expect([200], "postback", answer).body["activity_id"]));
  if (ids.size !== 1) failed.push(`a postback was taken twice: ${[...ids].join(" ")}`);
  counts.postbacks += 1;
}

/** Reads a list whose pages come from different instances. */
async function list(): Promise<void> {
  let path: string | null = "management/payment-sessions/?page_size=2";
  for (let pages = 0; pages < 3 && path !== null; pages += 1) {
    const answer: Response = expect([200], "page of a list", await next().get(path, { key: merchant.key }));
    const link: string | null = answer.body["next"] ?? null;
    path = link === null ? null : (link.split("/api/v1/")[1] ?? null);
  }
}

/** Lets customers buy until `work` is done. @returns their purchases. */
async function under<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly sold: readonly Sold[] }> {
  const stop = new AbortController();
  const sold: Sold[] = [];
  const serve = async () => {
    while (!stop.signal.aborted) {
      served += 1;
      const n = served;
      sold.push(await customer(n));
      await postback(n);
      await list();
      await sleep(PAUSE_MS);
    }
  };
  const serving = [serve(), serve()];
  const result = await work().finally(() => stop.abort());
  await Promise.all(serving);
  return { result, sold };
}

/**
 * Restarts one instance after the other with other keys. The load balancer sends no requests to an instance meanwhile.
 */
async function roll(env: Readonly<Record<string, string>>): Promise<void> {
  for (const instance of fleet) {
    instance.in = false;
    while (instance.underWay > 0) await sleep(5);
    await instance.process.stop();
    instance.process = await instance.host.start(env);
    instance.in = true;
    await sleep(300);
  }
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command like an operator; `stop` kills it. */
function keysCommand(
  command: string,
  keys: readonly Buffer[],
  stop: (output: string) => boolean = () => false,
) {
  return new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../src/cli.ts"), "keys", command], {
      env: { ...childEnv(), DATABASE_URL: database.url, MASTER_KEYS: base64(keys), DATA_DIR: "/nonexistent" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (stop(output)) child.kill("SIGKILL");
      });
    child.on("exit", (code) => resolve({ code, output }));
  });
}

test(
  "two instances get another master key in two steps under load and the old key is removed, without a failed request",
  { timeout: MS_MAX },
  async (t) => {
    const before = await under(() => sleep(500));
    // Step 1: the new key can decrypt everywhere.
    const first = await under(() => roll({ MASTER_KEYS: base64([OLD, NEW]) }));
    // Step 2: the new key encrypts.
    const second = await under(() => roll({ MASTER_KEYS: base64([NEW, OLD]) }));
    // Enough rows that the command can be killed while it runs.
    await database.db.commit(
      ...adHoc(`insert into idempotency_keys (tenant, caller, key, request_id, request_hash, locked_until, status, answer, created_at)
      select tenant, caller, 'copy-' || n || key, gen_random_uuid(), request_hash, locked_until, status, answer, created_at
        from idempotency_keys, generate_series(1, 300) n where key like 'create-%' limit 5000`),
    );
    const third = await under(async () => {
      const keys = [NEW, OLD];
      assert.match(
        (await keysCommand("status", keys)).output,
        new RegExp(`the key ${keyName(OLD)}, number \\d+: opens`),
      );
      const killed = await keysCommand("reseal", keys, (output) => / of /.test(output));
      assert.equal(killed.code, null, killed.output);
      // The copies are encrypted with the keys of the rows that they were copied from.
      await database.db.commit(...adHoc("delete from idempotency_keys where key like 'copy-%'"));
      const resumed = await keysCommand("reseal", keys);
      assert.equal(resumed.code, 0, resumed.output);
      assert.match(resumed.output, /^\d+ of \d+ values resealed \(\d+ %\)$/m);
      return keysCommand("status", keys);
    });
    assert.match(third.result.output, new RegExp(`the key ${keyName(OLD)} can leave MASTER_KEYS`));
    const last = await under(() => roll({ MASTER_KEYS: base64([NEW]) }));

    assert.deepEqual(failed, []);
    for (const { token } of [before, first, second, third, last].flatMap(({ sold }) => sold)) {
      const read = await next().get(`payment-sessions/${token}/`);
      assert.deepEqual([read.status, read.body["session_token"]], [200, token]);
    }
    assert.ok([before, first, second, third, last].every(({ sold }) => sold.length > 0));
    const rows = await database.db.query<Json>(
      ...adHoc("select name, dropped_at from master_keys order by first_seen_at"),
    );
    assert.deepEqual(
      rows.map((row) => [row["name"], row["dropped_at"] !== null]),
      [
        [keyName(OLD), true],
        [keyName(NEW), false],
      ],
    );
    await assertBooksAgree(database.db);
    t.diagnostic(JSON.stringify(counts));
  },
);
