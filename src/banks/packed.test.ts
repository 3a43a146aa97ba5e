import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { packBanks } from "../../scripts/bank-list.ts";
import { cpuMsOf } from "../../tests/support/cpu-time.ts";
import { BIC } from "../sepa/bic.ts";
import { bankCodeLength, SEPA_IBAN_CODES } from "../sepa/iban.ts";
import { unpackBanks } from "./packed.ts";

const text = await readFile(new URL("banks.txt", import.meta.url), "utf8");
const rows = [...unpackBanks(text)].flatMap(([country, banks]) =>
  [...banks()].map(([bankCode, { bic, bankName }]) => ({ country, bankCode, bic, name: bankName ?? "" })),
);

test("banks are unpacked as they were packed: runs, letters, banks without a BIC and leading zeros", () => {
  const given = [
    { country: "DK", bankCode: "0098", bic: "NDEADKKKXXX", name: "Nordea" },
    { country: "DK", bankCode: "0099", bic: "NDEADKKKXXX", name: "Nordea" },
    { country: "DK", bankCode: "0100", bic: "NDEADKKKXXX", name: "Nordea" },
    { country: "DK", bankCode: "0101", bic: null, name: 'Another "one"' },
    { country: "DK", bankCode: "0102", bic: "NDEADKKKXXX", name: "Nordea" },
    { country: "NL", bankCode: "ABNA", bic: "ABNANL2A", name: "ABN AMRO" },
  ];
  const packed = packBanks("A notice\n\nof two paragraphs", given);
  assert.match(packed, /^# A notice\n#\n# of two paragraphs\nDK\nNDEADKKKXXX\tNordea\t0098-0100 0102\n/);
  const unpacked = [...unpackBanks(packed)].flatMap(([country, banks]) =>
    [...banks()].map(([bankCode, bank]) => ({ country, bankCode, bic: bank.bic, name: bank.bankName })),
  );
  assert.deepEqual(
    unpacked.toSorted((a, b) => (a.bankCode < b.bankCode ? -1 : 1)),
    given,
  );
});

test("the list has 35 countries besides Germany, codes as their IBANs have them, and BICs of the right form", () => {
  assert.equal(new Set(rows.map(({ country }) => country)).size, 35);
  assert.equal(rows.length, 19_018);
  for (const { country, bankCode, bic, name } of rows) {
    assert.ok(SEPA_IBAN_CODES.includes(country), country);
    assert.equal(bankCode.length, bankCodeLength(country), country + bankCode);
    assert.ok(bic === null || BIC.test(bic), bic ?? "");
    assert.match(name, /^\P{Cc}+$/u);
  }
});

test("the list is what the script packs, has the notice of its source and at most 400 kB, and opens in 30 ms", () => {
  const notice = text
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .map((line) => line.slice(2))
    .join("\n");
  assert.match(notice, /Copyright \(c\) 2021 Martin Domke/);
  assert.ok(packBanks(notice, rows) === text, "npm run banks:pack");
  assert.ok(text.length <= 400_000);
  const ms = cpuMsOf(() => unpackBanks(text));
  assert.ok(ms <= 30, `${ms} ms`);
});

test("the list takes at most 10 MB of memory, with the banks of each country opened", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const opened = [...unpackBanks(text)].map(([country, banks]) => ({ country, banks: banks() }));
  collectGarbage();
  const taken = process.memoryUsage().heapUsed - before + text.length;
  assert.equal(opened.length, 35);
  assert.ok(taken <= 10_000_000, `${taken} bytes`);
});
