/** kill -9 and SIGSTOP of delivery workers: every event arrives, in order per session, with few duplicates. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, test } from "node:test";
import { systemClock } from "../src/lib/clock.ts";
import type { WebhookStep } from "../src/webhooks/delivery/dispatch.ts";
import { answering, ok, startReceiver, type Receiver } from "./support/receiver.ts";
import { sized } from "./support/sized.ts";
import type { WorkerSettings } from "./support/webhook-worker.ts";
import { startOutbox, type Outbox } from "./support/webhooks.ts";
import { fillOutbox, startWorkerProcess } from "./support/worker-process.ts";

const LEASE_MS = 1_200;
const TOTAL_MS = 300;
/**
 * For tests in which one attempt must be enough, also on a busy machine. A lease has time for more than one attempt.
 */
const PATIENT = { leaseMs: 4_000, totalMs: 2_500 };
/** 2,000 make the 10,000 events of a long run: CRASH_SESSIONS=2000 npm test -- tests/webhooks-crash.test.ts */
const SESSIONS = Number(process.env["CRASH_SESSIONS"] ?? sized(40, 100));
const EVENTS_PER_SESSION = 5;
const EVENTS = SESSIONS * EVENTS_PER_SESSION;
/** The default number of requests that may be running when a worker dies. */
const IN_FLIGHT_MAX = 10;

let outbox: Outbox;
let receiver: Receiver;

beforeEach(async () => {
  outbox = await startOutbox();
  receiver = await startReceiver();
  await outbox.profile(receiver.url, { events: ["transaction.status_changed"] });
  await fillOutbox(outbox, SESSIONS, EVENTS_PER_SESSION);
});
afterEach(async () => {
  await outbox.close();
  await receiver.close();
});

function startWorker(
  die: WorkerSettings["die"] = null,
  times = { leaseMs: LEASE_MS, totalMs: TOTAL_MS },
): Promise<ChildProcess> {
  return startWorkerProcess(outbox, { ...times, die });
}

async function untilAllDelivered(): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const rows = await outbox.rows("select 1 from webhook_deliveries where status = 'delivered'");
    if (rows.length === EVENTS) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail("not everything was delivered");
}

/** Waits for the end of the present leases. */
async function leasesOver(): Promise<void> {
  await outbox.rows(
    `select pg_sleep_until(coalesce(max(locked_until), now())) from webhook_deliveries
      where status in ('pending', 'failing')`,
  );
}

/** Checks that the receiver got exactly the written events, first arrivals in order. @returns the number of repeats. */
async function repeats(taken: readonly Receiver["received"][number][]): Promise<number> {
  const events = await outbox.rows("select id, session_id from events order by number");
  const first = [...new Set(taken.map(({ headers }) => String(headers["webhook-id"])))];
  assert.equal(first.length, EVENTS);
  const place = new Map(first.map((id, index) => [id, index]));
  const last = new Map<string, number>();
  for (const event of events) {
    const at = place.get(event["id"] as string) ?? -1;
    assert.ok(at > (last.get(event["session_id"] as string) ?? -1), "in the order of its session");
    last.set(event["session_id"] as string, at);
  }
  const bodies = new Map<string, string>();
  for (const { headers, body } of taken) {
    const id = String(headers["webhook-id"]);
    assert.equal(bodies.get(id) ?? body, body);
    bodies.set(id, body);
  }
  return taken.length - first.length;
}

const STEPS: readonly (readonly [step: WebhookStep, times: readonly number[]])[] = [
  ["webhook.claimed", [1, 1]],
  ["webhook.answered", [40, 90]],
  ["webhook.sending", [40, 90]],
  ["webhook.recording", [40, 90]],
  ["webhook.recorded", [40, 90]],
];

for (const [step, times] of sized(STEPS.slice(0, 2), STEPS)) {
  test(`killed twice at ${step}: no event is lost, and at most one is repeated per crash`, async () => {
    for (const time of times) {
      const dying = await startWorker({ at: step, time });
      assert.deepEqual(await once(dying, "exit"), [null, "SIGKILL"]);
    }
    const child = await startWorker();
    await untilAllDelivered();
    child.kill("SIGKILL");
    const count = await repeats(receiver.received);
    assert.ok(count <= times.length * IN_FLIGHT_MAX, `${count} repeats`);
    const gaps = await outbox.rows(
      `select 1 from webhook_deliveries d
        where d.attempts <> (select count(*) from webhook_attempts a where a.tenant = d.tenant and a.delivery_id = d.id)`,
    );
    assert.deepEqual(gaps, []);
  });
}

test("without a crash no event is repeated", async () => {
  const child = await startWorker(null, PATIENT);
  await untilAllDelivered();
  child.kill("SIGKILL");
  assert.equal(await repeats(receiver.received), 0);
});

test("killed before a retry is recorded: the delivery is retried and succeeds", async () => {
  receiver.answer = answering(500);
  const dying = await startWorker({ at: "webhook.postponing", time: 1 });
  assert.deepEqual(await once(dying, "exit"), [null, "SIGKILL"]);
  const refused = receiver.received.length;
  assert.ok(refused >= 1 && refused <= IN_FLIGHT_MAX);
  receiver.answer = ok;
  const child = await startWorker(null, PATIENT);
  await untilAllDelivered();
  child.kill("SIGKILL");
  assert.equal(await repeats(receiver.received.slice(refused)), 0);
});

test("a worker that was stopped past its lease and continues writes nothing, and the order is kept", async () => {
  const stopped = await startWorker(null, PATIENT);
  await receiver.arrived(EVENTS / 5);
  stopped.kill("SIGSTOP");
  const { leaseMs, totalMs } = PATIENT;
  const second = outbox.worker({ leaseMs, send: { totalMs } }, { clock: systemClock });
  const looking = setInterval(() => second.wake(), 50);
  await receiver.arrived((EVENTS * 2) / 5);
  // The other worker may get so far in the slots that the stopped one had not used.
  await leasesOver();
  stopped.kill("SIGCONT");
  await untilAllDelivered();
  clearInterval(looking);
  stopped.kill("SIGKILL");
  assert.ok((await repeats(receiver.received)) <= IN_FLIGHT_MAX);
  const [row] = await outbox.rows("select max(attempts) as most from webhook_deliveries");
  assert.equal(row?.["most"], 1);
});
