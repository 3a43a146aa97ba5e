/** Two instances of the service on one database. The bank, the receivers, the clock and randomness are models. */
import pg from "pg";
import { createApp, type App } from "../../src/app.ts";
import type { Calls, Database } from "../../src/db/database.ts";
import { isDistributed } from "../../src/db/place.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Log } from "../../src/lib/log.ts";
import { Refusal } from "../../src/refusals.ts";
import { onClock } from "../support/database-clock.ts";
import { testConfig, type Json } from "../support/service.ts";
import { createBank, type Bank } from "./bank.ts";
import { FORGET_MOVES, MOVES_TABLE, noting, signed } from "./moves.ts";
import { openShops, type Shop } from "./shops.ts";
import { NO_TROUBLE, type Swarm, type Trouble } from "./swarm.ts";
import { gatedDatabase } from "./database.ts";
import { firstFree } from "./first-free.ts";
import { createGate, Killed, type Fate, type Gate, type Process } from "./gate.ts";
import { seeded, type Random } from "../../tools/random.ts";
import { seededIds } from "./seeded-ids.ts";
import { watchLeases } from "./leases.ts";
import { createReceivers, type Receivers } from "./receivers.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

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
  /** Merchants with the same customers, references and keys. */
  readonly shops: readonly Shop[];
  readonly random: () => Random;
  /** For reads of the simulation itself, which do not go through the gate. */
  readonly db: Database;
  readonly lines: readonly string[];
  readonly violations: string[];
  /**
   * How often each step of `Deps.reached` was reached since the world was created, and how often an instance was killed
   * there.
   */
  readonly steps: ReadonlyMap<string, number>;
  readonly kills: ReadonlyMap<string, number>;
  trouble: Trouble;
  nowMs(): number;
  /** The number of calls of this run through the gate. */
  calls(): number;
  /** Grows with each change of the invariants' input: records, the bank's books, responses. */
  changes(): number;
  advance(ms: number): void;
  trace(line: string): void;
  /** A client's call; null when no response came. */
  call(instance: Instance, method: Method, path: string, more?: CallMore): Promise<Answer | null>;
  /** Whether a transaction is open. A paused process would keep its locks. */
  inTransaction(): boolean;
  /** Locks rows of sessions, transactions, subscriptions and receivers until the returned function is called. */
  hold(): Promise<() => Promise<void>>;
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  /** Forgets the previous seed and begins another. */
  begin(seed: number, echo: boolean): Promise<void>;
  /** Applies the settings of a seed. */
  choose(swarm: Swarm): Promise<void>;
  close(): Promise<void>;
}

export type Method = "GET" | "POST" | "PATCH";

export interface CallMore {
  readonly body?: unknown;
  /** Further fields of the form that uploads a processor's file. */
  readonly form?: Readonly<Record<string, string>>;
  /** The fields of a page's form. */
  readonly page?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly idempotencyKey?: string | null;
}

const PLENTY = { allowed: true, remaining: 1_000, retryAfterMs: 0, resetMs: 0 };
const START_MS = Date.UTC(2027, 0, 4, 9);
const HOUR_MS = 3_600_000;
/** The greatest difference between the second process's clock and the database's. */
const SKEW_MS_MAX = 60_000;
/** Includes the seconds by which a clock is set back at times. */
export const CLOCKS_APART_MS = SKEW_MS_MAX + 10_000;
/** As many as two real instances have. */
const SERVICE_CONNECTIONS = 20;
/** After so many seeds the tables are truncated, to remove what deleted rows leave behind. */
const EMPTIED_EVERY = 50;
/** The seed decides how long a transaction is paused, and a busy machine may add any time to that. */
const NO_TIME_LIMITS =
  "select set_config('idle_in_transaction_session_timeout', '0', false), set_config('lock_timeout', '0', false)";
const HELD = ["sessions", "transactions", "subscriptions", "webhook_receivers"] as const;

/**
 * @param databaseUrl a migrated database for this run only. @param notesMoves whether to record changes of status
 * with their writer.
 */
