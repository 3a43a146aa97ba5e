/** Writes a file of credit transfers (pain.001.001.09), which refund customers. Pure. */
import { formatAmount, type Cents } from "../../lib/money.ts";
import type { IsoDate } from "../../lib/dates.ts";
import {
  checkAccount,
  checkAmount,
  checkName,
  checkReference,
  checkSettlementDay,
  SepaFileRefused,
  sumOf,
  UniqueReferences,
} from "./file-rules.ts";
import { amountInEuro, CLOSING, group, inChunks, leaf, moment, opening } from "../../files/xml-writer.ts";
import { accountElement, agentElement, nameElement, remittanceElement } from "./parties.ts";

/** One order from one account: all transfers are executed on the same day. */
export interface CreditTransferFile {
  readonly messageId: string;
  readonly createdAt: Date;
  readonly batchBooking: boolean;
  /** As SCT Inst: the money arrives within seconds, or the transfer is refused. */
  readonly instant: boolean;
  readonly executionDate: IsoDate;
  /** The account that pays: the one to which the direct debits were credited. */
  readonly debtor: { readonly name: string; readonly iban: string; readonly bic: string | null };
  readonly transfers: readonly Transfer[];
}

export interface Transfer {
  readonly endToEndId: string;
  readonly instructionId: string | null;
  readonly amount: Cents;
  readonly creditor: { readonly name: string; readonly iban: string; readonly bic: string | null };
  readonly remittance: string;
}

/**
 * The text of the file, in pieces of about 64 kB.
 * @throws SepaFileRefused at once, before any text is produced.
 */
export function writePain001(file: CreditTransferFile): Generator<string> {
  checkCreditTransferFile(file);
  return inChunks(piecesOf(file));
}

function* piecesOf(file: CreditTransferFile): Generator<string> {
  const { messageId, batchBooking, instant, executionDate, debtor, transfers } = file;
  const amounts = transfers.map(({ amount }) => amount);
  const totals =
    leaf("NbOfTxs", String(transfers.length)) + leaf("CtrlSum", formatAmount(sumOf(amounts, messageId)));
  yield `${opening("pain.001.001.09")}<CstmrCdtTrfInitn>\n`;
  yield group(
    "GrpHdr",
    leaf("MsgId", messageId),
    moment("CreDtTm", file.createdAt),
    totals,
    group("InitgPty", nameElement(debtor.name)),
  );
  yield "\n<PmtInf>\n";
  // There is one block, so it can have the file's id.
  yield (
    leaf("PmtInfId", messageId) + leaf("PmtMtd", "TRF") + leaf("BtchBookg", String(batchBooking)) + totals
  );
  const instrument = instant ? group("LclInstrm", leaf("Cd", "INST")) : "";
  yield group("PmtTpInf", group("SvcLvl", leaf("Cd", "SEPA")), instrument);
  yield group("ReqdExctnDt", leaf("Dt", executionDate));
  yield group("Dbtr", nameElement(debtor.name));
  yield group("DbtrAcct", accountElement(debtor.iban), leaf("Ccy", "EUR"));
  yield group("DbtrAgt", agentElement(debtor.bic, "BICFI")) + leaf("ChrgBr", "SLEV");
  for (const transfer of transfers) yield `\n${transferOf(transfer)}`;
  yield `\n</PmtInf>\n</CstmrCdtTrfInitn>\n${CLOSING}`;
}

function transferOf({ endToEndId, instructionId, amount, creditor, remittance }: Transfer): string {
  return group(
    "CdtTrfTxInf",
    group(
      "PmtId",
      instructionId === null ? "" : leaf("InstrId", instructionId),
      leaf("EndToEndId", endToEndId),
    ),
    group("Amt", amountInEuro("InstdAmt", amount)),
    // Unlike in a direct debit, the other bank does not have to be named.
    creditor.bic === null ? "" : group("CdtrAgt", agentElement(creditor.bic, "BICFI")),
    group("Cdtr", nameElement(creditor.name)),
    group("CdtrAcct", accountElement(creditor.iban)),
    remittanceElement(remittance),
  );
}

function checkCreditTransferFile({ messageId, executionDate, debtor, transfers }: CreditTransferFile): void {
  checkReference(messageId, "message id", messageId);
  checkSettlementDay(executionDate, "execution date", messageId);
  checkName(debtor.name, "debtor", messageId);
  checkAccount(debtor.iban, debtor.bic, "debtor", messageId);
  if (transfers.length === 0) throw new SepaFileRefused("empty", messageId, "the file contains no transfers");
  const payments = new UniqueReferences();
  const instructions = new UniqueReferences();
  for (const transfer of transfers) {
    const { endToEndId, instructionId } = transfer;
    checkTransfer(transfer);
    payments.add(endToEndId, "end-to-end id", endToEndId);
    if (instructionId !== null) instructions.add(instructionId, "instruction id", endToEndId);
  }
}

/**
 * Checks a transfer.
 * @throws SepaFileRefused naming the end-to-end id.
 */
export function checkTransfer({ endToEndId, instructionId, amount, creditor }: Transfer): void {
  checkReference(endToEndId, "end-to-end id", endToEndId);
  if (instructionId !== null) checkReference(instructionId, "instruction id", endToEndId);
  checkAmount(amount, endToEndId);
  checkName(creditor.name, "creditor", endToEndId);
  checkAccount(creditor.iban, creditor.bic, "creditor", endToEndId);
}
