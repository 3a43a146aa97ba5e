/** The service in this process with its own database. Time, ids, crashes and lost connections are drawn from a seed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createApp, type App } from "../../../src/app.ts";
import type { Calls, Database, Tx } from "../../../src/db/database.ts";
import { manualClock, type Clock } from "../../../src/lib/clock.ts";
import { must } from "../../../src/lib/assert.ts";
import type { Job } from "../../../src/lib/job.ts";
import type { Ids } from "../../../src/lib/ids.ts";
import type { Log } from "../../../src/lib/log.ts";
import { Refusal } from "../../../src/refusals.ts";
import { onClock } from "../../support/database-clock.ts";
import { testDatabase } from "../../support/database.ts";
import { testConfig, type Json } from "../../support/service.ts";
import { inOrder } from "../database.ts";
import { Killed } from "../gate.ts";
import type { Random } from "../../../tools/random.ts";
import { seededIds } from "../seeded-ids.ts";
import type { Coverage } from "./coverage.ts";
import { createTurns, type Turns } from "./turns.ts";
import { NO_TROUBLE, type Trouble } from "./trouble.ts";
import { adHoc } from "../../../tools/ad-hoc.ts";

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

export interface Call {
  readonly key?: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

export interface World {
  readonly app: App;
  /** For reads of the simulation itself, which have no faults. */
  readonly db: Database;
  readonly random: Random;
  readonly clock: Clock & { advance(ms: number): void };
  readonly turns: Turns;
  readonly coverage: Coverage;
  readonly violations: string[];
  /** The trace: the same for each run of a seed. */
  readonly lines: string[];
  /** Contains the folders of accounts with the transport `directory`. */
  readonly folder: string;
  trouble: Trouble;
  today(): string;
  say(line: string): void;
  wrong(words: string): void;
  rows(text: string, values?: readonly unknown[]): Promise<readonly Json[]>;
  /** Makes a call as an operation of `turns`; null when no response came. */
  send(method: string, path: string, call?: Call): Promise<Answer | null>;
  /** Makes one call, and repeats it under the same key until a response has come. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  upload(key: string, gatewayId: string, xml: string): Promise<Answer>;
  /** Imports mandates of another provider, as CSV. */
  importMandates(key: string, csv: string): Promise<Answer>;
  /** Imports a processor's chargebacks, as CSV, as an operation of `turns`; null when no response came. */
  sendChargebacks(key: string, gatewayId: string, csv: string): Promise<Answer | null>;
  /** Runs one pass of each job whose name matches. */
  jobs(name: RegExp): Promise<void>;
  /** Runs outside of the service while an instance is paused. */
  besides: () => Promise<void>;
  /** Runs `work` so that it draws the references `again` first. Returns the references that were drawn. */
  drawing(again: readonly string[], work: () => Promise<void>): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Longer than the lease of a payment, the first use of a key, an upload, and a visit to a folder. */
const PAUSES_MS = [31_000, 61_000, 11 * 60_000, 16 * 60_000] as const;
const STOPS = { from: 1, calls: 10, pauses: PAUSES_MS, often: 0.3 } as const;
/**
 * Pauses in the middle of an upload or of a visit to a folder, after the calls that claim it and for longer than the
 * claim lasts.
 */
const STOPS_AT_FOLDERS = { from: 4, calls: 8, pauses: PAUSES_MS.slice(2), often: 0.6 } as const;
const stopsOf = (job: string): typeof STOPS | typeof STOPS_AT_FOLDERS =>
  /^sepa-(send|fetch)$/.test(job) ? STOPS_AT_FOLDERS : STOPS;
/** The jobs that recover or follow what another instance has begun. */
const FOLLOWERS = /^(recover-|follow-)/;
const PLENTY = { allowed: true, remaining: 1_000, retryAfterMs: 0, resetMs: 0 };
const BOUNDARY = "own-bank-boundary";
const TRIES = 6;
const unavailable = () => new Refusal("unavailable", { retryAfter: 1 });

