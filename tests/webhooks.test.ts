/** Delivery to receivers that respond, fail, disappear, or send invalid responses. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { readSessionToken } from "../src/tenants/signed-address.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../src/lib/clock.ts";
import { answering, ok, silent, startReceiver, type Receiver } from "./support/receiver.ts";
import { SECRET, startOutbox, type Outbox } from "./support/webhooks.ts";

let outbox: Outbox;
let receiver: Receiver;

beforeEach(async () => {
  outbox = await startOutbox();
  receiver = await startReceiver();
});
afterEach(async () => {
  await outbox.close();
  await receiver.close();
});

async function statuses(): Promise<readonly string[]> {
  const rows = await outbox.rows("select status from webhook_deliveries order by event_number, profile_id");
  return rows.map((row) => row["status"] as string);
}

test("an event arrives once, signed over its bytes, with the session token, which is not stored", async () => {
  const profile = await outbox.profile(receiver.url);
  const session = await outbox.session(profile);
  const event = await outbox.event(session);
  const worker = outbox.worker();
  await worker.settled();
  await worker.settled();

  assert.equal(receiver.received.length, 1);
  const [first] = receiver.received;
  assert.ok(first);
  const { headers, body } = first;
  const sent = JSON.parse(body) as Record<string, string>;
  assert.equal(body, `{"event":"${event}","n":"19.90","token":"${sent["token"]}"}`);
  assert.deepEqual(readSessionToken(outbox.deps.keys, sent["token"] ?? ""), {
    tenant: outbox.tenant,
    sessionId: session,
  });
  assert.equal(headers["x-service-event"], "payment_session.completed");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["x-service-signature"], createHmac("sha256", SECRET).update(body).digest("hex"));
  assert.equal(headers["x-service-attempt"], "1");
  assert.equal(headers["webhook-id"], event);
  assert.deepEqual(await statuses(), ["delivered"]);
  const [dump] = await outbox.rows(
    "select string_agg(d::text, '') || string_agg(e::text, '') as t from webhook_deliveries d, events e",
  );
  assert.ok(!String(dump?.["t"]).includes("ps_"));
});

test("after a receiver was down for 72 hours all events arrive, in order per session, each attempt with the same id and body", async () => {
  const profile = await outbox.profile(receiver.url, {
    events: ["payment_session.completed", "transaction.status_changed", "chargeback.created"],
  });
  const expected = new Map<string, string[]>();
  for (let count = 0; count < 12; count += 1) {
    const session = await outbox.session(profile);
    const types = ["payment_session.completed", "transaction.status_changed", "chargeback.created"];
    for (const type of types) {
      expected.set(session, [...(expected.get(session) ?? []), await outbox.event(session, type)]);
    }
  }
  receiver.answer = (_, __, request) => request.socket.destroy();
  const worker = outbox.worker();
  const until = outbox.clock.now().getTime() + 72 * HOUR_MS;
  while (outbox.clock.now().getTime() < until) {
    await worker.settled();
    outbox.clock.advance(20 * MINUTE_MS);
  }
  assert.deepEqual(new Set(await statuses()), new Set(["failing", "pending"]));

  const failed = receiver.received.length;
  receiver.answer = ok;
  for (let hour = 0; hour < 32; hour += 1) {
    await worker.settled();
    outbox.clock.advance(HOUR_MS);
  }
  assert.deepEqual(new Set(await statuses()), new Set(["delivered"]));

  const bodies = new Map<string, string>();
  for (const { headers, body } of receiver.received) {
    const id = String(headers["webhook-id"]);
    assert.equal(bodies.get(id) ?? body, body);
    bodies.set(id, body);
  }
  const arrived = receiver.received.slice(failed).map(({ headers }) => String(headers["webhook-id"]));
  for (const events of expected.values()) {
    assert.deepEqual(
      arrived.filter((id) => events.includes(id)),
      events,
    );
  }
  assert.equal(arrived.length, 36);
});

test("retries follow the schedule, number their attempts and end as exhausted", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  receiver.answer = answering(500);
  const worker = outbox.worker();
  for (let hour = 0; hour < 140; hour += 1) {
    await worker.settled();
    outbox.clock.advance(HOUR_MS);
  }
  assert.equal(receiver.received.length, 11);
  const numbers = receiver.received.map(({ headers }) => Number(headers["x-service-attempt"]));
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual(await statuses(), ["exhausted"]);
  const attempts = await outbox.rows("select number, response_code, error from webhook_attempts order by 1");
  assert.equal(attempts.length, 11);
  assert.deepEqual(
    { ...attempts[10] },
    { number: 11, response_code: 500, error: "The receiver answered 500." },
  );
});

test("410 disables the profile with the reason, and events that come while it is disabled are not lost", async () => {
  const profile = await outbox.profile(receiver.url);
  const session = await outbox.session(profile);
  await outbox.event(session);
  receiver.answer = answering(410);
  const worker = outbox.worker();
  await worker.settled();
  assert.deepEqual(await statuses(), ["exhausted"]);
  const [row] = await outbox.rows("select active, disabled_reason from webhook_profiles");
  assert.deepEqual({ ...row }, { active: false, disabled_reason: "The receiver answered 410 Gone." });

  await outbox.event(await outbox.session(profile));
  await outbox.event(await outbox.session());
  receiver.answer = ok;
  outbox.clock.advance(HOUR_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 1);
  await outbox.rows("update webhook_profiles set active = true, disabled_reason = null");
  await worker.settled();
  assert.equal(receiver.received.length, 3);
});

test("Retry-After of 429 and 503 is obeyed, also for the receiver's other events", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  receiver.answer = answering(429, { "retry-after": "90" });
  const worker = outbox.worker();
  await worker.settled();
  await outbox.event(await outbox.session(profile));
  receiver.answer = ok;
  outbox.clock.advance(89 * SECOND_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 1);
  outbox.clock.advance(30 * SECOND_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 3);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`${status} is a failure and is not followed`, async () => {
    const elsewhere = await startReceiver();
    const profile = await outbox.profile(receiver.url);
    await outbox.event(await outbox.session(profile));
    receiver.answer = answering(status, { location: elsewhere.url });
    await outbox.worker().settled();
    assert.deepEqual(await statuses(), ["failing"]);
    assert.equal(elsewhere.received.length, 0);
    await elsewhere.close();
  });
}

test("a response of 200 with an endless body counts as delivered, and 16 KiB of it are stored", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  receiver.answer = (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(`x`.repeat(65_536)), 1);
    response.on("close", () => clearInterval(timer));
  };
  await outbox.worker().settled();
  assert.deepEqual(await statuses(), ["delivered"]);
  const [row] = await outbox.rows("select length(response_body) as kept from webhook_attempts");
  assert.equal(row?.["kept"], 16_384);
});

test("hostile responses are failures with a reason: none, huge headers, no HTTP, a closed port", async () => {
  const worker = outbox.worker({ send: { totalMs: 300, connectMs: 200 } });
  const profile = await outbox.profile(receiver.url);
  const answers: readonly Receiver["answer"][] = [
    silent,
    (_, response) => response.writeHead(200, { "x-big": "h".repeat(100_000) }).end(),
    (_, __, request) => request.socket.end("nonsense\r\n\r\n"),
    (_, __, request) => request.socket.destroy(),
  ];
  for (const answer of answers) {
    receiver.answer = answer;
    await outbox.event(await outbox.session(profile));
    await worker.settled();
  }
  const closed = await outbox.profile("http://127.0.0.1:9/");
  await outbox.event(await outbox.session(closed));
  await worker.settled();
  const rows = await outbox.rows("select status, error, response_code from webhook_deliveries");
  assert.equal(rows.length, 5);
  for (const row of rows) {
    assert.equal(row["status"], "failing");
    assert.equal(row["response_code"], null);
    assert.match(String(row["error"]), /\w/);
  }
});

test("a receiver's response is stored without tokens and NUL", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  receiver.answer = ({ body }, response) => response.writeHead(400).end(`bad \0 ${body}`);
  await outbox.worker().settled();
  const [row] = await outbox.rows("select response_body from webhook_attempts");
  assert.match(String(row?.["response_body"]), /^bad \ufffd .*"token":"\[redacted\]"/);
});

test("the circuit opens after five failures in a row; then single probes are sent, and one success closes it", async () => {
  const profile = await outbox.profile(receiver.url);
  for (let count = 0; count < 40; count += 1) await outbox.event(await outbox.session(profile));
  receiver.answer = answering(500);
  const worker = outbox.worker();
  await worker.settled();
  assert.equal(receiver.received.length, 5);
  outbox.clock.advance(31 * SECOND_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 6);
  outbox.clock.advance(61 * SECOND_MS);
  receiver.answer = ok;
  await worker.settled();
  assert.ok(receiver.received.length >= 40);
  const left = await outbox.rows("select 1 from webhook_deliveries where status = 'pending'");
  assert.equal(left.length, 0);
});

test("with max_in_flight 1 a receiver gets one request at a time, however many workers there are", async () => {
  const profile = await outbox.profile(receiver.url, { maxInFlight: 1 });
  for (let count = 0; count < 30; count += 1) await outbox.event(await outbox.session(profile));
  let open = 0;
  let most = 0;
  receiver.answer = (_, response) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
      response.writeHead(200).end();
    });
  };
  const workers = [outbox.worker(), outbox.worker(), outbox.worker()];
  await Promise.all(workers.map((worker) => worker.settled()));
  await receiver.arrived(30);
  assert.equal(receiver.received.length, 30);
  assert.equal(most, 1);
});

test("a receiver whose worker died is served again half a minute later", async () => {
  const session = await outbox.session(await outbox.profile(receiver.url));
  await outbox.event(session);
  const broken = outbox.worker({
    reached(step) {
      if (step === "webhook.claimed") throw new Error("the database went away");
    },
  });
  await broken.settled();
  assert.equal(receiver.received.length, 0);
  outbox.clock.advance(30 * SECOND_MS);
  await outbox.worker().settled();
  assert.deepEqual(await statuses(), ["delivered"]);
});

const TARPIT_MS = 5_000;

test("fifty receivers that never respond do not delay others", async () => {
  const tarpit = await startReceiver(silent);
  for (let count = 0; count < 50; count += 1) {
    const profile = await outbox.profile(tarpit.url);
    for (let events = 0; events < 3; events += 1) await outbox.event(await outbox.session(profile));
  }
  const worker = outbox.worker({ send: { totalMs: TARPIT_MS } });
  worker.wake();
  await tarpit.arrived(50);
  const good = await outbox.profile(receiver.url);
  for (let count = 0; count < 20; count += 1) await outbox.event(await outbox.session(good));
  const started = performance.now();
  worker.wake();
  await receiver.arrived(20);
  assert.ok(performance.now() - started < TARPIT_MS, "nobody waited for one that does not answer");
  await worker.close();
  await tarpit.close();
});

test("events of payment sessions go to the session's profile or else to all subscribers, and other events to all subscribers", async () => {
  const both = ["payment_session.completed", "payment_session.expired", "chargeback.created"];
  const own = await outbox.profile(`${receiver.url}/own`, { events: both });
  const other = await outbox.profile(`${receiver.url}/other`, { events: both });
  await outbox.profile(`${receiver.url}/third`, { events: ["transaction.created"] });
  const elsewhere = await outbox.anotherTenant();
  await outbox.profile(`${receiver.url}/foreign`, { events: both }, elsewhere);
  const routed = await outbox.session(own);
  const unrouted = await outbox.session();
  const worker = outbox.worker();
  const paths = async () => {
    await worker.settled();
    return receiver.received
      .splice(0)
      .map(({ path }) => path.replace("/hook/", ""))
      .toSorted();
  };

  await outbox.event(routed);
  assert.deepEqual(await paths(), ["own"]);
  await outbox.event(routed, "payment_session.expired");
  assert.deepEqual(await paths(), ["own"]);
  await outbox.event(unrouted);
  assert.deepEqual(await paths(), ["other", "own"]);
  await outbox.event(routed, "chargeback.created");
  assert.deepEqual(await paths(), ["other", "own"]);
  await outbox.event(null, "transaction.created");
  assert.deepEqual(await paths(), ["third"]);
  await outbox.event(null, "transaction.status_changed");
  assert.deepEqual(await paths(), []);
  await outbox.rows("update webhook_profiles set archived_at = now() where id = $1", [own]);
  await outbox.event(await outbox.session(own));
  assert.deepEqual(await paths(), ["other"]);
  await outbox.rows("update webhook_profiles set active = false where id = $1", [other]);
  await outbox.event(await outbox.session());
  assert.deepEqual(await paths(), []);
});

test("the other events carry their name, id, time and the session token with their record", async () => {
  await outbox.profile(receiver.url, { events: ["chargeback.created"] });
  const session = await outbox.session();
  const id = await outbox.event(session, "chargeback.created", {
    livemode: false,
    chargeback: { amount: "1.00" },
  });
  await outbox.worker().settled();
  const body = JSON.parse(receiver.received[0]?.body ?? "") as Record<string, unknown>;
  assert.equal(body["event"], "chargeback.created");
  assert.equal(body["event_id"], id);
  assert.equal(body["created_at"], "2026-11-21T12:00:00.000Z");
  assert.deepEqual(body["chargeback"], { amount: "1.00" });
  assert.match(String(body["session_token"]), /^ps_/);
});

test("a change of the profile's fields does not change an event on its next attempt", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  receiver.answer = answering(500);
  const worker = outbox.worker();
  await worker.settled();
  await outbox.rows('update webhook_profiles set payload_fields = \'{"x": "amount"}\', ascii_escape = true');
  outbox.clock.advance(7 * SECOND_MS);
  await worker.settled();
  assert.equal(receiver.received.length, 2);
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);
});

test("after a rotation both secrets sign until the overlap ends", async () => {
  const until = new Date(outbox.clock.now().getTime() + HOUR_MS);
  const previousSecret = { secret: "the-secret-before", until };
  const profile = await outbox.profile(receiver.url, { previousSecret });
  const worker = outbox.worker();
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  outbox.clock.advance(HOUR_MS);
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  const [during, afterwards] = receiver.received;
  const mac = (secret: string, body = "") => createHmac("sha256", secret).update(body).digest("hex");
  assert.equal(during?.headers["x-service-signature"], mac(SECRET, during?.body));
  assert.equal(during?.headers["x-service-signature-previous"], mac("the-secret-before", during?.body));
  assert.equal(afterwards?.headers["x-service-signature-previous"], undefined);
});
