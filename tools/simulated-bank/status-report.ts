/** The simulated bank's rejections before settlement: pain.002.001.10. Pure. */
import { formatAmount } from "../../src/lib/money.ts";
import { amountInEuro, CLOSING, group, leaf, moment, opening } from "../../src/files/xml-writer.ts";
import type { Reason, Rejection } from "./booking.ts";
import type { ReceivedFile } from "./read.ts";

interface ReportHead {
  readonly messageId: string;
  readonly createdAt: Date;
}

/** Like German banks: only rejected payments. */
export function rejectionReport(
  head: ReportHead,
  file: ReceivedFile,
  rejections: readonly Rejection[],
): string {
  const blocks = Map.groupBy(rejections, ({ block }) => block.id);
  return report(
    head,
    group("OrgnlGrpInfAndSts", originalFile(file)),
    [...blocks].map(([id, rejected]) =>
      group("OrgnlPmtInfAndSts", leaf("OrgnlPmtInfId", id), ...rejected.map(transactionOf)),
    ),
  );
}

/** The whole file is rejected, so no payment of it is named. */
export function fileRejectionReport(head: ReportHead, file: ReceivedFile, reason: Reason): string {
  const status = leaf("GrpSts", "RJCT") + reasonOf(reason);
  return report(head, group("OrgnlGrpInfAndSts", originalFile(file), status), []);
}

function report({ messageId, createdAt }: ReportHead, original: string, blocks: readonly string[]): string {
  const header = group("GrpHdr", leaf("MsgId", messageId), moment("CreDtTm", createdAt));
  const lines = [header, original, ...blocks].join("\n");
  return `${opening("pain.002.001.10")}<CstmrPmtStsRpt>\n${lines}\n</CstmrPmtStsRpt>\n${CLOSING}`;
}

function originalFile({ messageId, version, count, sum }: ReceivedFile): string {
  return [
    leaf("OrgnlMsgId", messageId),
    leaf("OrgnlMsgNmId", version),
    leaf("OrgnlNbOfTxs", String(count)),
    leaf("OrgnlCtrlSum", formatAmount(sum)),
  ].join("");
}

function transactionOf({ block, collection, reason }: Rejection): string {
  const { instructionId, endToEndId, amount, mandateReference } = collection;
  return group(
    "TxInfAndSts",
    instructionId === null ? "" : leaf("OrgnlInstrId", instructionId),
    leaf("OrgnlEndToEndId", endToEndId),
    leaf("TxSts", "RJCT"),
    reasonOf(reason),
    group(
      "OrgnlTxRef",
      group("Amt", amountInEuro("InstdAmt", amount)),
      leaf("ReqdColltnDt", block.dueDate),
      group("MndtRltdInf", leaf("MndtId", mandateReference)),
    ),
  );
}

function reasonOf({ code, text }: Reason): string {
  const additional = text === "" ? "" : leaf("AddtlInf", text);
  return group("StsRsnInf", group("Rsn", leaf("Cd", code)), additional);
}
