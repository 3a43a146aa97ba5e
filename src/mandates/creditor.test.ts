import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "../lib/schema.ts";
import { schemaProblems } from "../gateways/records/schema-problems.ts";
import {
  addressLine,
  CREDITOR_SETTINGS,
  creditorProblems,
  identifierProblem,
  OWN_CREDITOR_SETTINGS,
  schemeOf,
} from "./creditor.ts";

const IDENTIFIER = "DE98ZZZ09999999999";
const NO_CITY = { creditor_city: ["An address needs a city and a country."] };
const NO_COUNTRY = { creditor_country: ["An address needs a city and a country."] };
const NO_LETTER = ["Must contain a letter of the SEPA character set."];

for (const [scheme, is] of [
  [undefined, "CORE"],
  ["CORE", "CORE"],
  ["B2B", "B2B"],
  ["COR1", "CORE"],
] as const)
  test(`a gateway whose settings say ${scheme ?? "nothing"} has mandates of the scheme ${is}`, () =>
    assert.equal(schemeOf({ scheme }), is));

for (const [what, given, problems] of [
  ["nothing", {}, {}],
  ["a city with its country", { creditor_city: "Berlin", creditor_country: "DE" }, {}],
  ["a city without a country", { creditor_city: "Berlin" }, NO_COUNTRY],
  ["a country without a city", { creditor_country: "DE" }, NO_CITY],
  ["a street without a city", { creditor_address: "Hauptstr. 1" }, NO_CITY],
  ["a postal code without a city", { creditor_postal_code: "10115" }, NO_CITY],
  ["a city without a letter", { creditor_city: "東", creditor_country: "DE" }, { creditor_city: NO_LETTER }],
  ["a name of one letter", { creditor_name: "A" }, {}],
  ["a name without a letter", { creditor_name: "123" }, { creditor_name: NO_LETTER }],
  ["an identifier", { creditor_identifier: IDENTIFIER }, {}],
] as const)
  test(`creditor settings with ${what}: ${Object.keys(problems).join() || "valid"}`, () =>
    assert.deepEqual(creditorProblems(given), problems));

test("an identifier with wrong check digits is refused", () => {
  assert.deepEqual(Object.keys(creditorProblems({ creditor_identifier: "DE97ZZZ09999999999" })), [
    "creditor_identifier",
  ]);
});

for (const [testMode, own, tenants, isThere] of [
  [true, undefined, null, true],
  [false, undefined, null, false],
  [false, IDENTIFIER, null, true],
  [false, undefined, IDENTIFIER, true],
] as const)
  test(`${testMode ? "a test" : "a live"} account with the identifier ${own ?? "-"}, the tenant's ${tenants ?? "-"}: ${isThere ? "collects" : "needs one"}`, () => {
    const settings = own === undefined ? {} : { creditor_identifier: own };
    assert.equal(identifierProblem(testMode, settings, tenants) === null, isThere);
  });

const NEEDED = { creditor_name: "Shop", creditor_identifier: IDENTIFIER };
const Own = Type.Object(OWN_CREDITOR_SETTINGS);
const fieldsWrong = (given: object): readonly string[] => Object.keys(schemaProblems(Own, given) ?? {});

for (const [field, taken, refused] of [
  ["creditor_name", ["A", "x".repeat(70)], ["", "x".repeat(71)]],
  ["creditor_identifier", ["x".repeat(8), "x".repeat(35)], ["x".repeat(7), "x".repeat(36)]],
  ["creditor_address", ["A", "x".repeat(70)], ["", "x".repeat(71)]],
  ["creditor_postal_code", ["1", "1".repeat(16)], ["", "1".repeat(17)]],
  ["creditor_city", ["A", "x".repeat(35)], ["", "x".repeat(36)]],
  ["creditor_country", ["DE"], ["D", "DEU", "de"]],
  ["scheme", ["CORE", "B2B"], ["COR1"]],
  ["pre_notification_days", [0, 1, 30], [-1, 31, 1.5]],
] as const)
  test(`${field} is taken up to its bounds, and not beyond`, () => {
    for (const value of taken) assert.deepEqual(fieldsWrong({ ...NEEDED, [field]: value }), [], `${value}`);
    for (const value of refused)
      assert.deepEqual(fieldsWrong({ ...NEEDED, [field]: value }), [field], `${value}`);
  });

test("only an adapter with a creditor of its own needs the name and the identifier", () => {
  assert.deepEqual(fieldsWrong({}), ["creditor_name", "creditor_identifier"]);
  assert.equal(schemaProblems(Type.Object(CREDITOR_SETTINGS), {}), null);
});

const COUNTRY = { country: (code: string) => `the land ${code}` };
for (const [address, postal_code, city, country, line] of [
  ["Hauptstr. 1", "10115", "Berlin", "DE", "Hauptstr. 1, 10115 Berlin, the land DE"],
  [null, null, "Berlin", "DE", "Berlin, the land DE"],
  [null, "10115", "Berlin", null, "10115 Berlin"],
  ["Hauptstr. 1", null, "Berlin", null, "Hauptstr. 1, Berlin"],
  ["Hauptstr. 1", "10115", null, "DE", null],
] as const)
  test(`an address in one line: ${line ?? "none without a city"}`, () =>
    assert.equal(addressLine({ address, postal_code, city, country }, COUNTRY), line));
