/** The values that each kind of field accepts and refuses, as tables and by the corpus of hostile values. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { Type, type TSchema } from "../lib/schema.ts";
import * as fields from "./fields.ts";
import { bodyCheck } from "./validation.ts";
import { cpuMsOf } from "../../tests/support/cpu-time.ts";

const takes = (schema: TSchema, value: unknown): boolean =>
  bodyCheck(Type.Object({ field: schema }))({ field: value }) === null;

const TABLE: readonly (readonly [string, TSchema, readonly unknown[], readonly unknown[]])[] = [
  ["amount", fields.amount(), ["0.01", "1", "1.0", "99999999.99"], ["0", "0.00", "00.10", "1.", ".5", 1]],
  ["amount with zero", fields.amount({ allowZero: true }), ["0", "0.00", "1"], ["-0.00", "0.000"]],
  ["currency", fields.currency(), ["EUR", "CHF"], ["eur", "ABC", "EUR\n"]],
  ["country", fields.country(), ["DE", "GB", "NO"], ["XX", "UK", "EU", "ZZ", "XK", "DE\n"]],
  [
    "email",
    fields.email(),
    ["a@example.com", "o'b+c@mail.example.co.uk"],
    ["a@localhost", "a@-b.de", "a@b.1", ".a@b.de", "a..b@c.de", "a@b.de.", " a@b.de", "ä@b.de", "a@b.de\n"],
  ],
  [
    "uuid",
    fields.uuid(),
    ["01890a5d-ac96-774b-bcce-b302099a8057"],
    ["{01890a5d-ac96-774b-bcce-b302099a8057}"],
  ],
  [
    "address",
    fields.ipAddress(),
    ["192.0.2.1", "::1", "2001:db8::1"],
    ["192.0.2.01", "192.0.2.1:80", "[::1]", "fe80::1%eth0", "1", ""],
  ],
  [
    "date",
    fields.isoDate(),
    ["2028-02-29"],
    ["2026-02-29", "2026-2-1", "infinity", "0000-01-01", "2026-01-01T00:00:00Z"],
  ],
  ["text", fields.text(3), ["abc", " a ", "😀😀😀"], ["", "   ", "\u00a0", "abcd", 1, null]],
  ["choice", fields.oneOf(["UP", "DOWN"]), ["UP"], ["up", "UP\n", ""]],
  ["choice in any case", fields.oneOf(["ONE_OFF"], { anyCase: true }), ["one_off", "One_Off"], ["one off"]],
  ["nullable text", fields.nullable(fields.text(3)), [null, "a"], ["", 1]],
  ["nullable choice", fields.nullable(fields.oneOf(["UP"])), [null, "UP"], ["null"]],
];

for (const [name, schema, accepted, refused] of TABLE) {
  test(`${name} takes what it is for and refuses the rest`, () => {
    for (const value of accepted) assert.ok(takes(schema, value), `takes ${JSON.stringify(value)}`);
    for (const value of refused) assert.ok(!takes(schema, value), `refuses ${JSON.stringify(value)}`);
  });
}

test("the corpus: every value is taken or refused as it says, but for amounts with fewer decimals (contract: Money)", async () => {
  const path = join(import.meta.dirname, "../../tests/corpora/domain-hostile-values.json");
  const corpus = JSON.parse(await readFile(path, "utf8"));
  const decided = (value: unknown) => typeof value !== "string" || !value.endsWith("?decide");
  for (const [name, schema] of [
    ["amount", fields.amount()],
    ["currency", fields.currency()],
    ["country", fields.country()],
    ["email", fields.email()],
  ] as const) {
    const { accept, reject } = corpus[name] as Record<"accept" | "reject", unknown[]>;
    for (const value of accept.filter(decided)) assert.ok(takes(schema, value), `${name} ${String(value)}`);
    const exempt = name === "amount" ? ["1", "1.0"] : [];
    for (const value of reject.filter(decided)) {
      assert.equal(
        takes(schema, value),
        exempt.includes(value as string),
        `${name} ${JSON.stringify(value)}`,
      );
    }
  }
});

test("near-misses of 100 KB are refused at once", () => {
  const schema = fields.email();
  for (const value of [`${"a".repeat(100_000)}@`, "@".repeat(100_000), `a@${"a.".repeat(50_000)}`]) {
    const ms = cpuMsOf(() => assert.ok(!takes(schema, value)));
    assert.ok(ms < 1_000, `${ms} ms`);
  }
});

test("the amounts of a body are recognised by their format", () => {
  const body = Type.Object({
    price: fields.amount(),
    trial_price: fields.nullable(fields.amount({ allowZero: true })),
    name: fields.text(5),
  });
  assert.deepEqual(fields.amountFields(body), new Set(["price", "trial_price"]));
});
