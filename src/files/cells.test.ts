/** Parsing of cells, as tables: ambiguous cells are refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { readAmount, readTime, type DateFormat, type Read } from "./cells.ts";
import { readAccountCell } from "../payments/imports/account-cell.ts";

function valueOf<T>(read: Read<T>): T | null {
  return "value" in read ? read.value : null;
}

const AMOUNTS: readonly (readonly [cell: string, amount: string | null])[] = [
  ["19.90", "19.90"],
  ["19,90", "19.90"],
  ["19.9", "19.90"],
  ["19", "19.00"],
  ["007.50", "7.50"],
  ["-19.90", "19.90"],
  ["+19.90", "19.90"],
  ["1.234,50", "1234.50"],
  ["1,234.50", "1234.50"],
  ["1 234,50", "1234.50"],
  ["1'234.50", "1234.50"],
  ["12.345.678,90", "12345678.90"],
  ["99999999.99", "99999999.99"],
  ["1,234", null],
  ["1.234", null],
  ["1.23.45", null],
  ["100000000.00", null],
  ["1e3", null],
  ["0x10", null],
  ["19.901", null],
  ["EUR 19", null],
  ["--5", null],
  ["", null],
  ["٣", null],
];

for (const [cell, amount] of AMOUNTS) {
  test(`the amount ${JSON.stringify(cell)} is ${amount}`, () => {
    assert.equal(valueOf(readAmount(cell)), amount);
  });
}

const TIMES: readonly (readonly [cell: string, format: DateFormat | null, time: string | null])[] = [
  ["2026-01-31", null, "2026-01-31T00:00:00.000Z"],
  ["2026-01-31 23:59", null, "2026-01-31T23:59:00.000Z"],
  ["2026-01-31T23:59:59.123456Z", null, "2026-01-31T23:59:59.123Z"],
  ["2026-01-31T23:59:59+02:00", null, "2026-01-31T21:59:59.000Z"],
  ["2026-01-31T23:59:59-0530", null, "2026-02-01T05:29:59.000Z"],
  ["31.01.2026", null, "2026-01-31T00:00:00.000Z"],
  ["1.2.2026 08:15", null, "2026-02-01T08:15:00.000Z"],
  ["01/02/2026", "dmy", "2026-02-01T00:00:00.000Z"],
  ["01/02/2026", "mdy", "2026-01-02T00:00:00.000Z"],
  ["01-02-2026", "dmy", "2026-02-01T00:00:00.000Z"],
  ["2024-02-29", null, "2024-02-29T00:00:00.000Z"],
  ["01/02/2026", null, null],
  ["01/02/2026", "ymd", null],
  ["2026-02-29", null, null],
  ["31.04.2026", null, null],
  ["2026-13-01", null, null],
  ["2026-01-31T25:00", null, null],
  ["0000-01-01", null, null],
  ["20260131", null, null],
  ["1738281600", null, null],
  ["yesterday", null, null],
];

for (const [cell, format, time] of TIMES) {
  test(`the time ${cell}${format === null ? "" : ` as ${format}`} is ${time}`, () => {
    assert.equal(valueOf(readTime(cell, format)), time);
  });
}

const ACCOUNTS: readonly (readonly [cell: string, last4: string | null, length?: number])[] = [
  ["DE89370400440532013000", "3000", 22],
  ["de89 3704 0044 0532 0130 00", "3000", 22],
  ["DE******************3000".slice(0, 22), null],
  ["DE****************3000", "3000", 22],
  ["******************3000", "3000", 22],
  ["****3000", "3000", 8],
  ["DE89370400440532013001", null],
  ["3000", null],
  ["", null],
];

for (const [cell, last4, length] of ACCOUNTS) {
  test(`of the account ${cell.replace(/\d{6,}/, "…")} (${cell.length}) only ${last4} is kept`, () => {
    assert.deepEqual(valueOf(readAccountCell(cell)), last4 === null ? null : { last4, length });
  });
}
