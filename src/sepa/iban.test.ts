import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { composeIBAN } from "ibantools";
import {
  bankCodeLength,
  checkIban,
  isDocumentationIban,
  maskedIban,
  normaliseIban,
  type IbanFault,
  SEPA_IBAN_CODES,
} from "./iban.ts";
import { cpuMsOf } from "../../tests/support/cpu-time.ts";

/** The example of each country in the public SWIFT IBAN registry, and the bank code that it contains. */
const EXAMPLES = [
  ["AD1200012030200359100100", "0001"],
  ["AL47212110090000000235698741", "212"],
  ["AT611904300234573201", "19043"],
  ["BE68539007547034", "539"],
  ["BG80BNBG96611020345678", "BNBG"],
  ["CH9300762011623852957", "00762"],
  ["CY17002001280000001200527600", "002"],
  ["CZ6508000000192000145399", "0800"],
  ["DE89370400440532013000", "37040044"],
  ["DK5000400440116243", "0040"],
  ["EE382200221020145685", "22"],
  ["ES9121000418450200051332", "2100"],
  ["FI2112345600000785", "123"],
  ["FR1420041010050500013M02606", "20041"],
  ["GB29NWBK60161331926819", "NWBK"],
  ["GI75NWBK000000007099453", "NWBK"],
  ["GR1601101250000000012300695", "011"],
  ["HR1210010051863000160", "1001005"],
  ["HU42117730161111101800000000", "117"],
  ["IE29AIBK93115212345678", "AIBK"],
  ["IS140159260076545510730339", "01"],
  ["IT60X0542811101000000123456", "05428"],
  ["LI21088100002324013AA", "08810"],
  ["LT121000011101001000", "10000"],
  ["LU280019400644750000", "001"],
  ["LV80BANK0000435195001", "BANK"],
  ["MC5811222000010123456789030", "11222"],
  ["MD24AG000225100013104168", "AG"],
  ["ME25505000012345678951", "505"],
  ["MK07250120000058984", "250"],
  ["MT84MALT011000012345MTLCAST001S", "MALT"],
  ["NL91ABNA0417164300", "ABNA"],
  ["NO9386011117947", "8601"],
  ["PL61109010140000071219812874", "10901014"],
  ["PT50000201231234567890154", "0002"],
  ["RO49AAAA1B31007593840000", "AAAA"],
  ["RS35260005601001611379", "260"],
  ["SE4550000000058398257466", "500"],
  ["SI56263300012039086", "26330"],
  ["SK3112000000198742637541", "1200"],
  ["SM86U0322509800000000270100", "03225"],
  ["VA59001123000012345678", "001"],
] as const;

test("the registry's example of every SEPA country is valid, in SEPA, and gives its bank code", () => {
  for (const [iban, bankCode] of EXAMPLES) {
    const country = iban.slice(0, 2);
    const expected = { valid: true, iban, country, last4: iban.slice(-4), bankCode, sepa: true };
    assert.deepEqual(checkIban(iban), expected);
    assert.equal(bankCodeLength(country), bankCode.length);
  }
});

test("SEPA is 41 countries, and Gibraltar's IBANs", () => {
  assert.equal(SEPA_IBAN_CODES.length, 41 + 1);
  assert.ok(SEPA_IBAN_CODES.includes("GI"));
  assert.deepEqual(
    SEPA_IBAN_CODES.toSorted(),
    EXAMPLES.map(([iban]) => iban.slice(0, 2)),
  );
  for (const outside of ["TR", "BA", "XK", "UA", "GL", "FO", "BR", "de", "", "toString"]) {
    assert.equal(SEPA_IBAN_CODES.includes(outside), false, outside);
  }
});

test("a valid IBAN of a country outside SEPA is valid and says so", () => {
  for (const iban of [
    "TR330006100519786457841326",
    "BA391290079401028494",
    "BR1800360305000010009795493C1",
  ]) {
    const checked = checkIban(iban);
    assert.deepEqual([checked.valid, checked.valid && checked.sepa], [true, false], iban);
  }
});

