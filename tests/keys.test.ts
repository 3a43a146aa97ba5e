/** Master keys: the start names missing and wrong ones, and everything can be encrypted again with another one. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { debtorContext } from "../src/gateways/sepa-batch/adapter.ts";
import { SEALED_COLUMNS } from "../src/keys/columns.ts";
import { forgetKey } from "../src/keys/forget.ts";
import { KeyError, registerKeys } from "../src/keys/register.ts";
import { reseal } from "../src/keys/reseal.ts";
import { keyStatus } from "../src/keys/status.ts";
import { usageOf } from "../src/keys/usage.ts";
import { manualClock } from "../src/lib/clock.ts";
import { createKeyring, keyName, defaultKeys, defaultKeyNumber } from "../src/lib/keyring.ts";
import { silentLog } from "../src/lib/log.ts";
import { adHoc } from "../tools/ad-hoc.ts";
import { customerEverywhere, type Everywhere } from "./support/customer-everywhere.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import {
  caller,
  OPERATOR_KEY,
  startService,
  testConfig,
  type Json,
  type Service,
} from "./support/service.ts";

const NOW = new Date("2026-11-23T08:00:00Z");
const [K1, K2, K3] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const text = (key: Buffer) => key.toString("base64");

/** The keys of these settings, or their error. */
async function keysOf(settings: Readonly<Record<string, string>>): Promise<readonly Buffer[] | string> {
  const env = { SERVICE_ENVIRONMENT: "production", OPERATOR_KEY, ...settings };
  return readConfig(env).then(
    ({ masterKeys }) => masterKeys,
    (error: Error) => error.message,
  );
}

for (const [what, settings, expected] of [
  ["a list", { MASTER_KEYS: `${text(K1)}, ${text(K2)}` }, [K1, K2]],
  ["the old names", { MASTER_KEY: text(K1), MASTER_KEY_PREVIOUS: text(K2) }, [K1, K2]],
  ["one old name", { MASTER_KEY: text(K1) }, [K1]],
  ["the same key under both old names", { MASTER_KEY: text(K1), MASTER_KEY_PREVIOUS: text(K1) }, [K1]],
  [
    "both styles that agree",
    { MASTER_KEYS: [K1, K3, K2].map(text).join(), MASTER_KEY: text(K1), MASTER_KEY_PREVIOUS: text(K2) },
    [K1, K3, K2],
  ],
  ["another first key", { MASTER_KEYS: text(K1), MASTER_KEY: text(K2) }, /^MASTER_KEYS does not agree/],
  [
    "a previous key that is not in the list",
    { MASTER_KEYS: text(K1), MASTER_KEY_PREVIOUS: text(K2) },
    /^MASTER_KEYS does not agree/,
  ],
  ["a key twice", { MASTER_KEYS: [K1, K2, K1].map(text).join() }, /^MASTER_KEYS names a key twice/],
  ["a previous key alone", { MASTER_KEY_PREVIOUS: text(K1) }, /^MASTER_KEY_PREVIOUS is set without/],
  ["a short key", { MASTER_KEYS: `${text(K1)},AAAA` }, /^MASTER_KEYS must be 32 bytes in base64/],
  ["none", {}, /^MASTER_KEYS is required in production/],
] as const) {
  test(`settings of master keys: ${what}`, async () => {
    const keys = await keysOf(settings);
    if (expected instanceof RegExp) assert.match(String(keys), expected);
    else assert.deepEqual(keys, expected);
  });
}

let empty: TestDatabase;
let service: Service;
let shop: Everywhere;

before(async () => {
  empty = await testDatabase();
  service = await startService({ clock: manualClock(NOW), config: { masterKeys: [K1] } });
  shop = await customerEverywhere(service);
});
after(async () => {
  await service.close();
  await empty.close();
});

/** Runs `work` with another instance of the service that has these keys. */
async function withKeys<T>(keys: readonly Buffer[], work: (call: Service["call"]) => Promise<T>): Promise<T> {
  const config = testConfig("http://pay.example.test", { masterKeys: keys });
  const app = await createApp(config, service.databaseUrl, silentLog, { clock: manualClock(NOW) });
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  try {
    return await work(caller(`http://127.0.0.1:${port}`));
  } finally {
    await app.server.close();
    await app.close();
  }
}

