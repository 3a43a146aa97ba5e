import assert from "node:assert/strict";
import test from "node:test";
import { mandateColumns } from "./columns.ts";

const REQUIRED = ["reference", "signed_on", "holder_name", "iban", "email"];

for (const [column, ...names] of [
  ["reference", "mandate_reference", "mandate_reference_id", "umr"],
  ["status", "mandate_status"],
  ["type", "mandate_type", "sequence_type"],
  ["signed_on", "signed_at", "signature_date", "date_of_signature", "mandate_date"],
  ["last_used_on", "last_used_at", "last_collection_date"],
  ["holder_name", "account_holder", "debtor_name", "name"],
  ["iban", "debtor_iban", "account"],
  ["bic", "debtor_bic"],
  ["email", "customer_email"],
  ["creditor_identifier", "creditor_id"],
  ["cancelled_on", "cancelled_at"],
] as const)
  test(`the column ${column} of a mandate file may also be called ${names.join(", ")}, and ours comes first`, () => {
    const others = REQUIRED.filter((name) => name !== column);
    const placeIn = (...header: readonly string[]) => {
      const places = mandateColumns(header);
      assert.ok(places instanceof Map, String(places));
      return places.get(column);
    };
    for (const name of names) {
      assert.equal(placeIn(...others, name), others.length, name);
      assert.equal(placeIn(name, ...others, column), others.length + 1, name);
    }
  });

test("without a required column a mandate file is refused, and each missing one is named", () =>
  assert.deepEqual(
    mandateColumns(["status"]),
    REQUIRED.map((column) => `Column ${column} is missing.`),
  ));
