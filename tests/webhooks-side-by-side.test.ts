/**
 * Several concurrent webhooks to one receiver: in order where order matters (EVENT-9), within its limit (EVENT-10),
 * whatever changes meanwhile.
 */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import pg from "pg";
import { combiningCalls } from "../src/db/postgres.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { COMMAND_LINE } from "../src/management/audit/audit.ts";
import type { Webhooks } from "../src/webhooks/delivery/dispatch.ts";
import type { Sender } from "../src/webhooks/delivery/send.ts";
import { redeliverOne } from "../src/webhooks/management/redeliver.ts";
import { seeded } from "../tools/random.ts";
import { onClock } from "./support/database-clock.ts";
import { answering, ok, silent, startReceiver, type Received, type Receiver } from "./support/receiver.ts";
import { startOutbox, type Outbox } from "./support/webhooks.ts";

const TYPE = "transaction.status_changed";

let outbox: Outbox;
let receiver: Receiver;

beforeEach(async () => {
  outbox = await startOutbox();
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all([outbox.close(), receiver.close()]);
});

/** A profile whose receiver has proved that it can handle its limit of requests. */
async function profile(maxInFlight = 10, url = receiver.url): Promise<string> {
  const id = await outbox.profile(url, { events: [TYPE], maxInFlight });
  await outbox.rows(
    "insert into webhook_receivers (tenant, profile_id, in_flight_limit) values ($1, $2, $3)",
    [outbox.tenant, id, maxInFlight],
  );
  return id;
}

/** Adds events of one session, in order. @returns their ids. */
async function subject(count: number): Promise<readonly string[]> {
  const session = await outbox.session();
  const events: string[] = [];
  while (events.length < count) events.push(await outbox.event(session, TYPE));
  return events;
}

async function subjects(count: number, each = 1): Promise<readonly (readonly string[])[]> {
  const made: (readonly string[])[] = [];
  while (made.length < count) made.push(await subject(each));
  return made;
}

const idOf = ({ headers }: Received) => String(headers["webhook-id"]);
const arrived = () => receiver.received.map(idOf);

/** Holds arriving requests until the test responds. */
function hold(): { readonly id: string; readonly response: ServerResponse }[] {
  const held: { id: string; response: ServerResponse }[] = [];
  receiver.answer = (received, response) => void held.push({ id: idOf(received), response });
  return held;
}

/** One pass of the job. Afterwards everything that it may claim is claimed. */
async function look(worker: Webhooks): Promise<void> {
  const [job] = worker.jobs;
  await job?.runOnce(job.batch);
}

async function underWay(): Promise<readonly string[]> {
  const rows = await outbox.rows(
    "select event_id from webhook_deliveries where locked_until > $1 order by event_number",
    [outbox.clock.now()],
  );
  return rows.map((row) => row["event_id"] as string);
}

async function statusOf(event: string): Promise<string> {
  const [row] = await outbox.rows("select status from webhook_deliveries where event_id = $1", [event]);
  return row?.["status"];
}

async function deliveryOf(event: string): Promise<string> {
  const [row] = await outbox.rows("select id from webhook_deliveries where event_id = $1", [event]);
  return row?.["id"];
}

async function untilNoneIsOpen(workers: readonly Webhooks[], stepMs: number): Promise<void> {
  for (let rounds = 0; rounds < 300; rounds += 1) {
    await Promise.all(workers.map((worker) => worker.settled()));
    const open = await outbox.rows(
      `select 1 from events where fanned_out_at is null
        union all select 1 from webhook_deliveries where status in ('pending', 'failing')`,
    );
    if (open.length === 0) return;
    outbox.clock.advance(stepMs);
  }
  assert.fail("something stays open");
}

