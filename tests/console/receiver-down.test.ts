/**
 * The test mode's scenario of a receiver that is down: its retries and its recovery, delivered over HTTP like any
 * webhook.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { manualClock, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { createSandbox } from "../support/merchant.ts";
import { wordsOf } from "../support/console.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const PATH = "/console/test-mode/";
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
/** The service's public address, which has to be known before the service has its port. */
const front = createServer((socket) => {
  const port = Number(new URL(service.url).port);
  socket.pipe(connect(port, "127.0.0.1")).pipe(socket);
});
let service: Service;
let shop: Company;
let support: Member;

before(async () => {
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  service = await startService({ clock, config: { publicUrl: `http://127.0.0.1:${port}` } });
  shop = await createCompany(service);
  support = await member(service, shop, "support");
  await createSandbox(service, shop.key);
});
after(async () => {
  await service.close();
  front.close();
});

const click = () =>
  support.browser.submit(PATH, `${PATH}play/`, {
    iban: "DE89370400440532013000",
    amount: "19.90",
    receiver: "down",
  });
const list = async (path: string): Promise<readonly Json[]> =>
  (await service.get(`management/${path}/`, { key: shop.key })).body["results"];

/** The responses to the delivery so far, after everything that was due by then was sent. */
async function answersAfter(ms: number): Promise<readonly number[]> {
  clock.advance(ms);
  const job = service.app.jobs.find(({ name }) => name === "deliver-webhooks");
  assert.ok(job);
  while ((await job.runOnce(100)) > 0);
  const open = "select 1 from webhook_deliveries where locked_until is not null";
  while ((await service.rows(open)).length > 0);
  const [delivery] = await list("webhook-deliveries");
  const { body } = await service.get(`management/webhook-deliveries/${delivery?.["id"]}/`, { key: shop.key });
  return body["attempts"].map((attempt: Json) => attempt["response_code"]);
}

test("one click makes a payment whose webhook fails twice and then arrives", async () => {
  assert.match(wordsOf(await support.browser.get(PATH)), /Paid, receiver down/);
  const played = await click();
  assert.equal(played.status, 303, wordsOf(played));
  assert.deepEqual(await answersAfter(0), [503]);
  const [failed] = await service.rows("select min(at) as at from webhook_attempts");
  assert.deepEqual(await answersAfter(7 * SECOND_MS), [503, 503]);
  const since = async () => (await list("webhook-profiles"))[0]?.["failing_since"];
  assert.equal(await since(), failed?.["at"].toISOString(), "of the first failure, not of the last");
  assert.match(wordsOf(await support.browser.get("/console/developers/webhooks/")), /Failing since now/);
  assert.deepEqual(await answersAfter(2 * MINUTE_MS), [503, 503, 200]);
  assert.equal(await since(), null);
  const [delivery] = await list("webhook-deliveries");
  assert.equal(delivery?.["status"], "delivered");
  const page = await support.browser.get(String(played.headers["location"]));
  assert.match(wordsOf(page), /503: the shop's server has failed/);
});

test("two concurrent first clicks create one test receiver, also after one was archived", async () => {
  const other = await createCompany(service, "Double");
  const person = await member(service, other, "support");
  await createSandbox(service, other.key);
  const twice = () =>
    Promise.all(
      [1, 2].map(() =>
        person.browser.submit(PATH, `${PATH}play/`, {
          iban: "DE89370400440532013000",
          amount: "19.90",
          receiver: "down",
        }),
      ),
    );
  const profiles = async (): Promise<readonly Json[]> =>
    (await service.get("management/webhook-profiles/", { key: other.key })).body["results"];
  await twice();
  const [first, ...more] = await profiles();
  assert.deepEqual(more, []);
  const gone = await service.call(
    "DELETE",
    `management/webhook-profiles/${first?.["id"]}/`,
    {},
    { key: other.key },
  );
  assert.ok(gone.status < 300, gone.text);
  await twice();
  const [second, ...others] = await profiles();
  assert.deepEqual(others, []);
  assert.notEqual(second?.["id"], first?.["id"]);
});

test("after the clock was moved ahead, webhooks are still later than their payment", async () => {
  const ahead = await createCompany(service, "Ahead");
  const person = await member(service, ahead, "support");
  await createSandbox(service, ahead.key);
  const moved = await service.post("management/clock/", { date: "2027-01-15" }, { key: ahead.key });
  assert.equal(moved.status, 200, moved.text);
  const played = await person.browser.submit(PATH, `${PATH}play/`, {
    iban: "DE89370400440532013000",
    amount: "19.90",
    receiver: "down",
  });
  assert.equal(played.status, 303, wordsOf(played));
  clock.advance(SECOND_MS);
  const job = service.app.jobs.find(({ name }) => name === "deliver-webhooks");
  while (((await job?.runOnce(100)) ?? 0) > 0);
  const id = String(played.headers["location"]).split("/").at(-2);
  const { body } = await service.get(`management/transactions/${id}/`, { key: ahead.key });
  const steps: readonly Json[] = body["timeline"];
  const kinds = steps.map(({ kind }) => kind);
  assert.ok(kinds.indexOf("webhook") > kinds.indexOf("payment"), kinds.join());
  for (const { at } of steps) assert.match(String(at), /^2027-01-15/);
});

test("the test receiver is created once, by the person who clicked, and can be taken down again", async () => {
  const [before] = await list("webhook-profiles");
  const off = await service.call(
    "PATCH",
    `management/webhook-profiles/${before?.["id"]}/`,
    { active: false },
    { key: shop.key },
  );
  assert.equal(off.status, 200, off.text);
  assert.equal((await click()).status, 303);
  const [profile, ...others] = await list("webhook-profiles");
  assert.deepEqual(others, []);
  assert.equal(profile?.["id"], before?.["id"]);
  assert.ok(profile?.["url"] > before?.["url"]);
  assert.equal(profile?.["active"], true, "whoever has switched it off");
  const { body } = await service.get("management/audit-log/?resource=webhook-profiles", { key: shop.key });
  assert.deepEqual(
    body["results"]
      .map(({ action, actor }: Json) => [action, actor])
      .filter(([, actor]: readonly string[]) => actor?.startsWith("person:")),
    [
      ["update", `person:${support.id}`],
      ["create", `person:${support.id}`],
    ],
  );
});

test("in production the test receiver cannot be taken down", async () => {
  const live = await startService({ config: { environment: "production" } });
  try {
    const asked = `/sandbox/receiver/?down_until=2099-01-01T00:00:00.000Z`;
    assert.equal((await live.post(asked, {})).status, 404);
    assert.equal((await service.post(asked, {})).status, 503);
  } finally {
    await live.close();
  }
});
