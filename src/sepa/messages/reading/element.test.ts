import assert from "node:assert/strict";
import test from "node:test";
import { centsOf, dateAt, idAt, type Element } from "./element.ts";

function element(name: string, text: string, ...children: readonly Element[]): Element {
  return { name, text, currency: null, children: [...children], size: 0 };
}

test("a date is the calendar date that the bank wrote, in whichever element and zone", () => {
  const rows: readonly (readonly [text: string, date: string | null])[] = [
    ["2026-11-24", "2026-11-24"],
    [" 2026-11-24\n", "2026-11-24"],
    ["2026-11-24+01:00", "2026-11-24"],
    ["2026-11-24Z", "2026-11-24"],
    ["2026-11-24T23:59:59.999+14:00", "2026-11-24"],
    ["2024-02-29", "2024-02-29"],
    ["2000-02-29", "2000-02-29"],
    ["2100-02-29", null],
    ["2026-02-29", null],
    ["2026-04-31", null],
    ["2026-13-01", null],
    ["2026-00-10", null],
    ["2026-01-00", null],
    ["0000-01-05", null],
    ["226026-01-05T18:00:00Z", null],
    ["24.11.2026", null],
    ["20261124", null],
    ["2026-11-245", null],
    ["", null],
  ];
  for (const [text, date] of rows) {
    for (const name of ["Dt", "DtTm"]) {
      assert.equal(
        dateAt(element("Ntry", "", element("BookgDt", "", element(name, text))), "BookgDt"),
        date,
        text,
      );
    }
    assert.equal(dateAt(element("Ref", "", element("ReqdColltnDt", text)), "ReqdColltnDt"), date, text);
  }
});

test("placeholders that banks write for a missing id are not ids", () => {
  const read = (text: string) => idAt(element("Refs", "", element("EndToEndId", text)), "EndToEndId");
  const placeholders = [
    "NOTPROVIDED",
    "notprovided",
    "Not Provided",
    "NONREF",
    "NOTAVAIL",
    "NotAvailable",
    "NA",
    "0",
    "-",
    "00.0-",
    "  ",
  ];
  for (const text of placeholders) assert.equal(read(text), null, text);
  for (const text of ["E-1", "NATIONAL", "0-1", "1"]) assert.equal(read(` ${text} `), text);
});

test("an amount is read to the cent or not at all", () => {
  const rows: readonly (readonly [text: string, cents: number | null])[] = [
    ["37.0", 3_700],
    ["100", 10_000],
    ["474.4", 47_440],
    ["18.150", 1_815],
    ["8.85000", 885],
    ["0", 0],
    ["000000000000526.68", 52_668],
    [".5", 50],
    ["5.", 500],
    ["+5", 500],
    ["90071992547409.91", 9_007_199_254_740_991],
    ["90071992547409.92", null],
    ["8.855", null],
    ["0.001", null],
    ["-5.00", null],
    ["1,50", null],
    ["1.000,50", null],
    ["1e3", null],
    ["", null],
    [".", null],
    ["NaN", null],
    ["0x10", null],
    ["٣", null],
  ];
  for (const [text, expected] of rows) assert.equal(centsOf(text), expected, text);
});