test("at most max_in_flight requests run at once, and at most one for each subject, however many workers there are", async () => {
  await profile(10);
  const expected = await subjects(30, 4);
  const subjectOf = new Map(expected.flatMap((events, at) => events.map((event) => [event, at])));
  const open = new Map<number, number>();
  let [now, most, mostOfOne] = [0, 0, 0];
  receiver.answer = (received, response) => {
    const of = subjectOf.get(idOf(received)) ?? -1;
    now += 1;
    open.set(of, (open.get(of) ?? 0) + 1);
    most = Math.max(most, now);
    mostOfOne = Math.max(mostOfOne, open.get(of) ?? 0);
    setTimeout(() => {
      now -= 1;
      open.set(of, (open.get(of) ?? 0) - 1);
      response.writeHead(200).end();
    }, 5);
  };
  const workers = [outbox.worker(), outbox.worker(), outbox.worker()];
  await untilNoneIsOpen(workers, 2 * SECOND_MS);
  assert.equal(receiver.received.length, 120);
  assert.equal(mostOfOne, 1);
  assert.ok(most > 1 && most <= 10, `${most} at once`);
  for (const events of expected)
    assert.deepEqual(
      arrived().filter((id) => events.includes(id)),
      events,
    );
});

test("an unknown receiver gets one request, and a good one as many as its profile allows", async () => {
  await outbox.profile(receiver.url, { events: [TYPE], maxInFlight: 10 });
  await subjects(60);
  const held = hold();
  const worker = outbox.worker();
  await look(worker);
  assert.equal((await underWay()).length, 1);
  await receiver.arrived(1);
  receiver.answer = ok;
  held[0]?.response.end();
  await worker.settled();
  const [row] = await outbox.rows("select in_flight_limit from webhook_receivers");
  assert.equal(row?.["in_flight_limit"], 10);
  assert.equal(receiver.received.length, 60);
});

test("a failing receiver gets single probes, and after the first success half of its former concurrent requests", async () => {
  await profile(10);
  await subjects(60);
  receiver.answer = answering(500);
  const worker = outbox.worker();
  await worker.settled();
  // The requests that were running, and then one at a time until the circuit opens.
  assert.equal(receiver.received.length, 10 + 4);
  outbox.clock.advance(31 * SECOND_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 15);
  const [broken] = await outbox.rows("select in_flight_limit, failures_in_a_row from webhook_receivers");
  assert.deepEqual({ ...broken }, { in_flight_limit: 1, failures_in_a_row: 6 });
  receiver.answer = ok;
  await untilNoneIsOpen([worker], MINUTE_MS);
  const [well] = await outbox.rows("select in_flight_limit, failures_in_a_row from webhook_receivers");
  assert.deepEqual({ ...well }, { in_flight_limit: 10, failures_in_a_row: 0 });
});

test("one failure among many halves the limit and does not open the circuit", async () => {
  await profile(8);
  const [[bad] = []] = await subjects(8);
  const held = hold();
  const worker = outbox.worker();
  await look(worker);
  await receiver.arrived(8);
  for (const { id, response } of held) response.writeHead(id === bad ? 500 : 200).end();
  await worker.settled();
  const [row] = await outbox.rows(
    "select in_flight_limit, failures_in_a_row, paused_until from webhook_receivers",
  );
  assert.deepEqual({ ...row }, { in_flight_limit: 4, failures_in_a_row: 1, paused_until: null });
  receiver.answer = ok;
  await untilNoneIsOpen([worker], 7 * SECOND_MS);
});

test("a slow receiver gets half as many at once", async () => {
  await profile(8);
  await subjects(8);
  const answer = { responseCode: 200, retryAfter: undefined, responseBody: null, error: null };
  const sender: Sender = {
    post: async () => ({ ...answer, durationMs: 5_001 }),
    get: () => assert.fail("nothing is fetched"),
    close: async () => {},
  };
  await outbox.worker({ sender }).settled();
  const [row] = await outbox.rows("select in_flight_limit, failures_in_a_row from webhook_receivers");
  assert.deepEqual({ ...row }, { in_flight_limit: 4, failures_in_a_row: 0 });
});

test("an unanswered event delays only its own subject", async () => {
  await profile(10);
  const [stuck = [], ...others] = await subjects(20, 2);
  const first = Promise.withResolvers<ServerResponse>();
  receiver.answer = (received, response, request) => {
    if (idOf(received) === stuck[0]) first.resolve(response);
    else ok(received, response, request);
  };
  const worker = outbox.worker();
  worker.wake();
  const response = await first.promise;
  await receiver.arrived(1 + 2 * others.length);
  assert.ok(!arrived().includes(stuck[1] ?? ""));
  // New events are sent as well, except of the same subject.
  const [another = []] = await subjects(1);
  await look(worker);
  await receiver.arrived(2 + 2 * others.length);
  assert.equal(arrived().at(-1), another[0]);
  response.writeHead(200).end();
  await receiver.arrived(3 + 2 * others.length);
  assert.equal(arrived().at(-1), stuck[1]);
});

