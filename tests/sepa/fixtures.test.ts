/** Reads the real and synthetic bank files that may be next to the checkout (`../shared/sepa/fixtures`). */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { classify, type Movement, splitReturn } from "../../src/sepa/messages/reading/movement.ts";
import type {
  BankRecord,
  Detail,
  Entry,
  TransactionCode,
} from "../../src/sepa/messages/reading/bank-records.ts";
import { formatAmount } from "../../src/lib/money.ts";
import { ofKind, read, refusal } from "./bank-files.ts";

const FOLDER = findFolder(dirname(import.meta.dirname));
/** Without the files the test is omitted with a message, not skipped, because they are not part of this repository. */
function testHere(name: string, check: () => void | Promise<void>): void {
  if (FOLDER !== null) void test(name, check);
}
if (FOLDER === null) console.log("no shared/sepa/fixtures beside this checkout: its bank files are not read");

/** A file's facts according to an independent program. */
interface Expected {
  readonly namespace: string;
  readonly entries: readonly {
    readonly amount: string;
    readonly ccy: string;
    readonly cdi: string;
    readonly rvsl: string | null;
    readonly sts: string;
    readonly booking: string;
    readonly acctSvcrRef: string | null;
    readonly btc: string;
    readonly batch: readonly {
      readonly pmtInfId: string | null;
      readonly msgId: string | null;
      readonly nb: string;
    }[];
    readonly tx: readonly ExpectedDetail[];
  }[];
  readonly status: readonly {
    readonly pmtInfId: string | null;
    readonly sts: string | null;
    readonly reasons: readonly string[];
    readonly tx: readonly {
      readonly e2e: string | null;
      readonly instr: string | null;
      readonly sts: string;
      readonly reasons: readonly string[];
      readonly amount: string;
    }[];
  }[];
  readonly group?: {
    readonly orgnlMsgId: string;
    readonly orgnlMsgNmId: string;
    readonly sts: string | null;
  };
}

interface ExpectedDetail {
  readonly e2e: string | null;
  readonly mandate: string | null;
  readonly instr: string | null;
  readonly pmtInf: string | null;
  readonly amount: string | null;
  readonly instdAmt: string | null;
  readonly cdi: string | null;
  readonly btc: string;
  readonly reason: string | null;
  readonly charges: readonly string[];
}

const REFUSED: Readonly<Record<string, string>> = {
  "camt053-02_wrong.xml": "no_content",
  "pain008-003-02_example.xml": "unknown_message",
  "pain008-08_example.xml": "unknown_message",
  "synthetic/pain008-02-reference-output.xml": "unknown_message",
  "synthetic/pain008-08-reference-output.xml": "unknown_message",
};

const expectations = Object.entries(expectedFiles());
testHere("the shared bank files exist", () => assert.ok(expectations.length >= 23));

for (const [name, expected] of expectations) {
  const code = REFUSED[name];
  if (code !== undefined) {
    test(`${name} is refused: ${code}`, async () => assert.equal(await refusal(bytesOf(name)), code));
    continue;
  }
  test(`${name} is read as it was read by another program`, async () => {
    const records = await read(bytesOf(name));
    assert.equal(ofKind(records, "message")[0]?.type.namespace, expected.namespace);
    assert.deepEqual(
      entriesOf(records).map(({ entry, details }) => factsOfEntry(entry, details)),
      expected.entries.map((entry) => ({
        ...entry,
        rvsl: entry.rvsl === "true",
        booking: entry.booking.slice(0, 10),
        batch: entry.batch.map((batch) => ({ ...batch, nb: Number(batch.nb) })),
        tx: entry.tx.map((tx) => ({ ...tx, e2e: tx.e2e === "NOTPROVIDED" ? null : tx.e2e })),
      })),
    );
    assert.deepEqual(factsOfStatus(records), expected.status);
    if (expected.group !== undefined) {
      const { orgnlMsgId, orgnlMsgNmId, sts } = expected.group;
      const [group] = ofKind(records, "group_status");
      assert.deepEqual(
        [group?.originalMessageId, group?.originalMessageName, group?.status],
        [orgnlMsgId, orgnlMsgNmId, sts],
      );
    }
  });
}

