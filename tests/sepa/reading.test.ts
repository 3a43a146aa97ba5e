/** Reading bank files: every form that banks write gives the same records. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../support/properties.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  balance,
  detailXml,
  entryXml,
  HEADER,
  IBAN,
  ofKind,
  read,
  statementFile,
  statusFile,
} from "./bank-files.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const UPDD =
  "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>IDDT</Cd><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn></BkTxCd>";

test("a statement is emitted in its order: message, statement, entry, details, end of the entry, of the statement, of the file", async () => {
  const records = await read(
    statementFile(
      entryXml("3.00", "CRDT", `<NtryDtls>${detailXml("A")}${detailXml("B")}</NtryDtls>`) +
        entryXml("1.00", "DBIT"),
    ),
  );
  assert.deepEqual(
    records.map(({ kind }) => kind),
    [
      "message",
      "statement",
      "entry",
      "detail",
      "detail",
      "entry_end",
      "entry",
      "entry_end",
      "statement_end",
      "message_end",
    ],
  );
});

test("header and statement have sender, time and account", async () => {
  const records = await read(statementFile(balance("OPBD", "10.00") + balance("CLBD", "10.00")));
  const [message] = ofKind(records, "message");
  const [statement] = ofKind(records, "statement");
  assert.deepEqual(
    [message?.type.family, message?.type.version, message?.messageId, message?.createdOn],
    ["camt.053", 8, "M-1", "2026-11-24"],
  );
  assert.deepEqual(
    [statement?.statementId, statement?.electronicSequenceNumber, statement?.account],
    ["S-1", "231", { iban: IBAN, otherId: null, currency: "EUR" }],
  );
  assert.deepEqual([statement?.opening?.amount?.cents, statement?.closing?.date], [1_000, "2026-11-24"]);
});

test("every transaction of an entry is emitted, also when the bank spreads them over several groups of details", async () => {
  const group = (messageId: string, ...ids: readonly string[]) =>
    `<NtryDtls><Btch><MsgId>${messageId}</MsgId><NbOfTxs>${ids.length}</NbOfTxs></Btch>${ids.map((id) => detailXml(id)).join("")}</NtryDtls>`;
  const records = await read(
    statementFile(entryXml("9.00", "CRDT", group("B1", "A", "B") + group("B2", "C"))),
  );
  assert.deepEqual(
    ofKind(records, "detail").map(({ number, endToEndId, batch }) => [number, endToEndId, batch?.messageId]),
    [
      [1, "A", "B1"],
      [2, "B", "B1"],
      [3, "C", "B2"],
    ],
  );
  const [end] = ofKind(records, "entry_end");
  assert.deepEqual([end?.details, end?.entry.batches.map(({ messageId }) => messageId)], [3, ["B1", "B2"]]);
});

test("a collective booking without transactions is emitted with its batch", async () => {
  const batch =
    "<NtryDtls><Btch><MsgId>F-1</MsgId><PmtInfId>P-1</PmtInfId><NbOfTxs>3</NbOfTxs></Btch></NtryDtls>";
  const [end] = ofKind(await read(statementFile(entryXml("9.00", "CRDT", batch))), "entry_end");
  assert.equal(end?.details, 0);
  assert.deepEqual(end?.entry.batches, [
    { messageId: "F-1", paymentInformationId: "P-1", transactions: 3, amount: null, sign: null },
  ]);
});

test("a transaction without an amount has its entry's amount only if it is the only one of the entry", async () => {
  const amounts = async (details: string) =>
    ofKind(
      await read(statementFile(entryXml("9.00", "CRDT", `<NtryDtls>${details}</NtryDtls>`))),
      "detail",
    ).map(({ alone, amount, amountSource }) => [alone, amount?.cents ?? null, amountSource]);
  assert.deepEqual(await amounts(detailXml("A")), [[true, 900, "entry"]]);
  assert.deepEqual(await amounts(detailXml("A", '<Amt Ccy="EUR">8</Amt>')), [[true, 800, "detail"]]);
  assert.deepEqual(await amounts(`<Btch><NbOfTxs>2</NbOfTxs></Btch>${detailXml("A")}`), [
    [false, null, "none"],
  ]);
  assert.deepEqual(await amounts(detailXml("A") + detailXml("B")), [
    [false, null, "none"],
    [false, null, "none"],
  ]);
});

test("an entry with very many transactions is emitted before all are read, and again complete at its end", async () => {
  const many = Array.from({ length: 200 }, (_, at) => detailXml(`T-${at}`)).join("");
  const entry = entryXml("9.00", "CRDT", `<NtryDtls>${many}</NtryDtls><AddtlNtryInf>LATE</AddtlNtryInf>`);
  const records = await read(statementFile(entry));
  assert.equal(ofKind(records, "detail").length, 200);
  assert.equal(ofKind(records, "entry")[0]?.additionalInformation, null);
  assert.deepEqual(
    ofKind(records, "entry_end").map(({ details, entry }) => [details, entry.additionalInformation]),
    [[200, "LATE"]],
  );
});

test("elements out of the schema's order are found: a reference before the sign, an amount after the details", async () => {
  const entry = `<Ntry><Sts>BOOK</Sts><NtryDtls>${detailXml("A")}</NtryDtls><CdtDbtInd>CRDT</CdtDbtInd><NtryRef>R</NtryRef><Amt Ccy="EUR">5</Amt></Ntry>`;
  const [told] = ofKind(await read(statementFile(entry)), "entry");
  assert.deepEqual([told?.amount?.cents, told?.sign, told?.entryReference], [500, "CRDT", "R"]);
});

test("version 2 and version 8 are read alike", async () => {
  const old = `<Ntry><Amt Ccy="EUR">53.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-11-24T10:00:00+01:00</DtTm></BookgDt>${UPDD}
    <NtryDtls><TxDtls><Refs><MsgId>F</MsgId><EndToEndId>E</EndToEndId><MndtId>M</MndtId></Refs>
    <AmtDtls><InstdAmt><Amt Ccy="EUR">50.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">53.00</Amt></TxAmt></AmtDtls>
    <Chrgs><Amt Ccy="EUR">3.00</Amt></Chrgs>
    <RltdPties><Dbtr><Nm>Erika</Nm></Dbtr><DbtrAcct><Id><IBAN>${IBAN}</IBAN></Id></DbtrAcct><Cdtr><Id><PrvtId><Othr><Id>CI</Id></Othr></PrvtId></Id></Cdtr></RltdPties>
    <RtrInf><Rsn><Cd>MS03</Cd></Rsn><AddtlInf>a</AddtlInf><AddtlInf>b</AddtlInf></RtrInf></TxDtls></NtryDtls></Ntry>`;
  const recent = `<Ntry><Amt Ccy="EUR">53.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>${UPDD}
    <NtryDtls><TxDtls><Refs><MsgId>F</MsgId><EndToEndId>E</EndToEndId><MndtId>M</MndtId></Refs><Amt Ccy="EUR">53.00</Amt>
    <AmtDtls><InstdAmt><Amt Ccy="EUR">50.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">53.00</Amt></TxAmt></AmtDtls>
    <Chrgs><Rcrd><Amt Ccy="EUR">3.00</Amt></Rcrd></Chrgs>
    <RltdPties><Dbtr><Pty><Nm>Erika</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>${IBAN}</IBAN></Id></DbtrAcct><Cdtr><Pty><Id><PrvtId><Othr><Id>CI</Id></Othr></PrvtId></Id></Pty></Cdtr></RltdPties>
    <RtrInf><Rsn><Cd>MS03</Cd></Rsn><AddtlInf>a</AddtlInf><AddtlInf>b</AddtlInf></RtrInf></TxDtls></NtryDtls></Ntry>`;
  const withoutMessage = (records: Awaited<ReturnType<typeof read>>) =>
    records.filter(({ kind }) => kind !== "message");
  const records = withoutMessage(await read(statementFile(old, "02")));
  assert.deepEqual(records, withoutMessage(await read(statementFile(recent, "08"))));
  const [detail] = ofKind(records, "detail");
  assert.deepEqual(
    [
      detail?.debtor.name,
      detail?.creditorId,
      detail?.mandateId,
      detail?.instructedAmount?.cents,
      detail?.charges[0]?.amount?.cents,
    ],
    ["Erika", "CI", "M", 5_000, 300],
  );
  assert.deepEqual(detail?.returnReason, { code: "MS03", proprietary: null, additionalInformation: "a b" });
});

test("a placeholder is not an id, and an amount that cents cannot represent is kept as text", async () => {
  const records = await read(
    statementFile(
      entryXml(
        "8.855",
        "CRDT",
        `<AcctSvcrRef>NONREF</AcctSvcrRef><NtryDtls>${detailXml("NOTPROVIDED")}</NtryDtls>`,
      ),
    ),
  );
  const [entry] = ofKind(records, "entry");
  assert.deepEqual(entry?.amount, { cents: null, currency: "EUR", text: "8.855" });
  assert.equal(entry?.servicerReference, null);
  assert.equal(ofKind(records, "detail")[0]?.endToEndId, null);
  assert.equal(ofKind(records, "statement_end")[0]?.balance, "not_possible");
});

test("states other than BOOK are emitted as such, and unknown ones as null", async () => {
  const entry = (state: string) => entryXml("1.00", "CRDT").replace("<Sts><Cd>BOOK</Cd></Sts>", state);
  const records = await read(
    statementFile(
      ["<Sts>PDNG</Sts>", "<Sts><Cd>INFO</Cd></Sts>", "<Sts><Prtry>X</Prtry></Sts>", ""].map(entry).join(""),
    ),
  );
  assert.deepEqual(
    ofKind(records, "entry").map(({ state }) => state),
    ["PDNG", "INFO", null, null],
  );
});

test("a statement's entries are compared with its balances, without pending ones", async () => {
  const sums = async (closing: string, ...entries: readonly string[]) =>
    ofKind(
      await read(statementFile(balance("OPBD", "10.00") + closing + entries.join(""))),
      "statement_end",
    )[0]?.balance;
  const pending = entryXml("7.00", "CRDT").replace("BOOK", "PDNG");
  assert.equal(
    await sums(balance("CLBD", "12.50"), entryXml("3.00", "CRDT"), entryXml("0.5", "DBIT"), pending),
    "agrees",
  );
  assert.equal(
    await sums(balance("CLBD", "12.51"), entryXml("3.00", "CRDT"), entryXml("0.5", "DBIT")),
    "differs",
  );
  assert.equal(await sums("", entryXml("3.00", "CRDT")), "not_possible");
});

test("a status report is emitted by its levels: file, block, transaction", async () => {
  const transaction = `<TxInfAndSts><OrgnlInstrId>I</OrgnlInstrId><OrgnlEndToEndId>E</OrgnlEndToEndId><TxSts>RJCT</TxSts>
    <StsRsnInf><Rsn><Prtry>X1</Prtry></Rsn><AddtlInf>why</AddtlInf></StsRsnInf>
    <OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.30</InstdAmt></Amt><ReqdColltnDt>2026-11-24</ReqdColltnDt><MndtRltdInf><MndtId>M</MndtId></MndtRltdInf></OrgnlTxRef></TxInfAndSts>`;
  const records = await read(
    statusFile(`<OrgnlGrpInfAndSts><OrgnlMsgId>F-1</OrgnlMsgId><OrgnlMsgNmId>pain.008</OrgnlMsgNmId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>
      <OrgnlPmtInfAndSts><OrgnlPmtInfId>P-1</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts><StsRsnInf><Rsn><Cd>AM10</Cd></Rsn></StsRsnInf></OrgnlPmtInfAndSts>
      <OrgnlPmtInfAndSts><OrgnlPmtInfId>P-2</OrgnlPmtInfId>${transaction}</OrgnlPmtInfAndSts>`),
  );
  assert.deepEqual(
    records.map(({ kind }) => kind),
    [
      "message",
      "group_status",
      "block_status",
      "block_end",
      "block_status",
      "transaction_status",
      "block_end",
      "message_end",
    ],
  );
  assert.deepEqual(
    ofKind(records, "block_end").map(({ block, transactions }) => [
      block.originalPaymentInformationId,
      block.status,
      block.reasons[0]?.code,
      transactions,
    ]),
    [
      ["P-1", "RJCT", "AM10", 0],
      ["P-2", null, undefined, 1],
    ],
  );
  const [status] = ofKind(records, "transaction_status");
  assert.deepEqual(
    [
      status?.blockNumber,
      status?.originalEndToEndId,
      status?.originalInstructionId,
      status?.status,
      status?.amount?.cents,
    ],
    [2, "E", "I", "RJCT", 1_230],
  );
  assert.deepEqual([status?.mandateId, status?.requestedCollectionDate], ["M", "2026-11-24"]);
  assert.deepEqual(status?.reasons, [{ code: null, proprietary: "X1", additionalInformation: "why" }]);
});

test("prefixes, byte order marks, line ends, comments and CDATA change nothing", async () => {
  const file = statementFile(
    entryXml(
      "5.00",
      "CRDT",
      `<NtryDtls>${detailXml("Ä-1", "<AddtlTxInf>a &amp; b</AddtlTxInf>")}</NtryDtls>`,
    ),
  );
  const expected = await read(file);
  const prefixed = file.replaceAll(/<(\/?)(\w)/g, "<$1ns2:$2").replace("xmlns=", "xmlns:ns2=");
  const same: Readonly<Record<string, Uint8Array | string>> = {
    prefix: prefixed,
    "byte order mark": `\u{FEFF}${file}`,
    CRLF: file.replaceAll("\n", "\r\n"),
    comments: file.replace("<Stmt>", "<!-- <Ntry> --><Stmt>"),
    CDATA: file.replace("a &amp; b", "<![CDATA[a & b]]>"),
    "UTF-16 LE": Buffer.from(`\u{FEFF}${file.replace("UTF-8", "UTF-16")}`, "utf16le"),
    "UTF-16 LE without mark": Buffer.from(file.replace("UTF-8", "UTF-16"), "utf16le"),
    "UTF-16 BE": Buffer.from(`\u{FEFF}${file}`, "utf16le").swap16(),
    "ISO-8859-1": Buffer.from(file.replace("UTF-8", "ISO-8859-1"), "latin1"),
    "windows-1252": Buffer.from(file.replace("UTF-8", "Windows-1252"), "latin1"),
    "UTF-8 that calls itself UTF-16": file.replace("UTF-8", "UTF-16"),
    "without declaration": file.replace(/<\?xml.*\?>\n/, ""),
    "another namespace inside": file.replace(
      "</Ntry>",
      '<SplmtryData><x:Ntry xmlns:x="urn:x"><x:Amt>1</x:Amt></x:Ntry></SplmtryData></Ntry>',
    ),
  };
  for (const [name, variant] of Object.entries(same)) assert.deepEqual(await read(variant), expected, name);
});

test("a euro sign in ISO-8859-15 is read as one", async () => {
  const file = statementFile(entryXml("5.00", "CRDT", "<AddtlNtryInf>\u{A4}</AddtlNtryInf>")).replace(
    "UTF-8",
    "ISO-8859-15",
  );
  assert.equal(
    ofKind(await read(Buffer.from(file, "latin1")), "entry")[0]?.additionalInformation,
    "\u{20AC}",
  );
});

test("chunk boundaries never change the records", async () => {
  const files = await Promise.all(
    [
      "camt053-08-de-collective-credit-and-returns.xml",
      "camt054-08-batched-returns-prefixed.xml",
      "pain002-03-es-returns-after-settlement.xml",
    ].map((name) => readFile(join(FIXTURES, name))),
  );
  const own = statementFile(
    entryXml("5.00", "CRDT", `<NtryDtls>${detailXml("\u{1F600}\r\nä&#228;&lt;", UPDD)}</NtryDtls>`),
  );
  files.push(Buffer.from(own), Buffer.from(`\u{FEFF}${own}`, "utf16le"));
  for (const file of files) {
    const expected = await read(file);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(file.length), { maxLength: 60 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), file.length];
        const chunks = places.slice(1).map((end, at) => file.subarray(places[at], end));
        assert.deepEqual(await read(...chunks), expected);
      }),
      { numRuns: 40 },
    );
    assert.deepEqual(
      await read(...Array.from(file, (byte) => Buffer.from([byte]))),
      expected,
      "byte by byte",
    );
  }
});

test("a transaction that is listed outside of any block is emitted, too", async () => {
  const records = await read(
    statusFile("<TxInfAndSts><OrgnlEndToEndId>E</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>"),
  );
  assert.deepEqual(
    ofKind(records, "transaction_status").map(({ blockNumber, originalEndToEndId }) => [
      blockNumber,
      originalEndToEndId,
    ]),
    [[null, "E"]],
  );
});

test("reports and notifications are read like statements", async () => {
  for (const [family, root, container] of [
    ["camt.052", "BkToCstmrAcctRpt", "Rpt"],
    ["camt.054", "BkToCstmrDbtCdtNtfctn", "Ntfctn"],
  ]) {
    const file = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${family}.001.13"><${root}>${HEADER}<${container}><Id>1</Id>${entryXml("1", "CRDT")}</${container}></${root}></Document>`;
    const records = await read(file);
    assert.deepEqual(
      [ofKind(records, "message")[0]?.type.family, ofKind(records, "entry").length],
      [family, 1],
    );
  }
});
