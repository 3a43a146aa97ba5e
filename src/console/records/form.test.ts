/** Fields of a form whose choices do not come from the API's schema. */
import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "../../lib/schema.ts";
import { wordsFor } from "../words.ts";
import { fieldsOf } from "./fields.ts";
import { recordFields } from "./form.ts";

const FIELDS = fieldsOf(
  Type.Object({ country: Type.Optional(Type.String()), default_locale: Type.Optional(Type.String()) }),
);

function shown(language: string, typed: Readonly<Record<string, string>>): string {
  const { text } = recordFields(wordsFor(language, "UTC"), {
    fields: FIELDS,
    typed,
    faults: {},
    options: {},
  });
  return text.replaceAll(/\s+/g, " ");
}

test("a country and a language are chosen by their names in the person's language, in its order", () => {
  const german = shown("de-DE", { country: "DE", default_locale: "pl" });
  assert.match(german, /<option value="DE" selected[^>]*>Deutschland<\/option>/);
  assert.match(german, /<option value="pl" selected[^>]*>Polnisch<\/option>/);
  const names = [...german.matchAll(/<option value="(\w\w)"[^>]*>([^<]+)</g)].map(([, , name = ""]) => name);
  assert.ok(names.indexOf("Österreich") < names.indexOf("Panama"), "Ö is sorted as O");
  assert.match(shown("en-GB", {}), /<option value="DE"[^>]*>Germany<\/option>/);
});

test("a value that is not a choice any more stays chosen, so that saving the form does not change it", () => {
  const kept = shown("en-GB", { country: "Atlantis", default_locale: "de-AT" });
  assert.match(kept, /<option value="Atlantis" selected[^>]*>Atlantis<\/option>/);
  assert.match(kept, /<option value="de-AT" selected[^>]*>Austrian German<\/option>/);
});
