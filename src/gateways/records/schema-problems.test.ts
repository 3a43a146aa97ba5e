import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "../../lib/schema.ts";
import { schemaProblems } from "./schema-problems.ts";

const Settings = Type.Object(
  {
    merchant_id: Type.String({ maxLength: 4 }),
    endpoint: Type.Object({ port: Type.Integer() }),
    mode: Type.Optional(Type.Enum(["fast", "slow"])),
  },
  { additionalProperties: false },
);

test("valid settings have no problems", () => {
  assert.equal(schemaProblems(Settings, { merchant_id: "abcd", endpoint: { port: 1 } }), null);
});

test("every field is named with its problem, nested as the object is, and no value is quoted", () => {
  const problems = schemaProblems(Settings, {
    merchant_id: "secret-value",
    endpoint: { port: "1" },
    mode: "x",
    other: 1,
  });
  assert.deepEqual(problems, {
    merchant_id: ["This field must not have more than 4 characters."],
    endpoint: { port: ["This field must be integer."] },
    mode: ["This field must be equal to one of the allowed values."],
    other: ["Unknown field."],
  });
});

test("missing fields are required, also inside an object", () => {
  const required = ["This field is required."];
  assert.deepEqual(schemaProblems(Settings, {}), { merchant_id: required, endpoint: required });
  assert.deepEqual(schemaProblems(Settings, { merchant_id: "a", endpoint: {} }), {
    endpoint: { port: required },
  });
});

test("a value that is not an object is wrong as a whole", () => {
  assert.deepEqual(schemaProblems(Settings, "x"), ["This field must be object."]);
});
