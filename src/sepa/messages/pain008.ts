/**
 * Writes a file of direct debits: pain.008, in the version that the bank accepts. Pure: the same input gives the same
 * bytes.
 */
import { utcDate } from "../../lib/dates.ts";
import { formatAmount, type Cents } from "../../lib/money.ts";
import { hasAddresses, hasCity } from "./direct-debit-file.ts";
import type {
  Address,
  Amendment,
  FileBlock,
  FileCollection,
  FileDebtor,
  DirectDebitFile,
  FileMandate,
} from "./direct-debit-file.ts";
import {
  checkAccount,
  checkAmount,
  checkIdentifier,
  checkMandateReference,
  checkName,
  checkReference,
  checkSettlementDay,
  checkSignatureDate,
  SepaFileRefused,
  sumOf,
  UniqueReferences,
} from "./file-rules.ts";
import { amountInEuro, CLOSING, group, inChunks, leaf, moment, opening } from "../../files/xml-writer.ts";
import {
  accountElement,
  agentElement,
  creditorIdentifierElement,
  nameElement,
  remittanceElement,
} from "./parties.ts";
import {
  BUILDING_NUMBER_CHARS_MAX,
  CITY_CHARS_MAX,
  POSTAL_CODE_CHARS_MAX,
  STREET_CHARS_MAX,
} from "./lengths.ts";
import { toSepaText } from "./text.ts";

interface Totals {
  readonly count: number;
  readonly sum: Cents;
}

/**
 * The text of the file, in pieces of about 64 kB.
 * @throws SepaFileRefused at once, before any text is produced.
 */
export function writePain008(file: DirectDebitFile): Generator<string> {
  checkDirectDebitFile(file);
  return inChunks(piecesOf(file));
}

/** The totals in the file's header: the number of collections and their sum. */
export function totalsOf({ messageId, blocks }: Pick<DirectDebitFile, "messageId" | "blocks">): Totals {
  const totals = blocks.map(totalsOfBlock);
  return {
    count: totals.reduce((count, block) => count + block.count, 0),
    sum: sumOf(
      totals.map(({ sum }) => sum),
      messageId,
    ),
  };
}

function totalsOfBlock({ id, collections }: FileBlock): Totals {
  const amounts = collections.map(({ amount }) => amount);
  return { count: collections.length, sum: sumOf(amounts, id) };
}

function* piecesOf(file: DirectDebitFile): Generator<string> {
  yield opening(file.version);
  yield "<CstmrDrctDbtInitn>\n";
  yield group(
    "GrpHdr",
    leaf("MsgId", file.messageId),
    moment("CreDtTm", file.createdAt),
    writtenTotals(totalsOf(file)),
    group("InitgPty", nameElement(file.creditor.name)),
  );
  for (const block of file.blocks) {
    yield `\n<PmtInf>\n${blockHeader(file, block)}`;
    for (const collection of block.collections) yield `\n${collectionOf(collection, file.version)}`;
    yield "\n</PmtInf>";
  }
  yield `\n</CstmrDrctDbtInitn>\n${CLOSING}`;
}

function blockHeader({ version, scheme, batchBooking, creditor }: DirectDebitFile, block: FileBlock): string {
  const { name, identifier } = block.creditor ?? creditor;
  const address = block.creditor === undefined ? creditor.address : null;
  const kind = group(
    "PmtTpInf",
    group("SvcLvl", leaf("Cd", "SEPA")),
    group("LclInstrm", leaf("Cd", scheme)),
    leaf("SeqTp", block.sequenceType),
  );
  return [
    leaf("PmtInfId", block.id),
    leaf("PmtMtd", "DD"),
    leaf("BtchBookg", String(batchBooking)),
    writtenTotals(totalsOfBlock(block)),
    kind,
    leaf("ReqdColltnDt", block.dueDate),
    group("Cdtr", nameElement(name), address && hasAddresses(version) ? addressElement(address) : ""),
    group("CdtrAcct", accountElement(creditor.iban), leaf("Ccy", "EUR")),
    group("CdtrAgt", agentElement(creditor.bic, bicElement(version))),
    leaf("ChrgBr", "SLEV"),
    group("CdtrSchmeId", creditorIdentifierElement(identifier)),
  ].join("");
}

function collectionOf(collection: FileCollection, version: DirectDebitFile["version"]): string {
  const { instructionId, endToEndId, amount, mandate, debtor, remittance } = collection;
  return group(
    "DrctDbtTxInf",
    group(
      "PmtId",
      instructionId === null ? "" : leaf("InstrId", instructionId),
      leaf("EndToEndId", endToEndId),
    ),
    amountInEuro("InstdAmt", amount),
    group("DrctDbtTx", group("MndtRltdInf", mandateElement(mandate))),
    group("DbtrAgt", agentElement(debtor.bic, bicElement(version))),
    group(
      "Dbtr",
      nameElement(debtor.name),
      debtor.address && hasAddresses(version) ? addressElement(debtor.address) : "",
    ),
    group("DbtrAcct", accountElement(debtor.iban)),
    remittanceElement(remittance),
  );
}

/** The mandate's elements below MndtRltdInf. */
export function mandateElement({ reference, signedOn, amendment }: FileMandate): string {
  const mandate = leaf("MndtId", reference) + leaf("DtOfSgntr", signedOn);
  if (amendment === null) return mandate;
  return mandate + leaf("AmdmntInd", "true") + group("AmdmntInfDtls", amendmentOf(amendment));
}