test("a failed event delays only its own subject, until it is delivered", async () => {
  await profile(10);
  const [bad = [], ...others] = await subjects(10, 2);
  const flat = others.flat();
  receiver.answer = (received, response) => response.writeHead(idOf(received) === bad[0] ? 500 : 200).end();
  const worker = outbox.worker();
  await worker.settled();
  assert.deepEqual(new Set(arrived().filter((id) => id !== bad[0])), new Set(flat));
  assert.deepEqual([await statusOf(bad[0] ?? ""), await statusOf(bad[1] ?? "")], ["failing", "pending"]);
  receiver.answer = ok;
  await untilNoneIsOpen([worker], 7 * SECOND_MS);
  assert.deepEqual(arrived().slice(-2), bad);
});

test("hanging receivers do not delay other receivers or other tenants", async () => {
  const tarpit = await startReceiver(silent);
  await profile(100, tarpit.url);
  await subjects(100);
  const elsewhere = await outbox.anotherTenant();
  await outbox.profile(receiver.url, { events: [TYPE] }, elsewhere);
  const worker = outbox.worker({ send: { totalMs: 5_000 } });
  await look(worker);
  await tarpit.arrived(100);
  const good = await profile(10);
  for (let count = 0; count < 20; count += 1) {
    await outbox.event(await outbox.session(null, elsewhere), TYPE, {}, elsewhere);
    await outbox.event(await outbox.session(good), TYPE);
  }
  const started = performance.now();
  worker.wake();
  await receiver.arrived(40);
  assert.ok(performance.now() - started < 5_000, "nobody waited for one that does not answer");
  await worker.close();
  await tarpit.close();
});

test("when max_in_flight is lowered below the number of running requests, nothing is sent until fewer are running", async () => {
  const id = await profile(6);
  await subjects(20);
  const held = hold();
  const worker = outbox.worker();
  await look(worker);
  await receiver.arrived(6);
  await outbox.rows("update webhook_profiles set max_in_flight = 2 where id = $1", [id]);
  for (let answered = 0; answered < 4; answered += 1) held[answered]?.response.end();
  while ((await underWay()).length > 2) await new Promise(setImmediate);
  await look(worker);
  assert.equal((await underWay()).length, 2);
  assert.equal(receiver.received.length, 6);
  held[4]?.response.end();
  await receiver.arrived(7);
  assert.equal((await underWay()).length, 2);
});

test("when the URL is changed during a request, the next request uses the new one, and the old one's response counts", async () => {
  const id = await profile(1);
  const [first = "", second = ""] = await subject(2);
  const held = hold();
  const worker = outbox.worker();
  await look(worker);
  await receiver.arrived(1);
  const moved = await startReceiver();
  await outbox.rows("update webhook_profiles set url = $2 where id = $1", [id, moved.url]);
  held[0]?.response.end();
  await moved.arrived(1);
  await worker.settled();
  assert.deepEqual([arrived(), moved.received.map(idOf)], [[first], [second]]);
  assert.deepEqual([await statusOf(first), await statusOf(second)], ["delivered", "delivered"]);
  await moved.close();
});

test("when the URL is changed during a request that is answered with 410, the new one gets the event", async (context) => {
  const id = await profile(1);
  const [event = ""] = await subject(1);
  const held = hold();
  const outcomes: string[] = [];
  const worker = outbox.worker({ onAttempt: ({ outcome }) => void outcomes.push(outcome) });
  await look(worker);
  await receiver.arrived(1);
  const moved = await startReceiver();
  context.after(() => moved.close());
  await outbox.rows("update webhook_profiles set url = $2 where id = $1", [id, moved.url]);
  held[0]?.response.writeHead(410).end();
  await untilNoneIsOpen([worker], 7 * SECOND_MS);
  assert.deepEqual([arrived(), moved.received.map(idOf)], [[event], [event]]);
  assert.equal(await statusOf(event), "delivered");
  assert.deepEqual(outcomes, ["failing", "delivered"]);
  const [row] = await outbox.rows("select active, disabled_reason from webhook_profiles");
  assert.deepEqual({ ...row }, { active: true, disabled_reason: null });
});

