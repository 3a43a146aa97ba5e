/** A run: the service as a separate process with records, cases sent by several concurrent callers, and the findings. */
import { checkBooks } from "../../src/books/check.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import { machine, type ServiceProcess } from "../../tests/support/process.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Judged } from "./case.ts";
import { runCase } from "./cases.ts";
import { readCorpus } from "./corpus.ts";
import { readDocument, type Document, type Operation } from "./document.ts";
import { createJudge, type Problem } from "./judge.ts";
import { seededCase } from "../random.ts";
import { createSecrets, withoutSecrets, type Secrets } from "./secrets.ts";
import { createClient, type Client, type Incoming, type Outgoing } from "./send.ts";
import { createWorld } from "./world.ts";

interface FuzzOptions {
  readonly databaseUrl: string;
  readonly seed: number;
  readonly requests: number;
  /** This case alone, printed in full. */
  readonly replay?: number;
  onProgress?(told: string): void;
}

export interface Finding extends Problem {
  readonly endpoint: string;
  /** The case; null if no single request is the cause. */
  readonly index: number | null;
  readonly request: string;
}

interface Coverage {
  readonly requests: number;
  readonly good: number;
}

export interface FuzzResult {
  readonly findings: readonly Finding[];
  readonly requests: number;
  /** By status class, and 429 apart. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly coverage: ReadonlyMap<string, Coverage>;
  readonly p99Ms: number;
  /** Cases that were slow during others; a case that is slow alone is a finding. */
  readonly slow: ReadonlySet<number>;
  readonly slowest: { readonly ms: number; readonly what: string };
  /** Resident memory of the service, in MiB, at regular intervals. */
  readonly memoryMib: readonly number[];
  readonly seconds: number;
}

const CALLERS = 8;
/** A pay request counts per address and second. */
const ADDRESSES = 700;
const MEMORY_SAMPLES = 12;
/** Caches and the heap grow at first; growth by this much after half of the run counts as unbounded. */
const GROWTH_MIB_MAX = 150;
const SLOW_AGAIN_MAX = 30;
/** How many similar findings of one endpoint are kept. */
const KEPT_ALIKE = 3;
const ALIKE_CHARS = 30;

