/**
 * kill -9 of the real process while it handles a postback: what got 200 exists after a restart and is processed once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Step } from "../src/deps.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { createIntegration, type Integration } from "./support/integrations.ts";
import { createMerchant, type Merchant } from "./support/merchant.ts";
import { machine, serviceOf, type Machine, type ServiceProcess } from "./support/process.ts";
import type { Json } from "./support/service.ts";
import { sized } from "./support/sized.ts";
import { adHoc } from "../tools/ad-hoc.ts";

let database: TestDatabase;
let host: Machine;
let running: ServiceProcess;
/** Calls the process that is running. */
const service = serviceOf(() => running);
let merchant: Merchant;
let partner: Integration;
let leadId: string;

before(async () => {
  database = await testDatabase();
  host = await machine(database.url);
  running = await host.start();
  merchant = await createMerchant(service);
  partner = await createIntegration(service, merchant.key);
  await merchant.session();
  leadId = (await rows("select id from leads"))[0]?.["id"];
});
after(async () => {
  await running.stop();
  await host.remove();
  await database.close();
});

function rows(text: string, values: readonly unknown[] = []): Promise<readonly Json[]> {
  return database.db.query<Json>(...adHoc(text, values));
}

/** Lets the process die at the step, and restarts it. */
async function dyingAt(step: Step, use: () => Promise<void>): Promise<void> {
  await running.dieAt(step);
  await use();
  assert.equal(await running.ended, "SIGKILL");
  // The dead process's claims end after 30 seconds, which the test skips.
  await rows(
    "update integration_activities set due_at = now() - interval '1 second' where due_at is not null",
  );
  running = await host.start();
}

async function processed(): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await rows("select 1 from integration_activities where status = 'received'")).length === 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail("a postback was never processed");
}

async function activitiesOf(requestUuid: string): Promise<readonly Json[]> {
  await processed();
  return rows("select id, status, lead_id, attempts from integration_activities where request_uuid = $1", [
    requestUuid,
  ]);
}

test("killed before a postback is stored: it was not acknowledged, and is accepted when it is sent again", async () => {
  const body = { request_uuid: "before-insert", lead_id: leadId };
  await dyingAt("postback.before_insert", async () => {
    await assert.rejects(partner.post(body), /socket hang up|ECONNRESET/);
  });
  assert.deepEqual(await activitiesOf("before-insert"), []);
  const id = await partner.accepted(body);
  assert.deepEqual(await activitiesOf("before-insert"), [
    { id, status: "matched", lead_id: leadId, attempts: 1 },
  ]);
});

test("killed between storing and responding: the postback is processed once, and known when it is sent again", async () => {
  const body = { request_uuid: "before-answer", lead_id: leadId };
  await dyingAt("postback.before_answer", async () => {
    await assert.rejects(partner.post(body), /socket hang up|ECONNRESET/);
  });
  const [kept, ...more] = await activitiesOf("before-answer");
  assert.deepEqual([kept?.["status"], more], ["matched", []]);
  // The dead process may have claimed it before it died. Then the next process takes it over, and no third.
  assert.ok([1, 2].includes(kept?.["attempts"]), `${kept?.["attempts"]}`);
  assert.equal(await partner.accepted(body), kept?.["id"]);
  assert.equal((await activitiesOf("before-answer")).length, 1);
});

const AFTER_ANSWER = [
  ["postback.matched", 2],
  ["postback.claimed", 2],
  ["postback.recorded", 1],
] as const;
for (const [step, attempts] of sized(AFTER_ANSWER.slice(0, 1), AFTER_ANSWER)) {
  test(`killed after the response at ${step}: the postback is processed once`, async () => {
    await dyingAt(step, async () => {
      // The job may run before the response was sent, so that the response is lost.
      await partner.post({ request_uuid: step, lead_id: leadId }).catch(() => {});
    });
    const [kept, ...more] = await activitiesOf(step);
    assert.deepEqual([kept?.["status"], kept?.["attempts"], more], ["matched", attempts, []]);
    assert.equal(await partner.accepted({ request_uuid: step }), kept?.["id"]);
  });
}

const MANY = sized(160, 400);

test("killed during many postbacks: every postback that got 200 exists once after the restart", async () => {
  const acknowledged = new Map<string, string>();
  const all = Array.from({ length: MANY }, (_, number) => `many-${number}`);
  const send = async (uuid: string): Promise<void> => {
    const response = await partner.post({ request_uuid: uuid, lead_id: leadId }).catch(() => null);
    if (response?.status === 200) acknowledged.set(uuid, response.body["activity_id"]);
    if (acknowledged.size === MANY / 4) running.child.kill("SIGKILL");
  };
  const waiting = [...all];
  const sender = async (): Promise<void> => {
    for (let uuid = waiting.shift(); uuid !== undefined; uuid = waiting.shift()) await send(uuid);
  };
  await Promise.all(Array.from({ length: 20 }, sender));
  assert.equal(await running.ended, "SIGKILL");
  assert.ok(acknowledged.size >= MANY / 4 && acknowledged.size < all.length, `${acknowledged.size}`);
  await rows(
    "update integration_activities set due_at = now() - interval '1 second' where due_at is not null",
  );
  running = await host.start();
  await processed();
  const found = await rows(
    "select request_uuid, id, status from integration_activities where request_uuid like 'many-%'",
  );
  const byUuid = new Map(found.map((row) => [row["request_uuid"], row]));
  assert.equal(byUuid.size, found.length);
  for (const [uuid, id] of acknowledged) {
    assert.deepEqual([byUuid.get(uuid)?.["id"], byUuid.get(uuid)?.["status"]], [id, "matched"]);
  }
});
