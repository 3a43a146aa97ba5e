/** Reading a postback's bytes. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { readPostback, valueAt } from "./postback.ts";

const GENERIC = { provider: "generic", key_mapping: {} };
const read = (text: string) => readPostback(Buffer.from(text), GENERIC);

test("values are texts as they were sent; blanks and nulls are absent, objects and booleans are not texts", () => {
  const { values, notText } = read(
    '{"our_ref":" a ","request_uuid":"","lead_id":12345678901234567890,"status":true,"sell_price":1.10,"buyer_id":null,"buyer_name":{}}',
  );
  assert.deepEqual(values, {
    our_ref: " a ",
    request_uuid: null,
    lead_id: "12345678901234567890",
    status: null,
    sell_price: "1.10",
    buyer_id: null,
    buyer_name: null,
  });
  assert.deepEqual(notText, ["status", "buyer_name"]);
});

test("a key with dots is looked up as a key, then as a path; inherited properties are not found", () => {
  const object = { "a.b": 1, a: { b: 2, c: { d: 3 } }, list: [1] };
  assert.equal(valueAt(object, "a.b"), 1);
  assert.equal(valueAt(object, "a.c.d"), 3);
  for (const key of ["a.x", "a.b.c", "list.0", "toString", "a.constructor", "__proto__", "", ".", "a."])
    assert.equal(valueAt(object, key), undefined, key);
});

test("the same content is the same postback in any order of keys and with any spaces", () => {
  const body = fc
    .dictionary(
      fc.string({ unit: "grapheme-ascii", minLength: 1 }),
      fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme-ascii" }),
      { maxKeys: 6 },
    )
    // This key is refused at any depth (http/json.test.ts).
    .filter((one) => !JSON.stringify(one).includes('"__proto__":'));
  fc.assert(
    fc.property(body, (one) => {
      const turned = JSON.stringify(reversed(one), null, 2);
      assert.equal(read(turned).sameness, read(JSON.stringify(one)).sameness);
    }),
  );
});

test("other content is another postback", () => {
  const bodies = [
    "{}",
    '{"a":1}',
    '{"a":1.0}',
    '{"a":[1]}',
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"a":{"b":1}}',
    '{"a":null}',
    '{"a":"null"}',
    '{"a":""}',
    '{"b":1}',
    '{"a":1,"b":1}',
    '{"a":12345678901234567890}',
    '{"a":12345678901234567891}',
    '{"request_uuid":"a"}',
    '{"request_uuid":"A"}',
  ];
  assert.equal(new Set(bodies.map((body) => read(body).sameness)).size, bodies.length);
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
