/** The schema checker, with a schema made for this test. */
import assert from "node:assert/strict";
import test from "node:test";
import { checkAgainstSchema } from "./schema-check.ts";

const SCHEMA = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="Amount" type="xs:decimal"/>
</xs:schema>`;

test("a valid document has no problems", async () => {
  assert.deepEqual(await checkAgainstSchema("<Amount>1.50</Amount>", SCHEMA), []);
});

test("a document that breaks the schema has its problems with their lines", async () => {
  const [first, ...others] = await checkAgainstSchema("\n<Amount>1,50</Amount>", SCHEMA);
  assert.match(first ?? "", /^line 2: .*'1,50' is not a valid value/);
  assert.deepEqual(others, []);
});

for (const xml of ["", "no XML", "<Amount>1.50"]) {
  test(`${JSON.stringify(xml)} has problems, and does not throw`, async () => {
    assert.notDeepEqual(await checkAgainstSchema(xml, SCHEMA), []);
  });
}

test("an invalid schema is a problem, too", async () => {
  assert.notDeepEqual(await checkAgainstSchema("<Amount>1.50</Amount>", "<schema/>").catch(String), []);
});
