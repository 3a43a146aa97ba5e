/**
 * A receiver that fails, hangs and dies at random, and workers that are killed: nothing is lost, each subject keeps its
 * order, and only running requests are repeated. The long run of 10,000 events: STORM_SESSIONS=2000 npm test --
 * tests/webhooks-storm.test.ts
 */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { seeded } from "../tools/random.ts";
import { startOutbox, type Outbox } from "./support/webhooks.ts";
import { fillOutbox, startWorkerProcess } from "./support/worker-process.ts";

const SESSIONS = Number(process.env["STORM_SESSIONS"] ?? 100);
const EVENTS_PER_SESSION = 5;
const EVENTS = SESSIONS * EVENTS_PER_SESSION;
const MAX_IN_FLIGHT = 10;
const LEASE_MS = 1_200;
const TOTAL_MS = 300;
const LIMIT_MS = 60_000 + EVENTS * 60;
/** A response that was written this shortly before the receiver died may not have arrived. */
const UNSURE_MS = 100;
const WAYS = { ok: 960, fails: 10, cut: 10, hangs: 8, taken: 6, slow: 6 } as const;

const random = seeded(Number(process.env["STORM_SEED"] ?? 1));

interface Accepted {
  readonly id: string;
  readonly at: number;
  /** Whether its response was written in time. */
  answered: boolean;
}

const accepted: Accepted[] = [];
const deaths: number[] = [];
const arrivedAs = new Map<string, number>();

function answer(id: string, response: ServerResponse, request: IncomingMessage): void {
  const way = random.weighted(WAYS);
  arrivedAs.set(way, (arrivedAs.get(way) ?? 0) + 1);
  if (way === "fails") return void response.writeHead(500).end();
  if (way === "cut") return void request.socket.destroy();
  if (way === "hangs") return;
  const one: Accepted = { id, at: performance.now(), answered: false };
  accepted.push(one);
  // The receiver has accepted the event, but never responds.
  if (way === "taken") return;
  setTimeout(
    () => {
      one.answered = !response.destroyed;
      response.end();
    },
    way === "slow" ? 150 : 3,
  );
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.on("error", () => {});
  request.on("end", () => answer(String(request.headers["webhook-id"]), response, request));
}

async function listening(port: number) {
  const server = createServer(handle).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function startWorker(outbox: Outbox): Promise<ChildProcess> {
  return startWorkerProcess(outbox, { leaseMs: LEASE_MS, totalMs: TOTAL_MS, die: null });
}

/** Skips the delays between attempts and of the circuit breaker. */
async function hurry(outbox: Outbox): Promise<void> {
  await outbox.rows(
    "update webhook_deliveries set due_at = now(), tries = 0 where status = 'failing' and due_at > now() and locked_until is null",
  );
  await outbox.rows(
    "update webhook_receivers set next_at = now(), paused_until = null where next_at > now() or paused_until is not null",
  );
}

const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

test(
  `of ${EVENTS} events none is lost or overtaken and only running ones are repeated, though the receiver fails, hangs and dies and workers are killed`,
  { timeout: LIMIT_MS + 30_000 },
  async () => {
    const outbox = await startOutbox();
    let server = await listening(0);
    const { port } = server.address() as AddressInfo;
    await outbox.profile(`http://127.0.0.1:${port}/`, {
      events: ["transaction.status_changed"],
      maxInFlight: MAX_IN_FLIGHT,
    });
    await fillOutbox(outbox, SESSIONS, EVENTS_PER_SESSION);
    const workers = [await startWorker(outbox), await startWorker(outbox)];
    const started = performance.now();
    let kills = 0;
    let delivered = 0;
    while (delivered < EVENTS) {
      assert.ok(performance.now() - started < LIMIT_MS, `${delivered} of ${EVENTS} were delivered`);
      await pause(100);
      await hurry(outbox);
      if (random.chance(0.04)) {
        const at = random.below(workers.length);
        workers[at]?.kill("SIGKILL");
        kills += 1;
        workers[at] = await startWorker(outbox);
      }
      if (random.chance(0.04)) {
        deaths.push(performance.now());
        server.closeAllConnections();
        server.close();
        await once(server, "close");
        await pause(random.below(300));
        server = await listening(port);
      }
      const [row] = await outbox.rows(
        "select count(*)::integer as n from webhook_deliveries where status = 'delivered'",
      );
      delivered = row?.["n"];
    }
    const seconds = (performance.now() - started) / 1_000;
    for (const worker of workers) worker.kill("SIGKILL");
    server.closeAllConnections();
    server.close();

    const events = await outbox.rows("select id, session_id from events order by number");
    const first = [...new Set(accepted.map(({ id }) => id))];
    assert.equal(first.length, EVENTS, "nothing is lost");
    const place = new Map(first.map((id, index) => [id, index]));
    const last = new Map<string, number>();
    for (const { id, session_id: session } of events) {
      const at = place.get(id as string) ?? -1;
      assert.ok(at > (last.get(session as string) ?? -1), "in the order of its session");
      last.set(session as string, at);
    }
    // A delivery is repeated after its response was received only if it was running in a killed worker.
    const sure = new Set<string>();
    let repeats = 0;
    let unexplained = 0;
    const seen = new Set<string>();
    for (const { id, at, answered } of accepted) {
      if (seen.has(id)) repeats += 1;
      if (sure.has(id)) unexplained += 1;
      seen.add(id);
      if (answered && !deaths.some((death) => death >= at && death - at < UNSURE_MS)) sure.add(id);
    }
    assert.ok(unexplained <= kills * MAX_IN_FLIGHT, `${unexplained} repeats after ${kills} kills`);
    console.log(
      `${EVENTS} events in ${seconds.toFixed(0)} s: ${kills} workers killed, receiver dead ${deaths.length} times; ` +
        `${[...arrivedAs].map(([way, count]) => `${way} ${count}`).join(", ")}; ${repeats} repeats, ` +
        `${unexplained} of them after an answer (${kills * MAX_IN_FLIGHT} may be)`,
    );
    await outbox.close();
  },
);
