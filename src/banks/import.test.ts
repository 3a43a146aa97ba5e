import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testDatabase } from "../../tests/support/database.ts";
import { BankFileError, importBanks, parseBankFile } from "./import.ts";
import { readBanks } from "./store.ts";

const database = await testDatabase();
const { db } = database;
after(() => database.close());

const AT = new Date("2026-07-01T12:00:00Z");
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Buffer.from(text, "latin1");

const COMMERZBANK = { country: "DE", bankCode: "37040044", bic: "COBADEFFXXX", name: "Commerzbank" };
const ABN = { country: "NL", bankCode: "ABNA", bic: "ABNANL2A", name: "ABN AMRO, Amsterdam" };
const NAMELESS_BIC = { country: "FR", bankCode: "20041", bic: null, name: "La Banque Postale" };

interface Line {
  readonly bankCode: string;
  readonly holder?: string;
  readonly name: string;
  readonly bic?: string;
  readonly change?: string;
}

/** One line of the Bundesbank's text file. */
function bundesbankLine({ bankCode, holder = "1", name, bic = "", change = "U" }: Line): string {
  const place = `50667${"Köln".padEnd(35)}${name.slice(0, 27).padEnd(27)}24100`;
  return `${bankCode}${holder}${name.padEnd(58)}${place}${bic.padEnd(11)}13024463${change}000000000`;
}

const BUNDESBANK = [
  { bankCode: "37040044", name: "Commerzbank", bic: "COBADEFFXXX" },
  { bankCode: "37040044", holder: "2", name: "Commerzbank Filiale" },
  { bankCode: "37050198", name: "Sparkasse KölnBonn", bic: "COLSDE33XXX", change: "M" },
  { bankCode: "10000001", name: "Aufgegebene Bank", bic: "AAAADEFFXXX", change: "D" },
  { bankCode: "73311600", name: "Ohne BIC" },
];
const BUNDESBANK_BANKS = [
  COMMERZBANK,
  { country: "DE", bankCode: "37050198", bic: "COLSDE33XXX", name: "Sparkasse KölnBonn" },
  { country: "DE", bankCode: "73311600", bic: null, name: "Ohne BIC" },
];
const BUNDESBANK_HEADER =
  '"Bankleitzahl";"Merkmal";"Bezeichnung";"PLZ";"Ort";"Kurzbezeichnung";"PAN";"BIC";"Prüfzifferberechnungsmethode";' +
  '"Datensatznummer";"Änderungskennzeichen";"Bankleitzahllöschung";"Nachfolge-Bankleitzahl"';

const bundesbankCsv = [
  BUNDESBANK_HEADER,
  ...BUNDESBANK.map(
    ({ bankCode, holder = "1", name, bic = "", change = "U" }) =>
      `"${bankCode}";"${holder}";"${name}";"50667";"Köln";"x";"24100";"${bic}";"13";"024463";"${change}";"0";"00000000"`,
  ),
].join("\r\n");

const THREE = [COMMERZBANK, ABN, NAMELESS_BIC];

