/** The simulated bank reads a file of direct debits and checks what real banks check first: counts, sums, one account. */
import type { IsoDate } from "../../src/lib/dates.ts";
import { cents, type Cents } from "../../src/lib/money.ts";
import { NotOurXml, readElements, textAt, textsAt, type Element } from "./elements.ts";

export interface ReceivedFile {
  readonly version: string;
  readonly messageId: string;
  readonly count: number;
  readonly sum: Cents;
  /** The account that is credited. */
  readonly creditorIban: string;
  readonly blocks: readonly ReceivedBlock[];
}

export interface ReceivedBlock {
  readonly id: string;
  readonly scheme: string;
  readonly sequenceType: string;
  readonly dueDate: IsoDate;
  readonly batchBooking: boolean;
  readonly creditorIban: string;
  readonly creditorIdentifier: string;
  readonly sum: Cents;
  readonly collections: readonly ReceivedCollection[];
}

export interface ReceivedCollection {
  readonly endToEndId: string;
  readonly instructionId: string | null;
  readonly amount: Cents;
  readonly mandateReference: string;
  readonly debtorName: string;
  readonly debtorIban: string;
}

/** The bank refuses the file; `code` is the ISO reason of the status report. */
class FileNotTaken extends Error {
  override readonly name = "FileNotTaken";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const NAMESPACE = /^xmlns="urn:iso:std:iso:20022:tech:xsd:(pain\.008\.001\.(?:02|08))"$/;
const AMOUNT = /^(\d{1,15})\.(\d{2})$/;

/** @throws FileNotTaken unless it is a direct debit file with correct counts and sums. */
export function readPain008(xml: string): ReceivedFile {
  try {
    return read(xml);
  } catch (error) {
    if (error instanceof NotOurXml) throw new FileNotTaken("FF01", error.message);
    throw error;
  }
}

function read(xml: string): ReceivedFile {
  const blocks: ReceivedBlock[] = [];
  let collections: ReceivedCollection[] = [];
  const headers: Element[] = [];
  const root = readElements(xml, {
    GrpHdr: (element) => headers.push(element),
    DrctDbtTxInf: (element) => collections.push(collectionOf(element)),
    PmtInf: (element) => {
      blocks.push(blockOf(element, collections));
      collections = [];
    },
  });
  const version = NAMESPACE.exec(root.attributes)?.[1];
  const [header] = headers;
  if (version === undefined || header === undefined) throw new NotOurXml("The document is no pain.008");
  return fileOf(version, header, blocks);
}

function fileOf(version: string, header: Element, blocks: readonly ReceivedBlock[]): ReceivedFile {
  const all = blocks.flatMap(({ collections }) => collections);
  const sum = checkTotals(header, all);
  const ids = new Set(all.map(({ endToEndId }) => endToEndId));
  if (ids.size !== all.length) throw new FileNotTaken("DU04", "An end-to-end id occurs twice");
  const [creditorIban, ...others] = new Set(blocks.map(({ creditorIban }) => creditorIban));
  if (creditorIban === undefined || others.length > 0) {
    throw new FileNotTaken("FF01", "The file is not for one account");
  }
  return { version, messageId: textAt(header, "MsgId"), count: all.length, sum, creditorIban, blocks };
}

function blockOf(element: Element, collections: readonly ReceivedCollection[]): ReceivedBlock {
  return {
    id: textAt(element, "PmtInfId"),
    scheme: textAt(element, "PmtTpInf/LclInstrm/Cd"),
    sequenceType: textAt(element, "PmtTpInf/SeqTp"),
    dueDate: textAt(element, "ReqdColltnDt"),
    batchBooking: textAt(element, "BtchBookg") === "true",
    creditorIban: textAt(element, "CdtrAcct/Id/IBAN"),
    creditorIdentifier: textAt(element, "CdtrSchmeId/Id/PrvtId/Othr/Id"),
    sum: checkTotals(element, collections),
    collections,
  };
}

function collectionOf(element: Element): ReceivedCollection {
  const amount = element.children.find(({ name }) => name === "InstdAmt");
  if (amount?.attributes !== 'Ccy="EUR"') throw new FileNotTaken("CURR", "An amount is not in euro");
  return {
    endToEndId: textAt(element, "PmtId/EndToEndId"),
    instructionId: textsAt(element, "PmtId/InstrId")[0] ?? null,
    amount: centsOf(amount.text),
    mandateReference: textAt(element, "DrctDbtTx/MndtRltdInf/MndtId"),
    debtorName: textAt(element, "Dbtr/Nm"),
    debtorIban: textAt(element, "DbtrAcct/Id/IBAN"),
  };
}

/** @returns the sum, after comparing count and sum with the file's. */
function checkTotals(element: Element, collections: readonly ReceivedCollection[]): Cents {
  const sum = cents(collections.reduce((sum, { amount }) => sum + amount, 0));
  if (textAt(element, "NbOfTxs") !== String(collections.length)) {
    throw new FileNotTaken("AM18", "The number of payments is wrong");
  }
  if (centsOf(textAt(element, "CtrlSum")) !== sum) throw new FileNotTaken("AM10", "The sum is wrong");
  return sum;
}

function centsOf(text: string): Cents {
  const match = AMOUNT.exec(text);
  if (match === null) throw new FileNotTaken("AM12", "An amount is invalid");
  return cents(Number(`${match[1]}${match[2]}`));
}
