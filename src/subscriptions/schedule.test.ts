/** Dates as tables, and the properties of all of them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { utcDate } from "../lib/dates.ts";
import {
  closedDaysUntil,
  sendingDay,
  dueDate,
  lastDueDate,
  trialEnd,
  type ClosedDayTerms,
} from "./schedule.ts";
import type { BillingFrequency } from "./billing-terms.ts";

const ROWS: readonly (readonly [string, BillingFrequency, readonly string[]])[] = [
  ["2026-01-31", "MONTHLY", ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]],
  ["2027-12-31", "MONTHLY", ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"]],
  ["2024-02-29", "YEARLY", ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]],
  ["2026-08-31", "QUARTERLY", ["2026-08-31", "2026-11-30", "2027-02-28", "2027-05-31"]],
  ["2026-08-30", "SEMIANNUALLY", ["2026-08-30", "2027-02-28", "2027-08-30"]],
  ["2026-12-28", "WEEKLY", ["2026-12-28", "2027-01-04", "2027-01-11"]],
  ["2028-02-22", "BIWEEKLY", ["2028-02-22", "2028-03-07", "2028-03-21"]],
];

for (const [anchor, frequency, dates] of ROWS) {
  test(`${frequency} from ${anchor}`, () => {
    assert.deepEqual(
      dates.map((_, cycle) => dueDate(anchor, frequency, cycle)),
      dates,
    );
  });
}

test("due on the last day of the month: every cycle but the anchor, which is its own day", () => {
  const days = [0, 1, 2, 3].map((cycle) => dueDate("2026-01-15", "MONTHLY", cycle, "last"));
  assert.deepEqual(days, ["2026-01-15", "2026-02-28", "2026-03-31", "2026-04-30"]);
});

/** Good Friday is on 3 April 2026; banks are open on 2 and on 7 April. */
test("on closed days banks are waited for; where the tenant wants the day before, no free time is cut short", () => {
  const next: ClosedDayTerms = {
    closed_day: "next",
    billing_frequency: "MONTHLY",
    trial_end_date: null,
    next_billing_date: "2026-04-04",
    cancel_at_period_end: false,
  };
  const before = { ...next, closed_day: "previous" } as const;
  const rows: readonly (readonly [string, ClosedDayTerms, collected: string, lastOnThursday: string])[] = [
    ["the day after", next, "2026-04-07", "2026-04-02"],
    ["the day before", before, "2026-04-02", "2026-04-06"],
    ["the merchant triggers it", { ...before, billing_frequency: null }, "2026-04-07", "2026-04-02"],
    ["it ends then", { ...before, cancel_at_period_end: true }, "2026-04-07", "2026-04-02"],
    ["its trial ends then", { ...before, trial_end_date: "2026-04-04" }, "2026-04-07", "2026-04-02"],
    ["its trial has ended", { ...before, trial_end_date: "2026-03-04" }, "2026-04-02", "2026-04-06"],
  ];
  for (const [name, terms, collected, last] of rows) {
    assert.equal(sendingDay(terms, "2026-04-04"), collected, name);
    assert.equal(lastDueDate(terms, "2026-04-02"), last, name);
    assert.equal(sendingDay(terms, "2026-04-08"), "2026-04-08", name);
  }
});

test("days on which banks are closed are counted up to the day before they open; none before an open day", () => {
  assert.equal(closedDaysUntil("2026-04-02"), "2026-04-06");
  assert.equal(closedDaysUntil("2026-04-07"), "2026-04-07");
  assert.equal(closedDaysUntil("2026-04-10"), "2026-04-12");
});

