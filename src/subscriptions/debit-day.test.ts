import assert from "node:assert/strict";
import test from "node:test";
import { utcDate, addDays } from "../lib/dates.ts";
import { debitHandedOver, debitOfNext, noticeDaysToWait } from "./debit-day.ts";
import type { ClosedDayTerms } from "./schedule.ts";

/** Good Friday is on 3 April 2026; banks are open on 2 and on 7 April. */
const NONE = {};
/** Debits after the agreed number of days from receipt; after two if none was agreed. */
const BANK = { debitDay: (at: Date, notice: number | null) => addDays(utcDate(at), notice ?? 2) };

for (const [what, gateway, at, notice, day, leadDays] of [
  ["on an open day", NONE, "2026-04-02T23:59:59Z", null, "2026-04-02", 0],
  ["on a closed day: the next open one", NONE, "2026-04-03T10:00:00Z", 14, "2026-04-07", 0],
  ["to a bank", BANK, "2026-04-02T10:00:00Z", null, "2026-04-04", 2],
  ["to a bank, with days that were agreed", BANK, "2026-04-02T10:00:00Z", 14, "2026-04-16", 14],
  [
    "to a bank on a closed day: counted from the next open one",
    BANK,
    "2026-04-03T10:00:00Z",
    null,
    "2026-04-09",
    2,
  ],
] as const)
  test(`a renewal that is handed over ${what}, is debited on ${day}`, () =>
    assert.deepEqual(debitHandedOver(gateway, new Date(at), notice), { day, leadDays }));

test("on a closed day the bank's debit day is computed from the beginning of the next open day, otherwise from now", () => {
  const asked: string[] = [];
  const gateway = {
    debitDay: (at: Date) => {
      asked.push(at.toISOString());
      return utcDate(at);
    },
  };
  debitHandedOver(gateway, new Date("2026-04-03T10:00:00Z"), null);
  debitHandedOver(gateway, new Date("2026-04-02T10:00:00Z"), null);
  assert.deepEqual(asked, ["2026-04-07T00:00:00.000Z", "2026-04-02T10:00:00.000Z"]);
});

const TERMS: ClosedDayTerms = {
  closed_day: "next",
  billing_frequency: "MONTHLY",
  trial_end_date: null,
  next_billing_date: "2026-04-03",
  cancel_at_period_end: false,
};
const EARLY = { ...TERMS, closed_day: "previous" } as const;

for (const [what, terms, gateway, dueDate, now, noSoonerThanDays, day] of [
  ["on its day", TERMS, NONE, "2026-04-10", "2026-04-01T10:00:00Z", null, "2026-04-10"],
  ["after closed days", TERMS, NONE, "2026-04-03", "2026-04-01T10:00:00Z", null, "2026-04-07"],
  ["before closed days", EARLY, NONE, "2026-04-03", "2026-04-01T10:00:00Z", null, "2026-04-02"],
  ["today, when its day is past", TERMS, NONE, "2026-03-20", "2026-04-01T10:00:00Z", null, "2026-04-01"],
  [
    "on the next open day, when its day is past",
    TERMS,
    NONE,
    "2026-03-20",
    "2026-04-03T10:00:00Z",
    null,
    "2026-04-07",
  ],
  ["today, when that is its day", TERMS, NONE, "2026-04-01", "2026-04-01T10:00:00Z", null, "2026-04-01"],
  ["by a bank", TERMS, BANK, "2026-04-09", "2026-04-01T10:00:00Z", null, "2026-04-11"],
  [
    "not before its customer has known long enough",
    TERMS,
    NONE,
    "2026-04-10",
    "2026-04-08T10:00:00Z",
    5,
    "2026-04-13",
  ],
  [
    "on its day, when the customer has known longer",
    TERMS,
    NONE,
    "2026-04-10",
    "2026-04-01T10:00:00Z",
    9,
    "2026-04-10",
  ],
  ["one open day later at least", TERMS, NONE, "2026-04-10", "2026-04-01T10:00:00Z", 10, "2026-04-13"],
  ["by a bank, whose days count as well", TERMS, BANK, "2026-04-08", "2026-04-08T10:00:00Z", 5, "2026-04-15"],
] as const)
  test(`the next renewal is debited ${what}: ${day}`, () => {
    const next = { terms, dueDate, noticeDays: null, now: new Date(now), noSoonerThanDays };
    assert.equal(debitOfNext(gateway, next).day, day);
  });

for (const [notice_check, was_notified, mandate_notice_days, mandate_text_version, days] of [
  ["refuse", false, null, null, 14],
  ["refuse", false, 3, "3/en", 3],
  ["refuse", false, 3, "merchant", 14],
  ["refuse", true, 3, "3/en", null],
  ["report", false, 3, "3/en", null],
  ["off", false, 3, "3/en", null],
] as const)
  test(`notices: ${notice_check}, ${was_notified ? "told" : "not told"}, ${mandate_notice_days ?? "no"} days by ${mandate_text_version ?? "nothing"}: waits for ${days ?? "nothing"}`, () => {
    const told = { notice_check, was_notified, mandate_notice_days, mandate_text_version };
    assert.equal(noticeDaysToWait(told), days);
  });
