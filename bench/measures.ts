/** The measures: each endpoint by a client, and in the same run the most that the machine can do. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onServer, type Limits } from "./limit.ts";
import type { Course, CourseKind, Latencies, Load, Shop } from "./load.ts";
import type { Pgbench, PgbenchResult } from "./pgbench.ts";
import { cpuMsOf, cpuMsOfFamily, highestResident } from "./processes.ts";
import type { Instance } from "./service.ts";
import type { Heard } from "./statements.ts";
import { writtenSoFar } from "./written.ts";

export interface Parts {
  readonly load: Load;
  readonly shops: readonly Shop[];
  readonly instances: readonly Instance[];
  /** Null if the database server is on another machine. */
  readonly postmaster: number | null;
  readonly databaseUrl: string;
  readonly limitUrl: string;
  readonly limits: Limits;
  readonly pgbench: Pgbench | null;
  /** Whether the merchant's webhooks are sent, or wait. */
  sendWebhooks(active: boolean): Promise<void>;
  readonly connections: number;
  readonly seconds: number;
}

/** The results of a course. Times in milliseconds, processor time and bytes for each piece of work. */
export interface Shown extends Latencies {
  readonly perSecond: number;
  readonly serviceCpuMs: number;
  readonly databaseCpuMs: number;
  readonly clientCpuMs: number;
  readonly walBytes: number;
  /** The growth of tables and indexes. */
  readonly storedBytes: number;
  /** The maximum memory of all service processes during the course. */
  readonly residentMb: number;
}

/** One run of one measure. */
export interface Figures extends Shown {
  readonly limitPerSecond: number | null;
  readonly ratio: number | null;
  /** At half of the reached rate, on a schedule; null if not measured. */
  readonly atHalfRate: HalfRate | null;
}

export interface HalfRate {
  readonly perSecond: number;
  readonly answered: Latencies;
  /** Until the webhook has arrived; null if there is none. */
  readonly delivered: Latencies | null;
}

export interface Measure {
  readonly name: string;
  /** What the limit is. */
  readonly limit: string;
  readonly target: string;
  run(parts: Parts): Promise<Figures>;
}

export const MEASURES: readonly Measure[] = [
  {
    name: "create",
    limit: "pgbench",
    target: "≥ 0.5",
    run: async (parts) => beside(await course(parts, "create"), await alone(parts, "create")),
  },
  {
    name: "retrieve",
    limit: "node:http + select",
    target: "≥ 0.5",
    async run(parts) {
      await haveSessions(parts, 1_000);
      return beside(await course(parts, "retrieve"), await bare(parts, "retrieve"));
    },
  },
  {
    name: "pay",
    limit: "pgbench",
    target: "",
    async run(parts) {
      await haveSessions(parts, SESSIONS_PER_SECOND * parts.seconds);
      await parts.sendWebhooks(false);
      const paid = await course(parts, "pay");
      await parts.sendWebhooks(true);
      await course(parts, "webhooks");
      return beside(paid, await afterCreating(parts, "pay"));
    },
  },
  {
    name: "create + pay + delivered",
    limit: "pgbench",
    target: "≥ 0.5",
    run: async (parts) => beside(await course(parts, "create_pay"), await together(parts)),
  },
  {
    name: "webhook",
    limit: "pgbench",
    target: "",
    async run(parts) {
      await haveSessions(parts, SESSIONS_PER_SECOND * parts.seconds);
      await parts.sendWebhooks(false);
      await course(parts, "pay");
      await parts.sendWebhooks(true);
      return beside(await course(parts, "webhooks"), await afterCreating(parts, "delivered"));
    },
  },
  {
    name: "verify",
    limit: "pgbench",
    target: "",
    async run(parts) {
      await haveSessions(parts, SESSIONS_PER_SECOND * parts.seconds);
      await course(parts, "ask_verification");
      const verified = await course(parts, "verify");
      await course(parts, "webhooks");
      return beside(verified, await afterCreating(parts, "verify"));
    },
  },
  {
    name: "iban-validate",
    limit: "node:http + select",
    target: "",
    run: async (parts) => beside(await course(parts, "iban_validate"), await bare(parts, "iban_validate")),
  },
  {
    name: "postback",
    limit: "pgbench",
    target: "",
    run: async (parts) => beside(await course(parts, "postback"), await alone(parts, "postback")),
  },
];

/** More than are paid in a second. */
const SESSIONS_PER_SECOND = 800;

const PREPARING_S_MAX = 600;

/** Sessions that later calls need, made beforehand. */
async function haveSessions(parts: Parts, count: number): Promise<void> {
  const { tokens } = await course(parts, "create", { count: 1 });
  if (tokens < count) await course(parts, "create", { count: count - tokens, seconds: PREPARING_S_MAX });
}

export interface Measured extends Shown {
  readonly requests: number;
  readonly received: number;
  readonly tokens: number;
  readonly lastUrl: string;
  readonly delivered: Latencies | null;
}