const SANDBOX_IBANS = `
  DE89370400440532013000 NL91ABNA0417164300     DE62370400440532013001 DE35370400440532013002
  DE08370400440532013003 DE78370400440532013004 DE13370400440532013010 DE83370400440532013011
  DE34370400440532013020 DE07370400440532013021 DE77370400440532013022 DE50370400440532013023
  DE23370400440532013024 DE93370400440532013025 DE66370400440532013026 DE55370400440532013030
  DE28370400440532013031 DE98370400440532013032`
  .trim()
  .split(/\s+/);

test("every test IBAN of the sandbox is valid", () => {
  for (const iban of SANDBOX_IBANS) assert.equal(checkIban(iban).valid, true, iban);
});

test("blanks, dashes, dots, invisible characters and lower case are accepted and normalised", () => {
  const typed = [
    "DE89 3704 0044 0532 0130 00",
    "de89370400440532013000",
    " DE89370400440532013000 ",
    "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
    "DE89-3704-0044-0532-0130-00",
    "\tde89\t3704 0044-0532 0130 00\r\n",
    `${" ".repeat(1000)}DE89370400440532013000${" ".repeat(1000)}`,
    "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0",
    "D  E  8  9  3  7  0  4  0  0  4  4  0  5  3  2  0  1  3  0  0  0",
    "DE89.3704.0044.0532.0130.00",
    "DE89·3704·0044·0532·0130·00",
    "DE89\u20113704\u20120044\u20130532\u20140130\u221200",
    "DE89\u202f3704\u20090044\u30000532\u2003013\u205f000\u0085",
    "\ufeff\u200eDE89\u200b3704\u00ad0044\u20600532\u200d0130\u2069\u180e00\u202c",
  ];
  for (const text of typed) {
    const checked = checkIban(text);
    assert.equal(checked.valid && checked.iban, "DE89370400440532013000", JSON.stringify(text));
  }
});

const INVALID: readonly (readonly [text: string, reason: IbanFault])[] = [
  ["", "empty"],
  [" \u00a0-\t", "empty"],
  ["0", "country"],
  ["D", "country"],
  ["XX89370400440532013000", "country"],
  ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "country"],
  ["US64SVBKUS6S3300958879", "country"],
  ["constructor", "country"],
  ["DE", "length"],
  ["DE89", "length"],
  ["DE89-3704-0044", "length"],
  ["DE8937040044053201300", "length"],
  ["DE893704004405320130000", "length"],
  [`DE89${"0".repeat(4000)}`, "length"],
  ["DE89370400440532O13000", "structure"],
  ["DEA9370400440532013000", "structure"],
  ["NL91ABN10417164300", "structure"],
  ["DE89370400440532013001", "checksum"],
  ["DE00370400440532013000", "checksum"],
  ["DE01370400440532013000", "checksum"],
  ["DE99370400440532013000", "checksum"],
  ["\uff24\uff2589370400440532013000", "characters"],
  ["DE\uff18\uff19370400440532013000", "characters"],
  ["DE8937040044053201300\u0660", "characters"],
  ["DE89•3704•0044•0532•0130•00", "characters"],
  ["DE89/3704/0044/0532/0130/00", "characters"],
  ["DE89,3704,0044,0532,0130,00", "characters"],
  ["DE89\u03013704004405320130 00", "characters"],
  ["IBANIBANDE89370400440532013000", "country"],
  ["__proto__", "characters"],
  ["DE89370400440532013000\0", "characters"],
  ["DE89370400440532013000' or 1=1", "characters"],
];

test("an invalid IBAN is refused, with the first thing that is wrong", () => {
  for (const [text, reason] of INVALID) {
    const checked = checkIban(text);
    assert.equal(checked.valid ? "valid" : checked.reason, reason, JSON.stringify(text.slice(0, 40)));
  }
});