const TAKEN = [
  [
    "comma",
    "csv",
    utf8(
      `country,bank_code,bic,name\nDE,37040044,COBADEFFXXX,Commerzbank\nNL,ABNA,ABNANL2A,"ABN AMRO, Amsterdam"\nFR,20041,,La Banque Postale\n`,
    ),
    THREE,
  ],
  [
    "semicolon, BOM, CRLF, empty lines, other order and an extra column",
    "csv",
    utf8(
      `\ufeffName;Country;City;BANK_CODE;Bic\r\n\r\nCommerzbank;DE;Köln;37040044;COBADEFFXXX\r\nABN AMRO, Amsterdam;NL;;ABNA;ABNANL2A\r\n"La Banque Postale";FR;;20041;\r\n\r\n`,
    ),
    THREE,
  ],
  ["tab", "csv", utf8(`country\tbank_code\tname\nFR\t20041\tLa Banque Postale`), [NAMELESS_BIC]],
  [
    "tab, with quotation marks in names",
    "csv",
    utf8(`country\tbank_code\tname\nLT\t73000\t"Swedbank", AB\nFR\t12239\tBanque de Tahiti "B.D.T."`),
    [
      { country: "LT", bankCode: "73000", bic: null, name: '"Swedbank", AB' },
      { country: "FR", bankCode: "12239", bic: null, name: 'Banque de Tahiti "B.D.T."' },
    ],
  ],
  [
    "Slovenian names in Windows-1250 that were read as Latin-1",
    "csv",
    utf8(
      `country,bank_code,name\nSI,79095,KLIRIN\u008aKO DEPOTNA DRU\u008eBA\nSI,35001,BAN\u00c8NA\nFR,20041,\u00c8ve`,
    ),
    [
      { country: "SI", bankCode: "79095", bic: null, name: "KLIRINŠKO DEPOTNA DRUŽBA" },
      { country: "SI", bankCode: "35001", bic: null, name: "BANČNA" },
      { country: "FR", bankCode: "20041", bic: null, name: "Ève" },
    ],
  ],
  [
    "quotes inside a name",
    "csv",
    utf8(`country,bank_code,bic,name\nDE,37040044,,"Bank ""Eins"""`),
    [{ ...COMMERZBANK, bic: null, name: 'Bank "Eins"' }],
  ],
  [
    "the same bank twice in the same words",
    "csv",
    utf8(`country,bank_code,bic,name\n${"DE,37040044,COBADEFFXXX,Commerzbank\n".repeat(2)}`),
    [COMMERZBANK],
  ],
  [
    "a name in ISO 8859-1",
    "csv",
    latin1(`country,bank_code,bic,name\nDE,37050198,,Sparkasse KölnBonn`),
    [{ country: "DE", bankCode: "37050198", bic: null, name: "Sparkasse KölnBonn" }],
  ],
  [
    "JSON",
    "json",
    utf8(
      JSON.stringify([
        { country: "DE", bank_code: "37040044", bic: "COBADEFFXXX", name: "Commerzbank" },
        { country: "FR", bank_code: "20041", bic: null, name: "La Banque Postale" },
        { country: "FR", bank_code: "20041", name: "La Banque Postale" },
      ]),
    ),
    [COMMERZBANK, NAMELESS_BIC],
  ],
  [
    "Bundesbank text",
    "bundesbank text",
    latin1(BUNDESBANK.map(bundesbankLine).join("\r\n")),
    BUNDESBANK_BANKS,
  ],
  [
    "Bundesbank text as UTF-8",
    "bundesbank text",
    utf8(`${BUNDESBANK.map(bundesbankLine).join("\n")}\n`),
    BUNDESBANK_BANKS,
  ],
  [
    "Bundesbank text with the IBAN rule",
    "bundesbank text",
    latin1(BUNDESBANK.map((row) => `${bundesbankLine(row)}000000`).join("\n")),
    BUNDESBANK_BANKS,
  ],
  ["Bundesbank CSV", "bundesbank csv", latin1(bundesbankCsv), BUNDESBANK_BANKS],
  ["Bundesbank CSV as UTF-8", "bundesbank csv", utf8(bundesbankCsv), BUNDESBANK_BANKS],
] as const;

for (const [name, format, contents, banks] of TAKEN) {
  test(`a file is accepted: ${name}`, () => {
    const file = parseBankFile(contents);
    assert.deepEqual([file.format, file.banks], [format, banks]);
    assert.equal(file.skipped, format.startsWith("bundesbank") ? 2 : 0);
  });
}

