/** Two instances of the service on one database, with the bank, the receivers, the clock and chance as models around them. */
import assert from "node:assert/strict";
import pg from "pg";
import { createApp, type App } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Log } from "../../src/lib/log.ts";
import { Refusal } from "../../src/refusals.ts";
import { onClock } from "../support/database-clock.ts";
import { OPERATOR_KEY, testConfig, type Json } from "../support/service.ts";
import { createBank, type Bank } from "./bank.ts";
import { gatedDatabase } from "./database.ts";
import { createGate, Killed, type Fate, type Gate, type Process } from "./gate.ts";
import { seeded, seededIds, type Random } from "./random.ts";
import { watchLeases } from "./leases.ts";
import { createReceivers, type Receivers } from "./receivers.ts";

/** How much goes wrong in a run: each seed has its own mixture, so that some kinds of trouble come alone. */
export interface Trouble {
  readonly database: number;
  readonly kills: number;
  readonly killsAtSteps: number;
  readonly bank: number;
  readonly receivers: boolean;
  /** Answers that never reach the caller. */
  readonly lostAnswers: number;
}

export const NO_TROUBLE: Trouble = {
  database: 0,
  kills: 0,
  killsAtSteps: 0,
  bank: 0,
  receivers: false,
  lostAnswers: 0,
};

