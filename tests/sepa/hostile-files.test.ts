/**
 * Files that do not come from a bank, or were damaged: each is refused with its own code, at once, and changes
 * nothing.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { fc } from "../support/properties.ts";
import { readBankFile } from "../../src/sepa/messages/reading/read-bank-file.ts";
import {
  detailXml,
  entryXml,
  HEADER,
  pieces,
  read,
  refusal,
  statementFile,
  statusFile,
} from "./bank-files.ts";

const FILE = statementFile(entryXml("5.00", "CRDT", `<NtryDtls>${detailXml("A")}</NtryDtls>`));
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

function withDoctype(doctype: string, text = "A"): string {
  return FILE.replace(DECLARATION, `${DECLARATION}<!DOCTYPE Document ${doctype}>`).replace(
    ">A<",
    `>${text}<`,
  );
}

test("a document type declaration is always refused", async () => {
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join(
    "",
  );
  for (const file of [
    withDoctype('[<!ENTITY x SYSTEM "file:///etc/passwd">]', "&x;"),
    withDoctype('[<!ENTITY % x SYSTEM "http://example.test/x.dtd"> %x;]'),
    withDoctype('SYSTEM "http://example.test/x.dtd"'),
    withDoctype(`[<!ENTITY l0 "lol">${laughs}]`, "&l9;"),
    withDoctype(""),
  ]) {
    assert.equal(await refusal(file), "doctype");
  }
});

test("a file that is not XML is refused with its format and the one to download instead", async () => {
  const said = async (bytes: Uint8Array | string) =>
    read(bytes).then(
      () => "read",
      (error: Error) => error.message,
    );
  const table = "Buchungstag;Wertstellung;Umsatzart;Betrag\r\n25.11.2026;25.11.2026;Überweisung;19,90\r\n";
  for (const [bytes, name] of [
    ["%PDF-1.7\n%\xe2", "a PDF"],
    [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), "a file packed with gzip"],
    [Buffer.from(table, "latin1"), "a table (CSV)"],
    [table, "a table (CSV)"],
    [":20:STARTUMS\r\n:25:37040044/0532013000\r\n", "an MT940"],
    ["ABNANL2A\r\n940\r\nABNANL2A\r\n:20:ABN AMRO BANK NV\r\n:25:517852257\r\n", "an MT940"],
    [":940:\r\n:20:940S110101\r\n:25:3216546464 EUR\r\n", "an MT940"],
  ] as const) {
    const message = await said(bytes);
    assert.ok(message.startsWith(`This is ${name}; download the statement as camt.053 XML.`), message);
    assert.equal(await refusal(bytes), "not_xml");
  }
});

test("an entity that XML does not predefine is refused", async () => {
  assert.equal(await refusal(FILE.replace(">A<", ">&euro;<")), "entity");
  assert.equal(await refusal(FILE.replace(">A<", ">&#xFFFFFFF;<")), "entity");
  assert.equal(await refusal(FILE.replace(">A<", ">&#228;&#x20ac;&quot;<")), null);
});

test("a truncated file is refused wherever it was cut, and never read as complete", async () => {
  const files = await Promise.all(
    ["camt053-08-de-collective-credit-and-returns.xml", "pain002-03-es-returns-after-settlement.xml"].map(
      (name) => readFile(join(import.meta.dirname, "fixtures", name)),
    ),
  );
  for (const file of files) {
    const whole = Buffer.from(file.toString().trimEnd());
    for (let part = 0; part < 20; part += 1) {
      const kinds: string[] = [];
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 20));
      await assert.rejects(
        async () => {
          for await (const { kind } of readBankFile(pieces(cut))) kinds.push(kind);
        },
        { name: "BankFileRefused", code: part === 0 ? "empty" : "truncated" },
        `${part}/20`,
      );
      assert.ok(!kinds.includes("message_end"));
    }
    assert.equal(await refusal(whole.subarray(0, -1)), "truncated");
    assert.equal(await refusal(whole), null);
  }
});

test("a file that ends inside a character was cut off", async () => {
  assert.equal(
    await refusal(Buffer.from(FILE.replace(">A<", ">ä")).subarray(0, FILE.indexOf(">A<") + 2)),
    "truncated",
  );
});

test("a file that is not XML, not well-formed, or has more after its XML is refused", async () => {
  assert.equal(await refusal(""), "empty");
  assert.equal(await refusal(":20:STARTUMSE\r\n:25:12345678/1234567890\r\n"), "not_xml");
  assert.equal(await refusal("%PDF-1.7\n"), "not_xml");
  assert.equal(await refusal(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0])), "not_xml");
  assert.equal(await refusal(FILE.replace("</Ntry>", "</Entry>")), "not_well_formed");
  assert.equal(
    await refusal(FILE.replace("<Stmt>", "<ns:Stmt>").replace("</Stmt>", "</ns:Stmt>")),
    "not_well_formed",
  );
  assert.equal(await refusal(FILE.replace(">A<", ">\u{0}<")), "not_well_formed");
  assert.equal(await refusal(`${FILE}\n${FILE}`), "not_well_formed");
  assert.equal(await refusal(`${FILE}\n\n`), null);
});

test("bytes that are not of the declared encoding are refused, and so are unknown encodings", async () => {
  const latin = Buffer.from(FILE.replace(">A<", ">\u{E4}<"), "latin1");
  assert.equal(await refusal(latin), "bad_encoding");
  assert.equal(await refusal(FILE.replace("UTF-8", "UTF-7")), "unknown_encoding");
  assert.equal(await refusal(FILE.replace("UTF-8", "IBM037")), "unknown_encoding");
  assert.equal(await refusal(FILE.replace("UTF-8", "constructor")), "unknown_encoding");
});

test("other messages and other documents are refused by name", async () => {
  for (const namespace of [
    "urn:iso:std:iso:20022:tech:xsd:camt.053.001.01",
    "urn:iso:std:iso:20022:tech:xsd:camt.053.001.14",
    "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08x",
    "urn:iso:std:iso:20022:tech:xsd:pain.008.001.08",
    "urn:iso:std:iso:20022:tech:xsd:pain.002.001.02",
    "",
  ]) {
    assert.equal(
      await refusal(FILE.replace("urn:iso:std:iso:20022:tech:xsd:camt.053.001.08", namespace)),
      "unknown_message",
    );
  }
  assert.equal(await refusal("<html><body>Session expired</body></html>"), "unknown_message");
  await assert.rejects(
    read(statusFile("").replace("pain.002.001.10", "pain.008.001.08")),
    /pain\.008\.001\.08, an order to the bank, not an answer from it\. Accepted are camt\.052/,
  );
});

test("a message without a header or without content is refused", async () => {
  assert.equal(await refusal(FILE.replace(HEADER, "")), "no_header");
  assert.equal(await refusal(FILE.replace(/<Stmt>.*<\/Stmt>/s, "")), "no_content");
  assert.equal(
    await refusal(FILE.replace(/<BkToCstmrStmt>.*<\/BkToCstmrStmt>/s, "<BkToCstmrStmt/>")),
    "no_header",
  );
  assert.equal(await refusal(FILE.replace(/<BkToCstmrStmt>.*<\/BkToCstmrStmt>/s, "")), "no_header");
  assert.equal(await refusal(statusFile("")), "no_content");
});

test("an element that changes an entry already emitted is refused", async () => {
  const many = detailXml("A").repeat(100);
  const late = entryXml("5.00", "CRDT", `<NtryDtls>${many}</NtryDtls><CdtDbtInd>DBIT</CdtDbtInd>`);
  assert.equal(await refusal(statementFile(late)), "out_of_order");
  const block =
    "<OrgnlPmtInfAndSts><TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts><PmtInfSts>ACCP</PmtInfSts></OrgnlPmtInfAndSts>";
  assert.equal(await refusal(statusFile(block)), "out_of_order");
});

test("depth, length and number of elements other than transactions are limited", async () => {
  const long = "x".repeat(600 * 1_024);
  const refused: Readonly<Record<string, readonly [file: string, code: string]>> = {
    depth: [FILE.replace(">A<", `>${"<a>".repeat(1_000)}${"</a>".repeat(1_000)}<`), "too_deep"],
    text: [FILE.replace(">A<", `>${long}<`), "too_long"],
    attribute: [FILE.replace("<Stmt>", `<Stmt a="${long}">`), "too_long"],
    "attributes, many": [
      FILE.replace("<Stmt>", `<Stmt ${Array.from({ length: 40_000 }, (_, at) => `a${at}="1"`).join(" ")}>`),
      "too_long",
    ],
    comment: [FILE.replace("<Stmt>", `<!--${long}--><Stmt>`), "too_long"],
    "name, never ending": [FILE.replace("<Stmt>", `<${long}${long}`), "too_long"],
    "remittance, many": [
      FILE.replace("</TxDtls>", `<RmtInf>${"<Ustrd>x</Ustrd>".repeat(10_000)}</RmtInf></TxDtls>`),
      "too_long",
    ],
    "balances, many": [
      FILE.replace("<Ntry>", `${"<Bal><Amt>1</Amt></Bal>".repeat(20_000)}<Ntry>`),
      "too_long",
    ],
    "batches, many": [
      FILE.replace(
        "<NtryDtls>",
        `${"<NtryDtls><Btch><MsgId>1</MsgId></Btch></NtryDtls>".repeat(20_000)}<NtryDtls>`,
      ),
      "too_long",
    ],
  };
  for (const [name, [file, code]] of Object.entries(refused)) assert.equal(await refusal(file), code, name);
});

test("a refusal says in one readable line what is wrong and what to do", async () => {
  await assert.rejects(
    read(FILE.replace("</Ntry>", `</${"x".repeat(10_000)}>`)),
    ({ message }: Error) =>
      message.length < 500 && /not well-formed XML \(3:\d+: .*\. Fetch the file/.test(message),
  );
});

test("a file that was damaged anywhere is read or refused, and nothing else happens", async () => {
  const files = [
    await readFile(join(import.meta.dirname, "fixtures", "camt053-08-de-collective-credit-and-returns.xml")),
    await readFile(join(import.meta.dirname, "fixtures", "pain002-03-es-returns-after-settlement.xml")),
  ];
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.uint8Array({ maxLength: 12 })), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), damage, async (file, damages) => {
      let damaged = file;
      for (const [place, cut, put] of damages) {
        const at = place % damaged.length;
        damaged = Buffer.concat([damaged.subarray(0, at), put, damaged.subarray(at + cut)]);
      }
      await refusal(damaged);
    }),
    { numRuns: 300 },
  );
});

test("elements in any order and number are read or refused, and nothing else happens", async () => {
  const names =
    "Stmt Ntry NtryDtls TxDtls Btch Refs Amt AmtDtls InstdAmt CdtDbtInd Sts Cd Bal Tp Chrgs Rcrd RtrInf Rsn BkTxCd GrpHdr MsgId Acct Id IBAN";
  const name = fc.constantFrom(...names.split(" "));
  const text = fc.constantFrom("", "CRDT", "BOOK", "12.30", "9".repeat(30), "2026-11-24", "true");
  const tree = fc.memo((depth): fc.Arbitrary<string> =>
    fc
      .tuple(name, text, depth <= 1 ? fc.constant([]) : fc.array(tree(), { maxLength: 4 }))
      .map(([name, text, children]) => `<${name} Ccy="EUR">${text}${children.join("")}</${name}>`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(tree(6), { maxLength: 6 }), async (trees) => {
      await refusal(statementFile(trees.join("")));
    }),
    { numRuns: 300 },
  );
});
