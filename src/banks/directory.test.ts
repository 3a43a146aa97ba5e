import assert from "node:assert/strict";
import { after, test } from "node:test";
import { composeIBAN } from "ibantools";
import { testDatabase } from "../../tests/support/database.ts";
import { manualClock } from "../lib/clock.ts";
import { importBanks } from "./import.ts";
import { createBankDirectory, type Bank, type BankDirectory } from "./directory.ts";
import { checkIban } from "../sepa/iban.ts";

const database = await testDatabase();
const { db } = database;
after(() => database.close());

const clock = manualClock(new Date("2026-07-01T12:00:00Z"));

function bankOf(directory: BankDirectory, iban: string): Bank {
  const checked = checkIban(iban);
  assert.ok(checked.valid, iban);
  return directory.lookUp(checked);
}

function ibanOf(countryCode: string, bban: string): string {
  return composeIBAN({ countryCode, bban }) ?? assert.fail(bban);
}

const csv = (...rows: readonly string[]) =>
  new TextEncoder().encode(["country,bank_code,bic,name", ...rows].join("\n"));

test("the banks of 36 countries are known by name and BIC", async () => {
  const directory = await createBankDirectory(db, clock);
  const rows = [
    ["DE89370400440532013000", "Commerzbank", "COBADEFFXXX"],
    ["NL91ABNA0417164300", "ABN AMRO BANK N.V.", "ABNANL2A"],
    ["BE68539007547034", null, null],
    [ibanOf("BE", "068999999501"), "BELFIUS BANK", "GKCCBEBB"],
    [ibanOf("AT", "1100000000000000"), "UniCredit Bank Austria AG", "BKAUATWWXXX"],
    ["FR1420041010050500013M02606", "LA BANQUE POSTALE", "PSSTFRPPBOR"],
    ["ES9121000418450200051332", "CAIXABANK, S.A.", "CAIXESBB"],
    ["IT60X0542811101000000123456", "Unione Di Banche Italiane SpA", "BLOPIT22"],
    ["GB29NWBK60161331926819", "NATIONAL WESTMINSTER BANK PUBLIC LIMITED COMPANY", "NWBKGB2LXXX"],
    [ibanOf("SI", "790950000000078"), "KDD-CENTRALNA KLIRINŠKO DEPOTNA DRUŽBA, D.O.O.", "KDDSSI22XXX"],
  ] as const;
  for (const [iban, bankName, bic] of rows)
    assert.deepEqual(bankOf(directory, iban), { bankName, bic }, iban);
});

test("an unlisted bank code, and a country without a list, give null and never an error", async () => {
  const directory = await createBankDirectory(db, clock);
  const unknown = [
    ibanOf("DE", "999999990000000000"),
    ibanOf("DE", "000000000000000000"),
    ibanOf("AT", "9999900000000000"),
    ibanOf("GB", "ZZZZ60161331926819"),
    "MT84MALT011000012345MTLCAST001S",
    "TR330006100519786457841326",
  ];
  for (const iban of unknown) assert.deepEqual(bankOf(directory, iban), { bankName: null, bic: null }, iban);
});

test("German banks are those of the list that is valid on the day", async () => {
  const iban = ibanOf("DE", "100101230000000000");
  const before = await createBankDirectory(db, manualClock(new Date("2026-09-06T12:00:00Z")));
  assert.equal(bankOf(before, iban).bankName, "OLINDA Zweigniederlassung Deutschland");
  const later = await createBankDirectory(db, manualClock(new Date("2026-09-08T12:00:00Z")));
  assert.equal(bankOf(later, iban).bankName, "Qonto Zweigniederlassung Deutschland");
});

test("after an import a refresh replaces that country's banks; without one it reads none", async () => {
  const directory = await createBankDirectory(db, clock);
  const dutch = "NL91ABNA0417164300";
  const french = "FR1420041010050500013M02606";
  await importBanks(
    db,
    csv("NL,ABNA,ABNANL2AXXX,ABN AMRO Bank N.V.", "FR,20041,,La Banque Postale"),
    clock.now(),
  );
  const shipped = { bankName: "ABN AMRO BANK N.V.", bic: "ABNANL2A" };
  assert.deepEqual(bankOf(directory, dutch), shipped);

  await directory.refresh();
  assert.deepEqual(bankOf(directory, dutch), { bankName: "ABN AMRO Bank N.V.", bic: "ABNANL2AXXX" });
  assert.deepEqual(bankOf(directory, french), { bankName: "La Banque Postale", bic: null });
  assert.deepEqual(bankOf(directory, ibanOf("NL", "RABO0123456789")), { bankName: null, bic: null });
  assert.equal(bankOf(directory, "DE89370400440532013000").bic, "COBADEFFXXX");

  // The same number of banks, imported by a server whose clock is behind.
  await importBanks(db, csv("NL,RABO,RABONL2U,Rabobank"), new Date("2026-06-30T00:00:00Z"));
  await directory.refresh();
  assert.deepEqual(bankOf(directory, dutch), { bankName: null, bic: null });
  assert.deepEqual(bankOf(directory, ibanOf("NL", "RABO0123456789")), {
    bankName: "Rabobank",
    bic: "RABONL2U",
  });

  const asked: string[] = [];
  const watched = await createBankDirectory(
    {
      query: (statement, values) => {
        asked.push(statement.name);
        return db.query(statement, values);
      },
    },
    clock,
  );
  asked.length = 0;
  await watched.refresh();
  assert.deepEqual(asked, ["banks_version"]);
});
