/** Assembles the records of a pain.002 as its elements are read: file, block, transaction. */
import {
  amountAt,
  creditorIdAt,
  dateAt,
  type Element,
  emptyParts,
  find,
  findAll,
  idAt,
  keepPart,
  type Outline,
  type OutlineReader,
  partyAt,
  readReason,
  textAt,
} from "./element.ts";
import type { BankRecord, BlockStatus, GroupStatus, Reason, ReportedStatus } from "./bank-records.ts";
import { BankFileRefused } from "../../../files/refused.ts";

export const PAIN_002_OUTLINE: Outline = {
  Document: new Set(["CstmrPmtStsRpt"]),
  CstmrPmtStsRpt: new Set(["OrgnlPmtInfAndSts"]),
};

const BLOCK_PARTS = new Set(["OrgnlPmtInfId", "PmtInfSts", "StsRsnInf"]);

/** Reads everything between the group header and the end of the document. */
export class StatusReader implements OutlineReader {
  readonly #emit: (record: BankRecord) => void;
  #groups = 0;
  #blocks = 0;
  #transactions = 0;
  #block: OpenBlock | null = null;

  constructor(emit: (record: BankRecord) => void) {
    this.#emit = emit;
  }

  enter(container: string): void {
    if (container !== "OrgnlPmtInfAndSts") return;
    this.#blocks += 1;
    this.#block = new OpenBlock(this.#blocks, this.#emit);
  }

  take(container: string, element: Element): void {
    if (element.name === "TxInfAndSts") this.#transactions += 1;
    if (container === "OrgnlPmtInfAndSts") this.#block?.take(element);
    else if (element.name === "TxInfAndSts")
      this.#emit(transactionStatusOf(element, null, this.#transactions));
    else if (element.name === "OrgnlGrpInfAndSts") this.#takeGroup(element);
  }

  leave(container: string): void {
    if (container !== "OrgnlPmtInfAndSts") return;
    this.#block?.close();
    this.#block = null;
  }

  end(): void {
    if (this.#groups + this.#blocks + this.#transactions === 0) {
      throw new BankFileRefused("no_content", "The status report names no file, block or transaction");
    }
    this.#emit({
      kind: "message_end",
      statements: 0,
      blocks: this.#blocks,
      transactions: this.#transactions,
    });
  }

  #takeGroup(element: Element): void {
    this.#groups += 1;
    this.#emit(groupStatusOf(element));
  }
}

/** A block whose transactions are being read. */
class OpenBlock {
  readonly #number: number;
  readonly #emit: (record: BankRecord) => void;
  readonly #parts = emptyParts();
  #emitted: BlockStatus | null = null;
  #transactions = 0;

  constructor(number: number, emit: (record: BankRecord) => void) {
    this.#number = number;
    this.#emit = emit;
  }

  take(element: Element): void {
    if (element.name === "TxInfAndSts") this.#takeTransaction(element);
    else if (BLOCK_PARTS.has(element.name)) this.#takePart(element);
  }

  close(): void {
    const block = this.#emitOnce();
    this.#emit({ kind: "block_end", block, transactions: this.#transactions });
  }

  #takeTransaction(element: Element): void {
    this.#emitOnce();
    this.#transactions += 1;
    this.#emit(transactionStatusOf(element, this.#number, this.#transactions));
  }

  #takePart(element: Element): void {
    if (this.#emitted !== null) {
      throw new BankFileRefused(
        "out_of_order",
        `Block ${this.#number} goes on with ${element.name} after its transactions`,
      );
    }
    keepPart(this.#parts, element);
  }

  #emitOnce(): BlockStatus {
    if (this.#emitted !== null) return this.#emitted;
    this.#emitted = blockStatusOf(this.#parts, this.#number);
    this.#emit(this.#emitted);
    return this.#emitted;
  }
}

function groupStatusOf(element: Element): GroupStatus {
  return {
    kind: "group_status",
    originalMessageId: idAt(element, "OrgnlMsgId"),
    originalMessageName: textAt(element, "OrgnlMsgNmId"),
    status: textAt(element, "GrpSts"),
    reasons: reasonsAt(element),
  };
}

function blockStatusOf(element: Element, number: number): BlockStatus {
  return {
    kind: "block_status",
    number,
    originalPaymentInformationId: idAt(element, "OrgnlPmtInfId"),
    status: textAt(element, "PmtInfSts"),
    reasons: reasonsAt(element),
  };
}

function transactionStatusOf(element: Element, blockNumber: number | null, number: number): ReportedStatus {
  const original = find(element, "OrgnlTxRef");
  return {
    kind: "transaction_status",
    blockNumber,
    number,
    originalInstructionId: idAt(element, "OrgnlInstrId"),
    originalEndToEndId: idAt(element, "OrgnlEndToEndId"),
    originalTransactionId: idAt(element, "OrgnlTxId"),
    status: textAt(element, "TxSts"),
    reasons: reasonsAt(element),
    servicerReference: idAt(element, "AcctSvcrRef"),
    amount: amountAt(original, "Amt", "InstdAmt") ?? amountAt(original, "IntrBkSttlmAmt"),
    mandateId: idAt(original, "MndtRltdInf/MndtId", "MndtRltdInf/DrctDbtMndt/MndtId"),
    creditorId: creditorIdAt(find(original, "CdtrSchmeId")),
    requestedCollectionDate: dateAt(original, "ReqdColltnDt"),
    debtor: partyAt(original, "Dbtr"),
  };
}

function reasonsAt(element: Element): readonly Reason[] {
  return findAll(element, "StsRsnInf").map(readReason);
}