test("ß, ſ, ı and fi are never folded into letters of an IBAN", () => {
  const valid = composeIBAN({ countryCode: "MT", bban: "SSSI011000012345MTLCAST00FI" }) ?? "";
  assert.equal(checkIban(valid).valid, true);
  for (const text of [
    valid.replace("SS", "ß"),
    valid.replace("S", "ſ"),
    valid.replace("I", "ı"),
    valid.replace("FI", "\ufb01"),
  ]) {
    assert.notEqual(text, valid);
    const checked = checkIban(text.toLowerCase());
    assert.equal(checked.valid ? "valid" : checked.reason, "characters", text);
  }
  assert.equal(normaliseIban("mt84 ß"), "mt84ß");
});

/** The check digits over the whole IBAN are valid in every row; the national ones only where `holds` is true. */
const NATIONAL: readonly (readonly [country: string, bban: string, holds: boolean])[] = [
  ["BA", "1290079401028494", true],
  ["BA", "1290079401028594", false],
  ["BE", "539007547034", true],
  ["BE", "539007547035", false],
  ["BE", "000000009797", true],
  ["CZ", "08000000192000145399", true],
  ["CZ", "08000000192000145398", false],
  ["CZ", "08000000182000145399", false],
  ["EE", "2200221020145685", true],
  ["EE", "2200221020145684", false],
  ["ES", "21000418450200051332", true],
  ["ES", "21000418460200051332", false],
  ["ES", "21000418440200051332", false],
  ["FR", "20041010050500013M02606", true],
  ["FR", "20041010050500013M02607", false],
  ["FR", "20041010050500013N02606", false],
  ["HR", "10010051863000160", true],
  ["HR", "10010051863000161", false],
  ["HU", "117730161111101800000000", true],
  ["HU", "117730161111101900000000", false],
  ["HU", "117730171111101800000000", false],
  ["IT", "X0542811101000000123456", true],
  ["IT", "Q054280160000ABCD12ZE34", true],
  ["IT", "Y0542811101000000123456", false],
  ["IT", "X0542811101000000123457", false],
  ["MC", "11222000010123456789030", true],
  ["MC", "11222000010123456789031", false],
  ["ME", "505000012345678951", true],
  ["ME", "505000012345678952", false],
  ["MK", "250120000058984", true],
  ["MK", "250120000058985", false],
  ["NO", "86011117947", true],
  ["NO", "86011117946", false],
  ["PL", "109010140000071219812874", true],
  ["PL", "109010150000071219812874", false],
  ["PT", "000201231234567890154", true],
  ["PT", "000201231234567890155", false],
  ["RS", "260005601001611379", true],
  ["RS", "260005601001611378", false],
  ["SI", "263300012039086", true],
  ["SI", "263300012039087", false],
  ["SK", "12000000198742637541", true],
  ["SK", "12000000198742637542", false],
  ["SM", "U0322509800000000270100", true],
  ["SM", "V0322509800000000270100", false],
  // The national rule does not cover clearing accounts, central banks, letters, and countries whose banks differ.
  ["NO", "86010017940", true],
  ["RS", "908000000000000001", true],
  ["SI", "011000000000001", true],
  ["MK", "25012000005A984", true],
  ["DE", "370400440532013009", true],
  ["NL", "INGB0000000001", true],
  ["NL", "ABNA0417164301", true],
  ["FI", "12345600000786", true],
];

test("national check digits decide where all banks of the country have them, and only there", () => {
  for (const [country, bban, holds] of NATIONAL) {
    const iban = composeIBAN({ countryCode: country, bban }) ?? assert.fail(`${country} ${bban}`);
    const checked = checkIban(iban);
    assert.equal(checked.valid ? "valid" : checked.reason, holds ? "valid" : "national_checksum", iban);
  }
});

test("the message names what is wrong", () => {
  const rows = [
    ["DE8937040044053201300", "The IBAN is too short: Germany uses 22 characters, this has 21."],
    ["NL91ABNA04171643000", "The IBAN is too long: Netherlands uses 18 characters, this has 19."],
    ["XX89370400440532013000", "The IBAN begins with XX, which is not a country that uses IBANs."],
    ["89370400440532013000", "The IBAN must begin with the two letters of its country."],
  ] as const;
  for (const [text, message] of rows) {
    const checked = checkIban(text);
    assert.equal(checked.valid ? "" : checked.message, message);
  }
});

