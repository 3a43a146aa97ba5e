/** Files of direct debits: the reference files, refusals, and properties of every file. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fc } from "../../../tests/support/properties.ts";
import { anyFile, COLLECTION, fileOf, REFERENCE_FILE } from "../../../tests/support/sepa.ts";
import { cents, formatAmount } from "../../lib/money.ts";
import {
  needsAddress,
  type Amendment,
  type FileCollection,
  type DirectDebitFile,
} from "./direct-debit-file.ts";
import { SepaFileRefused, type FileFault } from "./file-rules.ts";
import { totalsOf, writePain008 } from "./pain008.ts";

const written = (file: DirectDebitFile) => [...writePain008(file)].join("");
const withoutLayout = (xml: string) => xml.replace(/\s+</g, "<").replace(/>\s+/g, ">");
const fixture = (name: string) =>
  readFile(new URL(`../../../tests/sepa/fixtures/${name}`, import.meta.url), "utf8");

test("a file in version 08 is the reference file that was written by hand", async () => {
  const expected = await fixture("pain008-08-reference-output.xml");
  assert.equal(withoutLayout(written(REFERENCE_FILE)), withoutLayout(expected));
});

test("a file in version 02 is the reference file, without addresses", async () => {
  const expected = await fixture("pain008-02-reference-output.xml");
  const withoutAddress = withoutLayout(expected).replace(/<PstlAdr>.*?<\/PstlAdr>/g, "");
  assert.equal(withoutLayout(written({ ...REFERENCE_FILE, version: "pain.008.001.02" })), withoutAddress);
});

type Change = (file: DirectDebitFile) => DirectDebitFile;
const collection =
  (change: Partial<FileCollection>): Change =>
  () =>
    fileOf({ ...COLLECTION, ...change });
const debtor = (change: Partial<FileCollection["debtor"]>): Change =>
  collection({ debtor: { ...COLLECTION.debtor, ...change } });
const mandate = (change: Partial<FileCollection["mandate"]>): Change =>
  collection({ mandate: { ...COLLECTION.mandate, ...change } });
const creditor =
  (change: Partial<DirectDebitFile["creditor"]>): Change =>
  (file) => ({ ...file, creditor: { ...file.creditor, ...change } });
const firstBlock =
  (change: Partial<DirectDebitFile["blocks"][number]>): Change =>
  (file) => ({ ...file, blocks: file.blocks.map((block) => ({ ...block, ...change })) });
const unlike = (endToEndId: string): FileCollection => ({ ...COLLECTION, endToEndId });
const address = { street: null, buildingNumber: null, postalCode: null, city: "Bern", country: "CH" };

const REFUSED: readonly (readonly [what: string, change: Change, fault: FileFault])[] = [
  ["nothing to collect", collection({ amount: 0 as FileCollection["amount"] }), "amount"],
  ["a negative amount", collection({ amount: -1 as FileCollection["amount"] }), "amount"],
  ["half a cent", collection({ amount: 0.5 as FileCollection["amount"] }), "amount"],
  ["a billion euro", collection({ amount: cents(100_000_000_000) }), "amount"],
  ["a file without blocks", (file) => ({ ...file, blocks: [] }), "empty"],
  ["a block without collections", firstBlock({ collections: [] }), "empty"],
  ["a debtor whose name is lost", debtor({ name: "王小明" }), "name"],
  ["a debtor without a name", debtor({ name: " " }), "name"],
  ["a creditor whose name is lost", creditor({ name: "4711" }), "name"],
  ["an IBAN with a wrong digit", debtor({ iban: "DE74512108001245126199" }), "iban"],
  ["an IBAN with spaces", debtor({ iban: "DE75 5121 0800 1245 1261 99" }), "iban"],
  ["a creditor's IBAN in small letters", creditor({ iban: "de89370400440532013000" }), "iban"],
  ["a BIC of seven characters", debtor({ bic: "COBADEF" }), "bic"],
  ["an address without a city", debtor({ address: { ...address, city: "-" } }), "address"],
  ["an address without a country", debtor({ address: { ...address, country: "" } }), "address"],
  ["a wrong creditor identifier", creditor({ identifier: "DE97ZZZ09999999999" }), "creditor_identifier"],
  ["one with spaces", creditor({ identifier: "DE98 ZZZ 09999999999" }), "creditor_identifier"],
  ["a message id with a slash in front", (file) => ({ ...file, messageId: "/A" }), "reference"],
  ["a block id that is too long", firstBlock({ id: "x".repeat(36) }), "reference"],
  ["an end-to-end id with an umlaut", collection({ endToEndId: "Ü-1" }), "reference"],
  ["an instruction id with a space", collection({ instructionId: "A 1" }), "reference"],
  ["a mandate reference with two slashes", mandate({ reference: "A//B" }), "reference"],
  ["a mandate signed tomorrow", mandate({ signedOn: "2026-11-21" }), "signature_date"],
  ["a mandate signed on no day", mandate({ signedOn: "2026-02-30" }), "signature_date"],
  ["an amendment that says nothing", mandate({ amendment: {} }), "amendment"],
  ["an amended reference that is none", mandate({ amendment: { originalReference: "" } }), "reference"],
  ["a collection due on a Saturday", firstBlock({ dueDate: "2026-11-28" }), "due_date"],
  ["a collection due on Good Friday", firstBlock({ dueDate: "2027-03-26" }), "due_date"],
  ["a collection due on no day", firstBlock({ dueDate: "2026-11-31" }), "due_date"],
  ["a payment twice", () => fileOf(COLLECTION, COLLECTION), "duplicate"],
  ["two ids that differ in case", () => fileOf(unlike("txn-a"), unlike("TXN-A")), "duplicate"],
  ["a payment in two blocks", firstBlock({ collections: [COLLECTION] }), "duplicate"],
  ["two blocks of one name", firstBlock({ id: "B" }), "duplicate"],
  [
    "an instruction id twice",
    () => fileOf({ ...unlike("A"), instructionId: "I" }, { ...unlike("B"), instructionId: "I" }),
    "duplicate",
  ],
];

for (const [what, change, fault] of REFUSED) {
  test(`refused before anything is written: ${what}`, () => {
    assert.throws(
      () => writePain008(change(REFERENCE_FILE)),
      (error) => {
        assert.ok(error instanceof SepaFileRefused);
        assert.equal(error.fault, fault);
        assert.doesNotMatch(error.message, /[A-Z]{2}\d{2}[A-Z0-9]{10}/i, "no IBAN in a message");
        return true;
      },
    );
  });
}

test("a refusal names the payment that it is about", () => {
  const bad = { ...unlike("TXN-BAD"), amount: cents(0) };
  assert.throws(() => writePain008(fileOf(COLLECTION, bad)), { place: "TXN-BAD", fault: "amount" });
});

const AMENDMENTS: readonly (readonly [Amendment, string])[] = [
  [{ originalReference: "OLD-1" }, "<OrgnlMndtId>OLD-1</OrgnlMndtId>"],
  [{ originalCreditor: { name: "Früher" } }, "<OrgnlCdtrSchmeId><Nm>Frueher</Nm></OrgnlCdtrSchmeId>"],
  [
    { originalCreditor: { identifier: "DE98ABC09999999999" } },
    "<OrgnlCdtrSchmeId><Id><PrvtId><Othr><Id>DE98ABC09999999999</Id><SchmeNm><Prtry>SEPA</Prtry></SchmeNm></Othr></PrvtId></Id></OrgnlCdtrSchmeId>",
  ],
  [
    { originalAccount: { sameBank: true, iban: COLLECTION.debtor.iban } },
    `<OrgnlDbtrAcct><Id><IBAN>${COLLECTION.debtor.iban}</IBAN></Id></OrgnlDbtrAcct>`,
  ],
  [
    { originalAccount: { sameBank: false } },
    "<OrgnlDbtrAcct><Id><Othr><Id>SMNDA</Id></Othr></Id></OrgnlDbtrAcct>",
  ],
];

for (const [amendment, expected] of AMENDMENTS) {
  test(`an amendment is announced: ${JSON.stringify(Object.keys(amendment))}`, () => {
    const xml = written(mandate({ amendment })(REFERENCE_FILE));
    assert.ok(xml.includes(`<AmdmntInd>true</AmdmntInd><AmdmntInfDtls>${expected}</AmdmntInfDtls>`), xml);
  });
}

test("an address is cut to the length of its fields; unknown parts are left out", () => {
  const long = {
    street: "s".repeat(80),
    buildingNumber: null,
    postalCode: "p".repeat(20),
    city: "ü".repeat(40),
    country: "CH",
  };
  const full = written(debtor({ address: long })(REFERENCE_FILE));
  const city = `<TwnNm>${"ue".repeat(18).slice(0, 35)}</TwnNm><Ctry>CH</Ctry>`;
  assert.ok(full.includes(`<StrtNm>${"s".repeat(70)}</StrtNm><PstCd>${"p".repeat(16)}</PstCd>${city}`));
  const short = written(debtor({ address: { ...long, street: null } })(REFERENCE_FILE));
  assert.ok(short.includes(`<PstlAdr><PstCd>${"p".repeat(16)}</PstCd>${city}</PstlAdr>`));
});

test("the address is asked for outside the European Economic Area and nowhere else", () => {
  assert.deepEqual(["DE", "IS", "NO", "LI", "CH", "GB", "MC", "RS", "GI"].map(needsAddress), [
    false,
    false,
    false,
    false,
    true,
    true,
    true,
    true,
    true,
  ]);
});

test("a remittance text without a usable character is left out", () => {
  assert.ok(!written(collection({ remittance: "\u200b \n" })(REFERENCE_FILE)).includes("RmtInf"));
});

test("counts and sums match, every payment is in one block, and all text is in the SEPA set", () => {
  fc.assert(
    fc.property(anyFile, (file) => {
      const xml = written(file);
      const collections = file.blocks.flatMap(({ collections }) => collections);
      const totals = totalsOf(file);
      assert.equal(totals.count, collections.length);
      assert.equal(totals.sum, sum(collections));
      assert.deepEqual(all(xml, "NbOfTxs"), [
        String(totals.count),
        ...file.blocks.map(({ collections }) => String(collections.length)),
      ]);
      assert.deepEqual(all(xml, "CtrlSum"), [
        formatAmount(totals.sum),
        ...file.blocks.map(({ collections }) => formatAmount(cents(sum(collections)))),
      ]);
      assert.deepEqual(
        all(xml, "EndToEndId").toSorted(),
        collections.map(({ endToEndId }) => endToEndId).toSorted(),
      );
      const texts = xml
        .replace(/^<\?xml.*\n/, "")
        .replace(/<[^>]*>/g, "")
        .replaceAll("\n", "");
      assert.match(texts, /^[A-Za-z0-9/\-?:().,'+ ]*$/);
    }),
    { numRuns: 300 },
  );
});

test("the same file is the same bytes", () => {
  fc.assert(
    fc.property(anyFile, (file) => assert.equal(written(structuredClone(file)), written(file))),
    { numRuns: 50 },
  );
});

test("a large file comes in pieces", () => {
  const many = Array.from({ length: 2_000 }, (_, index) => unlike(`TXN-${index}`));
  const pieces = [...writePain008(fileOf(...many))];
  assert.ok(pieces.length > 5 && pieces.every(({ length }) => length < 70_000));
});

function sum(collections: readonly FileCollection[]): number {
  return collections.reduce((sum, { amount }) => sum + amount, 0);
}

function all(xml: string, element: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(
    (match) => match[1] ?? "",
  );
}
