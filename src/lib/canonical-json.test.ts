import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { byCodePoint, canonicalJson, type Canonical } from "./canonical-json.ts";

interface Vector {
  readonly name: string;
  readonly payload: Canonical;
  readonly python_json_dumps_default: string;
  readonly rfc8785_like_utf8: string;
  readonly hmac_sha256_python_form: string;
  readonly hmac_sha256_utf8_form: string;
}
const file = new URL("../../tests/vectors/webhook-canonical.json", import.meta.url);
const { secret, vectors } = JSON.parse(await readFile(file, "utf8")) as {
  secret: string;
  vectors: readonly Vector[];
};
/** Payloads never contain these: their text depends on the language that writes them. */
const NO_ONE_FORM = ["float_small", "big_int"];
/** JSON.parse cannot distinguish 1.0 from 1. */
const NOT_READABLE = ["float_1_0"];
const hmac = (text: string) => createHmac("sha256", secret).update(text).digest("hex");

for (const vector of vectors.filter(({ name }) => ![...NO_ONE_FORM, ...NOT_READABLE].includes(name))) {
  test(`${vector.name}: both forms and their signatures`, () => {
    const utf8 = canonicalJson(vector.payload);
    const ascii = canonicalJson(vector.payload, { asciiEscape: true });
    assert.equal(utf8, vector.rfc8785_like_utf8);
    assert.equal(ascii, vector.python_json_dumps_default);
    assert.equal(hmac(utf8), vector.hmac_sha256_utf8_form);
    assert.equal(hmac(ascii), vector.hmac_sha256_python_form);
  });
}

for (const vector of vectors.filter(({ name }) => NO_ONE_FORM.includes(name))) {
  test(`${vector.name}: a value without one canonical form is refused`, () => {
    assert.throws(() => canonicalJson(vector.payload), TypeError);
  });
}

/** RFC 8785's published examples, without fractions; the order differs from ours only beyond U+FFFF. */
const JCS: readonly (readonly [input: string, output: string])[] = [
  ['[56,{"d":true,"10":null,"1":[ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
  [
    '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  [
    '{"peach":"1","p\u00e9ch\u00e9":"2","p\u00eache":"3","sin":"4"}',
    '{"peach":"1","p\u00e9ch\u00e9":"2","p\u00eache":"3","sin":"4"}',
  ],
  [
    '{"s":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"}',
    `{"s":"\u20ac$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
  ],
  ["[null,true,false]", "[null,true,false]"],
  ['"A\\u030a"', '"A\u030a"'],
];
for (const [input, output] of JCS) {
  test(`RFC 8785: ${output}`, () => {
    assert.equal(canonicalJson(JSON.parse(input) as Canonical), output);
  });
}

test("keys are sorted by code point, where UTF-16 order differs", () => {
  assert.equal(canonicalJson({ "\u{1f600}": "1", "\ufb33": "2" }), '{"\ufb33":"2","\u{1f600}":"1"}');
});

test("a value nested 100,000 deep is written", () => {
  let deep: Canonical = "x";
  for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
  assert.equal(canonicalJson(deep).length, 3 + 50_000 * 2 + 50_000 * 6);
});

test("a lone surrogate, undefined and a function have no canonical form and are refused", () => {
  for (const value of ["\ud800", undefined, () => {}, [undefined], { a: undefined }, Number.NaN]) {
    assert.throws(() => canonicalJson(value as Canonical), TypeError);
  }
});

test("every value is read back as it was written, with keys in the order of their UTF-8 bytes", () => {
  const scalars = [fc.string({ unit: "grapheme" }), fc.boolean(), fc.constant(null), fc.maxSafeInteger()];
  const value = fc.object({ key: fc.string({ unit: "grapheme" }), values: scalars, maxDepth: 4 });
  fc.assert(
    fc.property(value, fc.boolean(), (made, asciiEscape) => {
      const text = canonicalJson(made as Canonical, { asciiEscape });
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(made)));
      assert.equal(canonicalJson(JSON.parse(text) as Canonical, { asciiEscape }), text);
      // oxlint-disable-next-line no-control-regex
      if (asciiEscape) assert.match(text, /^[\x20-\x7e]*$/);
    }),
  );
  const key = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.equal(Math.sign(byCodePoint(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
