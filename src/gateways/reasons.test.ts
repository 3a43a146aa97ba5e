/** Bank codes as a table. */
import assert from "node:assert/strict";
import test from "node:test";
import { askGateway } from "./calling.ts";
import { defaultMessage, reasonOf } from "./reasons.ts";

const ROWS = [
  ["AM04", "insufficient_funds", true],
  ["MS03", "do_not_honor", true],
  ["AC01", "invalid_iban", false],
  ["AC04", "account_closed", false],
  ["AC06", "do_not_honor", false],
  ["AG01", "do_not_honor", false],
  ["MD01", "mandate_rejected", false],
  ["MD06", "do_not_honor", false],
  ["MD07", "do_not_honor", false],
  ["RC01", "invalid_iban", false],
  ["TM01", "gateway_unavailable", true],
  ["ZZ99", "unknown", false],
  ["", "unknown", false],
] as const;

for (const [iso, code, retry] of ROWS) {
  test(`${iso || "no code"} is ${code}${retry ? ", which may be tried again later" : ""}`, () => {
    assert.deepEqual(reasonOf(iso), { code, retry, message: defaultMessage(code) });
  });
}

for (const [name, error, kind] of [
  ["a refused connection", Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "unreachable"],
  ["an unknown name, wrapped", new Error("fetch failed", { cause: { code: "ENOTFOUND" } }), "unreachable"],
  ["a reset connection", Object.assign(new Error("x"), { code: "ECONNRESET" }), "unresolved"],
  ["an unreadable answer", new SyntaxError("Unexpected token"), "unresolved"],
] as const) {
  test(`${name} makes an outcome ${kind}`, async () => {
    assert.equal((await askGateway(() => Promise.reject(error))).kind, kind);
  });
}

test("an answer after the deadline is not waited for: unresolved", async () => {
  assert.equal((await askGateway(() => new Promise<never>(() => {}), 5)).kind, "unresolved");
});