export function beside(
  measured: Measured,
  limitPerSecond: number | null,
  atHalfRate: HalfRate | null = null,
): Figures {
  const { requests: _, received: _1, tokens: _2, lastUrl: _3, delivered: _4, ...shown } = measured;
  const ratio = limitPerSecond === null ? null : measured.perSecond / limitPerSecond;
  return { ...shown, limitPerSecond, ratio, atHalfRate };
}

/** Calls of one kind to the service, with the cost of each process. */
export async function course(parts: Parts, kind: CourseKind, more: Partial<Course> = {}): Promise<Measured> {
  const { load, instances, postmaster, connections, seconds, databaseUrl } = parts;
  load.aim({ ports: instances.map(({ port }) => port), shops: parts.shops });
  const serviceCpu = () => instances.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
  const databaseCpu = () => (postmaster === null ? 0 : cpuMsOfFamily(postmaster));
  const writtenBefore = await writtenSoFar(databaseUrl);
  const before = { service: serviceCpu(), database: databaseCpu() };
  const resident = highestResident(instances.map(({ pid }) => pid));
  const answer = await load.run({ kind, connections, seconds, ...more });
  const residentMb = resident.stop();
  const after = { service: serviceCpu(), database: databaseCpu() };
  const written = await writtenSoFar(databaseUrl);
  const each = (sum: number) => sum / answer.requests;
  const { p50, p95, p99, requests, received, tokens, lastUrl, delivered } = answer;
  return {
    p50,
    p95,
    p99,
    requests,
    received,
    tokens,
    lastUrl,
    delivered,
    residentMb,
    perSecond: requests / answer.seconds,
    serviceCpuMs: each(after.service - before.service),
    databaseCpuMs: each(after.database - before.database),
    clientCpuMs: each(answer.cpuMs),
    walBytes: each(written.walBytes - writtenBefore.walBytes),
    storedBytes: each(written.storedBytes - writtenBefore.storedBytes),
  };
}

/**
 * Payments are numbered: no two runs of pgbench make the same one, and all fit an order number's seven hexadecimal
 * digits, so only made ones are used.
 */
const NUMBERS_A_RUN = 50_000;
let numbers = 0;
const RUNS_TO_GAUGE = 20;

function script(parts: Parts, step: string): string {
  const text = parts.limits.scripts[step];
  if (text === undefined) throw new Error(`No statements were heard of ${step}`);
  return text;
}

/** Runs a step for about the duration of a course, after a few runs to measure its speed. */
async function timed(
  parts: Parts,
  text: string,
  from: number,
  runsMax: number,
): Promise<PgbenchResult & { readonly each: number }> {
  const { connections, limitUrl: databaseUrl, seconds } = parts;
  const pgbench = parts.pgbench;
  if (pgbench === null) throw new Error("pgbench is missing");
  const gauge = Math.min(RUNS_TO_GAUGE, Math.floor(runsMax / 2));
  const common = { connections, databaseUrl, script: text };
  const { perSecond } = await pgbench({ ...common, from, runs: gauge });
  // Like the service (src/db/statistics.ts): plans for empty tables would make the limit too low.
  await onServer(databaseUrl, "analyze");
  const each = Math.min(runsMax - gauge, Math.max(1, Math.ceil((perSecond * seconds) / connections)));
  const result = await pgbench({ ...common, from: from + gauge, runs: each });
  return { ...result, each: each + gauge };
}

/** Runs a script on new payments. */
async function made(parts: Parts, text: string) {
  const from = numbers;
  const result = await timed(parts, text, from, NUMBERS_A_RUN);
  numbers += result.each;
  return { ...result, from };
}

export async function alone(parts: Parts, step: string): Promise<number | null> {
  return parts.pgbench === null ? null : (await made(parts, script(parts, step))).perSecond;
}

/** The steps that a session needs before each step, with the same numbers. */
const BEFORE = {
  pay: ["create"],
  delivered: ["create", "pay"],
  verify: ["create_other", "ask_verification"],
} as const;

/** A step on existing sessions. */
async function afterCreating(parts: Parts, step: keyof typeof BEFORE): Promise<number | null> {
  if (parts.pgbench === null) return null;
  const { from, each } = await made(parts, BEFORE[step].map((name) => script(parts, name)).join(""));
  const { perSecond } = await timed(parts, script(parts, step), from, each);
  return perSecond;
}

export async function together(parts: Parts): Promise<number | null> {
  if (parts.pgbench === null) return null;
  const text = ["create", "pay", "delivered"].map((step) => script(parts, step)).join("");
  return (await made(parts, text)).perSecond;
}

/** The same client, with a server that only runs the same reading statements. */
async function bare(parts: Parts, step: string): Promise<number> {
  const statements: readonly Heard[] = parts.limits.heard[step] ?? [];
  const { load, limitUrl: databaseUrl, connections, seconds } = parts;
  const child = fork(join(import.meta.dirname, "bare.ts"), { serialization: "advanced" });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  child.send({ databaseUrl, connections, statements, answer: '{"valid":true}' });
  await once(child, "message");
  load.aim({ ports: [port], shops: [] });
  await load.run({ kind: "bare", connections, seconds: Math.min(1, seconds) });
  const { requests, seconds: took } = await load.run({ kind: "bare", connections, seconds });
  child.disconnect();
  await sleep(100);
  return requests / took;
}