export interface Instance {
  readonly process: Process;
  readonly app: App;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

export interface World {
  readonly gate: Gate;
  readonly bank: Bank;
  readonly receivers: Receivers;
  readonly instances: readonly Instance[];
  readonly merchant: Shop;
  readonly random: () => Random;
  /** What the harness itself reads: past the gate. */
  readonly db: Database;
  readonly lines: readonly string[];
  readonly violations: string[];
  trouble: Trouble;
  nowMs(): number;
  /** Calls of this run through the gate. */
  calls(): number;
  advance(ms: number): void;
  trace(line: string): void;
  /** A call of a client; null when no answer came. */
  call(instance: Instance, method: "GET" | "POST", path: string, more?: CallMore): Promise<Answer | null>;
  /** Holds the rows of sessions, transactions, subscriptions and receivers until the returned function ends it. */
  hold(): Promise<() => Promise<void>>;
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  /** Forgets everything of the seed before, and begins another. */
  begin(seed: number, echo: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface CallMore {
  readonly body?: unknown;
  readonly key?: string;
  readonly idempotencyKey?: string | null;
}

/** The one merchant of the simulation. */
export interface Shop {
  readonly tenant: number;
  readonly key: string;
  /** A gateway that tells of a payment when it is accepted, and one that tells when it is settled. */
  readonly gateways: readonly string[];
  readonly settlementGateway: string;
  /** Receiver by URL, with what it wants to hear of. */
  readonly receivers: Readonly<Record<string, readonly string[]>>;
}

const PLENTY = { allowed: true, remaining: 1_000, retryAfterMs: 0, resetMs: 0 };
const RECEIVERS = {
  "http://127.0.0.1:9/all": [
    "payment_session.completed",
    "payment_session.expired",
    "transaction.created",
    "transaction.status_changed",
    "chargeback.created",
    "subscription.upcoming",
  ],
  "http://127.0.0.1:9/paid": ["payment_session.completed"],
} as const;
const START_MS = Date.UTC(2027, 0, 4, 9);
const HOUR_MS = 3_600_000;
/** How far the second process's clock may be from the database's. */
const SKEW_MS_MAX = 60_000;

/** @param databaseUrl of a migrated database that nobody else uses. */
export async function createWorld(databaseUrl: string): Promise<World> {
  let random = seeded(0);
  let [atMs, monotonicMs] = [START_MS, START_MS];
  let skews = [0, 0];
  let echoes = false;
  const lines: string[] = [];
  const violations: string[] = [];
  let held = false;
  let callsBefore = 0;
  const harness = openDatabase(databaseUrl, { connections: 2, onIdleError: () => {} });
  const locker = new pg.Client({ connectionString: databaseUrl });
  const monitor = new pg.Client({ connectionString: databaseUrl });
  await Promise.all([locker.connect(), monitor.connect()]);

  const trace = (line: string): void => {
    lines.push(line);
    if (echoes) console.log(line);
  };
  const fateOf = (allowed: readonly Fate[]): Fate => {
    const { database, kills } = world.trouble;
    const draw = random.next();
    const wanted =
      draw < database
        ? random.pick(["refused", "lost"] as const)
        : draw < database + kills
          ? random.pick(["killed_before", "killed_after"] as const)
          : "ok";
    return allowed.includes(wanted) ? wanted : "ok";
  };
  const gate = createGate({
    random: () => random,
    fateOf,
    trace,
    failed: (error) => violations.push(`an operation failed: ${String(error)}`),
    locksHeld: () => held || database.open() > 0,
    async lockWaits() {
      const { rows } = await monitor.query<{ waits: number }>({
        name: "waits",
        text: "select count(*)::integer as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      });
      return rows[0]?.waits ?? 0;
    },
  });
  const database = gatedDatabase(gate);
  const leases = watchLeases(
    () => atMs,
    (what) => violations.push(what),
  );
  const bank = createBank({ gate, now: () => new Date(atMs), faults: () => world.trouble.bank, trace });
  const receivers = createReceivers(gate, () => world.trouble.receivers);
  const config = testConfig("http://pay.example.test", { masterKey: Buffer.alloc(32, 7) });
  const ids = seededIds(() => random);

  const log: Log = {
    info: () => {},
    warn: () => {},
    error(message, error) {
      if (isExpected(error)) return;
      violations.push(
        `an instance logged: ${message}: ${error instanceof Error ? error.stack : String(error)}`,
      );
    },
  };
  const start = async (index: number): Promise<Instance> => {
    const process: Process = { name: "AB".charAt(index), life: 0 };
    const clock: Clock = {
      now: () => new Date(atMs + (skews[index] ?? 0)),
      monotonicMs: () => monotonicMs,
    };
    const app = await createApp(config, databaseUrl, log, {
      clock,
      ids,
      pause: (ms) => gate.pass(`pause of ${ms} ms`, () => {}),
      adapters: [bank.adapter],
      sender: receivers.sender,
      counters: { hit: async () => PLENTY, close: async () => {} },
      // The database's clock is right; those of the processes are not.
      between: (db) => database.wrap(leases.wrap(onClock(db, { now: () => new Date(atMs) }))),
      reached(step) {
        gate.assertAlive();
        if (gate.current() === undefined || !random.chance(world.trouble.killsAtSteps)) return;
        trace(`${process.name} reached ${step}`);
        gate.kill(process);
        throw new Killed();
      },
    });
    await app.server.app.ready();
    return { process, app };
  };
  const instances = [await start(0), await start(1)];

  const call: World["call"] = async (instance, method, path, { body, key, idempotencyKey } = {}) => {
    const { process, app } = instance;
    const life = gate.current()?.life ?? process.life;
    const response = await app.server.app
      .inject({
        method,
        url: path.startsWith("/") ? path : `/api/v1/${path}`,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(typeof idempotencyKey === "string" ? { "idempotency-key": idempotencyKey } : {}),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      .catch(() => null);
    if (response === null || process.life !== life) return null;
    const answer: Answer = { status: response.statusCode, body: parsed(response.payload) };
    trace(
      `${gate.current()?.name ?? "setup"} answered ${answer.status} ${String(answer.body["status"] ?? answer.body["detail"] ?? "")}`,
    );
    if (answer.status === 500) violations.push(`CALL-3: ${path} answered 500`);
    if (random.chance(world.trouble.lostAnswers)) {
      trace(`${gate.current()?.name ?? ""} does not hear of it`);
      return null;
    }
    return answer;
  };

  const world: World = {
    gate,
    bank,
    receivers,
    instances,
    merchant: {} as Shop,
    random: () => random,
    db: harness,
    lines,
    violations,
    trouble: NO_TROUBLE,
    nowMs: () => atMs,
    calls: () => gate.calls() - callsBefore,
    advance(ms) {
      atMs += ms;
      monotonicMs += Math.max(ms, 0);
      trace(`the clock moves by ${ms / 1_000} s to ${new Date(atMs).toISOString()}`);
    },
    trace,
    call,
    async hold() {
      held = true;
      await locker.query("begin");
      for (const table of ["sessions", "transactions", "subscriptions", "webhook_receivers"])
        await locker.query(`select from ${table} for no key update skip locked`);
      return async () => {
        await locker.query("rollback");
        held = false;
      };
    },
    rows: (text, values = []) => harness.query<Json>({ name: "", text }, values),
    async begin(seed, echo) {
      echoes = echo;
      lines.length = 0;
      violations.length = 0;
      callsBefore = gate.calls();
      world.trouble = NO_TROUBLE;
      await harness.query({ name: "", text: FORGET }, []);
      await harness.query({ name: "", text: SETTINGS }, [world.merchant.settlementGateway]);
      random = seeded(seed);
      skews = [0, random.below(2 * SKEW_MS_MAX) - SKEW_MS_MAX];
      leases.reset();
      atMs = START_MS + random.below(400) * 24 * HOUR_MS;
      bank.reset(random.fork());
      receivers.reset(random.fork());
    },
    async close() {
      await Promise.all(instances.map(({ app }) => app.close()));
      await Promise.all([harness.close(), locker.end(), monitor.end()]);
    },
  };
  Object.assign(world, { merchant: await openShop(world) });
  return world;
}

/** What trouble explains: lost connections and kills. */
export function isExpected(error: unknown): boolean {
  if (error instanceof Killed) return true;
  if (error instanceof Refusal) return error.kind === "unavailable";
  // What the bank's line does to those who ask it for news.
  return (
    error instanceof Error &&
    /did not answer in time|socket hang up|No payment of this gateway has|Unexpected token '<'|ECONNREFUSED/.test(
      error.message,
    )
  );
}

/** Everything of the merchant's business; who the merchant is stays. */
const FORGET = `do $$ declare name text; begin
  set local session_replication_role = replica;
  foreach name in array array['gateway_news_set_aside', 'webhook_attempts', 'webhook_deliveries', 'webhook_receivers', 'events', 'chargebacks',
    'billing_cycles', 'session_moves', 'transactions', 'subscriptions', 'mandates', 'orders', 'sessions', 'leads',
    'idempotency_keys', 'payment_counts'] loop
    execute format('delete from %I', name);
  end loop;
  update api_keys set last_used_at = null;
end $$`;

/** The gateways tell as they did at first. */
const SETTINGS =
  "update gateways set completed_event_at = case when id = $1 then 'settlement' else 'acceptance' end";

async function openShop(world: World): Promise<Shop> {
  const [instance] = world.instances as [Instance];
  const made = async (key: string, resource: string, body: object): Promise<Json> => {
    const answer = await world.call(instance, "POST", `management/${resource}/`, { key, body });
    assert.equal(answer?.status, 201, JSON.stringify(answer?.body));
    return answer?.body ?? {};
  };
  const { id, api_key: key } = await made(OPERATOR_KEY, "tenants", { name: "Shop", country: "DE" });
  const gateway = (completed_event_at: string) =>
    made(key, "gateways", { name: "Bank", adapter: "model", test_mode: true, completed_event_at });
  const gateways = [(await gateway("acceptance"))["id"], (await gateway("settlement"))["id"]];
  for (const [url, events] of Object.entries(RECEIVERS)) {
    await made(key, "webhook-profiles", { name: url, url, events, payload_fields: { id: "event_id" } });
  }
  const [row] = await world.rows("select tenant from tenants where id = $1", [id]);
  return { tenant: row?.["tenant"], key, gateways, settlementGateway: gateways[1], receivers: RECEIVERS };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
