/** The schema builders return the same as TypeBox. */
import assert from "node:assert/strict";
import test from "node:test";
import * as TypeBox from "typebox";
import { Type } from "./schema.ts";

/** The same schemas, built with either of the two. */
function schemas({ Array, Boolean, Enum, Integer, Literal, Null, Object, Optional, ...more }: typeof Type) {
  const { Partial, Record, String, Union, Unknown, Unsafe } = more;
  const name = String({ maxLength: 3, description: "A name." });
  const person = Object(
    {
      name,
      nick: Optional(name),
      age: Optional(Integer({ minimum: 0, maximum: 150 })),
      alive: Boolean({ default: true }),
    },
    { $id: "Person", additionalProperties: false },
  );
  return {
    person,
    patch: Partial(person, { $id: "PersonPatch" }),
    optionalTwice: Object({ name: Optional(Optional(name)) }),
    optionalOfUnsafe: Object({ one: Optional(Unsafe<"a" | "b">(Enum(["a", "b"]))) }),
    unsafeOfOptional: Object({
      one: Unsafe<string>(Optional(name)),
      two: { ...Optional(name) },
    }),
    nothingRequired: Object({ name: Optional(name) }),
    empty: Object({}),
    list: Array(person, { minItems: 1, uniqueItems: true }),
    kind: Enum(["one", "two"], { description: "Which." }),
    word: Literal("word", { title: "Word" }),
    number: Literal(7),
    yes: Literal(true),
    either: Union([name, Null()], { description: "Or nothing." }),
    words: Record(String(), Unknown(), { maxProperties: 9 }),
    unknown: Unknown({ description: "Anything." }),
    null: Null({ description: "Nothing." }),
    unsafe: Unsafe<Date>({ type: "string", format: "date" }),
  };
}

test("each builder gives what TypeBox gives, in the same order", () => {
  assert.equal(JSON.stringify(schemas(Type), null, 1), JSON.stringify(schemas(TypeBox), null, 1));
});