const HEADER = "country,bank_code,bic,name";
const REFUSED = [
  [
    "nothing",
    "",
    /Line 1: expected the columns country, bank_code, bic, name; missing: country, bank_code, name\./,
  ],
  ["a header alone", HEADER, /The file contains no banks\./],
  [
    "a missing column",
    "country,bank_code,bic\nDE,37040044,",
    /Line 1: expected the columns .* missing: name\./,
  ],
  ["a lost leading zero", `${HEADER}\nES,49,,x`, /Line 2: bank code "49" has 2 characters, ES uses 4\./],
  [
    "a bank code in lower case",
    `${HEADER}\nNL,abna,,x`,
    /Line 2: bank code "abna" must be letters A to Z and digits\./,
  ],
  ["an unknown country", `${HEADER}\nXX,1234,,x`, /Line 2: country "XX" is not the code of a country/],
  [
    "a country in lower case",
    `${HEADER}\nde,37040044,,x`,
    /Line 2: country "de" is not the code of a country/,
  ],
  [
    "a BIC of 9 characters",
    `${HEADER}\nDE,37040044,COBADEFFX,x`,
    /Line 2: BIC "COBADEFFX" is not a BIC of 8 or 11/,
  ],
  ["no name", `${HEADER}\nDE,37040044,,`, /Line 2: the name must have 1 to 255 characters\./],
  ["a control character", `${HEADER}\nDE,37040044,,a\0b`, /Line 2: the name contains a control character\./],
  ["a field too many", `${HEADER}\n\nDE,37040044,,x,y`, /Line 3: 5 fields, but the first line has 4\./],
  ["an open quote", `${HEADER}\nDE,37040044,,"x`, /The file is not valid CSV: .*quote/i],
  [
    "two answers for one bank",
    `${HEADER}\nDE,37040044,,x\nDE,37040044,,y`,
    /Line 3: DE 37040044 appears twice, and differs from line 2\./,
  ],
  ["broken JSON", "[{", /The file is not valid JSON/],
  ["a JSON object", "{}", /The JSON must be an array of objects\./],
  [
    "a number for a bank code",
    '[{"country":"DE","bank_code":37040044,"name":"x"}]',
    /Entry 1: bank_code must be a string\./,
  ],
  ["null in JSON", "[null]", /Entry 1: must be an object\./],
  [
    "a cut line of the Bundesbank",
    `${bundesbankLine(BUNDESBANK[0] ?? assert.fail())}\n37050198`,
    /Line 2: 8 characters, but a record of the Bundesbank file has 168\./,
  ],
] as const;

for (const [name, text, message] of REFUSED) {
  test(`a file is refused with its line: ${name}`, () => {
    assert.throws(
      () => parseBankFile(utf8(text)),
      (error) => error instanceof BankFileError && message.test(error.message),
    );
  });
}

test("bank codes that Belgium lists as free or reserved are not imported", () => {
  const file = parseBankFile(utf8(`${HEADER}\nBE,154,,VRIJ\nBE,138,,Onbeschikbaar\nBE,989,,bpost`));
  assert.deepEqual(file.banks, [{ country: "BE", bankCode: "989", bic: null, name: "bpost" }]);
  assert.equal(file.skipped, 2);
});

test("a refusal shows the first problems and counts the rest", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `DE,${index},,x`);
  assert.throws(
    () => parseBankFile(utf8([HEADER, ...lines].join("\n"))),
    (error) =>
      error instanceof BankFileError &&
      error.problems.length === 30 &&
      error.message.endsWith("… and 10 more."),
  );
});

test("an import replaces the banks of its countries, leaves the others, and counts them", async () => {
  const first = `${HEADER}\nDE,37040044,COBADEFFXXX,Commerzbank\nDE,10010010,,Postbank\nNL,ABNA,ABNANL2A,ABN AMRO`;
  assert.deepEqual(await importBanks(db, utf8(first), AT), {
    format: "csv",
    taken: { DE: 2, NL: 1 },
    skipped: 0,
  });

  const taken = await importBanks(db, latin1(BUNDESBANK.map(bundesbankLine).join("\r\n")), AT);
  assert.deepEqual(taken, { format: "bundesbank text", taken: { DE: 3 }, skipped: 2 });
  const dutch = { country: "NL", bankCode: "ABNA", bic: "ABNANL2A", name: "ABN AMRO" };
  assert.deepEqual(await known(), [...BUNDESBANK_BANKS, dutch]);
});

test("a file with one wrong line changes nothing", async () => {
  const before = await known();
  const text = `${HEADER}\nDE,37040044,COBADEFFXXX,Commerzbank\nDE,1,,x`;
  await assert.rejects(importBanks(db, utf8(text), AT), BankFileError);
  assert.deepEqual(await known(), before);
});

test("two imports at the same time leave one complete registry", async () => {
  await Promise.all(["a", "b", "c"].map((name) => importBanks(db, registryOf500(name), AT)));
  const german = (await known()).filter(({ country }) => country === "DE");
  assert.equal(german.length, 500);
  assert.equal(new Set(german.map(({ name }) => name)).size, 1);
});

function registryOf500(name: string) {
  return utf8([HEADER, ...Array.from({ length: 500 }, (_, i) => `DE,${10_000_000 + i},,${name}`)].join("\n"));
}

async function known() {
  const banks = await readBanks(db);
  return banks.toSorted((a, b) => `${a.country}${a.bankCode}`.localeCompare(`${b.country}${b.bankCode}`));
}
