/** Files of our own and with one thing changed, checked as a bank would. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REFERENCE_FILE, REFUNDS } from "../../../tests/support/sepa.ts";
import { problemsOf } from "./check-file.ts";
import { writePain001 } from "./pain001.ts";
import { writePain008 } from "./pain008.ts";
import { readSentFile } from "./reading/sent-file.ts";

const DEBITS = [...writePain008(REFERENCE_FILE)].join("");
const TRANSFERS = [...writePain001(REFUNDS)].join("");

async function checked(xml: string, on: string): Promise<readonly string[]> {
  async function* bytes() {
    yield new TextEncoder().encode(xml);
  }
  return problemsOf(await readSentFile(bytes()), on);
}

test("our own files break no rule on the days on which the bank takes them", async () => {
  for (const on of ["2026-11-20", "2026-11-24"]) assert.deepEqual(await checked(DEBITS, on), []);
  for (const on of ["2026-11-30", "2026-12-01"]) assert.deepEqual(await checked(TRANSFERS, on), []);
});

for (const [what, change, found] of [
  [
    "a due date on a Saturday",
    [/2026-11-25/g, "2026-11-28"],
    /the day 2026-11-28 is not a TARGET business day/,
  ],
  [
    "a wrong IBAN",
    [/FR1420041010050500013M02606/, "FR1420041010050500013M02607"],
    /other side's IBAN cannot be written/,
  ],
  [
    "a wrong creditor identifier",
    [/DE98ZZZ09999999999/g, "DE97ZZZ09999999999"],
    /creditor identifier is invalid/,
  ],
  ["a mandate signed later", [/2026-02-01/, "2026-12-01"], /signed on 2026-12-01, after 2026-11-20/],
  ["a block id twice", [/PSB-20261120-000001-2/, "PSB-20261120-000001-1"], /the block id occurs twice/],
] as const) {
  test(`${what} is found with its place, without an IBAN`, async () => {
    const xml = DEBITS.replace(change[0], change[1]);
    assert.notEqual(xml, DEBITS);
    const problems = await checked(xml, "2026-11-20");
    assert.match(problems.join("\n"), found);
    assert.doesNotMatch(problems.join("\n"), /[A-Z]{2}\d{2}[A-Z0-9]{11}/);
  });
}

test("the day on which the bank gets it counts: too early, on the due date, and after it", async () => {
  assert.match((await checked(DEBITS, "2026-11-10"))[0] ?? "", /takes it from 2026-11-11 on/);
  assert.match((await checked(DEBITS, "2026-11-25"))[0] ?? "", /takes it until 2026-11-24/);
  assert.match((await checked(TRANSFERS, "2026-12-02"))[0] ?? "", /takes it until 2026-12-01/);
});
