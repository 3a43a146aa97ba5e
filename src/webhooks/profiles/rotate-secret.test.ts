import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";
import { DAY_MS, later, manualClock, SECOND_MS } from "../../lib/clock.ts";
import { randomIds } from "../../lib/ids.ts";
import { createKeyring, defaultKeys } from "../../lib/keyring.ts";
import { openSigningSecret, signingSecretContext } from "./profile.ts";
import { rotateSecret } from "./rotate-secret.ts";

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

/** Sends it with this Idempotency-Key; after a first time as if that one's answer had been lost in a crash. */
async function sendAgain(path: string, body: Json | undefined, idempotencyKey: string) {
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = '2000-01-01' where key = $1",
    [idempotencyKey],
  );
  return service.post(path, body, { key, headers: { "idempotency-key": idempotencyKey } });
}

for (const [what, given] of [
  ["a generated secret", undefined],
  ["the merchant's own secret", { signing_secret: "a-secret-of-our-own" }],
] as const) {
  test(`a rotation to ${what} whose answer was lost is repeated with the same answer, and changes nothing more`, async () => {
    const { id } = await profile();
    const path = `management/webhook-profiles/${id}/rotate-secret/`;
    const idempotencyKey = `rotate-${id}`;
    const lost = await sendAgain(path, given, idempotencyKey);
    assert.equal(lost.status, 200, lost.text);
    const rotated = await secretsOf(id);
    assert.equal(rotated.current, lost.body["signing_secret"]);
    clock.advance(SECOND_MS);
    assert.equal((await sendAgain(path, given, idempotencyKey)).text, lost.text);
    assert.deepEqual(await secretsOf(id), rotated, "the previous secret keeps its day");

    for (const when of ["while it still signs", "when it signs no more"]) {
      await service.post(path, undefined, { key });
      const inUse = await secretsOf(id);
      clock.advance(SECOND_MS);
      const again = await sendAgain(path, given, idempotencyKey);
      assert.equal(again.body["signing_secret"], lost.body["signing_secret"], when);
      assert.deepEqual(await secretsOf(id), inUse, when);
    }
    const { body } = await service.get(`management/audit-log/?resource_id=${id}`, { key });
    assert.deepEqual(body["results"].map((row: Json) => row["action"]).toSorted(), [
      "create",
      "rotate_secret",
      "rotate_secret",
      "rotate_secret",
    ]);
  });

  test(`the creation of a profile with ${what} is repeated with the same answer, whatever was rotated since`, async () => {
    const body = { name: "W", url: "https://shop.example.com/", ...given };
    const idempotencyKey = `create-${what}`;
    const lost = await sendAgain("management/webhook-profiles/", body, idempotencyKey);
    assert.equal(lost.status, 201, lost.text);
    const { id, signing_secret: secret } = lost.body;
    for (const rotations of [0, 1, 2]) {
      if (rotations > 0)
        await service.post(`management/webhook-profiles/${id}/rotate-secret/`, undefined, { key });
      const inUse = await secretsOf(id);
      const again = await sendAgain("management/webhook-profiles/", body, idempotencyKey);
      assert.deepEqual([again.body["id"], again.body["signing_secret"]], [id, secret], `${rotations}`);
      assert.deepEqual(await secretsOf(id), inUse);
    }
  });
}

test("a rotation that did not happen, as of an archived profile, is made when it is repeated", async () => {
  const made = await profile();
  const path = `management/webhook-profiles/${made["id"]}/rotate-secret/`;
  const archive = (at: Date | null) =>
    service.rows("update webhook_profiles set archived_at = $2 where id = $1", [made["id"], at]);
  await archive(clock.now());
  assert.equal((await sendAgain(path, undefined, `never-${made["id"]}`)).status, 409);
  await archive(null);
  const rotated = await sendAgain(path, undefined, `never-${made["id"]}`);
  const { current, previous } = await secretsOf(made["id"]);
  assert.deepEqual([current, previous], [rotated.body["signing_secret"], made["signing_secret"]]);
});

test("a rotation that is repeated under a new master key shows the secret that it gave under the old one", async () => {
  const { id } = await profile();
  const [{ tenant } = {}] = await service.rows("select tenant from webhook_profiles where id = $1", [id]);
  const { deps } = service.app;
  const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const before = { ...deps, keys: createKeyring(defaultKeys(old)) };
  const after = { ...deps, keys: createKeyring(defaultKeys(fresh, old)) };
  const sealed = before.keys.seal(tenant, signingSecretContext(id), "a-secret-of-the-old-key");
  await service.rows("update webhook_profiles set signing_secret = $2 where id = $1", [id, sealed]);
  const author = { caller: { kind: "operator" }, clientIp: "127.0.0.1", requestId: "r" } as const;
  const rotation = { tenant, id, author, operationId: randomIds.uuid() };
  const first = await rotateSecret(before, rotation, null);
  assert.equal((await rotateSecret(after, rotation, null)).secret, first.secret);
  await rotateSecret(after, { ...rotation, operationId: randomIds.uuid() }, null);
  assert.equal((await rotateSecret(after, rotation, null)).secret, first.secret);
});

test("a secret that is given again, by PATCH or by a rotation, leaves the one before it its day", async () => {
  const { id } = await profile();
  const path = `management/webhook-profiles/${id}/`;
  const given = { signing_secret: "a-secret-of-our-own" };
  await service.call("PATCH", path, given, { key });
  const changed = await secretsOf(id);
  clock.advance(SECOND_MS);
  assert.equal((await service.call("PATCH", path, { ...given, name: "X" }, { key })).body["name"], "X");
  const rotated = await service.post(`${path}rotate-secret/`, given, { key });
  assert.equal(rotated.body["signing_secret"], "a-secret-of-our-own");
  assert.deepEqual(await secretsOf(id), changed);
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