export async function createWorld(databaseUrl: string, notesMoves = false): Promise<World> {
  let random = seeded(0);
  let [atMs, monotonicMs] = [START_MS, START_MS];
  let skews = [0, 0];
  let echoes = false;
  const lines: string[] = [];
  const names = new Map<string, string>();
  const steps = new Map<string, number>();
  const kills = new Map<string, number>();
  const violations: string[] = [];
  let held = false;
  let callsBefore = 0;
  let [answers, moved, begun] = [0, 0, 0];
  // Connections stay open, because what they have prepared and planned is useful in every seed.
  const kept = { onIdleError: () => {}, idleTimeoutMs: 0 };
  const harness = openDatabase(databaseUrl, { ...kept, connections: 2 });
  // The instances share their connections, because each connection prepares and plans all statements for itself.
  const pools = Array.from({ length: SERVICE_CONNECTIONS }, () =>
    openDatabase(databaseUrl, { ...kept, connections: 1 }),
  );
  // One after the other, because a busy machine does not open that many at once in time.
  for (const pool of pools) await pool.query(...adHoc(NO_TIME_LIMITS));
  const service = firstFree(pools);
  const shared: Calls = { ...service, close: async () => {} };
  const locker = new pg.Client({ connectionString: databaseUrl });
  const monitor = new pg.Client({ connectionString: databaseUrl });
  await Promise.all([locker.connect(), monitor.connect()]);
  const onCluster = await isDistributed(monitor);
  if (!onCluster) await monitor.query(FIND_DEADLOCKS_AT_ONCE);

  const trace = (line: string): void => {
    lines.push(line);
    if (echoes) console.log(line);
  };
  const fateOf = (allowed: readonly Fate[]): Fate => {
    const { database: cuts, kills, late } = world.trouble;
    const draw = random.next();
    const wanted =
      draw < cuts
        ? random.chance(late)
          ? "late"
          : random.pick(["refused", "lost"] as const)
        : draw < cuts + kills
          ? random.pick(["killed_before", "killed_after"] as const)
          : "ok";
    return allowed.includes(wanted) ? wanted : "ok";
  };
  const gate = createGate({
    random: () => random,
    fateOf,
    trace,
    failed: (error) => violations.push(`an operation failed: ${String(error)}`),
    crowding: () => world.trouble.crowding,
    mayWait: (busy) => held || database.mayWait(busy),
    async mayAllWait(busy) {
      if (onCluster) return true;
      const { rows } = await monitor.query<{ readonly waiting: number }>({
        name: "seen",
        text: SEEN_WAITING,
      });
      return (rows[0]?.waiting ?? 0) >= busy;
    },
    async lockWaits() {
      const { rows } = await monitor.query<Waiter>({
        name: "waits",
        // A granted lock still counts as waited for until its statement runs, which takes longer on a busy machine.
        text: onCluster ? WAITS_ON_CLUSTER : WAITS,
      });
      return isDeadlock(rows) ? 0 : rows.length;
    },
  });
  const database = gatedDatabase(gate, (statement) => {
    const step = `${statement} for several`;
    steps.set(step, (steps.get(step) ?? 0) + 1);
  });
  const leases = watchLeases(
    () => atMs,
    (what) => violations.push(what),
  );
  // The database's clock is right; those of the processes are not.
  const inTime = onClock(shared, { now: () => new Date(atMs) });
  const gated = database.wrap(leases.wrap(signed(inTime, () => gate.current(), notesMoves)));
  const bank = createBank({
    gate,
    now: () => new Date(atMs),
    faults: () => world.trouble.bank,
    repeats: () => world.trouble.repeats,
    moved(line) {
      moved += 1;
      trace(line);
    },
    trace,
    broken: (what) => void violations.push(what),
  });
  const receivers = createReceivers(gate, () => world.trouble.receivers);
  const config = testConfig("http://pay.example.test", {
    masterKeys: [Buffer.alloc(32, 7)],
    // The request log would draw ids at some time after the response, so a repeated run would differ.
    requestLogDays: 0,
  });
  const ids = seededIds(
    () => random,
    () => gate.current()?.tenant ?? null,
  );

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
      between: () => gated,
      reached(step) {
        gate.assertAlive();
        if (gate.current() === undefined) return;
        const isKilled = random.chance(world.trouble.killsAtSteps);
        steps.set(step, (steps.get(step) ?? 0) + 1);
        if (!isKilled) return;
        kills.set(step, (kills.get(step) ?? 0) + 1);
        trace(`${process.name} reached ${step}`);
        gate.kill(process);
        throw new Killed();
      },
    });
    await app.server.app.ready();
    return { process, app };
  };
  const instances = [await start(0), await start(1)];

  const call: World["call"] = async (
    instance,
    method,
    path,
    { body, form, page, key, idempotencyKey } = {},
  ) => {
    const { process, app } = instance;
    const life = gate.current()?.life ?? process.life;
    const response = await app.server.app
      .inject({
        method,
        url: path.startsWith("/") ? path : `/api/v1/${path}`,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(page === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
          ...(form === undefined ? {} : { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(typeof idempotencyKey === "string" ? { "idempotency-key": idempotencyKey } : {}),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        ...(form === undefined ? {} : { payload: multipart(form) }),
        ...(page === undefined ? {} : { payload: new URLSearchParams(page).toString() }),
      })
      .catch(() => null);
    if (response === null || process.life !== life) return null;
    const answer: Answer = { status: response.statusCode, body: parsed(response.payload) };
    trace(
      `${gate.current()?.name ?? "setup"} answered ${answer.status} ${String(answer.body["status"] ?? answer.body["detail"] ?? "")}`,
    );
    answers += 1;
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
    shops: [],
    steps,
    kills,
    random: () => random,
    db: harness,
    lines,
    violations,
    trouble: NO_TROUBLE,
    nowMs: () => atMs,
    calls: () => gate.calls() - callsBefore,
    changes: () => gate.changes() + answers + moved,
    advance(ms) {
      atMs += ms;
      monotonicMs += Math.max(ms, 0);
      trace(`the clock moves by ${ms / 1_000} s to ${new Date(atMs).toISOString()}`);
    },
    trace,
    call,
    inTransaction: () => database.open() > 0,
    async hold() {
      held = true;
      const locks = HELD.flatMap((table) =>
        world.shops.map(
          ({ tenant }) => `select from ${table} where tenant = ${tenant} for no key update skip locked`,
        ),
      );
      await locker.query(["begin", ...locks].join(";\n"));
      return async () => {
        await locker.query("rollback");
        held = false;
      };
    },
    rows(text, values = []) {
      // Prepared once, because planning these queries takes longer than running them.
      const name = names.get(text) ?? `simulation.${names.size}`;
      names.set(text, name);
      return harness.query<Json>(...adHoc(text, values, name));
    },
    async begin(seed, echo) {
      echoes = echo;
      lines.length = 0;
      violations.length = 0;
      callsBefore = gate.calls();
      world.trouble = NO_TROUBLE;
      const forgetting = begun % EMPTIED_EVERY === 0 ? forget.byTruncating : forget.byDeleting;
      // On a Citus cluster a setting reaches the workers only between separate statements.
      for (const part of onCluster ? forgetting.split(";\n") : [forgetting]) await monitor.query(part);
      begun += 1;
      for (const shop of world.shops) shop.begin();
      random = seeded(seed);
      ids.restart(seed);
      skews = [0, random.below(2 * SKEW_MS_MAX) - SKEW_MS_MAX];
      leases.reset();
      atMs = START_MS + random.below(400) * 24 * HOUR_MS;
      receivers.reset(random.fork());
    },
    async choose(swarm) {
      bank.reset(random.fork(), swarm.bank);
      if (swarm.skewMs !== null) skews = [0, swarm.skewMs];
      for (const shop of world.shops) shop.afterChargeback.add(swarm.afterChargeback);
      const text =
        "update tenants set subscription_after_chargeback = $1, subscription_after_refund = $2, notice_check = $3, refund_hold_days = $4";
      await harness.query(
        ...adHoc(text, [swarm.afterChargeback, swarm.afterRefund, swarm.noticeCheck, swarm.refundHoldDays]),
      );
    },
    async close() {
      await Promise.all(instances.map(({ app }) => app.close()));
      await Promise.all([service.close(), harness.close(), locker.end(), monitor.end()]);
    },
  };
  // Triggers on a Citus worker do not see the comment that names the writer.
  await monitor.query(onCluster ? MOVES_TABLE : noting(notesMoves));
  Object.assign(world, { shops: await openShops(world) });
  await monitor.query(KEEP_SETTINGS);
  const forget = await forgettingOf(monitor, onCluster);
  return world;
}

/** Errors that faults explain: lost connections and kills. */
export function isExpected(error: unknown): boolean {
  if (error instanceof Killed) return true;
  if (error instanceof Refusal) return error.kind === "unavailable";
  // The errors of the bank's connection, as a request for news sees them.
  return (
    error instanceof Error &&
    /did not answer in time|socket hang up|No payment of this gateway has|Unexpected token '<'|ECONNREFUSED/.test(
      error.message,
    )
  );
}

/** The tables of the merchants' configuration. Their first rows are restored before each run. */
const SETTINGS = ["tenants", "api_keys", "gateways", "webhook_profiles"] as const;
const KEEP_SETTINGS = SETTINGS.map(
  (table) =>
    `drop table if exists simulation_${table}; create unlogged table simulation_${table} as table ${table};`,
).join("\n");

/** SQL that deletes all records of the merchants' business. */
interface Forgetting {
  readonly byDeleting: string;
  /**
   * Truncates instead of deleting, so that files and indexes are empty too. PostgreSQL then has to plan all statements
   * again.
   */
  readonly byTruncating: string;
}

async function forgettingOf(client: pg.Client, onCluster: boolean): Promise<Forgetting> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'
        and tablename not like 'simulation%' and tablename not in ('schema_migrations', 'banks')`,
  );
  const names = rows.map(({ name }) => name);
  // Only `forget` cleans up. Otherwise plans would change whenever autovacuum runs.
  if (!onCluster)
    await client.query(names.map((name) => `alter table ${name} set (autovacuum_enabled = off)`).join(";\n"));
  const forgetBy = (emptied: readonly string[]) =>
    [
      "begin",
      // For the workers of a Citus cluster, one table after the other. PostgreSQL alone ignores these settings.
      "set local citus.propagate_set_commands = 'local'",
      "set local citus.multi_shard_modify_mode = 'sequential'",
      "set local session_replication_role = replica",
      ...emptied,
      ...SETTINGS.map((table) => `insert into ${table} overriding system value table simulation_${table}`),
      "update api_keys set last_used_at = null",
      FORGET_MOVES,
      "commit",
    ].join(";\n");
  const byDeleting = forgetBy(names.map((name) => `delete from ${name}`));
  return {
    byDeleting,
    byTruncating: onCluster ? byDeleting : forgetBy([`truncate ${names.join(", ")}`]),
  };
}

/** A process that waits for a lock, and those that hold it. */
interface Waiter {
  readonly pid: number;
  readonly blockers: readonly number[];
}

const SEEN_WAITING =
  "select count(*)::integer as waiting from pg_stat_get_activity(null) where wait_event_type = 'Lock' and datid = (select oid from pg_database where datname = current_database())";
const WAITS = `select distinct l.pid, pg_blocking_pids(l.pid) as blockers from pg_locks l join pg_stat_activity a on a.pid = l.pid
                where not l.granted and a.datname = current_database()`;
/** A statement of the coordinator waits on a worker. */
const WAITS_ON_CLUSTER = `select distinct waiting_gpid as pid, '{}'::integer[] as blockers from citus_lock_waits
                           where waiting_gpid is not null`;
/** Makes the database look for deadlocks at once. Otherwise a run would depend on the speed of the machine. */
const FIND_DEADLOCKS_AT_ONCE = `do $$ begin
  execute format('alter database %I set deadlock_timeout = 1', current_database());
end $$`;

/** Whether some processes wait for each other, so that PostgreSQL will end one of them. */
function isDeadlock(waiters: readonly Waiter[]): boolean {
  const waiting = new Map(waiters.map(({ pid, blockers }) => [pid, blockers]));
  for (;;) {
    const free = [...waiting].filter(([, blockers]) => !blockers.some((pid) => waiting.has(pid)));
    if (free.length === 0) return waiting.size > 0;
    for (const [pid] of free) waiting.delete(pid);
  }
}

const BOUNDARY = "simulated";

function multipart(form: Readonly<Record<string, string>>): string {
  const parts = Object.entries(form).map(([name, value]) => {
    const file = name === "file" ? '; filename="processor.csv"\r\nContent-Type: text/csv' : "";
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