function amendmentOf({ originalReference, originalCreditor, originalAccount }: Amendment): string {
  let details = "";
  if (originalReference !== undefined) details += leaf("OrgnlMndtId", originalReference);
  const { name, identifier } = originalCreditor ?? {};
  const creditor =
    (name === undefined ? "" : nameElement(name)) +
    (identifier === undefined ? "" : creditorIdentifierElement(identifier));
  if (creditor !== "") details += group("OrgnlCdtrSchmeId", creditor);
  if (originalAccount === undefined) return details;
  // "Same mandate, new debtor account": the former account is not reported.
  const account = originalAccount.sameBank
    ? accountElement(originalAccount.iban)
    : group("Id", group("Othr", leaf("Id", "SMNDA")));
  return details + group("OrgnlDbtrAcct", account);
}

/** The address in its structured form: address lines are forbidden since 15 November 2026. */
export function addressElement(address: Address): string {
  const street = toSepaText(address.street ?? "", STREET_CHARS_MAX);
  return group(
    "PstlAdr",
    optional("StrtNm", street),
    street === ""
      ? ""
      : optional("BldgNb", toSepaText(address.buildingNumber ?? "", BUILDING_NUMBER_CHARS_MAX)),
    optional("PstCd", toSepaText(address.postalCode ?? "", POSTAL_CODE_CHARS_MAX)),
    leaf("TwnNm", toSepaText(address.city, CITY_CHARS_MAX)),
    leaf("Ctry", address.country),
  );
}

function optional(name: string, text: string): string {
  return text === "" ? "" : leaf(name, text);
}

function writtenTotals({ count, sum }: Totals): string {
  return leaf("NbOfTxs", String(count)) + leaf("CtrlSum", formatAmount(sum));
}

function bicElement(version: DirectDebitFile["version"]): "BICFI" | "BIC" {
  return version === "pain.008.001.08" ? "BICFI" : "BIC";
}

function checkDirectDebitFile(file: DirectDebitFile): void {
  const { messageId, creditor, blocks } = file;
  checkReference(messageId, "message id", messageId);
  checkName(creditor.name, "creditor", messageId);
  checkAccount(creditor.iban, creditor.bic, "creditor", messageId);
  checkIdentifier(creditor.identifier, messageId);
  if (blocks.length === 0) throw new SepaFileRefused("empty", messageId, "the file contains no blocks");
  const seen = {
    blocks: new UniqueReferences(),
    instructions: new UniqueReferences(),
    payments: new UniqueReferences(),
  };
  const today = utcDate(file.createdAt);
  if (creditor.address) checkAddress(creditor.address, "creditor", messageId);
  for (const block of blocks) {
    checkBlock(block);
    seen.blocks.add(block.id, "block id", block.id);
    for (const collection of block.collections) {
      const { endToEndId, instructionId } = collection;
      checkCollection(collection, today);
      seen.payments.add(endToEndId, "end-to-end id", endToEndId);
      if (instructionId !== null) seen.instructions.add(instructionId, "instruction id", endToEndId);
    }
  }
}

function checkBlock({ id, dueDate, creditor, collections }: FileBlock): void {
  checkReference(id, "block id", id);
  checkSettlementDay(dueDate, "due date", id);
  if (collections.length === 0) throw new SepaFileRefused("empty", id, "the block contains no collections");
  if (creditor === undefined) return;
  checkName(creditor.name, "creditor", id);
  checkIdentifier(creditor.identifier, id);
}

/**
 * Checks a collection.
 * @param today the day on which the file is written.
 * @throws SepaFileRefused naming the end-to-end id.
 */
export function checkCollection(collection: FileCollection, today: string): void {
  const { endToEndId, instructionId, amount, mandate, debtor } = collection;
  checkReference(endToEndId, "end-to-end id", endToEndId);
  if (instructionId !== null) checkReference(instructionId, "instruction id", endToEndId);
  checkAmount(amount, endToEndId);
  checkMandateReference(mandate.reference, endToEndId);
  checkSignatureDate(mandate.signedOn, today, endToEndId);
  if (mandate.amendment !== null) checkAmendment(mandate.amendment, endToEndId);
  checkDebtor(debtor, endToEndId);
}

function checkDebtor({ name, iban, bic, address }: FileDebtor, place: string): void {
  checkName(name, "debtor", place);
  checkAccount(iban, bic, "debtor", place);
  if (address !== null) checkAddress(address, "debtor", place);
}

function checkAddress({ city, country }: Address, whose: string, place: string): void {
  if (/^[A-Z]{2}$/.test(country) && hasCity({ city })) return;
  throw new SepaFileRefused("address", place, `the ${whose}'s address needs a city and a country`);
}

function checkAmendment(amendment: Amendment, place: string): void {
  const { originalReference, originalCreditor, originalAccount } = amendment;
  if (originalReference !== undefined) checkMandateReference(originalReference, place);
  if (originalCreditor?.identifier !== undefined) checkIdentifier(originalCreditor.identifier, place);
  if (originalCreditor?.name !== undefined) checkName(originalCreditor.name, "original creditor", place);
  if (originalAccount?.sameBank === true) checkAccount(originalAccount.iban, null, "original debtor", place);
  const said = [originalReference, originalCreditor?.name, originalCreditor?.identifier, originalAccount];
  if (said.every((part) => part === undefined)) {
    throw new SepaFileRefused("amendment", place, "the amendment is empty");
  }
}
