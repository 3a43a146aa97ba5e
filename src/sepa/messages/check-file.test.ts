/** Our own files, unchanged and with one change, checked as a bank would check them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REFERENCE_FILE, REFUNDS, reversalOf } from "../../../tests/support/sepa.ts";
import { notInFiles, profileOf, type BankProfileName } from "../bank-profiles.ts";
import { problemsOf } from "./check-file.ts";
import { writePain001 } from "./pain001.ts";
import { writePain008 } from "./pain008.ts";
import { writePain007 } from "./pain007.ts";
import { ORDER_VERSIONS, readSentFile } from "./reading/sent-file.ts";

const DEBITS = [...writePain008(REFERENCE_FILE)].join("");
const TRANSFERS = [...writePain001(REFUNDS)].join("");
const REVERSALS = [...writePain007(reversalOf(await readSentFile(bytesOf(DEBITS))))].join("");

async function* bytesOf(xml: string) {
  yield new TextEncoder().encode(xml);
}

async function checked(
  xml: string,
  on: string,
  bank: BankProfileName | null = null,
): Promise<readonly string[]> {
  return problemsOf(await readSentFile(bytesOf(xml)), on, profileOf(bank));
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

test("an account outside the EEA needs its holder's city, whichever the bank is, and for one bank the whole address", async () => {
  assert.match(DEBITS, /<IBAN>CH/);
  const without = DEBITS.replaceAll(/<Dbtr>(<Nm>[^<]*<\/Nm>)<PstlAdr>.*?<\/PstlAdr>/g, "<Dbtr>$1");
  assert.notEqual(without, DEBITS);
  assert.match((await checked(without, "2026-11-20")).join(), /needs the city of its holder/);
  const short = DEBITS.replace(
    /<PstCd>[^<]*<\/PstCd>(?=<TwnNm>[^<]*<\/TwnNm><Ctry>[A-Z]{2}<\/Ctry><\/PstlAdr><\/Dbtr>)/,
    "",
  );
  assert.deepEqual(await checked(short, "2026-11-20"), []);
  assert.match((await checked(short, "2026-11-20", "commerzbank")).join(), /street and postal code/);
});

test("a file is held to what its bank is known to take on the day", async () => {
  const blocks = DEBITS.split("<PmtInf>").length - 1;
  assert.ok(blocks > 1);
  assert.match(
    (await checked(DEBITS, "2026-11-20", "volksbank")).join(),
    new RegExp(`Volksbank takes 1 block in a file, this one has ${blocks}`),
  );
  const old = DEBITS.replaceAll("pain.008.001.08", "pain.008.001.02");
  const takes = /Volksbank takes pain.008.001.02 until 2026-11-13/;
  assert.doesNotMatch((await checked(old, "2026-11-13", "volksbank")).join(), takes);
  assert.match((await checked(old, "2026-11-14", "volksbank")).join(), takes);
  assert.deepEqual(await checked(DEBITS, "2026-11-20", "sparkasse"), []);
  const twoDays = DEBITS.replace(/<ReqdColltnDt>2026-11-25/, "<ReqdColltnDt>2026-11-26");
  assert.match(
    (await checked(twoDays, "2026-11-20", "sparkasse")).join(),
    /one due date in a file, this one has 2/,
  );
});

test("a file of another program's that leaves out the sum of its orders is checked, with a wrong one it is refused", async () => {
  assert.deepEqual(await checked(DEBITS.replaceAll(/<CtrlSum>[^<]*<\/CtrlSum>/g, ""), "2026-11-20"), []);
  for (const sum of ["1.00", "1.001", ""])
    await assert.rejects(
      checked(DEBITS.replace(/<CtrlSum>[^<]*/, `<CtrlSum>${sum}`), "2026-11-20"),
      /sum is not what/,
    );
});

for (const [kind, ours, file, on] of [
  ["pain.008", "pain.008.001.08", DEBITS, "2026-11-20"],
  ["pain.001", "pain.001.001.09", TRANSFERS, "2026-11-30"],
  ["pain.007", "pain.007.001.09", REVERSALS, "2026-11-26"],
] as const)
  test(`the check of a ${kind} of another version names the versions that banks accept`, async () => {
    const as = (version: string) => checked(file.replaceAll(ours, version), on);
    const versions = ORDER_VERSIONS[kind];
    const takes = versions.join(" or ");
    for (const version of versions) assert.deepEqual(await as(version), [], version);
    assert.match((await as(`${kind}.001.11`)).join(), new RegExp(`are ${takes}, this is ${kind}.001.11`));
    await assert.rejects(
      as(`${kind}.003.02`),
      new RegExp(`This is ${kind}.003.02, .* no longer take: they take ${takes}`),
    );
  });

for (const [what, change, on, bank, found] of [
  [
    "debits that are to be booked one by one, where the bank books blocks",
    ["<BtchBookg>true", "<BtchBookg>false"],
    "2026-11-20",
    "rabobank",
    /Rabobank books each block as one sum/,
  ],
  [
    "a scheme that is none",
    ["<LclInstrm><Cd>CORE", "<LclInstrm><Cd>COR1"],
    "2026-11-20",
    null,
    /neither CORE nor B2B/,
  ],
  [
    "a version of another market",
    ["pain.008.001.08", "pain.008.001.11"],
    "2026-11-20",
    null,
    /are pain\.008\.001\.08 or pain\.008\.001\.02, this is pain\.008\.001\.11/,
  ],
  [
    "an address of mere lines",
    [
      /<PstlAdr>.*?<\/PstlAdr>(?=<\/Dbtr>)/g,
      "<PstlAdr><Ctry>CH</Ctry><AdrLine>Weg 1, Bern</AdrLine></PstlAdr>",
    ],
    "2026-11-20",
    null,
    /since 2026-11-15 an address has its city and country in fields/,
  ],
] as const) {
  test(`a file shows, and the check says: ${what}`, async () => {
    const booked = DEBITS.replaceAll("<BtchBookg>false", "<BtchBookg>true");
    assert.deepEqual(await checked(booked, on, bank), []);
    const changed = booked.replaceAll(change[0], change[1]);
    assert.notEqual(changed, booked);
    assert.match((await checked(changed, on, bank)).join("\n"), found);
  });
}

test("what a file cannot show about a bank is a note: its times, orders and statements", () => {
  assert.deepEqual(notInFiles(profileOf("deutsche_bank")), [
    "cut-off: 11:30",
    "cut-off: due at most 90 days ahead, in online banking (information only)",
  ]);
  assert.deepEqual(notInFiles(profileOf("volksbank")), []);
  const notes = notInFiles(profileOf("rabobank")).join("\n");
  assert.match(notes, /cut-off: 07:00 for the next bank day/);
  assert.doesNotMatch(notes, /one sum/);
});