const again = (id: string) =>
  redeliverOne(outbox.deps, {
    tenant: outbox.tenant,
    id,
    operationId: randomIds.uuid(),
    author: COMMAND_LINE,
  });

test("a running delivery that is sent again by hand is repeated at once only if it fails", async () => {
  await profile(10);
  const [event = ""] = await subject(1);
  const worker = outbox.worker();
  receiver.answer = answering(500);
  await worker.settled();
  const held = hold();
  outbox.clock.advance(7 * SECOND_MS);
  await look(worker);
  await receiver.arrived(2);
  await again(await deliveryOf(event));
  await look(worker);
  assert.deepEqual(await underWay(), [event]);
  held[0]?.response.writeHead(500).end();
  await receiver.arrived(3);
  await again(await deliveryOf(event));
  held[1]?.response.end();
  await worker.settled();
  assert.equal(await statusOf(event), "delivered");
  assert.equal(receiver.received.length, 3);
  const attempts = await outbox.rows("select number, response_code from webhook_attempts order by number");
  assert.deepEqual(
    attempts.map((row) => row["response_code"] as number),
    [500, 500, 200],
  );
});

for (const code of [500, 410])
  test(`the first request of a delivery that is sent again by hand meanwhile does not end it if it fails (${code})`, async () => {
    await profile(10);
    const [event = ""] = await subject(1);
    const worker = outbox.worker();
    const held = hold();
    await look(worker);
    await receiver.arrived(1);
    outbox.clock.advance(SECOND_MS);
    await again(await deliveryOf(event));
    held[0]?.response.writeHead(code).end();
    receiver.answer = ok;
    await worker.settled();
    if (code === 410) {
      assert.equal(await statusOf(event), "pending");
      await outbox.rows("update webhook_profiles set active = true, disabled_reason = null");
      await worker.settled();
    }
    assert.equal(await statusOf(event), "delivered");
    assert.deepEqual(arrived(), [event, event]);
  });

test("an earlier event that is sent again by hand waits for a running later one of its subject", async () => {
  await profile(10);
  const [first = "", second = ""] = await subject(2);
  const held: ServerResponse[] = [];
  receiver.answer = (received, response) => {
    if (idOf(received) === first && receiver.received.length === 1) response.end();
    else held.push(response);
  };
  const worker = outbox.worker();
  worker.wake();
  await receiver.arrived(2);
  await again(await deliveryOf(first));
  await look(worker);
  await look(outbox.worker());
  assert.deepEqual(await underWay(), [second]);
  held[0]?.end();
  await receiver.arrived(3);
  held[1]?.end();
  await worker.settled();
  assert.deepEqual(arrived(), [first, second, first]);
});

test("a new event waits for a running earlier one of its subject", async () => {
  await profile(10);
  const session = await outbox.session();
  const first = await outbox.event(session, TYPE);
  const held = hold();
  const worker = outbox.worker();
  await look(worker);
  await receiver.arrived(1);
  const second = await outbox.event(session, TYPE);
  // The instance that fans out the event may not be the one that sends it first.
  await look(outbox.worker());
  await look(worker);
  assert.deepEqual(await underWay(), [first]);
  held[0]?.response.end();
  await receiver.arrived(2);
  held[1]?.response.end();
  await worker.settled();
  assert.deepEqual(arrived(), [first, second]);
});

test("an archived or disabled receiver gets no further requests, and running ones are recorded", async () => {
  for (const change of ["archived_at = now()", "active = false"]) {
    const id = await profile(2);
    const events = (await subjects(4)).flat();
    const held = hold();
    const before = receiver.received.length;
    const worker = outbox.worker();
    await look(worker);
    await receiver.arrived(before + 2);
    await outbox.rows(`update webhook_profiles set ${change} where id = $1`, [id]);
    for (const { response } of held) response.end();
    await worker.settled();
    assert.deepEqual(await Promise.all(events.map(statusOf)), [
      "delivered",
      "delivered",
      "pending",
      "pending",
    ]);
    assert.equal(receiver.received.length, before + 2);
    await outbox.rows("update webhook_profiles set archived_at = now() where id = $1", [id]);
  }
});