const refused = (keys: readonly Buffer[], words: RegExp) =>
  assert.rejects(registerKeys(service.db, keys, NOW), (error: Error) => {
    assert.ok(error instanceof KeyError);
    assert.match(error.message, words);
    for (const key of [K1, K2, K3])
      for (const how of ["hex", "base64"] as const) assert.ok(!error.message.includes(key.toString(how)));
    return true;
  });

test("a service without the key of its encrypted values does not start, and names the missing key", async () => {
  await refused(
    [K3],
    new RegExp(`lacks the key ${keyName(K1)} \\(.*mandates\\.iban_sealed.*It has ${keyName(K3)}`),
  );
  // The wrong key is registered from then on. Nothing is encrypted with it, so the right key alone is enough.
  await registerKeys(service.db, [K1], NOW);
  const [wrong] = await service.rows("select dropped_at from master_keys where name = $1", [keyName(K3)]);
  assert.deepEqual(wrong?.["dropped_at"], NOW);
});

test("a key that cannot decrypt its check value is refused with its name", async () => {
  const [row] = await service.rows("select check_value from master_keys where name = $1", [keyName(K1)]);
  const set = (value: Buffer) =>
    service.rows("update master_keys set check_value = $1 where name = $2", [value, keyName(K1)]);
  await set(createKeyring(defaultKeys(K3)).seal(0, "master_keys.check_value", "other"));
  await refused([K1], new RegExp(`master key ${keyName(K1)} does not open its check value`));
  await set(row?.["check_value"]);
  await registerKeys(service.db, [K1], NOW);
});

test("keys that would have the same number get different ones, and each decrypts its own values", async () => {
  const twins = Array.from({ length: 2_000 }, (_, n) => Buffer.alloc(32, `${n}`)).filter(
    (key) => defaultKeyNumber(key) === defaultKeyNumber(K1),
  );
  const [twin] = twins;
  assert.ok(twin !== undefined);
  const first = await registerKeys(empty.db, [K1], NOW);
  const sealed = first.seal(1, "c", "under the first");
  const both = await registerKeys(empty.db, [twin, K1], NOW);
  assert.notEqual(both.currentKeyId, first.currentKeyId);
  assert.equal(both.open(1, "c", sealed).toString(), "under the first");
  assert.equal(both.open(1, "c", both.seal(1, "c", "under the twin")).toString(), "under the twin");
  const back = await registerKeys(empty.db, [K1, twin], NOW);
  assert.deepEqual([back.currentKeyId, back.keyIds.length], [first.currentKeyId, 2]);
});

test("instances that register several keys at the same moment agree on their numbers", async () => {
  const fresh = Array.from({ length: 6 }, (_, n) => Buffer.alloc(32, `at once ${n}`));
  const rings = await Promise.all(
    [fresh, fresh.toReversed(), fresh].map((keys) => registerKeys(empty.db, keys, NOW)),
  );
  const rows = await empty.db.query<Json>(
    ...adHoc("select number from master_keys where name = any($1)", [fresh.map(keyName)]),
  );
  assert.equal(new Set(rows.map((row) => row["number"])).size, 6);
  const [a, b] = rings;
  assert.equal(b?.open(1, "c", a?.seal(1, "c", "x") ?? Buffer.alloc(0)).toString(), "x");
});

