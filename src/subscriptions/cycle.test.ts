/** What is owed next, and what a failure means, as tables (decisions M3, M4). */
import assert from "node:assert/strict";
import test from "node:test";
import type { DeclineCode } from "../gateways/gateway.ts";
import { consequenceOf, isMandateExpired, planOf, type DueSubscription } from "./cycle.ts";

const NOW = new Date("2026-03-02T08:00:00Z");
const MONTHLY: DueSubscription = {
  anchor: "2026-01-31",
  frequency: "MONTHLY",
  hasTrial: false,
  lastCycle: null,
};

const PLANS: readonly (readonly [
  string,
  Partial<DueSubscription>,
  today: string,
  collect: string,
  skipped: number,
  next: string | null,
])[] = [
  ["the first rebill", {}, "2026-03-02", "1 2026-02-28", 0, "2026-03-31"],
  ["on its day", { lastCycle: 1 }, "2026-03-31", "2 2026-03-31", 0, "2026-04-30"],
  ["a trial's end", { hasTrial: true }, "2026-02-02", "0 2026-01-31", 0, "2026-02-28"],
  ["after an outage", { lastCycle: 1 }, "2026-06-15", "4 2026-05-31", 2, "2026-06-30"],
  ["no frequency", { frequency: null }, "2026-03-02", "1 2026-03-02", 0, null],
  ["no frequency, a trial's end", { frequency: null, hasTrial: true }, "2026-02-02", "0 2026-01-31", 0, null],
  ["no frequency, again", { frequency: null, lastCycle: 6 }, "2026-03-02", "7 2026-03-02", 0, null],
];

for (const [name, changes, today, collect, skipped, next] of PLANS) {
  test(`${name}: ${collect}`, () => {
    const plan = planOf({ ...MONTHLY, ...changes }, today);
    assert.deepEqual(
      [`${plan.collect.cycle} ${plan.collect.dueDate}`, plan.skipped.length, plan.nextBillingDate],
      [collect, skipped, next],
    );
  });
}

const FAILURES: readonly (readonly [
  code: DeclineCode,
  gatewayCode: string | null,
  attempts: number,
  consequence: string,
])[] = [
  ["insufficient_funds", "AM04", 1, "retry 2026-03-05"],
  ["insufficient_funds", "AM04", 2, "retry 2026-03-09"],
  ["insufficient_funds", "AM04", 3, "give_up"],
  ["unknown", "ZZ99", 1, "retry 2026-03-05"],
  ["unknown", null, 3, "give_up"],
  ["do_not_honor", "MS03", 1, "retry 2026-03-05"],
  ["do_not_honor", "AG01", 1, "give_up"],
  ["do_not_honor", "MD06", 1, "give_up"],
  ["mandate_rejected", "MD01", 1, "cancel"],
  ["account_closed", "AC04", 1, "cancel"],
  ["invalid_iban", "AC01", 2, "cancel"],
  ["gateway_unavailable", null, 1, "uncounted 2026-03-02"],
  ["gateway_unavailable", null, 9, "uncounted 2026-03-02"],
];

for (const [code, gatewayCode, attempts, expected] of FAILURES) {
  test(`${code} ${gatewayCode ?? ""} at attempt ${attempts}: ${expected}`, () => {
    const consequence = consequenceOf(code, gatewayCode, attempts, NOW);
    const shown =
      consequence.kind === "retry"
        ? `${consequence.counts ? "retry" : "uncounted"} ${consequence.at.toISOString().slice(0, 10)}`
        : consequence.kind;
    assert.equal(shown, expected);
  });
}

test("a mandate lives for 36 months after its last use", () => {
  const used = new Date("2026-02-28T23:00:00Z");
  assert.equal(isMandateExpired(used, "2029-02-28"), false);
  assert.equal(isMandateExpired(used, "2029-03-01"), true);
});