test("several 410 answers at once disable the profile once, and unsent events wait", async () => {
  await profile(3);
  const events = (await subjects(6)).flat();
  receiver.answer = answering(410);
  const worker = outbox.worker();
  await worker.settled();
  const statuses = await Promise.all(events.map(statusOf));
  assert.deepEqual(statuses, ["exhausted", "exhausted", "exhausted", "pending", "pending", "pending"]);
  const [row] = await outbox.rows("select active, disabled_reason from webhook_profiles");
  assert.deepEqual({ ...row }, { active: false, disabled_reason: "The receiver answered 410 Gone." });
});

test("an instance whose clock is an hour ahead or behind does not take over another instance's running request", async () => {
  await profile(1);
  await subjects(2);
  hold();
  const worker = outbox.worker();
  await look(worker);
  await receiver.arrived(1);
  for (const apart of [HOUR_MS, -HOUR_MS]) {
    const clock = { ...outbox.clock, now: () => new Date(outbox.clock.now().getTime() + apart) };
    // The database's clock is right.
    await look(outbox.worker({}, { clock, db: combiningCalls(onClock(outbox.db, outbox.clock)) }));
    assert.equal((await underWay()).length, 1);
    assert.equal(receiver.received.length, 1);
  }
});

test("with receivers that fail at random and three workers every event arrives, in the order of its subject", async () => {
  const random = seeded(7);
  await profile(10);
  const expected = await subjects(25, 4);
  const accepted: string[] = [];
  receiver.answer = (received, response, request) => {
    if (random.chance(0.2)) return void request.socket.destroy();
    if (random.chance(0.2)) return void response.writeHead(random.pick([400, 500, 503])).end();
    accepted.push(idOf(received));
    // The response is lost, so the event is sent again.
    if (random.chance(0.1)) return void request.socket.destroy();
    response.end();
  };
  await untilNoneIsOpen([outbox.worker(), outbox.worker(), outbox.worker()], 20 * MINUTE_MS);
  const first = [...new Set(accepted)];
  assert.equal(first.length, 100);
  for (const events of expected)
    assert.deepEqual(
      first.filter((id) => events.includes(id)),
      events,
    );
});

test("a delivery that is sent again by hand and refused again starts its schedule from the beginning", async () => {
  await profile(10);
  const [event = ""] = await subject(1);
  const worker = outbox.worker();
  receiver.answer = answering(500);
  await worker.settled();
  await again(await deliveryOf(event));
  await worker.settled();
  assert.equal(receiver.received.length, 2);
  const rows = await outbox.rows("select status, tries, attempts from webhook_deliveries");
  assert.deepEqual(rows, [{ status: "failing", tries: 1, attempts: 2 }]);
});

for (const code of [200, 410, 500]) {
  test(`a response (${code}) after the end of its lease writes nothing and releases nothing`, async () => {
    await profile(10);
    const [event = ""] = await subject(1);
    const worker = outbox.worker();
    const held = hold();
    worker.wake();
    await receiver.arrived(1);
    await outbox.rows("update webhook_deliveries set lease_no = lease_no + 1 where locked_until is not null");
    held[0]?.response.writeHead(code).end();
    await worker.settled();
    assert.deepEqual(await underWay(), [event]);
    assert.deepEqual(await outbox.rows("select number from webhook_attempts"), []);
    assert.deepEqual(await outbox.rows("select active from webhook_profiles"), [{ active: true }]);
  });
}

test("of two events of a subject the later one gets no delivery while another instance holds the earlier one", async () => {
  await profile(10);
  const [first = ""] = await subject(2);
  const locker = new pg.Client({ connectionString: outbox.databaseUrl });
  await locker.connect();
  await locker.query("begin");
  await locker.query("select from events where id = $1 for update", [first]);
  const looked = look(outbox.worker());
  for (let waits = 0; waits === 0;) {
    const { rows } = await locker.query<{ n: number }>(
      `select count(*)::integer as n from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`,
    );
    waits = rows[0]?.n ?? 0;
  }
  assert.deepEqual(await outbox.rows("select id from webhook_deliveries"), []);
  await locker.query("rollback");
  await locker.end();
  await looked;
  assert.equal((await outbox.rows("select id from webhook_deliveries")).length, 2);
});