test("values that an earlier version encrypted with a lost key are reported with its number, and can be given up", async () => {
  await empty.db.commit(...adHoc("insert into master_keys (number, first_seen_at) values (244, now())"));
  await empty.db.commit(
    ...adHoc(`insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at)
      values (gen_random_uuid(), 'T', 3600, now(), now())`),
  );
  await empty.db.commit(
    ...adHoc(`insert into idempotency_keys (tenant, caller, key, request_id, request_hash, locked_until, status, answer, created_at)
      select tenant, 'c', 'k', gen_random_uuid(), sha256(''), now(), 200, '\\x01f4', now() from tenants`),
  );
  const held = [K1];
  await assert.rejects(
    registerKeys(empty.db, held, NOW),
    /lacks the key numbered 244 \(1 of idempotency_keys\.answer\).*keys forget/,
  );
  await assert.rejects(forgetKey(empty.db, held, keyName(K1), NOW), /is in MASTER_KEYS/);
  await assert.rejects(forgetKey(empty.db, held, "77", NOW), /knows no master key 77/);
  assert.match(await forgetKey(empty.db, held, "244", NOW), /starts without the key numbered 244/);
  await registerKeys(empty.db, held, NOW);
});

test("a key is needed while it seals the message keys of one before it, as after a start with the former order", async () => {
  const database = await testDatabase();
  const { db } = database;
  try {
    const { currentKeyId: first } = await registerKeys(db, [K1], NOW);
    for (const keys of [[K2, K1], [K2], [K3, K2], [K2, K3]]) await registerKeys(db, keys, NOW);
    await assert.rejects(
      registerKeys(db, [K3], NOW),
      new RegExp(`lacks the key ${keyName(K2)} \\(1 of master_keys\\.mac_keys\\)\\..* Add what is missing`),
    );
    for (const keys of [[K3, K2], [K3]])
      assert.ok((await registerKeys(db, keys, NOW)).mac(first, "audit-chain", "x") !== null);
  } finally {
    await database.close();
  }
});

test("the example has a value in every encrypted column", async () => {
  const used = new Set((await usageOf(service.db)).map(({ column }) => column));
  assert.deepEqual(
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).filter((name) => !used.has(name)),
    [],
  );
});

test("status counts the values encrypted with each key, by column, and says what to do next", async () => {
  await registerKeys(service.db, [K1, K2], NOW);
  const words = await keyStatus(service.db, [K2, K1]);
  assert.match(
    words,
    new RegExp(`the key ${keyName(K1)}, number \\d+: opens, first seen 2026-11-23\\n +\\d+ webhook`),
  );
  assert.match(words, new RegExp(`the key ${keyName(K2)}, number \\d+: seals and opens`));
  assert.match(words, / +\d+ mandates\.iban_sealed\n/);
  assert.match(words, / +\d+ session tokens/);
  assert.ok(!words.includes(K1.toString("base64")));
});

test("a value that the service changes while it is re-encrypted keeps the service's change", async () => {
  const [row] = await service.rows("select tenant, id, iban_sealed from mandates limit 1");
  const mandates = SEALED_COLUMNS.find(({ column }) => column === "iban_sealed");
  const keys = await registerKeys(service.db, [K2, K1], NOW);
  const other = keys.seal(row?.["tenant"], `mandates.iban:${row?.["id"]}`, "FR1420041010050500013M02606");
  // The account is changed between reading and writing.
  const meanwhile = {
    ...service.db,
    query: service.db.query.bind(service.db),
    async transaction(work: Parameters<typeof service.db.transaction>[0]) {
      await service.rows("update mandates set iban_sealed = $2 where id = $1", [row?.["id"], other]);
      return service.db.transaction(work);
    },
  } as typeof service.db;
  const done = await mandates?.reseal(meanwhile, keys, row?.["tenant"], null, 1_000);
  assert.equal(done?.changed, 1);
  const [now] = await service.rows("select iban_sealed from mandates where id = $1", [row?.["id"]]);
  assert.deepEqual(now?.["iban_sealed"], other);
  await service.rows("update mandates set iban_sealed = $2 where id = $1", [
    row?.["id"],
    row?.["iban_sealed"],
  ]);
});

