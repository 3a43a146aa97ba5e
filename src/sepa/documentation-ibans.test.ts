import assert from "node:assert/strict";
import test from "node:test";
import { isDocumentationIban } from "./documentation-ibans.ts";
import { checkIban } from "./iban.ts";

test("the registry's examples are known, one for a country, and no other account", () => {
  for (const iban of ["DE89370400440532013000", "AT611904300234573201", "GB29NWBK60161331926819"]) {
    assert.ok(checkIban(iban).valid);
    assert.ok(isDocumentationIban(iban));
  }
  assert.ok(!isDocumentationIban("DE62370400440532013001"));
  assert.ok(!isDocumentationIban("DE75512108001245126199"));
});
