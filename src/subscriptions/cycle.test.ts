/** The next due amount, and the effect of a failure, as tables (contract: Due dates; contract: Failed renewals). */
import assert from "node:assert/strict";
import test from "node:test";
import { type DeclineCode, ISO_CODES, reasonOf, type ReturnAction } from "../sepa/reasons.ts";
import { DAY_MS } from "../lib/clock.ts";
import { consequenceOf, planOf, type Consequence, type DueSubscription } from "./cycle.ts";
import type { RetryDay } from "../tenants/retry-days.ts";
import { isMandateExpired } from "../sepa/windows.ts";

const NOW = new Date("2026-03-02T08:00:00Z");
const MONTHLY: DueSubscription = {
  anchor: "2026-01-31",
  anchorCycle: 0,
  frequency: "MONTHLY",
  billingDay: null,
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
  ["the first renewal", {}, "2026-03-02", "1 2026-02-28", 0, "2026-03-31"],
  ["on its day", { lastCycle: 1 }, "2026-03-31", "2 2026-03-31", 0, "2026-04-30"],
  [
    "another day",
    { anchor: "2026-05-15", anchorCycle: 3, lastCycle: 2 },
    "2026-05-15",
    "3 2026-05-15",
    0,
    "2026-06-15",
  ],
  [
    "months after that",
    { anchor: "2026-05-31", anchorCycle: 3, lastCycle: 4 },
    "2026-07-31",
    "5 2026-07-31",
    0,
    "2026-08-31",
  ],
  ["a trial's end", { hasTrial: true }, "2026-02-02", "0 2026-01-31", 0, "2026-02-28"],
  ["after an outage", { lastCycle: 1 }, "2026-06-15", "4 2026-05-31", 2, "2026-06-30"],
  ["after an outage, on a due day", { lastCycle: 1 }, "2026-04-30", "3 2026-04-30", 1, "2026-05-31"],
  [
    "the last day of the month",
    { anchor: "2026-02-15", billingDay: "last" },
    "2026-04-02",
    "1 2026-03-31",
    0,
    "2026-04-30",
  ],
  [
    "a trial's end, then the last day of the month",
    { anchor: "2026-02-15", billingDay: "last", hasTrial: true },
    "2026-02-16",
    "0 2026-02-15",
    0,
    "2026-03-31",
  ],
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
  ["insufficient_funds", null, 1, "retry 2026-03-05"],
  ["unknown", "ZZ99", 1, "give_up"],
  ["unknown", "AM05", 1, "give_up"],
  ["unknown", null, 1, "give_up"],
  ["do_not_honor", "MS03", 1, "retry 2026-03-05"],
  ["do_not_honor", "AG07", 2, "retry 2026-03-09"],
  ["do_not_honor", "AG01", 1, "give_up"],
  ["do_not_honor", "MD06", 1, "give_up"],
  ["mandate_rejected", "MD01", 1, "cancel"],
  ["account_closed", "AC04", 1, "cancel"],
  ["invalid_iban", "AC01", 2, "cancel"],
  ["gateway_unavailable", "AG02", 1, "give_up"],
  ["gateway_unavailable", "FF01", 1, "give_up"],
  ["gateway_unavailable", "FF10", 1, "retry 2026-03-03"],
  ["gateway_unavailable", "DT01", 2, "retry 2026-03-03"],
  ["gateway_unavailable", "ED05", 3, "give_up"],
];

function shown(consequence: Consequence): string {
  return consequence.kind === "retry"
    ? `${consequence.counts ? "retry" : "uncounted"} ${consequence.at.toISOString().slice(0, 10)}`
    : consequence.kind;
}

for (const [code, gatewayCode, attempts, expected] of FAILURES) {
  test(`${code} ${gatewayCode ?? ""} at attempt ${attempts}: ${expected}`, () => {
    assert.equal(
      shown(consequenceOf({ kind: "declined", code, gatewayCode }, attempts, NOW, [3, 7], {})),
      expected,
    );
  });
}

