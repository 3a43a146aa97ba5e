/** Settings in files: every secret, once, and errors about a file that do not show its contents. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { databasePlace, readConfig, SECRET_SETTINGS } from "./config.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-config-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const KEYS = [Buffer.alloc(32, 1).toString("base64"), Buffer.alloc(32, 2).toString("base64")];
const SECRETS = {
  DATABASE_URL: "postgres://service:secret@db/payments",
  DATABASE_OWNER_URL: "postgres://owner:secret@db/payments",
  DATABASE_READ_URL: "postgres://service:secret@replica/payments",
  REDIS_URL: "redis://:secret@cache",
  MASTER_KEYS: KEYS.join(","),
  OPERATOR_KEY: `rk_${"k".repeat(40)}`,
  METRICS_TOKEN: "m".repeat(20),
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20secret",
  SMTP_URL: "smtps://user:secret@mail.example.com",
};

async function inFiles(values: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    env[`${name}_FILE`] = join(folder, name);
    await writeFile(join(folder, name), `${value}\n`);
  }
  return env;
}

test("every secret may stand in a file, and reads the same there", async () => {
  const env = {
    SERVICE_ENVIRONMENT: "production",
    PUBLIC_URL: "https://pay.example.com",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    SMTP_FROM: "pay@example.com",
  };
  assert.deepEqual(
    await readConfig({ ...env, ...(await inFiles(SECRETS)) }),
    await readConfig({ ...env, ...SECRETS }),
  );
  const { MASTER_KEYS: _, ...others } = SECRETS;
  const [MASTER_KEY = "", MASTER_KEY_PREVIOUS = ""] = KEYS;
  const old = await inFiles({ ...others, MASTER_KEY, MASTER_KEY_PREVIOUS });
  assert.deepEqual(
    (await readConfig({ ...env, ...old })).masterKeys,
    KEYS.map((key) => Buffer.from(key, "base64")),
  );
  assert.deepEqual(
    new Set(SECRET_SETTINGS),
    new Set([...Object.keys(SECRETS), "MASTER_KEY", "MASTER_KEY_PREVIOUS"]),
  );
  assert.equal(databasePlace({ DATABASE_URL_FILE: "/run/secrets/url" }).external, true);
});

test("an error names a secret file that is missing, empty, unusable or given twice, and never shows its contents", async () => {
  const files = await inFiles({ ...SECRETS, OPERATOR_KEY: "very-secret", METRICS_TOKEN: "" });
  const env = {
    ...files,
    REDIS_URL: "redis://x",
    DATABASE_URL_FILE: join(folder, "nowhere"),
    MASTER_KEYS_FILE: folder,
  };
  await assert.rejects(readConfig(env), ({ message }: Error) => {
    assert.match(
      message,
      /^DATABASE_URL_FILE names .*nowhere, which cannot be read \(ENOENT\): name a file that the service may read\.$/m,
    );
    assert.match(
      message,
      /^MASTER_KEYS_FILE names .*, which cannot be read \(EISDIR\): name a file that the service may read\.$/m,
    );
    assert.match(
      message,
      /^METRICS_TOKEN_FILE names .*METRICS_TOKEN, which is empty: write the secret into it\.$/m,
    );
    assert.match(message, /^REDIS_URL and REDIS_URL_FILE are both set: set one of them\.$/m);
    assert.match(message, /^OPERATOR_KEY must be rk_/m);
    assert.doesNotMatch(message, /very-secret/);
    return true;
  });
});

test("in production a missing secret file is reported once, and its setting is not reported as missing too", async () => {
  const env = {
    SERVICE_ENVIRONMENT: "production",
    MASTER_KEYS_FILE: join(folder, "nowhere"),
    OPERATOR_KEY_FILE: join(folder, "nowhere"),
  };
  await assert.rejects(readConfig(env), ({ message }: Error) => {
    assert.doesNotMatch(message, /required/);
    assert.equal(message.split("\n").length, 2, message);
    return true;
  });
});

test("an empty file setting counts as not set, and spaces around a secret are removed", async () => {
  const file = join(folder, "spaced");
  await writeFile(file, `\r\n  ${SECRETS.METRICS_TOKEN} \r\n\n`);
  const others = { MASTER_KEYS_FILE: "", METRICS_TOKEN: "", SMTP_FROM: "pay@example.com" };
  const set = { ...SECRETS, ...others, METRICS_TOKEN_FILE: file };
  assert.equal((await readConfig(set)).metricsToken, SECRETS.METRICS_TOKEN);
});