/** The meaning of the files for a creditor: movement, EndToEndId, original amount, fee and reason of each transaction. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  "camt054-04_ch_chdd_credits_and_2_refunds_MD06.xml": [
    "collection EndToEnd-CRDBRActSame-1B9C-CHDDBB2 15.00",
    "collection EndToEnd-CRDBRActSame-1B9C-CHDDBB3 9.00",
    "collection PMT-651727380907030005 56.56",
    "return EndToEnd-2B6C-CHDDBB5 6.00 +0.70 MD06",
    "return E2E-1-1-16030913 15.53 +0.70 MD06",
  ],
  "synthetic/camt053-08-de-collective-credit-and-returns.xml": [
    "collection PSB-20261124-0001 180.97",
    "return TXN-20261120-BBBB0002 50.00 3.00 AM04",
    "return TXN-20260930-BBBB0009 39.92 0.30 MD06",
  ],
  "synthetic/camt054-08-batched-returns-prefixed.xml": [
    "return TXN-20261120-CCCC0001 39.99 AC04",
    "return TXN-20261120-CCCC0002 29.99 MS02",
    "return TXN-20261120-CCCC0003 49.99 MD01",
  ],
  "synthetic/camt053-02-nl-updd-return.xml": ["return 10954500000014 37.00 MS03"],
  "camt053-02_sparkasse_style_minimal_BkTxCd.xml": [],
  "camt053-02_batch_without_txdtls.xml": [],
  "camt052-08_instant.xml": [],
  "camt053-08_ch_multi.xml": [],
  "camt053-08_generic.xml": [],
  "camt054-08_batch_3tx_charges.xml": [],
};

for (const [name, meant] of Object.entries(MEANT)) {
  testHere(`${name} means: ${meant.join("; ") || "nothing to a creditor"}`, async () => {
    const found = entriesOf(await read(bytesOf(name))).flatMap(({ entry, details }) =>
      (details.length === 0 ? [null] : details).flatMap((detail) => meaningOf(entry, detail)),
    );
    assert.deepEqual(found, meant);
  });
}

testHere("a statement that adds up is recognised as such", async () => {
  const records = await read(bytesOf("synthetic/camt053-08-de-collective-credit-and-returns.xml"));
  assert.equal(ofKind(records, "statement_end")[0]?.balance, "agrees");
});

function meaningOf(entry: Entry, detail: Detail | null): readonly string[] {
  const movement: Movement = classify(entry, detail);
  if (movement === "unrelated" || movement === "unclear") return [];
  const id = detail?.endToEndId ?? entry.batches[0]?.paymentInformationId;
  if (movement === "collection") {
    const collected = (detail ?? entry).amount?.cents;
    return [
      `${movement} ${id} ${collected === undefined || collected === null ? "?" : formatAmount(collected)}`,
    ];
  }
  const split = splitReturn(entry, detail);
  const fee =
    split === null || split.fee === 0 ? "" : ` ${split.feeIncluded ? "" : "+"}${formatAmount(split.fee)}`;
  const original = split === null ? "?" : formatAmount(split.original);
  return [`${movement} ${id} ${original}${fee} ${detail?.returnReason?.code}`];
}

function factsOfEntry(entry: Entry, details: readonly Detail[]): unknown {
  return {
    amount: entry.amount?.text,
    ccy: entry.amount?.currency,
    cdi: entry.sign,
    rvsl: entry.reversal,
    sts: entry.state,
    booking: entry.bookingDate,
    acctSvcrRef: entry.servicerReference,
    btc: textOfCode(entry.code),
    batch: entry.batches.map(({ paymentInformationId, messageId, transactions }) => ({
      pmtInfId: paymentInformationId,
      msgId: messageId,
      nb: transactions,
    })),
    tx: details.map(factsOfDetail),
  };
}

function factsOfDetail(detail: Detail): ExpectedDetail {
  return {
    e2e: detail.endToEndId,
    mandate: detail.mandateId,
    instr: detail.instructionId,
    pmtInf: detail.paymentInformationId,
    amount: detail.amountSource === "detail" ? (detail.amount?.text ?? null) : null,
    instdAmt: detail.instructedAmount?.text ?? null,
    cdi: detail.sign,
    btc: detail.code === null ? "" : textOfCode(detail.code),
    reason: detail.returnReason?.code ?? null,
    charges: detail.charges.map(({ amount }) => amount?.text ?? ""),
  };
}

function factsOfStatus(records: readonly BankRecord[]): unknown {
  const transactions = ofKind(records, "transaction_status");
  return ofKind(records, "block_status").map((block) => ({
    pmtInfId: block.originalPaymentInformationId,
    sts: block.status,
    reasons: block.reasons.map(({ code }) => code),
    tx: transactions
      .filter(({ blockNumber }) => blockNumber === block.number)
      .map(({ originalEndToEndId, originalInstructionId, status, reasons, amount }) => ({
        e2e: originalEndToEndId,
        instr: originalInstructionId,
        sts: status,
        reasons: reasons.map(({ code }) => code),
        amount: amount?.text,
      })),
  }));
}

function textOfCode({ domain, family, subfamily, proprietary }: TransactionCode): string {
  const iso = [domain, family, subfamily].filter((part) => part !== null).join("/");
  return proprietary === null ? iso : `${iso}[${proprietary}]`;
}

function entriesOf(
  records: readonly BankRecord[],
): readonly { readonly entry: Entry; readonly details: readonly Detail[] }[] {
  const details = ofKind(records, "detail");
  return ofKind(records, "entry_end").map(({ entry }) => ({
    entry,
    details: details.filter(
      (detail) => detail.statementNumber === entry.statementNumber && detail.entryNumber === entry.number,
    ),
  }));
}

function expectedFiles(): Readonly<Record<string, Expected>> {
  return FOLDER === null
    ? {}
    : (JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8")) as Record<string, Expected>);
}

function bytesOf(name: string): Buffer {
  return readFileSync(join(FOLDER ?? "", name));
}

/** Looks next to the checkout and next to its parent folders. */
function findFolder(from: string): string | null {
  const folder = join(from, "shared/sepa/fixtures");
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? null : findFolder(dirname(from));
}
