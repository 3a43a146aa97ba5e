/** The simulated bank reads the service's files, and refuses wrong sums. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { anyFile, REFERENCE_FILE } from "../../tests/support/sepa.ts";
import { toSepaText } from "../../src/sepa/messages/text.ts";
import { totalsOf, writePain008 } from "../../src/sepa/messages/pain008.ts";
import type { DirectDebitFile } from "../../src/sepa/messages/direct-debit-file.ts";
import { readPain008, type ReceivedFile } from "./read.ts";

const written = (file: DirectDebitFile) => [...writePain008(file)].join("");
const XML = written(REFERENCE_FILE);

test("what is read is what was written, for any file", () => {
  fc.assert(
    fc.property(anyFile, (file) => {
      assert.deepEqual(readPain008(written(file)), expected(file));
    }),
    { numRuns: 200 },
  );
});

function expected(file: DirectDebitFile): ReceivedFile {
  const { creditor, scheme, batchBooking } = file;
  return {
    version: file.version,
    messageId: file.messageId,
    ...totalsOf(file),
    creditorIban: creditor.iban,
    blocks: file.blocks.map((block) => ({
      id: block.id,
      scheme,
      sequenceType: block.sequenceType,
      dueDate: block.dueDate,
      batchBooking,
      creditorIban: creditor.iban,
      creditorIdentifier: creditor.identifier,
      sum: totalsOf({ messageId: "", blocks: [block] }).sum,
      collections: block.collections.map(({ endToEndId, instructionId, amount, mandate, debtor }) => ({
        endToEndId,
        instructionId,
        amount,
        mandateReference: mandate.reference,
        debtorName: toSepaText(debtor.name, 70),
        debtorIban: debtor.iban,
      })),
    })),
  };
}

const change = (from: string | RegExp, to: string) => XML.replace(from, to);

const NOT_TAKEN: readonly (readonly [what: string, xml: string, code: string])[] = [
  ["a wrong count of the file", change("<NbOfTxs>3<", "<NbOfTxs>4<"), "AM18"],
  ["a wrong count of a block", change("<NbOfTxs>2<", "<NbOfTxs>3<"), "AM18"],
  ["a wrong sum of the file", change("<CtrlSum>170.39<", "<CtrlSum>170.38<"), "AM10"],
  ["a wrong sum of a block", change("<CtrlSum>39.99<", "<CtrlSum>39.98<"), "AM10"],
  ["an amount without decimals", change(">39.99</InstdAmt>", ">40</InstdAmt>"), "AM12"],
  ["another currency", change('Ccy="EUR"', 'Ccy="CHF"'), "CURR"],
  ["a payment twice", change("TXN-20261120-A1B2C3D5", "TXN-20261120-A1B2C3D4"), "DU04"],
  ["another kind of message", change("pain.008.001.08", "pain.001.001.09"), "FF01"],
  ["a file cut short", XML.slice(0, -20), "FF01"],
  ["a file cut within a tag", XML.slice(0, -3), "FF01"],
  ["text after the end", `${XML}x`, "FF01"],
  ["a second document", `${XML}<Document></Document>`, "FF01"],
  ["an end without a beginning", `${XML}</Document>`, "FF01"],
  ["tags that cross", change("</Dbtr>", "</DbtrAcct>"), "FF01"],
  ["a comment", change("<GrpHdr>", "<!-- a --><GrpHdr>"), "FF01"],
  ["an entity of its own", change("Erika", "&erika;"), "FF01"],
  ["a document type", change("<Document", '<!DOCTYPE a [<!ENTITY e "e">]><Document'), "FF01"],
  ["a payment without a mandate", change(/<MndtId>.*?<\/MndtId>/, ""), "FF01"],
  ["two accounts", change("DE89370400440532013000", "DE75512108001245126199"), "FF01"],
  ["nothing", "", "FF01"],
];

for (const [what, xml, code] of NOT_TAKEN) {
  test(`not taken (${code}): ${what}`, () => {
    assert.throws(() => readPain008(xml), { name: "FileNotTaken", code });
  });
}