/** What a tenant has chosen for the code; what the contract does not allow for it changes nothing. */
const CHOSEN: readonly (readonly [gatewayCode: string, chosen: ReturnAction, consequence: string])[] = [
  ["AM04", "retry", "retry 2026-03-05"],
  ["AM04", "ask_customer", "give_up"],
  ["AM04", "end_subscription", "cancel"],
  ["AM04", "end_mandate", "cancel"],
  ["AM04", "block_account", "cancel"],
  ["FF10", "ask_customer", "give_up"],
  ["MD06", "retry", "give_up"],
  ["MD06", "end_subscription", "cancel"],
  ["AC04", "retry", "cancel"],
  ["AC04", "ask_customer", "cancel"],
];

for (const [gatewayCode, chosen, expected] of CHOSEN) {
  test(`${gatewayCode} with the tenant's choice ${chosen}: ${expected}`, () => {
    const failure = { kind: "declined", code: reasonOf(gatewayCode).code, gatewayCode } as const;
    assert.equal(shown(consequenceOf(failure, 1, NOW, [3, 7], { [gatewayCode]: chosen })), expected);
  });
}

test("a debit without funds is retried on the tenant's days: other numbers, the next salary day, or none", () => {
  const noFunds = { kind: "declined", code: "insufficient_funds", gatewayCode: "AM04" } as const;
  const rows: readonly (readonly [attempts: number, days: readonly RetryDay[], expected: string])[] = [
    [1, [1], "retry 2026-03-03"],
    [2, [1], "give_up"],
    [1, ["salary_day", 30], "retry 2026-03-16"],
    [2, ["salary_day", 30], "retry 2026-04-01"],
    [1, [], "give_up"],
    [3, [3, "salary_day"], "give_up"],
  ];
  for (const [attempts, days, expected] of rows)
    assert.equal(shown(consequenceOf(noFunds, attempts, NOW, days, {})), expected);
  const technical = { kind: "declined", code: "gateway_unavailable", gatewayCode: "FF10" } as const;
  assert.equal(shown(consequenceOf(technical, 1, NOW, [], {})), "retry 2026-03-03");
});

test("an instruction that the gateway has not received is sent again within the day without counting an attempt", () => {
  for (const attempts of [1, 3, 9]) {
    assert.equal(
      shown(consequenceOf({ kind: "not_received" }, attempts, NOW, [3, 7], {})),
      "uncounted 2026-03-02",
    );
  }
});

const AGAIN: Readonly<Record<string, readonly string[]>> = {
  "3 and 7": ["AM04", "AG07", "MS03"],
  "1 and 1": ["DT01", "DT03", "DT05", "ED05", "FF10", "TECH", "TM01", "XD75"],
};

for (const iso of [...ISO_CODES, "AM05", "NARR", "ZZ99", ""]) {
  const [waits = "no"] = Object.entries(AGAIN).find(([, codes]) => codes.includes(iso)) ?? [];
  test(`a bank that rejects every presentation with ${iso || "no code"} gets another one after ${waits} days`, () => {
    const days: number[] = [];
    for (let attempts = 1; attempts < 10; attempts += 1) {
      const failure = { kind: "declined", code: reasonOf(iso).code, gatewayCode: iso } as const;
      const consequence = consequenceOf(failure, attempts, NOW, [3, 7], {});
      if (consequence.kind !== "retry") break;
      assert.ok(consequence.counts, "decided");
      days.push((consequence.at.getTime() - NOW.getTime()) / DAY_MS);
    }
    assert.equal(days.join(" and ") || "no", waits);
  });
}

test("a mandate expires 36 months after its last use", () => {
  const used = new Date("2026-02-28T23:00:00Z");
  assert.equal(isMandateExpired(used, "2029-02-28"), false);
  assert.equal(isMandateExpired(used, "2029-03-01"), true);
});
