/** Bank codes as a table. */
import assert from "node:assert/strict";
import test from "node:test";
import { withCallDeadline } from "../gateways/calling.ts";
import { defaultMessage, ISO_CODES, ownChoice, reasonOf, RETURN_ACTIONS } from "./reasons.ts";

const ROWS = [
  ["AM04", "insufficient_funds", "when_funded"],
  ["MS03", "do_not_honor", "when_funded"],
  ["AG07", "do_not_honor", "when_funded"],
  ["AC01", "invalid_iban", "never"],
  ["AC04", "account_closed", "never"],
  ["AC06", "do_not_honor", "never"],
  ["AG01", "do_not_honor", "never"],
  ["AG02", "gateway_unavailable", "never"],
  ["MD01", "mandate_rejected", "never"],
  ["MD06", "do_not_honor", "never"],
  ["MD07", "do_not_honor", "never"],
  ["RC01", "invalid_iban", "never"],
  ["SL01", "do_not_honor", "never"],
  ["TM01", "gateway_unavailable", "when_working"],
  ["XT53", "gateway_unavailable", "never"],
  ["ZZ99", "unknown", "never"],
  ["", "unknown", "never"],
] as const;

for (const [iso, code, retry] of ROWS) {
  test(`${iso || "no code"} is ${code}, worth another try ${retry.replace("_", " ")}`, () => {
    assert.deepEqual(reasonOf(iso), { code, retry, message: defaultMessage(code) });
  });
}

test("another try is never a tenant's own choice: where it may follow a code, it is the default", () => {
  const chosen = (action: (typeof RETURN_ACTIONS)[number]) =>
    ISO_CODES.filter((iso) => ownChoice(iso, { [iso]: action }) !== null);
  assert.deepEqual(chosen("retry"), []);
  assert.ok(
    RETURN_ACTIONS.filter((action) => action !== "retry").every((action) => chosen(action).length > 0),
  );
});

for (const [name, error, kind] of [
  ["a refused connection", Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "unreachable"],
  ["an unknown name, wrapped", new Error("fetch failed", { cause: { code: "ENOTFOUND" } }), "unreachable"],
  ["a reset connection", Object.assign(new Error("x"), { code: "ECONNRESET" }), "unresolved"],
  ["an unreadable answer", new SyntaxError("Unexpected token"), "unresolved"],
] as const) {
  test(`${name} makes an outcome ${kind}`, async () => {
    assert.equal((await withCallDeadline(() => Promise.reject(error))).kind, kind);
  });
}

test("an answer after the deadline makes the outcome unresolved", async () => {
  assert.equal((await withCallDeadline(() => new Promise<never>(() => {}), 5)).kind, "unresolved");
});
