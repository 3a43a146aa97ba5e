/** Records as JSON are read back unchanged. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { jsonFormat } from "./json.ts";
import { SUBSCRIPTIONS, TRANSACTIONS, type FieldKind, type RecordType } from "./lists.ts";

function formatOf(...kinds: readonly FieldKind[]) {
  const fields = kinds.map((kind, at) => ({ name: `field_${at}`, kind, sql: "" }));
  return jsonFormat({ fields } as unknown as RecordType);
}

test("free text of any characters reads back the same", () => {
  const { record } = formatOf("free_text", "free_text");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (one, two) => {
      assert.deepEqual(JSON.parse(record([one, two])), { field_0: one, field_1: two });
    }),
    { numRuns: 1_000 },
  );
  assert.deepEqual(JSON.parse(record(['"\\\n\u2028', "\ud800"])), {
    field_0: '"\\\n\u2028',
    field_1: "\ud800",
  });
});

test("counts are numbers, everything else is text, and a missing value is null", () => {
  const { record } = formatOf("integer", "money", "time", "date", "uuid", "text");
  assert.equal(
    record([0, "19.90", "2026-03-01T12:00:00.000Z", null, null, "approved"]),
    '{"field_0":0,"field_1":"19.90","field_2":"2026-03-01T12:00:00.000Z","field_3":null,"field_4":null,"field_5":"approved"}',
  );
  for (const type of [TRANSACTIONS, SUBSCRIPTIONS]) {
    const nulls = JSON.parse(jsonFormat(type).record(type.fields.map(() => null)));
    assert.deepEqual(nulls, Object.fromEntries(type.fields.map(({ name }) => [name, null])));
  }
});

test("a page holds next, previous and results", () => {
  const { page } = formatOf("text");
  const empty = { next: null, previous: null, results: [] };
  assert.deepEqual(JSON.parse(page(empty).join("")), empty);
  const next = 'https://example.test/?a="1"&b=2';
  assert.deepEqual(JSON.parse(page({ next, previous: null, results: ['{"a":1}', '{"a":2}'] }).join("")), {
    next,
    previous: null,
    results: [{ a: 1 }, { a: 2 }],
  });
});
