import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";
import { DAY_MS, later, manualClock } from "../../lib/clock.ts";
import { openSigningSecret, signingSecretContext } from "./profile.ts";

const clock = manualClock(new Date("2026-05-01T12:00:00Z"));
let service: Service;
let key: string;

before(async () => {
  service = await startService({ clock });
  key = (await service.post("management/tenants/", { name: "Shop" }, { key: OPERATOR_KEY })).body["api_key"];
});
after(() => service.close());

async function profile(): Promise<Json> {
  const body = { name: "W", url: "https://shop.example.com/" };
  return (await service.post("management/webhook-profiles/", body, { key })).body;
}

/** The secrets as delivery reads them. */
async function secretsOf(id: string) {
  const [row] = await service.rows("select * from webhook_profiles where id = $1", [id]);
  assert.ok(row);
  const { keys } = service.app.deps;
  const previous = row["previous_signing_secret"];
  return {
    current: openSigningSecret({ keys }, row as never),
    previous: previous && keys.open(row["tenant"], signingSecretContext(id), previous).toString(),
    until: row["previous_signing_secret_until"],
  };
}

test("a new secret signs at once and the one it replaces for 24 hours more", async () => {
  const made = await profile();
  const path = `management/webhook-profiles/${made["id"]}/rotate-secret/`;
  assert.deepEqual(await secretsOf(made["id"]), {
    current: made["signing_secret"],
    previous: null,
    until: null,
  });
  const rotated = await service.post(path, undefined, { key });
  assert.equal(rotated.status, 200, rotated.text);
  const until = later(clock.now(), DAY_MS);
  assert.deepEqual(await secretsOf(made["id"]), {
    until,
    current: rotated.body["signing_secret"],
    previous: made["signing_secret"],
  });
  const given = await service.post(path, { signing_secret: "a-secret-of-our-own" }, { key });
  assert.equal(given.body["signing_secret"], "a-secret-of-our-own");
  assert.equal((await secretsOf(made["id"])).previous, rotated.body["signing_secret"]);
});

test("a secret that a PATCH gives replaces the old one in the same way and is not shown", async () => {
  const made = await profile();
  const path = `management/webhook-profiles/${made["id"]}/`;
  const changed = await service.call("PATCH", path, { signing_secret: "a-secret-of-our-own" }, { key });
  assert.equal(changed.body["signing_secret"], undefined);
  const { current, previous } = await secretsOf(made["id"]);
  assert.deepEqual([current, previous], ["a-secret-of-our-own", made["signing_secret"]]);
});

test("secrets of 15 characters and with spaces are refused", async () => {
  const { id } = await profile();
  for (const secret of ["x".repeat(15), "x".repeat(256), "sixteen characters", null, 1234567890123456]) {
    const path = `management/webhook-profiles/${id}/rotate-secret/`;
    const refused = await service.post(path, { signing_secret: secret }, { key });
    assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["signing_secret", "status_code"]]);
  }
});

test("switching a profile on again clears why it was switched off", async () => {
  const { id } = await profile();
  await service.rows("update webhook_profiles set active = false, disabled_reason = '410' where id = $1", [
    id,
  ]);
  const path = `management/webhook-profiles/${id}/`;
  assert.equal((await service.call("PATCH", path, { name: "X" }, { key })).body["disabled_reason"], "410");
  const on = await service.call("PATCH", path, { active: true }, { key });
  assert.deepEqual([on.body["active"], on.body["disabled_reason"]], [true, null]);
});
