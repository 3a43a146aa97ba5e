/** Validation errors, reported per field. */
import assert from "node:assert/strict";
import test from "node:test";
import { Type, type TSchema } from "../lib/schema.ts";
import { email, oneOf, text } from "./fields.ts";
import { bodyCheck, queryCheck } from "./validation.ts";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
const wrongBody = (schema: TSchema, value: unknown) => plain(bodyCheck(schema)(value)?.fields);
const wrongQuery = (schema: TSchema, value: unknown) =>
  plain(queryCheck(schema, { closed: true })(value)?.fields);

const Lead = Type.Object({ email: email(), first_name: text(5) });
const Create = Type.Object({
  lead: Lead,
  kind: oneOf(["A", "B"]),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
});

test("a body that fits has no errors, and unknown fields are ignored", () => {
  const body = { lead: { email: "a@example.com", first_name: "😀😀😀😀😀" }, kind: "A", other: 1 };
  assert.equal(wrongBody(Create, body), null);
});

test("all invalid fields are reported at once, nested as the body is", () => {
  assert.deepEqual(wrongBody(Create, { lead: { email: "a@b..c", first_name: "toolong" }, count: 0 }), {
    lead: {
      email: ["Must be a valid email address."],
      first_name: ["Ensure this field has no more than 5 characters."],
    },
    kind: ["This field is required."],
    count: ["Ensure this value is at least 1."],
  });
});

for (const [name, body, wrong] of [
  ["a wrong type", { lead: 1, kind: "A" }, { lead: ["Must be an object."] }],
  ["null", { lead: null, kind: "A" }, { lead: ["This field may not be null."] }],
  ["a list", [], { non_field_errors: ["Must be an object."] }],
] as const) {
  test(`${name} instead of an object is reported on its field`, () => {
    assert.deepEqual(wrongBody(Create, body), wrong);
  });
}

test("a text in a body is never read as a number, nor a number as a text", () => {
  const schema = Type.Object({ count: Type.Integer(), name: text(5) });
  assert.deepEqual(wrongBody(schema, { count: "1", name: 1 }), {
    count: ["Must be a whole number."],
    name: ["Must be a string."],
  });
});

test("keys named like JavaScript's own properties are reported like any other, and change nothing in the process", () => {
  const schema = Type.Object({
    names: Type.Record(Type.String(), Type.Object({ inner: Type.String() })),
  });
  const message = { inner: ["Must be a string."] };
  const names = JSON.parse('{"constructor":{"inner":1},"toString":{"inner":1}}');
  assert.deepEqual(wrongBody(schema, { names }), { names: { constructor: message, toString: message } });
  assert.equal(Object.hasOwn(Object, "inner"), false);
  assert.equal("inner" in Object.prototype["toString" as keyof object], false);
});

const Query = Type.Object({
  size: Type.Optional(Type.Integer({ maximum: 1_000 })),
  open: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
});

test("a query's numbers and booleans are read, its texts stay, and what is absent stays absent", () => {
  const query = { size: "10", open: "false", name: "10" };
  assert.equal(wrongQuery(Query, query), null);
  assert.deepEqual(query, { size: 10, open: false, name: "10" });
  const empty = {};
  assert.equal(wrongQuery(Query, empty), null);
  assert.deepEqual(Object.keys(empty), []);
});

for (const size of ["", "0x10", "1e2", " 10", "1.0", "+1", "٣", "1".repeat(40)]) {
  test(`page size ${JSON.stringify(size)} is refused`, () => {
    assert.deepEqual(wrongQuery(Query, { size }), { size: ["Must be a whole number."] });
  });
}

test("a parameter given twice, a NUL, and a text for a boolean are 400 on their parameter", () => {
  assert.deepEqual(wrongQuery(Query, { size: ["1", "2"], name: "a\0b" }), {
    size: ["This parameter may be given only once."],
    name: ["Must not contain a NUL character."],
  });
  assert.deepEqual(wrongQuery(Query, { open: "1" }), { open: ["Must be true or false."] });
});

test("an unknown parameter is 400 on its name, with the known ones, together with other errors", () => {
  const message = "Unknown parameter. Allowed: size, open, name.";
  assert.deepEqual(wrongQuery(Query, { sise: "1", open: "1" }), {
    open: ["Must be true or false."],
    sise: [message],
  });
  assert.equal(queryCheck(Query, { closed: false })({ sise: "1" }), null);
});