interface Tally {
  readonly tell: (told: string) => void;
  /** Cases with a response that was slow among others. */
  readonly slow: Set<number>;
  readonly findings: Finding[];
  readonly statuses: Record<string, number>;
  readonly coverage: Map<string, { requests: number; good: number }>;
  readonly times: number[];
  slowest: { ms: number; what: string };
}

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const host = await machine(options.databaseUrl);
  const receiver = createServer((incoming, response) => {
    incoming.resume();
    response.end("ok");
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const service = await host.start({ MASTER_KEY: Buffer.alloc(32, 9).toString("base64") });
  const client = createClient(`http://127.0.0.1:${host.port}`, ADDRESSES);
  try {
    const address = receiver.address();
    const receiverUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`;
    return await runOn({ ...options, service, client, receiverUrl });
  } finally {
    client.close();
    if (service.child.exitCode === null) await service.stop();
    receiver.closeAllConnections();
    receiver.close();
    await host.remove();
  }
}

interface RunParts extends FuzzOptions {
  readonly service: ServiceProcess;
  readonly client: Client;
  readonly receiverUrl: string;
}

async function runOn(parts: RunParts): Promise<FuzzResult> {
  const { service, client, seed } = parts;
  const began = performance.now();
  const secrets = createSecrets();
  const tally: Tally = {
    tell: (told) => parts.onProgress?.(told),
    slow: new Set(),
    findings: [],
    statuses: {},
    coverage: new Map(),
    times: [],
    slowest: { ms: 0, what: "" },
  };
  const document = await documentOf(service);
  for (const { name } of document.operations) tally.coverage.set(name, { requests: 0, good: 0 });
  let turn = 0;
  const plain = async (outgoing: Outgoing) => {
    const answer = await client.send(outgoing, (turn += 1));
    if (answer.text.startsWith("{")) secrets.learn(JSON.parse(answer.text));
    return answer;
  };
  const world = await createWorld(plain, secrets, parts.receiverUrl);
  const judge = createJudge(world, secrets);
  const corpus = await readCorpus();
  parts.onProgress?.(`records are there after ${seconds(began)} s`);

  const sendFor =
    (index: number): Judged =>
    async (asked, outgoing, as) => {
      // With a wrong method another endpoint may answer.
      const operation =
        document.operations.find(({ path, method }) => path === asked.path && method === outgoing.method) ??
        asked;
      const answer = await client.send(outgoing, (turn += 1));
      count(tally, operation, outgoing, answer, index);
      plantSent(secrets, outgoing);
      if (answer.text.startsWith("{")) learnFrom(secrets, answer.text, outgoing);
      const exchange = { operation, outgoing, answer, as };
      for (const problem of judge(exchange)) {
        if (problem.kind === "slow" && together) tally.slow.add(index);
        else note(tally, { ...problem, endpoint: operation.name, index, request: told(outgoing) });
      }
      if (parts.replay !== undefined)
        parts.onProgress?.(
          `${told(outgoing)}\n→ ${answer.status} ${withoutSecrets(answer.text.slice(0, 2_000))}`,
        );
      return answer;
    };
  let together = parts.replay === undefined;
  const memoryMib: number[] = [];
  const log = logReader(service, secrets, tally);
  const run = async (index: number) => {
    await runCase({ document, corpus, world, send: sendFor(index) }, seededCase(seed, index), index);
  };
  if (parts.replay !== undefined) await run(parts.replay);
  else {
    await sendAll(parts, run, async (done) => {
      memoryMib.push(await memoryOf(service));
      log.read();
      parts.onProgress?.(
        `${done} cases after ${seconds(began)} s, ${memoryMib.at(-1)} MiB, ${tally.findings.length} findings`,
      );
    });
    // During others the machine may be busy, so the case is repeated alone.
    together = false;
    for (const index of [...tally.slow].slice(0, SLOW_AGAIN_MAX)) await run(index);
  }
  log.read();
  await afterwards(parts, tally, memoryMib);
  const times = tally.times.toSorted((a, b) => a - b);
  return {
    ...tally,
    requests: times.length,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    memoryMib,
    seconds: Number(seconds(began)),
  };
}

/** Several callers take cases in turn; the service is measured at regular intervals. */
async function sendAll(
  { requests, service }: RunParts,
  run: (index: number) => Promise<void>,
  look: (done: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const step = Math.max(1, Math.floor(requests / MEMORY_SAMPLES));
  const callers = Array.from({ length: CALLERS }, async () => {
    while (next < requests && service.child.exitCode === null) {
      const index = next;
      next += 1;
      await run(index);
      if (index % step === step - 1) await look(index + 1);
    }
  });
  await Promise.all(callers);
}

async function documentOf(service: ServiceProcess): Promise<Document> {
  const { status, body } = await service.call("GET", "/api/v1/openapi.json");
  if (status !== 200) throw new Error("The service does not serve its description");
  return readDocument(body);
}

function count(
  tally: Tally,
  operation: Operation,
  outgoing: Outgoing,
  { status, ms }: Incoming,
  index: number,
): void {
  const kind = status === 429 ? "429" : status === 0 ? "none" : `${Math.floor(status / 100)}xx`;
  tally.statuses[kind] = (tally.statuses[kind] ?? 0) + 1;
  const coverage = tally.coverage.get(operation.name);
  if (coverage !== undefined) {
    coverage.requests += 1;
    const redirects = operation.hidden && status === 303;
    if (outgoing.method === operation.method && ((status >= 200 && status < 300) || redirects))
      coverage.good += 1;
  }
  tally.times.push(ms);
  if (ms > tally.slowest.ms) tally.slowest = { ms, what: `case ${index}, ${operation.name}, ${status}` };
}

/** Account numbers in requests must not appear in responses. */
function plantSent(secrets: Secrets, { body }: Outgoing): void {
  if (body === null || body.length > 100_000) return;
  for (const [, iban] of body.toString().matchAll(/"iban":"([A-Za-z]{2}\d{2}[A-Za-z0-9 -]{11,40})"/g))
    secrets.plant("IBAN", iban ?? "");
}

function learnFrom(secrets: Secrets, text: string, { body }: Outgoing): void {
  try {
    secrets.learn(JSON.parse(text), body?.toString());
  } catch {
    // Invalid JSON is reported by the rules.
  }
}

function note({ findings, tell }: Tally, finding: Finding): void {
  const beginning = finding.what.slice(0, ALIKE_CHARS);
  const alike = findings.filter(
    ({ kind, endpoint, what }) =>
      kind === finding.kind && endpoint === finding.endpoint && what.startsWith(beginning),
  );
  if (alike.length >= KEPT_ALIKE) return;
  findings.push(finding);
  tell(`found: ${finding.kind}, ${finding.endpoint}: ${finding.what.slice(0, 200)}`);
}

/** A readable form of the request: without secrets, long values shortened. */
function told({ method, path, headers, body }: Outgoing): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value).slice(0, 120)}`);
  const bytes =
    body === null
      ? ""
      : body.toString().slice(0, 600) + (body.length > 600 ? `… (${body.length} bytes)` : "");
  return withoutSecrets(
    [`${method} ${path.slice(0, 300)}`, ...lines, ...(bytes === "" ? [] : [JSON.stringify(bytes)])].join(
      "\n",
    ),
  );
}

/** Reads the process's new output. */
function logReader(service: ServiceProcess, secrets: Secrets, tally: Tally) {
  let at = 0;
  return {
    read() {
      const output = service.output();
      const fresh = output.slice(at);
      at = output.length;
      for (const { kind, value } of secrets.search(fresh)) {
        const line = fresh.split("\n").find((one) => one.includes(value)) ?? "";
        note(tally, {
          kind: `${kind} in the log`,
          what: withoutSecrets(line),
          endpoint: "log",
          index: null,
          request: "",
        });
      }
      for (const line of fresh.split("\n")) {
        if (!/"level":("error"|50|60)/.test(line) && !/^\s+at /.test(line)) continue;
        note(tally, {
          kind: "error in the log",
          what: withoutSecrets(line.slice(0, 600)),
          endpoint: "log",
          index: null,
          request: "",
        });
      }
    },
  };
}

async function memoryOf(service: ServiceProcess): Promise<number> {
  const { text } = await service.call("GET", "/metrics");
  const [, bytes = "0"] = /^process_resident_memory_bytes (\S+)/m.exec(text) ?? [];
  return Math.round(Number(bytes) / 1_048_576);
}

async function afterwards(
  { service, databaseUrl, replay }: RunParts,
  tally: Tally,
  memoryMib: readonly number[],
): Promise<void> {
  const add = (kind: string, what: string) =>
    note(tally, { kind, what, endpoint: "service", index: null, request: "" });
  if (service.child.exitCode !== null)
    add("dead", `the process ended with ${service.child.exitCode}:\n${service.output().slice(-2_000)}`);
  else if ((await service.call("GET", "/readyz")).status !== 200) add("dead", "the service is not ready");
  const half = memoryMib[Math.floor(memoryMib.length / 2)] ?? 0;
  const last = memoryMib.at(-1) ?? 0;
  if (replay === undefined && last - half > GROWTH_MIB_MAX) add("memory", `${memoryMib.join(", ")} MiB`);
  const db = openDatabase(databaseUrl, { connections: 2, onIdleError: () => {} });
  const { differences } = await checkBooks(db);
  await db.close();
  for (const difference of differences) add("books", difference);
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(0);
}
