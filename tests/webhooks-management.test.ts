/** Deliveries as the merchant's staff uses them: listed, inspected, sent again; also test events to receivers. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createAnswerStore } from "../src/db/idempotency.ts";
import type { Caller } from "../src/http/endpoint.ts";
import { memoryCounters } from "../src/http/rate-limit.ts";
import { createServer, type Server } from "../src/http/server.ts";
import { HOUR_MS } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { COMMAND_LINE } from "../src/management/audit/audit.ts";
import type { Webhooks } from "../src/webhooks/delivery/dispatch.ts";
import { forgetReceiverAnswersJob, forgetDeliveriesJob } from "../src/webhooks/delivery/forget.ts";
import { deliveryFilters, redeliverAll, redeliverOne } from "../src/webhooks/management/redeliver.ts";
import { webhookRoutes } from "../src/webhooks/routes.ts";
import { answering, ok, startReceiver, type Receiver } from "./support/receiver.ts";
import { caller, type Json } from "./support/service.ts";
import { startOutbox, type Outbox } from "./support/webhooks.ts";

let outbox: Outbox;
let receiver: Receiver;
let server: Server;
let worker: Webhooks;
let call: ReturnType<typeof caller>;
let foreignTenant: number;

before(async () => {
  outbox = await startOutbox();
  foreignTenant = await outbox.anotherTenant();
  receiver = await startReceiver();
  worker = outbox.worker();
  const { deps } = outbox;
  const keyOf = (tenant: number): Caller => ({
    kind: "key",
    tenant,
    keyId: "k",
    name: "Test",
    scopes: ["management"],
  });
  server = createServer({
    log: deps.log,
    clock: deps.clock,
    ids: deps.ids,
    keys: deps.keys,
    counters: memoryCounters(deps.clock),
    answers: createAnswerStore(outbox.db),
    trustedProxies: [],
    authenticate: async (bearer) => keyOf(bearer === "rk_foreign" ? foreignTenant : outbox.tenant),
    readSessionToken: () => null,
    onRequestDone: () => {},
  });
  webhookRoutes(server.router, deps, worker);
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  call = caller(`http://127.0.0.1:${port}`);
});
after(async () => {
  await server.close();
  await outbox.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.answer = ok;
  await worker.settled();
  await outbox.rows("truncate webhook_attempts, webhook_deliveries, webhook_receivers, events");
  receiver.received.splice(0);
});

const get = (path: string, key = "rk_ours") => call("GET", `management/${path}`, undefined, { key });
const post = (path: string, body: unknown = {}, key = "rk_ours") =>
  call("POST", `management/${path}`, body, { key });
const results = (body: Json) => body["results"] as readonly Json[];

test("an event is listed by each filter, and read with its payload and deliveries but without its token", async () => {
  const profile = await outbox.profile(receiver.url);
  const event = await outbox.event(await outbox.session(profile));
  await worker.settled();
  for (const [filter, count] of [
    ["", 1],
    ["?type=payment_session.completed", 1],
    ["?type=chargeback.created", 0],
    ["?from=2026-11-21&to=2026-11-21", 1],
    ["?from=2026-11-22", 0],
    ["?to=2026-11-20", 0],
  ] as const)
    assert.equal(results((await get(`events/${filter}`)).body).length, count, filter);
  const { body, text } = await get(`events/${event}/`);
  assert.deepEqual([body["id"], body["type"]], [event, "payment_session.completed"]);
  assert.equal(body["payload"].amount, "19.90");
  assert.ok(!/"ps_|session_token/.test(text), text);
  assert.deepEqual(
    results({ results: body["deliveries"] }).map((one) => [
      one["profile"],
      one["status"],
      one["response_code"],
    ]),
    [[profile, "delivered", 200]],
  );
  assert.deepEqual(results((await get("events/", "rk_foreign")).body), []);
  for (const path of [`events/${event}/`, "events/nonsense/"])
    assert.equal((await get(path, "rk_foreign")).status, 404);
});

test("a delivery is listed by each filter, and read with every attempt but without its token", async () => {
  const profile = await outbox.profile(receiver.url);
  const event = await outbox.event(await outbox.session(profile));
  receiver.answer = (_, response) => response.writeHead(500).end("no stock");
  await worker.settled();
  receiver.answer = ok;
  outbox.clock.advance(7_000);
  await worker.settled();

  for (const [filter, count] of [
    ["", 1],
    [`?profile=${profile}`, 1],
    [`?profile=${event}`, 0],
    ["?status=delivered", 1],
    ["?status=failing", 0],
    ["?event=payment_session.completed", 1],
    ["?event=chargeback.created", 0],
    ["?from=2026-11-21&to=2026-11-21", 1],
    ["?from=2026-11-22", 0],
    ["?to=2026-11-20", 0],
  ] as const) {
    const { status, body } = await get(`webhook-deliveries/${filter}`);
    assert.equal(status, 200);
    assert.equal(results(body).length, count, filter);
  }
  const [listed] = results((await get("webhook-deliveries/")).body);
  const { status, body } = await get(`webhook-deliveries/${listed?.["id"]}/`);
  assert.equal(status, 200);
  assert.equal(body["status"], "delivered");
  assert.equal(body["attempt_count"], 2);
  assert.equal(body["event_id"], event);
  assert.deepEqual(body["payload"], { event, n: "19.90", token: null });
  const attempts = body["attempts"] as readonly Json[];
  assert.deepEqual(
    attempts.map((one) => [one["number"], one["response_code"], one["error"], one["response_body"]]),
    [
      [1, 500, "The receiver answered 500.", "no stock"],
      [2, 200, null, "thanks"],
    ],
  );
});

test("ended deliveries are deleted with their attempts after the days of the setting, and waiting ones are not", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  receiver.answer = answering(500);
  const failing = await outbox.event(await outbox.session(profile));
  await worker.settled();
  const forget = forgetDeliveriesJob(outbox.deps, 7);
  const left = () => outbox.rows("select event_id, status from webhook_deliveries order by event_number");
  assert.equal((await left()).length, 2);
  outbox.clock.advance(7 * 24 * HOUR_MS);
  assert.equal(await forget.runOnce(forget.batch), 0);
  outbox.clock.advance(1);
  assert.equal(await forget.runOnce(forget.batch), 1);
  assert.deepEqual(await left(), [{ event_id: failing, status: "failing" }]);
  assert.deepEqual(
    await outbox.rows(
      "select from webhook_attempts a where not exists (select from webhook_deliveries d where d.id = a.delivery_id)",
    ),
    [],
  );
  await worker.settled();
  assert.equal(await forget.runOnce(forget.batch), 0);
  assert.equal((await outbox.rows("select from events")).length, 2);
});

test("a receiver's response is deleted after the days of the setting; its time and status are kept", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  const forget = forgetReceiverAnswersJob(outbox.deps, 7);
  const [listed] = results((await get("webhook-deliveries/")).body);
  const attempt = async () => (await get(`webhook-deliveries/${listed?.["id"]}/`)).body["attempts"][0];
  outbox.clock.advance(7 * 24 * HOUR_MS);
  assert.equal(await forget.runOnce(forget.batch), 0);
  assert.equal((await attempt()).response_body, "thanks");
  outbox.clock.advance(1);
  assert.equal(await forget.runOnce(forget.batch), 1);
  const { response_body, response_code } = await attempt();
  assert.deepEqual([response_body, response_code], [null, 200]);
  assert.equal(await forget.runOnce(forget.batch), 0);
});

test("another tenant's delivery and profile get the response of unknown ones", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  const [listed] = results((await get("webhook-deliveries/")).body);
  const id: string = listed?.["id"];
  assert.deepEqual(results((await get("webhook-deliveries/", "rk_foreign")).body), []);
  for (const answer of [
    await get(`webhook-deliveries/${id}/`, "rk_foreign"),
    await post(`webhook-deliveries/${id}/redeliver/`, {}, "rk_foreign"),
    await post(`webhook-profiles/${profile}/test/`, {}, "rk_foreign"),
    await get("webhook-deliveries/nonsense/"),
    await post("webhook-deliveries/nonsense/redeliver/"),
    await post("webhook-profiles/nonsense/test/"),
  ]) {
    assert.equal(answer.status, 404);
  }
  assert.equal(
    (await post("webhook-deliveries/redeliver/", { profile }, "rk_foreign")).body["redelivered"],
    0,
  );
  await worker.settled();
  assert.equal(receiver.received.length, 1);
});

test("a delivered event is sent again with the same id and body under the next attempt number", async () => {
  await outbox.event(await outbox.session(await outbox.profile(receiver.url)));
  await worker.settled();
  const [listed] = results((await get("webhook-deliveries/")).body);
  const again = await post(`webhook-deliveries/${listed?.["id"]}/redeliver/`);
  assert.equal(again.status, 200);
  assert.equal(again.body["status"], "pending");
  await receiver.arrived(2);
  await worker.settled();
  const [first, second] = receiver.received;
  assert.equal(first?.body, second?.body);
  assert.equal(first?.headers["webhook-id"], second?.headers["webhook-id"]);
  assert.equal(first?.headers["x-service-delivery"], second?.headers["x-service-delivery"]);
  assert.equal(second?.headers["x-service-attempt"], "2");
});

test("a request to send again that is repeated after a crash, under its key, sends nothing a second time", async () => {
  await outbox.event(await outbox.session(await outbox.profile(receiver.url)));
  await worker.settled();
  const [listed] = results((await get("webhook-deliveries/")).body);
  const operation = () => ({
    tenant: outbox.tenant,
    operationId: randomIds.uuid(),
    author: COMMAND_LINE,
  });
  const [one, all] = [{ ...operation(), id: listed?.["id"] as string }, operation()];
  const delivered = deliveryFilters({ status: "delivered" });
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await redeliverOne(outbox.deps, one)).id, one.id);
    await worker.settled();
    assert.equal(receiver.received.length, 2, `by itself, request ${time + 1}`);
  }
  for (let time = 0; time < 2; time += 1) {
    assert.equal(await redeliverAll(outbox.deps, all, delivered), 1);
    await worker.settled();
    assert.equal(receiver.received.length, 3, `by a filter, request ${time + 1}`);
  }
});

test("exhausted deliveries are sent again by filter, delivered ones only on request", async () => {
  const profile = await outbox.profile(receiver.url);
  for (let count = 0; count < 3; count += 1) await outbox.event(await outbox.session(profile));
  receiver.answer = answering(400);
  for (let hour = 0; hour < 150; hour += 1) {
    await worker.settled();
    outbox.clock.advance(HOUR_MS);
  }
  const { body } = await get("webhook-deliveries/?status=exhausted");
  assert.equal(results(body).length, 3);
  const before = receiver.received.length;
  receiver.answer = ok;
  assert.deepEqual((await post("webhook-deliveries/redeliver/", { profile })).body, { redelivered: 3 });
  await worker.settled();
  // The first one is the probe that closes the circuit.
  await worker.settled();
  assert.equal(receiver.received.length, before + 3);
  assert.deepEqual((await post("webhook-deliveries/redeliver/")).body, { redelivered: 0 });
  assert.deepEqual((await post("webhook-deliveries/redeliver/", { status: "delivered" })).body, {
    redelivered: 3,
  });
});

test("a delivery of an archived profile is not sent again", async () => {
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  await worker.settled();
  await outbox.rows("update webhook_profiles set archived_at = now() where id = $1", [profile]);
  const [listed] = results((await get("webhook-deliveries/")).body);
  assert.equal((await post(`webhook-deliveries/${listed?.["id"]}/redeliver/`)).status, 409);
});

test("a sample event of every type is signed and sent at once, and its outcome returned", async () => {
  const profile = await outbox.profile(receiver.url);
  for (const event of [
    "payment_session.completed",
    "payment_session.expired",
    "transaction.created",
    "transaction.status_changed",
    "chargeback.created",
  ]) {
    const { status, body } = await post(`webhook-profiles/${profile}/test/`, { event });
    assert.equal(status, 200);
    assert.equal(body["delivered"], true);
    assert.equal(body["response_code"], 200);
    assert.equal(body["response_body"], "thanks");
    const sent = receiver.received.at(-1);
    assert.equal(sent?.headers["x-service-event"], event);
    assert.equal(sent?.headers["x-service-test"], "true");
    assert.equal(sent?.headers["webhook-id"], body["event_id"]);
  }
  receiver.answer = answering(503);
  const refused = await post(`webhook-profiles/${profile}/test/`);
  assert.equal(refused.body["delivered"], false);
  assert.equal(refused.body["error"], "The receiver answered 503.");
});