test("cycles never skip, never repeat and never drift from the anchor's day", () => {
  const anchors = fc
    .integer({ min: 0, max: 365 * 40 })
    .map((days) => Temporal.PlainDate.from("2020-01-01").add({ days }));
  const frequencies = fc.constantFrom<BillingFrequency>("MONTHLY", "QUARTERLY", "SEMIANNUALLY", "YEARLY");
  fc.assert(
    fc.property(anchors, frequencies, fc.integer({ min: 0, max: 240 }), (anchor, frequency, cycle) => {
      const months = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUALLY: 6, YEARLY: 12 }[frequency as "MONTHLY"];
      const due = Temporal.PlainDate.from(dueDate(anchor.toString(), frequency, cycle));
      const monthsApart = (due.year - anchor.year) * 12 + due.month - anchor.month;
      assert.equal(monthsApart, months * cycle);
      assert.equal(due.day, Math.min(anchor.day, due.daysInMonth));
    }),
  );
});

test("a trial ends after days, weeks or months, in a shorter month on its last day", () => {
  assert.equal(trialEnd("2026-12-25", "day", 14), "2027-01-08");
  assert.equal(trialEnd("2026-12-25", "week", 1), "2027-01-01");
  assert.equal(trialEnd("2026-01-31", "month", 1), "2026-02-28");
});

test("today is the day in UTC", () => {
  assert.equal(utcDate(new Date("2026-12-31T23:59:59.999Z")), "2026-12-31");
});

/** Counted manually: no dates, no time zones, only the lengths of months. */
function expectedDate(anchor: string, months: number): string {
  const [year = 0, month = 0, day = 0] = anchor.split("-").map(Number);
  const at = year * 12 + (month - 1) + months;
  const [inYear, inMonth] = [Math.floor(at / 12), (at % 12) + 1];
  const leap = (inYear % 4 === 0 && inYear % 100 !== 0) || inYear % 400 === 0;
  const length = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][inMonth - 1] ?? 0;
  return `${inYear}-${String(inMonth).padStart(2, "0")}-${String(Math.min(day, length)).padStart(2, "0")}`;
}

const AWKWARD = [
  "2026-01-29",
  "2026-01-30",
  "2026-01-31",
  "2024-02-29",
  "2026-02-28",
  "2027-12-31",
  "2026-08-31",
];
const MONTHS = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUALLY: 6, YEARLY: 12 } as const;
const DAYS = { WEEKLY: 7, BIWEEKLY: 14 } as const;

for (const anchor of AWKWARD) {
  test(`every frequency for ten years from ${anchor}`, () => {
    for (const [frequency, months] of Object.entries(MONTHS)) {
      for (let cycle = 0; cycle * months <= 120; cycle += 1) {
        const due = dueDate(anchor, frequency as BillingFrequency, cycle);
        assert.equal(due, expectedDate(anchor, cycle * months), `${frequency} ${cycle}`);
      }
    }
    for (const [frequency, days] of Object.entries(DAYS)) {
      for (let cycle = 0; cycle * days <= 3_660; cycle += 1) {
        const expected = new Date(Date.parse(`${anchor}T00:00:00Z`) + cycle * days * 86_400_000);
        assert.equal(
          dueDate(anchor, frequency as BillingFrequency, cycle),
          expected.toISOString().slice(0, 10),
        );
      }
    }
  });
}

test("the host's time zone changes no date", () => {
  const script = `
    const { dueDate, trialEnd } = await import(${JSON.stringify(new URL("schedule.ts", import.meta.url).href)});
    const { utcDate } = await import(${JSON.stringify(new URL("../lib/dates.ts", import.meta.url).href)});
    const { targetDayFrom } = await import(${JSON.stringify(new URL("../sepa/target.ts", import.meta.url).href)});
    const dates = ["2026-01-31", "2024-02-29", "2026-03-29"].flatMap((anchor) =>
      ["WEEKLY", "MONTHLY", "YEARLY"].flatMap((f) => Array.from({ length: 60 }, (_, n) => targetDayFrom(dueDate(anchor, f, n)))));
    console.log(JSON.stringify([dates, trialEnd("2026-03-28", "day", 1), utcDate(new Date("2026-12-31T23:30:00Z"))]));`;
  const inZone = (TZ: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, TZ },
      encoding: "utf8",
    }).stdout;
  const utc = inZone("UTC");
  assert.match(utc, /2026-12-31/);
  for (const zone of ["Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu", "Europe/Berlin"])
    assert.equal(inZone(zone), utc, zone);
});