test("no message repeats the account", () => {
  for (const [text] of INVALID.filter(([text]) => text.length > 8)) {
    const checked = checkIban(text);
    assert.ok(!checked.valid && !/[0-9]{3}/.test(checked.message), text.slice(0, 40));
  }
});

const digit = fc.constantFrom("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
const digits = (length: number) => fc.string({ unit: digit, minLength: length, maxLength: length });
const ibans = fc.oneof(
  digits(18).map((bban) => composeIBAN({ countryCode: "DE", bban }) ?? ""),
  digits(10).map((account) => composeIBAN({ countryCode: "NL", bban: `ABNA${account}` }) ?? ""),
  digits(16).map((bban) => composeIBAN({ countryCode: "AT", bban }) ?? ""),
  digits(20).map((bban) => composeIBAN({ countryCode: "SE", bban }) ?? ""),
);

test("no single wrong digit is accepted", () => {
  fc.assert(
    fc.property(ibans, fc.nat(), digit, (iban, at, typed) => {
      assert.equal(checkIban(iban).valid, true);
      const place = 2 + (at % (iban.length - 2));
      fc.pre(/[0-9]/.test(iban.charAt(place)) && iban.charAt(place) !== typed);
      const mistyped = iban.slice(0, place) + typed + iban.slice(place + 1);
      assert.equal(checkIban(mistyped).valid, false, mistyped);
    }),
  );
});

test("no two neighbouring digits may change places", () => {
  fc.assert(
    fc.property(ibans, fc.nat(), (iban, at) => {
      const place = 2 + (at % (iban.length - 3));
      const [left, right] = [iban.charAt(place), iban.charAt(place + 1)];
      fc.pre(/[0-9]/.test(left) && /[0-9]/.test(right) && left !== right);
      const swapped = iban.slice(0, place) + right + left + iban.slice(place + 2);
      assert.equal(checkIban(swapped).valid, false, swapped);
    }),
  );
});

test("any text is judged without an error, and an accepted one is what was typed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
      const checked = checkIban(text);
      if (checked.valid) assert.equal(checked.iban, normaliseIban(text));
      else assert.notEqual(checked.message, "");
    }),
  );
});

test("100,000 characters that almost fit are refused at once", () => {
  const long = ["DE89", " ", "-", "DE89 ", "\u00a0", "0", "ß", "A\u200b", " \u3000"].map((part) =>
    part.repeat(100_000 / part.length),
  );
  const around = [`${" ".repeat(50_000)}x${" ".repeat(50_000)}`, `DE${" -".repeat(50_000)}89`];
  for (const text of [...long, ...around]) {
    const ms = cpuMsOf(() => assert.equal(checkIban(text).valid, false));
    assert.ok(ms < 500, `${ms} ms for ${JSON.stringify(text.slice(0, 6))}…`);
  }
});

test("an IBAN is masked except for its last four characters", () => {
  assert.equal(maskedIban("DE", "3000"), "******************3000");
  assert.equal(maskedIban("NO", "7947"), "***********7947");
});

test("the word IBAN before an IBAN, as on invoices, is not part of it", () => {
  const plain = "DE89370400440532013000";
  for (const typed of [
    `IBAN ${plain}`,
    `IBAN: ${plain}`,
    `iban:${plain}`,
    `\u200bIBAN\u00a0:\u00a0${plain}`,
    `IBAN：${plain}`,
    `IBAN - ${plain}`,
    ` IBAN DE89 3704 0044 0532 0130 00`,
  ]) {
    const checked = checkIban(typed);
    assert.equal(checked.valid && checked.iban, plain, typed);
  }
  assert.equal(checkIban("IBAN").valid, false);
});

test("the registry's examples are known, one for a country, and no other account", () => {
  for (const iban of ["DE89370400440532013000", "AT611904300234573201", "GB29NWBK60161331926819"]) {
    assert.ok(checkIban(iban).valid);
    assert.ok(isDocumentationIban(iban));
  }
  assert.ok(!isDocumentationIban("DE62370400440532013001"));
  assert.ok(!isDocumentationIban("DE75512108001245126199"));
});