/**
 * @param skewMs the difference between a second instance's clock and the database's; null: there is one instance.
 * @param pauses whether an instance may be paused while the other one works.
 */
export async function createWorld(
  random: Random,
  start: Date,
  coverage: Coverage,
  skewMs: number | null = null,
  pauses = false,
): Promise<World> {
  const database = await testDatabase();
  const monitor = new pg.Client({ connectionString: database.ownerUrl });
  await monitor.connect();
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-own-bank-"));
  const clock = manualClock(start);
  const fates = random.fork();
  const turns = createTurns(random.fork(), async () => {
    const { rows } = await monitor.query<{ waits: number }>(
      "select count(*)::integer as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0]?.waits ?? 0;
  });
  const drawn = random.fork();
  const seededOnes = seededIds(() => drawn);
  let again: readonly string[] = [];
  let references: string[] = [];
  const ids: Ids = {
    ...seededOnes,
    reference(length) {
      const next = again[references.length];
      const reference = next?.length === length ? next : seededOnes.reference(length);
      references.push(reference);
      return reference;
    },
  };
  const violations: string[] = [];
  const lines: string[] = [];
  const wrong = (words: string): void => {
    violations.push(words);
  };
  const config = testConfig("http://pay.example.test", {
    masterKeys: [Buffer.alloc(32, 7)],
    sepaDirectory: folder,
  });
  const log: Log = {
    info: () => {},
    warn: () => {},
    error(message, error) {
      if (!isExpected(error) && !message.startsWith("it is unknown whether a SEPA file reached"))
        wrong(
          `CALL-3: the service logged: ${message}: ${error instanceof Error ? error.stack : String(error)}`,
        );
    },
  };
  /** The last step of `Deps.reached`. */
  let step = "";
  const instance = (own: Clock): Promise<App> =>
    createApp(config, database.url, log, {
      clock: own,
      ids,
      pause: async () => {},
      counters: { hit: async () => PLENTY, close: async () => {} },
      between: (db) => troubled(onClock(db, clock), turns, () => fateOf(world, fates)),
      reached(now) {
        step = now;
        if (!turns.isInside() || !fates.chance(world.trouble.crashes)) return;
        coverage.count(`crash at ${now}`);
        world.say(`killed at ${now}`);
        turns.kill();
      },
    });
  const app = await instance(clock);
  const apps = [app];
  if (skewMs !== null)
    apps.push(await instance({ ...clock, now: () => new Date(clock.now().getTime() + skewMs) }));
  for (const { server } of apps) await server.app.ready();
  const whose = skewMs === null ? null : random.fork();
  /** While one instance is paused, the other one; null otherwise. */
  let awake: App | null = null;
  /** The instance that gets a call. */
  const any = (): App => awake ?? whose?.pick(apps) ?? app;
  /**
   * Pauses one instance during an operation until its leases have ended. The other instance does the work that is due.
   */
  const overtaken = async <T>(
    what: string,
    begin: (on: App) => Promise<T>,
    jobs: readonly RegExp[],
  ): Promise<T | null> => {
    const of = must(whose, "a seed with two instances");
    const [slow, quick] = shuffledPair(of, apps);
    const stops = stopsOf(what);
    const calls = stops.from + of.below(stops.calls);
    const pauseMs = of.pick(stops.pauses);
    step = "";
    const { result, stoodStill } = await turns.overtaken(
      () => begin(slow),
      calls,
      async () => {
        const at = step === "" ? "" : ` after ${step}`;
        world.say(`an instance stands still after ${calls} calls of ${what}${at}`);
        coverage.count(`an instance stands still in ${what}${at}`);
        clock.advance(pauseMs);
        awake = quick;
        for (const name of jobs)
          for (const job of quick.jobs) if (name.test(job.name)) await turns.alone(passOf(job));
        await world.besides();
        awake = null;
      },
    );
    if (stoodStill) world.say(`it goes on with ${what}`);
    return result;
  };
  const passOf = (one: Job) => async () => {
    try {
      await one.runOnce(one.batch);
    } catch (error) {
      if (!isExpected(error)) wrong(`CALL-3: the job ${one.name} failed: ${String(error)}`);
    }
  };
  let addresses = 0;
  let keys = 0;
  let uploads = 0;

  const inject = async (options: object, on: App = any()): Promise<Answer | null> => {
    addresses += 1;
    const address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
    const response = await on.server.app.inject({ ...options, remoteAddress: address }).catch(() => null);
    if (response === null) return null;
    return { status: response.statusCode, text: response.payload, body: parsed(response.payload) };
  };
  /** Repeats a request like a caller that has lost the response. */
  const untilAnswered = async (what: string, send: (on?: App) => Promise<Answer | null>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      if (tries === TRIES) world.trouble = { ...world.trouble, crashes: 0, database: 0 };
      const began = lines.length;
      const stops = pauses && !what.startsWith("GET") && whose?.chance(0.2) === true;
      const answer = stops
        ? await overtaken(named(what), send, [FOLLOWERS])
        : await turns.alone(() => send());
      // A killed process sends no response, whatever other error its call has had.
      const wasKilled = lines.slice(began).some((line) => line.startsWith("killed at"));
      world.say(`${what} ${answer?.status ?? "no answer"}`);
      if (answer !== null && answer.status === 500 && !wasKilled)
        wrong(`CALL-3: ${what} answered 500: ${answer.text}`);
      const done = answer !== null && answer.status !== 503 && answer.status !== 500 && !isUnderWay(answer);
      if (done || tries > TRIES) return answer ?? { status: 0, body: {}, text: "" };
      // Lets leases and interrupted first uses of keys end.
      clock.advance(61_000);
    }
  };

  const sendOn = (on: App, method: string, path: string, { key, body, idempotencyKey }: Call) =>
    inject(
      {
        method,
        url: path.startsWith("/") ? path : `/api/v1/${path}`,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      },
      on,
    );

  const sendFile = (key: string, place: string, fields: string, name: string, type: string, text: string) =>
    untilAnswered(place === "sepa-files" ? "upload" : place, fileSent(key, place, fields, name, type, text));
  const fileSent = (key: string, place: string, fields: string, name: string, type: string, text: string) => {
    const payload = [
      fields,
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`,
      `${text}\r\n--${BOUNDARY}--\r\n`,
    ].join("");
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    };
    return (on?: App) =>
      inject({ method: "POST", url: `/api/v1/management/${place}/`, headers, payload }, on);
  };
  const field = (name: string, value: string): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  const world: World = {
    app,
    db: database.db,
    random,
    clock,
    turns,
    coverage,
    violations,
    lines,
    folder,
    trouble: NO_TROUBLE,
    besides: async () => {},
    today: () => clock.now().toISOString().slice(0, 10),
    say: (line) => {
      lines.push(line);
    },
    wrong,
    rows: (text, values = []) => database.db.query<Json>(...adHoc(text, values)),
    send: (method, path, call = {}) => sendOn(any(), method, path, call),
    call(method, path, call = {}) {
      keys += 1;
      const keyed =
        method === "GET" || !path.startsWith("management/")
          ? call
          : { idempotencyKey: `sim-${keys}`, ...call };
      return untilAnswered(`${method} ${path}`, (on = any()) => sendOn(on, method, path, keyed));
    },
    upload(key, gatewayId, xml) {
      uploads += 1;
      return sendFile(
        key,
        "sepa-files",
        field("gateway_id", gatewayId),
        `bank-${uploads}.xml`,
        "application/xml",
        xml,
      );
    },
    importMandates: (key, csv) => sendFile(key, "mandates/import", "", "mandates.csv", "text/csv", csv),
    sendChargebacks: (key, gatewayId, csv) =>
      fileSent(
        key,
        "imports",
        field("kind", "chargebacks") + field("gateway_id", gatewayId),
        "chargebacks.csv",
        "text/csv",
        csv,
      )(),
    async jobs(name) {
      for (const [index, job] of app.jobs.entries()) {
        if (!name.test(job.name)) continue;
        if (pauses && whose?.chance(stopsOf(job.name).often) === true) {
          const same = ({ jobs }: App) => passOf(must(jobs[index], "the same job"))();
          await overtaken(job.name, same, [FOLLOWERS, new RegExp(`^${job.name}$`)]);
          continue;
        }
        const [first, second] = apps.map(({ jobs }) => passOf(must(jobs[index], "the same job")));
        if (whose !== null && second !== undefined && whose.chance(0.5)) {
          coverage.count(`both instances run ${job.name}`);
          await turns.together(must(first, "a pass"), second);
          continue;
        }
        for (const pass of [first, second]) if (pass !== undefined) await turns.alone(pass);
      }
    },
    async drawing(wanted, work) {
      again = wanted;
      references = [];
      await work();
      again = [];
      return references;
    },
    async close() {
      for (const one of apps) await one.close();
      await monitor.end();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** The name without ids, for the table of reached rows. */
function named(what: string): string {
  return what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replaceAll(/ps_[\w-]+/g, "TOKEN");
}

function shuffledPair(random: Random, [one, other]: readonly App[]): readonly [App, App] {
  const pair = [must(one, "an instance"), must(other, "a second instance")] as const;
  return random.chance(0.5) ? pair : [pair[1], pair[0]];
}

type Fate = "ok" | "refused" | "lost";

function fateOf(world: World, random: Random): Fate {
  const { database } = world.trouble;
  if (database === 0 || !random.chance(database)) return "ok";
  const fate = random.pick(["refused", "lost"] as const);
  world.coverage.count(`a commit is ${fate}`);
  world.say(`a commit is ${fate}`);
  return fate;
}

/** Calls take turns. A connection may be cut before or after a commit. */
function troubled(db: Calls, turns: Turns, fateOfCommit: () => Fate): Calls {
  const within = (tx: Tx, pass: Turns["pass"]): Tx => {
    let first = true;
    const opens = () => {
      const was = first;
      first = false;
      return was;
    };
    return {
      query: (statement, values) => pass(() => inOrder(statement, tx.query(statement, values)), opens()),
      write: (statement, values) => pass(() => inOrder(statement, tx.write(statement, values)), opens()),
    };
  };
  const committed = async <T>(work: (fate: Fate) => Promise<T>): Promise<T> => {
    const fate = turns.isInside() ? fateOfCommit() : "ok";
    const result = await work(fate);
    if (fate === "lost") throw unavailable();
    return result;
  };
  return {
    ...db,
    query: (statement, values) => turns.pass(() => inOrder(statement, db.query(statement, values)), true),
    each: (statement, values, take) => turns.pass(() => db.each(statement, values, take), true),
    commit: (statement, values) =>
      committed((fate) => {
        if (fate === "refused") throw unavailable();
        return turns.pass(() => inOrder(statement, db.commit(statement, values)), true);
      }),
    transaction: (work) =>
      committed((fate) =>
        turns.transaction(({ pass, inside }) =>
          db.transaction((tx) =>
            inside(async () => {
              const result = await work(within(tx, pass));
              if (fate === "refused") throw unavailable();
              await pass(async () => {}, false);
              return result;
            }),
          ),
        ),
      ),
  };
}

/** Errors that faults explain: lost connections and kills. */
function isExpected(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Refusal && error.kind === "unavailable");
}

/** Whether the service refuses the key because its first use has not ended. */
function isUnderWay({ status, body }: Answer): boolean {
  return (
    status === 409 && /in progress|being processed|still/i.test(String(body["detail"] ?? body["title"] ?? ""))
  );
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
