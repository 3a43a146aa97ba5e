/** Hostile input to create, pay and iban-validate: the response is below 500 and comes at once, and nothing changes. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Service } from "./support/service.ts";
import { sized } from "./support/sized.ts";

const CORPORA = join(import.meta.dirname, "corpora");
const ANSWER_MS_MAX = 2_000;

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

/** Values that cause errors in some parsers or databases. */
const HOSTILE: readonly unknown[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u200b",
  "\ufeff",
  "\u202e",
  "é".normalize("NFD"),
  "😀".repeat(300),
  "x".repeat(100_000),
  "' or 1=1 --",
  "$1",
  "%s%n",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "${7*7}",
  "=1+1",
  "NaN",
  "Infinity",
  "1e400",
  "-0",
  "0x10",
  "\r\nSet-Cookie: a=b",
  0,
  -1,
  1.5,
  1e21,
  true,
  false,
  null,
  [],
  {},
  [[]],
  { toString: "x" },
  { __proto__: null, length: 1 },
  "infinity",
  "٣",
  "ＤＥ",
];

const CREATE_FIELDS = [
  "campaign_id",
  "lead",
  "amount",
  "currency",
  "billing_type",
  "billing_frequency",
  "trial_interval_unit",
  "trial_period",
  "trial_price",
  "gateway_id",
  "max_payment_attempts",
  "webhook_profile_id",
  "hosted_page_id",
  "customer_ip",
  "expires_in",
];
const LEAD_FIELDS = [
  "first_name",
  "last_name",
  "email",
  "country",
  "address",
  "city",
  "postal_code",
  "phone",
];

/** In `npm test` each field gets a third of the values, in turn. */
function inTurn<T>(fields: readonly T[], n: number): readonly T[] {
  return sized(
    fields.filter((_, field) => field % 3 === n % 3),
    fields,
  );
}

async function answered(send: () => Promise<{ status: number; text: string }>, what: string): Promise<void> {
  const start = performance.now();
  const { status, text } = await send();
  assert.ok(status < 500, `${what}: ${status} ${text}`);
  assert.ok(performance.now() - start < ANSWER_MS_MAX, `${what} took too long`);
}

test("no hostile value in any field of create causes a 5xx", async () => {
  for (const [n, value] of HOSTILE.entries()) {
    for (const field of inTurn(CREATE_FIELDS, n))
      await answered(() => merchant.create({ [field]: value }), `${field}=${JSON.stringify(value)}`);
    for (const field of inTurn(LEAD_FIELDS, n)) {
      await answered(
        () => merchant.create({ lead: lead({ [field]: value }) }),
        `lead.${field}=${JSON.stringify(value)}`,
      );
    }
  }
});

test("no hostile value in any field of pay and iban-validate causes a 5xx, and a 400 uses no attempt", async () => {
  for (const value of HOSTILE) {
    const token = await merchant.session();
    for (const field of ["iban", "iban_holder_name", "tenant_reference_id"]) {
      const response = await merchant.pay(token, IBAN.declined, { [field]: value });
      assert.ok(response.status < 500, `${field}=${JSON.stringify(value)}: ${response.text}`);
      if (response.status === 200) continue;
      const { body } = await merchant.retrieve(token);
      assert.ok(body["attempts_remaining"] >= 1);
    }
    await answered(
      () => service.post("iban-validate/", { iban: value }, { key: merchant.key }),
      `iban=${JSON.stringify(value)}`,
    );
  }
});

test("the domain's hostile values", async () => {
  const values = JSON.parse(await readFile(join(CORPORA, "domain-hostile-values.json"), "utf8"));
  for (const [n, value] of [...strings(values)].entries()) {
    for (const field of inTurn(["amount", "currency", "customer_ip", "gateway_id"], n)) {
      await answered(() => merchant.create({ [field]: value }), `${field}=${value}`);
    }
    for (const field of inTurn(["email", "country", "first_name"], n)) {
      await answered(() => merchant.create({ lead: lead({ [field]: value }) }), `${field}=${value}`);
    }
    await answered(
      () => service.post("iban-validate/", { iban: value }, { key: merchant.key }),
      `iban=${value}`,
    );
    const token = encodeURIComponent(value.toWellFormed());
    await answered(() => service.get(`payment-sessions/${token.slice(0, 4_000)}/`), `token=${value}`);
  }
  const rejected: readonly unknown[] = values.tenant_reference_id.reject_400.filter(
    (v: unknown) => !String(v).endsWith("?decide"),
  );
  const token = await merchant.session();
  for (const value of rejected) {
    assert.equal(
      (await merchant.pay(token, IBAN.approved, { tenant_reference_id: value })).status,
      400,
      JSON.stringify(value),
    );
  }
});

test("hostile JSON bodies: 2xx or 4xx, never a 5xx, never a hang", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hostile-json-"));
  try {
    await promisify(execFile)(process.execPath, [join(CORPORA, "gen-hostile-json.mjs"), folder]);
    const token = await merchant.session();
    for (const file of await readdir(folder)) {
      const bytes = await readFile(join(folder, file));
      for (const [path, key] of [
        ["payment-sessions/", merchant.key],
        [`payment-sessions/${token}/pay/`, undefined],
        ["iban-validate/", merchant.key],
      ] as const) {
        await answered(
          () => service.post(path, bytes, key === undefined ? {} : { key }),
          `${file} to ${path}`,
        );
      }
    }
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("after all hostile input the service still takes a payment", async () => {
  assert.equal((await merchant.pay(await merchant.session(), IBAN.approved)).body["status"], "completed");
});

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) yield* strings(inner);
}
