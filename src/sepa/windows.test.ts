/** Due dates, windows and cut-offs, as tables. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { addTargetDays, isTargetDay } from "./target.ts";
import {
  collectionDate,
  isPastCutOff,
  nextCutOff,
  submissionDay,
  windowsOf,
  type CollectionTerms,
} from "./windows.ts";

interface Vectors {
  readonly target: {
    readonly target_closing_days: Readonly<Record<string, readonly string[]>>;
    readonly cases: readonly Readonly<Record<string, string | boolean>>[];
  };
}

const file = new URL("../../tests/vectors/sepa.json", import.meta.url);
const { target } = JSON.parse(await readFile(file, "utf8")) as Vectors;

test("TARGET is closed on the days of the vectors", () => {
  const open = Object.values(target.target_closing_days).flat().filter(isTargetDay);
  assert.deepEqual(open, []);
});

for (const vector of target.cases) {
  const dueDate = String(vector["due_date"]);
  test(`the windows of a collection due ${dueDate}`, () => {
    assert.equal(isTargetDay(dueDate), vector["is_target_day"]);
    assert.deepEqual(windowsOf(dueDate), {
      earliestSubmission: vector["earliest_submission_D-14_calendar"],
      latestSubmission: vector["latest_interbank_submission_D-1"],
      lastCoreReturn: vector["last_core_return_D+5"],
      lastB2bReturn: vector["last_b2b_return_D+3"],
      // The creditor has the same period as the debtor's bank.
      lastReversal: vector["last_core_return_D+5"],
      refundUntil: vector["refund_8_weeks"],
      unauthorisedRefundUntil: vector["unauthorised_13_months"],
      mandateExpires: vector["mandate_expiry_36_months"],
    });
  });
}

/** A Friday; lead time and period as for most merchants. */
const TERMS: CollectionTerms = {
  today: "2026-11-20",
  leadTargetDays: 2,
  prenotifiedOn: "2026-11-20",
  preNotificationDays: 1,
  notBefore: null,
};

const DUE: readonly (readonly [change: Partial<CollectionTerms>, due: string, why: string])[] = [
  [{}, "2026-11-24", "the lead counts days on which banks settle"],
  [{ leadTargetDays: 1 }, "2026-11-23", "a lead of one day over a weekend"],
  [{ leadTargetDays: 0 }, "2026-11-23", "without a lead the notice decides, and Saturday is no day"],
  [{ leadTargetDays: 0, prenotifiedOn: null }, "2026-11-20", "without any term it is today"],
  [{ today: "2026-11-21", leadTargetDays: 0, prenotifiedOn: null }, "2026-11-23", "a weekend is never due"],
  [{ preNotificationDays: 14 }, "2026-12-04", "fourteen days' notice"],
  [{ preNotificationDays: 5 }, "2026-11-25", "the notice counts calendar days"],
  [{ preNotificationDays: 8 }, "2026-11-30", "a notice that ends on a Saturday"],
  [{ notBefore: "2026-12-25" }, "2026-12-28", "the wish falls on Christmas"],
  [{ notBefore: "2026-11-01" }, "2026-11-24", "a wish in the past changes nothing"],
  [{ today: "2026-12-23" }, "2026-12-28", "Christmas is not counted"],
  [{ today: "2027-03-25", prenotifiedOn: null }, "2027-03-31", "nor is Easter"],
];

for (const [change, due, why] of DUE) {
  test(`due ${due}: ${why}`, () => assert.equal(collectionDate({ ...TERMS, ...change }), due));
}

test("a due date meets every term, and no earlier day does", () => {
  const day = fc
    .integer({ min: 0, max: 3_000 })
    .map((days) => Temporal.PlainDate.from("2026-01-01").add({ days }).toString());
  const terms = fc.record({
    today: day,
    leadTargetDays: fc.nat(10),
    prenotifiedOn: fc.option(day),
    preNotificationDays: fc.nat(30),
    notBefore: fc.option(day),
  });
  fc.assert(
    fc.property(terms, (terms) => {
      const due = collectionDate(terms);
      assert.ok(isTargetDay(due) && meets(due, terms));
      const before = addTargetDays(due, -1);
      assert.ok(!meets(before, terms));
    }),
    { numRuns: 300 },
  );
});

function meets(due: string, terms: CollectionTerms): boolean {
  const noticed =
    terms.prenotifiedOn === null ||
    Temporal.PlainDate.from(terms.prenotifiedOn).until(due, { largestUnit: "days" }).days >=
      terms.preNotificationDays;
  return (
    noticed &&
    due >= (terms.notBefore ?? "") &&
    due >= terms.today &&
    due >= addTargetDays(terms.today, terms.leadTargetDays)
  );
}

const BERLIN = "Europe/Berlin";
const CUT_OFFS: readonly (readonly [now: string, time: string, zone: string, next: string, past: boolean])[] =
  [
    // A Friday in winter
    ["2026-11-20T12:59:59.999Z", "14:00", BERLIN, "2026-11-20T13:00:00.000Z", false],
    ["2026-11-20T13:00:00.000Z", "14:00", BERLIN, "2026-11-23T13:00:00.000Z", true],
    // A Saturday
    ["2026-11-21T08:00:00.000Z", "14:00", BERLIN, "2026-11-23T13:00:00.000Z", true],
    // Christmas is a Friday in 2026
    ["2026-12-24T13:00:00.000Z", "14:00", BERLIN, "2026-12-28T13:00:00.000Z", true],
    // The clocks change on the Sunday in between: 14:00 is another hour in UTC
    ["2026-03-27T13:00:00.000Z", "14:00", BERLIN, "2026-03-30T12:00:00.000Z", true],
    ["2026-10-23T12:00:00.000Z", "14:00", BERLIN, "2026-10-26T13:00:00.000Z", true],
    // Still Thursday in UTC, Friday in Athens
    ["2026-11-19T22:30:00.000Z", "00:45", "Europe/Athens", "2026-11-19T22:45:00.000Z", false],
    // Still Sunday in UTC
    ["2026-11-22T22:30:00.000Z", "00:15", "Europe/Athens", "2026-11-23T22:15:00.000Z", true],
    // Cairo's clocks go from 00:00 to 01:00 on Friday 24 April 2026: half past midnight is half past one
    ["2026-04-23T20:00:00.000Z", "00:30", "Africa/Cairo", "2026-04-23T22:30:00.000Z", true],
    // They go back at midnight to Thursday's 23:00 on 29 October 2026: the first of two 23:30 counts
    ["2026-10-29T20:00:00.000Z", "23:30", "Africa/Cairo", "2026-10-29T20:30:00.000Z", false],
    ["2026-10-29T20:45:00.000Z", "23:30", "Africa/Cairo", "2026-10-30T21:30:00.000Z", true],
  ];

for (const [now, time, zone, next, past] of CUT_OFFS) {
  test(`${now}: the next cut-off at ${time} in ${zone} is ${next}`, () => {
    assert.equal(nextCutOff(new Date(now), { time, zone }).toISOString(), next);
    assert.equal(isPastCutOff(new Date(now), { time, zone }), past);
  });
}

test("a file after the cut-off counts as handed over on the next day on which banks settle", () => {
  const cutOff = { time: "14:00", zone: BERLIN };
  assert.equal(submissionDay(new Date("2026-11-20T12:00:00Z"), cutOff), "2026-11-20");
  assert.equal(submissionDay(new Date("2026-11-20T13:00:00Z"), cutOff), "2026-11-23");
});
