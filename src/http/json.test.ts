/** Bodies that are accepted, and bodies that are refused with a description of the error. */
import assert from "node:assert/strict";
import test from "node:test";
import { Refusal } from "../refusals.ts";
import { parseJson } from "./json.ts";
import { cpuMsOf } from "../../tests/support/cpu-time.ts";

const options = { decimalKeys: new Set(["amount"]) };
const parse = (text: string | Buffer) => parseJson(Buffer.from(text), options);

test("amounts keep their digits, other numbers are numbers", () => {
  assert.deepEqual(parse('{"amount": 19.90, "count": 3, "lead": {"amount": 0.10}}'), {
    amount: "19.90",
    count: 3,
    lead: { amount: "0.10" },
  });
  assert.deepEqual(parse('{"amount": 1e2}'), { amount: "1e2" });
});

test("the result is that of JSON.parse", () => {
  for (const text of [
    '{"a":[1,{"b":null}],"c":"\\u00e9\\n\\"x\\""}',
    "[]",
    "null",
    '"x"',
    "{}",
    ' {"a" : 1 } ',
    "[-1.5e3,true]",
  ]) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

for (const [name, body, detail] of [
  ["bad UTF-8", Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), /UTF-8/],
  ["a byte order mark", "\ufeff{}", /not valid JSON/],
  ["UTF-16", Buffer.from('{"a":1}', "utf16le"), /./],
  ["no JSON", "iban=x", /not valid JSON/],
  ["an unfinished string", '{"a": "b', /inside a string/],
  ["a trailing comma", '{"a":1,}', /not valid JSON/],
  ["two documents", "{}{}", /not valid JSON/],
  ["a comment", '{/*x*/"a":1}', /not valid JSON/],
  ["33 levels", "[".repeat(33) + "]".repeat(33), /deeper than 32/],
  ["a hundred thousand levels", "[".repeat(100_000), /deeper than 32/],
  [
    "1,001 keys",
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 1]))),
    /1000 keys/,
  ],
  ["a key twice", '{"a":1,"a":2}', /duplicate key/],
  ["a key twice in two spellings", '{"a":1,"\\u0061":2}', /duplicate key/],
  ["__proto__", '{"__proto__":{"isAdmin":true}}', /not allowed/],
  ["__proto__ in escapes", '{"\\u005f\\u005fproto__":1}', /not allowed/],
  ["NUL", '{"a":"x\\u0000y"}', /NUL/],
  ["half a surrogate pair", '{"a":"\\ud800"}', /surrogate/],
  ["half a surrogate pair in a key", '{"\\udc00":1}', /surrogate/],
  ["a number of a hundred digits", `{"a":${"9".repeat(100)}}`, /too long/],
] as const) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => parse(body),
      (error) => error instanceof Refusal && error.kind === "malformed_json" && detail.test(error.detail),
    );
  });
}

test("the same key in different objects is not a duplicate", () => {
  assert.deepEqual(parse('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'), { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] });
});

test("256 KiB of anything is read or refused at once", () => {
  const size = 256 * 1024;
  for (const text of [
    `{"x":"${"a".repeat(size)}"}`,
    `{"x":"${"\\u0041".repeat(size / 6)}"}`,
    `[${"1,".repeat(size / 2)}1]`,
    '"'.repeat(size),
    "\\".repeat(size),
  ]) {
    const ms = cpuMsOf(() => {
      try {
        parse(text);
      } catch (error) {
        assert.ok(error instanceof Refusal);
      }
    });
    assert.ok(ms < 1_000, `${ms} ms`);
  }
});
