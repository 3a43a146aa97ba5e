/** Writes a file of reversals (pain.007.001.09), which return debits that settled and should not have. Pure. */
import { formatAmount, type Cents } from "../../lib/money.ts";
import { amountInEuro, CLOSING, group, inChunks, leaf, moment, opening } from "../../files/xml-writer.ts";
import {
  checkAccount,
  checkAmount,
  checkName,
  checkReference,
  SepaFileRefused,
  sumOf,
  UniqueReferences,
} from "./file-rules.ts";
import { addressElement, mandateElement } from "./pain008.ts";
import {
  accountElement,
  agentElement,
  creditorIdentifierElement,
  nameElement,
  remittanceElement,
} from "./parties.ts";
import type { SentBlock, SentFile, SentOrder } from "./reading/sent-file.ts";

/** The version of reversals (EPC, SDD customer-to-PSP implementation guidelines 2025; the German banks' schema). */
export const REVERSAL_VERSION = "pain.007.001.09";

/**
 * The only version of debits that a reversal may refer to (EPC, SDD customer-to-PSP implementation guidelines 2025).
 */
export const REVERSIBLE_VERSION = "pain.008.001.08";

/** Reversals of debits from one file, each in full: the scheme has no partial reversals. */
export interface ReversalFile {
  readonly messageId: string;
  readonly createdAt: Date;
  readonly batchBooking: boolean;
  /** The sender and the account's bank. */
  readonly creditor: { readonly name: string; readonly bic: string | null };
  /** The file in which the debits were sent. */
  readonly original: Pick<SentFile, "messageId" | "schema">;
  readonly blocks: readonly ReversalBlock[];
}

/** The reversed debits of one block of that file. */
interface ReversalBlock {
  readonly id: string;
  readonly original: SentBlock;
  readonly reversals: readonly Reversal[];
}

interface Reversal {
  /** Our reference of the reversal. */
  readonly id: string;
  readonly debit: SentOrder;
}

/**
 * The text of the file, in pieces of about 64 kB.
 * @throws SepaFileRefused at once, before any text is produced.
 */
export function writePain007(file: ReversalFile): Generator<string> {
  checkReversalFile(file);
  return inChunks(piecesOf(file));
}

function* piecesOf(file: ReversalFile): Generator<string> {
  const { messageId, creditor, original, blocks } = file;
  const amounts = blocks.flatMap(({ reversals }) => reversals.map(({ debit }) => debit.amount));
  yield `${opening(REVERSAL_VERSION)}<CstmrPmtRvsl>\n`;
  yield group(
    "GrpHdr",
    leaf("MsgId", messageId),
    moment("CreDtTm", file.createdAt),
    totals(amounts, messageId),
    leaf("GrpRvsl", "false"),
    group("InitgPty", nameElement(creditor.name)),
    creditor.bic === null ? "" : group("CdtrAgt", agentElement(creditor.bic, "BICFI")),
  );
  yield group("OrgnlGrpInf", leaf("OrgnlMsgId", original.messageId), leaf("OrgnlMsgNmId", original.schema));
  for (const block of blocks) {
    yield "\n<OrgnlPmtInfAndRvsl>\n";
    yield leaf("RvslPmtInfId", block.id) + leaf("OrgnlPmtInfId", block.original.id);
    yield leaf("BtchBookg", String(file.batchBooking)) + leaf("PmtInfRvsl", "false");
    for (const reversal of block.reversals) yield `\n${reversalOf(block.original, reversal)}`;
    yield "\n</OrgnlPmtInfAndRvsl>";
  }
  yield `\n</CstmrPmtRvsl>\n${CLOSING}`;
}

function totals(amounts: readonly Cents[], place: string): string {
  return leaf("NbOfTxs", String(amounts.length)) + leaf("CtrlSum", formatAmount(sumOf(amounts, place)));
}

/** MS02: the creditor gives no reason; the scheme's other code is for a debit that was sent twice. */
function reversalOf(block: SentBlock, { id, debit }: Reversal): string {
  return group(
    "TxInf",
    leaf("RvslId", id),
    debit.instructionId === null ? "" : leaf("OrgnlInstrId", debit.instructionId),
    leaf("OrgnlEndToEndId", debit.endToEndId),
    amountInEuro("OrgnlInstdAmt", debit.amount),
    amountInEuro("RvsdInstdAmt", debit.amount),
    leaf("ChrgBr", "SLEV"),
    group("RvslRsnInf", group("Rsn", leaf("Cd", "MS02"))),
    group("OrgnlTxRef", ...debitOf(block, debit)),
  );
}

/** Everything that the file contained about the debit, unchanged. */
function debitOf(block: SentBlock, debit: SentOrder): readonly string[] {
  const { creditorIdentifier, scheme, sequenceType } = block;
  const identifier = creditorIdentifier === null ? "" : creditorIdentifierElement(creditorIdentifier);
  const kind = [
    group("SvcLvl", leaf("Cd", "SEPA")),
    group("LclInstrm", leaf("Cd", scheme ?? "CORE")),
    leaf("SeqTp", sequenceType ?? "RCUR"),
  ];
  const { mandateReference, signedOn, amendment } = debit;
  const mandate = { reference: mandateReference ?? "", signedOn: signedOn ?? "", amendment };
  return [
    leaf("ReqdColltnDt", block.dueDate),
    group("CdtrSchmeId", identifier),
    group("PmtTpInf", ...kind),
    group("MndtRltdInf", mandateElement(mandate)),
    remittanceElement(debit.remittance),
    group("Dbtr", group("Pty", nameElement(debit.name ?? ""), addressOf(debit.address))),
    group("DbtrAcct", accountElement(debit.iban ?? "")),
    group("DbtrAgt", agentElement(debit.bic, "BICFI")),
    group("CdtrAgt", agentElement(block.bic, "BICFI")),
    group("Cdtr", group("Pty", nameElement(block.creditorName), addressOf(block.creditorAddress))),
    group("CdtrAcct", accountElement(block.iban), leaf("Ccy", "EUR")),
  ];
}

function addressOf({ city, country, ...address }: SentOrder["address"]): string {
  return city === null || country === null ? "" : addressElement({ ...address, city, country });
}

function checkReversalFile({ messageId, creditor, original, blocks }: ReversalFile): void {
  checkReference(messageId, "message id", messageId);
  checkReference(original.messageId, "original message id", messageId);
  checkName(creditor.name, "creditor", messageId);
  if (blocks.length === 0) throw new SepaFileRefused("empty", messageId, "the file contains no reversals");
  checkVersion(original.schema, messageId);
  const ids = new UniqueReferences();
  const debits = new UniqueReferences();
  for (const block of blocks) {
    checkReference(block.id, "block id", block.id);
    for (const { id, debit } of block.reversals) {
      checkReference(id, "reversal's id", id);
      ids.add(id, "reversal's id", id);
      // A debit is reversed at most once.
      debits.add(debit.endToEndId, "reversed debit", id);
      checkAmount(debit.amount, id);
      checkAccount(debit.iban ?? "", debit.bic, "debtor", id);
    }
  }
}

/**
 * Checks that debits of this version can be reversed.
 * @throws SepaFileRefused if not.
 */
export function checkVersion(schema: string, place: string): void {
  if (schema === REVERSIBLE_VERSION) return;
  const words = `the debit was sent as ${schema}, and only debits of ${REVERSIBLE_VERSION} can be reversed`;
  throw new SepaFileRefused("version", place, words);
}