test("after everything was encrypted with another key the old one can be removed, and its tokens stay valid", async () => {
  // A refund by transfer has the debited account, encrypted as it was for the debit.
  await service.rows(
    `insert into sepa_collections
     select (jsonb_populate_record(c, jsonb_build_object(
              'reference', 'REFUND-1', 'refund_of', c.reference, 'collected_on', '2026-11-20',
              'state', 'accepted', 'file_id', null, 'block_id', null, 'due_date', null
            ))).*
       from sepa_collections c where c.debtor is not null and c.refund_of is null limit 1`,
  );
  const keys = await registerKeys(service.db, [K2, K1], NOW);
  const seen: number[] = [];
  const report = await reseal(service.db, keys, (done) => seen.push(done));
  assert.deepEqual([report.left, report.unreadable], [0, []]);
  assert.ok(
    report.resealed > 10 &&
      seen.at(-1) === report.resealed &&
      seen.every((n, i) => i === 0 || n >= (seen[i - 1] ?? 0)),
  );
  assert.deepEqual(
    [...new Set((await usageOf(service.db)).map(({ number }) => number))],
    [keys.currentKeyId],
  );
  assert.equal((await reseal(service.db, keys, () => {})).resealed, 0);
  const [mandate] = await service.rows(
    "select tenant, id, iban_sealed, iban_fingerprint from mandates limit 1",
  );
  const iban = keys.open(mandate?.["tenant"], `mandates.iban:${mandate?.["id"]}`, mandate?.["iban_sealed"]);
  assert.deepEqual(mandate?.["iban_fingerprint"], keys.fingerprints(mandate?.["tenant"], iban.toString())[0]);

  const [refund] = await service.rows("select * from sepa_collections where reference = 'REFUND-1'");
  const account = keys.open(refund?.["tenant"], debtorContext(refund?.["refund_of"]), refund?.["debtor"]);
  assert.match(account.toString(), /"iban":/);

  await withKeys([K2], async (call) => {
    const { key } = shop.merchant;
    const read = await call("GET", `payment-sessions/${shop.token}/`);
    assert.equal(read.status, 200, read.text);
    assert.equal(read.body["session_token"], shop.token);
    const again = await call("POST", "payment-sessions/", "{}", {
      key,
      headers: { "idempotency-key": "everywhere-1" },
    });
    assert.equal(again.status, 422, "the stored answer's request was another one");
    const [file] = (await call("GET", "management/sepa-files/", undefined, { key })).body["results"];
    assert.ok(file !== undefined);
    await service.rows("delete from sepa_file_pieces");
    const content = await call("GET", `management/sepa-files/${file.id}/content/`, undefined, { key });
    assert.equal(content.status, 200, content.text);
    assert.match(content.text, /pain\.008/);
    const partner = await call("GET", `management/integrations/${shop.partner.id}/`, undefined, { key });
    assert.ok(partner.body["postback_url"].endsWith(shop.partner.path), partner.text);
    const posted = await call(
      "POST",
      shop.partner.path,
      { n: 1 },
      { headers: { "x-service-secret": "postback-secret-42" } },
    );
    assert.equal(posted.status, 200, posted.text);
  });
  const [old] = await service.rows("select dropped_at from master_keys where name = $1", [keyName(K1)]);
  assert.deepEqual(old?.["dropped_at"], NOW);
});

test("tokens of the key before the last stay valid after two rotations, and after the last key becomes the first again", async () => {
  for (const keys of [
    [K2, K3],
    [K3, K2],
  ])
    await registerKeys(service.db, keys, NOW);
  assert.equal((await reseal(service.db, await registerKeys(service.db, [K3, K2], NOW), () => {})).left, 0);
  for (const keys of [[K3], [K1, K3], [K3, K1, K2]])
    assert.equal(
      await withKeys(keys, async (call) => (await call("GET", `payment-sessions/${shop.token}/`)).status),
      200,
    );
});

test("a token whose key is lost is invalid, and its session gets another token", async () => {
  await service.rows("update master_keys set mac_keys = null, dropped_at = now() where name = $1", [
    keyName(K1),
  ]);
  await withKeys([K3], async (call) => {
    assert.equal((await call("GET", `payment-sessions/${shop.token}/`)).status, 404);
    const { key } = shop.merchant;
    const [listed] = (await call("GET", "management/payment-sessions/?page_size=1", undefined, { key })).body[
      "results"
    ];
    const detail = await call("GET", `management/payment-sessions/${listed.id}/`, undefined, { key });
    assert.equal(detail.status, 200, detail.text);
  });
});
