/** Valid and invalid BICs. */
import assert from "node:assert/strict";
import test from "node:test";
import { BIC } from "./bic.ts";

test("a BIC has 8 or 11 characters", () => {
  for (const bic of ["ABNANL2A", "COBADEFFXXX"]) assert.match(bic, BIC);
  for (const bic of ["", "ABNANL2", "ABNANL2AX", "abnanl2a", "ABN1NL2A", "COBADEFFXXXX", "ABNANL2A\n"])
    assert.doesNotMatch(bic, BIC);
});

test("the place of a BIC does not begin with 0 or 1 and does not end with O", () => {
  for (const bic of ["MARKDEF1100", "ABNANL29"]) assert.match(bic, BIC);
  for (const bic of ["ABNANL0A", "ABNANL1A", "ABNANL2O"]) assert.doesNotMatch(bic, BIC);
});
