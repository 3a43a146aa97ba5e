/** Files of credit transfers: what is written and what is refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { REFUNDS } from "../../../tests/support/sepa.ts";
import { cents } from "../../lib/money.ts";
import type { FileFault } from "./file-rules.ts";
import { writePain001, type CreditTransferFile, type Transfer } from "./pain001.ts";

const written = (file: CreditTransferFile) => [...writePain001(file)].join("");

test("a refund goes from the account of the direct debits to the customer's", () => {
  const xml = written(REFUNDS);
  for (const part of [
    "<NbOfTxs>2</NbOfTxs><CtrlSum>52.49</CtrlSum><InitgPty>",
    "<PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg><NbOfTxs>2</NbOfTxs><CtrlSum>52.49</CtrlSum>",
    "<ReqdExctnDt><Dt>2026-12-01</Dt></ReqdExctnDt><Dbtr><Nm>Example Shop GmbH</Nm></Dbtr>",
    '<PmtId><InstrId>RFD-1-I</InstrId><EndToEndId>RFD-1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">39.99</InstdAmt></Amt>',
    "<Cdtr><Nm>Juergen Gross</Nm></Cdtr><CdtrAcct><Id><IBAN>DE75512108001245126199</IBAN></Id></CdtrAcct>",
    "<RmtInf><Ustrd>Refund of TXN-20261120-A1B2C3D4</Ustrd></RmtInf>",
  ]) {
    assert.ok(xml.includes(part), `${part} in ${xml}`);
  }
  assert.equal(written(structuredClone(REFUNDS)), xml);
});

test("SCT Inst is asked for with the service level, and only where it was chosen", () => {
  const asked = "<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>";
  assert.ok(written({ ...REFUNDS, instant: true }).includes(asked));
  assert.doesNotMatch(written(REFUNDS), /LclInstrm/);
});

const transfer = (change: Partial<Transfer>): CreditTransferFile => ({
  ...REFUNDS,
  transfers: REFUNDS.transfers.map((transfer) => ({ ...transfer, ...change })),
});
const to = { name: "A", iban: "DE75512108001245126199", bic: null };

const REFUSED: readonly (readonly [what: string, file: CreditTransferFile, fault: FileFault])[] = [
  ["no transfer", { ...REFUNDS, transfers: [] }, "empty"],
  ["an amount of nothing", transfer({ amount: cents(0) }), "amount"],
  ["a transfer twice", transfer({ endToEndId: "A", instructionId: null }), "duplicate"],
  ["an instruction id twice", transfer({ instructionId: "A" }), "duplicate"],
  ["an end-to-end id that is none", transfer({ endToEndId: "A_B" }), "reference"],
  ["a name that is lost", transfer({ creditor: { ...to, name: "王" } }), "name"],
  ["an IBAN that is none", transfer({ creditor: { ...to, iban: "DE00" } }), "iban"],
  ["a BIC that is none", transfer({ creditor: { ...to, bic: "X" } }), "bic"],
  ["a Sunday", { ...REFUNDS, executionDate: "2026-11-29" }, "due_date"],
  ["a message id that is none", { ...REFUNDS, messageId: "" }, "reference"],
];

for (const [what, file, fault] of REFUSED) {
  test(`refused before anything is written: ${what}`, () => {
    assert.throws(() => writePain001(file), { name: "SepaFileRefused", fault });
  });
}
