/** The simulated bank's account: statements (camt.053.001.08) and notifications (camt.054.001.08), one per day. Pure. */
import type { IsoDate } from "../../src/lib/dates.ts";
import { cents } from "../../src/lib/money.ts";
import { amountInEuro, CLOSING, group, leaf, moment, opening } from "../../src/files/xml-writer.ts";
import { accountElement } from "../../src/sepa/messages/parties.ts";
import type { Booking, Credit, Return } from "./booking.ts";
import type { ReceivedBlock, ReceivedCollection } from "./read.ts";

/** A day of the account. */
export interface AccountDay {
  /** Unique at this bank; prefix of the names of the day's documents and lines. */
  readonly id: string;
  readonly date: IsoDate;
  readonly number: number;
  readonly iban: string;
  readonly createdAt: Date;
  /** In cents; negative if the account is overdrawn. */
  readonly opening: number;
  readonly closing: number;
  readonly bookings: readonly Booking[];
}

/** One document with a statement for each day. */
export function statements(messageId: string, createdAt: Date, days: readonly AccountDay[]): string {
  return paper("camt.053.001.08", "BkToCstmrStmt", messageId, createdAt, days.map(statementOf));
}

/** One document with a notification for each day with bookings; null if there are none. */
export function notifications(
  messageId: string,
  createdAt: Date,
  days: readonly AccountDay[],
): string | null {
  const busy = days.filter(({ bookings }) => bookings.length > 0);
  if (busy.length === 0) return null;
  return paper("camt.054.001.08", "BkToCstmrDbtCdtNtfctn", messageId, createdAt, busy.map(notificationOf));
}

function paper(
  message: string,
  element: string,
  messageId: string,
  createdAt: Date,
  days: readonly string[],
): string {
  const header = group("GrpHdr", leaf("MsgId", messageId), moment("CreDtTm", createdAt));
  return `${opening(message)}<${element}>\n${[header, ...days].join("\n")}\n</${element}>\n${CLOSING}`;
}

function statementOf(day: AccountDay): string {
  const head =
    headOf(day) + balanceOf("OPBD", day.opening, day.date) + balanceOf("CLBD", day.closing, day.date);
  return `<Stmt>${[head, ...entriesOf(day)].join("\n")}\n</Stmt>`;
}

function notificationOf(day: AccountDay): string {
  return `<Ntfctn>${[headOf(day), ...entriesOf(day)].join("\n")}\n</Ntfctn>`;
}

function headOf({ id, number, createdAt, iban }: AccountDay): string {
  return [
    leaf("Id", id),
    leaf("ElctrncSeqNb", String(number)),
    moment("CreDtTm", createdAt),
    group("Acct", accountElement(iban), leaf("Ccy", "EUR")),
  ].join("");
}

function balanceOf(code: "OPBD" | "CLBD", amount: number, date: IsoDate): string {
  return group(
    "Bal",
    group("Tp", group("CdOrPrtry", leaf("Cd", code))),
    amountInEuro("Amt", cents(Math.abs(amount))),
    leaf("CdtDbtInd", amount < 0 ? "DBIT" : "CRDT"),
    group("Dt", leaf("Dt", date)),
  );
}

/** The lines have the same references on the statement and on the notification, so both can be read. */
function entriesOf({ id, bookings }: AccountDay): readonly string[] {
  return bookings.map((booking, index) => entryOf(booking, `${id}-${index + 1}`));
}

function entryOf(booking: Booking, reference: string): string {
  const credit = booking.kind === "credit";
  return group(
    "Ntry",
    amountInEuro("Amt", booking.amount),
    leaf("CdtDbtInd", credit ? "CRDT" : "DBIT"),
    credit ? "" : leaf("RvslInd", "true"),
    group("Sts", leaf("Cd", "BOOK")),
    group("BookgDt", leaf("Dt", booking.date)),
    group("ValDt", leaf("Dt", booking.date)),
    leaf("AcctSvcrRef", reference),
    transactionCode(booking),
    group("NtryDtls", credit ? creditDetails(booking) : returnDetails(booking)),
    leaf("AddtlNtryInf", credit ? "SEPA direct debits" : "SEPA direct debit returned"),
  );
}

function transactionCode({ kind, block: { scheme } }: Booking): string {
  const collected = scheme === "B2B" ? "BBDD" : "ESDD";
  const family = leaf("Cd", "IDDT") + leaf("SubFmlyCd", kind === "return" ? "UPDD" : collected);
  return group("BkTxCd", group("Domn", leaf("Cd", "PMNT"), group("Fmly", family)));
}

function creditDetails({ block, amount, collections, collective, detailed }: Credit): string {
  const batch = group(
    "Btch",
    leaf("PmtInfId", block.id),
    leaf("NbOfTxs", String(collections.length)),
    amountInEuro("TtlAmt", amount),
    leaf("CdtDbtInd", "CRDT"),
  );
  const details = detailed ? collections.map((collection) => creditedOf(block, collection)) : [];
  return (collective ? batch : "") + details.join("");
}

function creditedOf(block: ReceivedBlock, collection: ReceivedCollection): string {
  return group(
    "TxDtls",
    referencesOf(block, collection),
    amountInEuro("Amt", collection.amount),
    leaf("CdtDbtInd", "CRDT"),
    debtorOf(collection),
  );
}

/** The line contains amount and fee; the original amount is separate. */
function returnDetails({ block, amount, fee, collection, reason }: Return): string {
  const charge = group("Rcrd", amountInEuro("Amt", fee), leaf("CdtDbtInd", "DBIT"));
  return group(
    "TxDtls",
    referencesOf(block, collection),
    amountInEuro("Amt", amount),
    leaf("CdtDbtInd", "DBIT"),
    group("AmtDtls", group("InstdAmt", amountInEuro("Amt", collection.amount))),
    fee === 0 ? "" : group("Chrgs", charge),
    debtorOf(collection),
    group("RtrInf", group("Rsn", leaf("Cd", reason.code)), leaf("AddtlInf", reason.text)),
  );
}

function referencesOf(block: ReceivedBlock, collection: ReceivedCollection): string {
  const { instructionId, endToEndId, mandateReference } = collection;
  return group(
    "Refs",
    leaf("PmtInfId", block.id),
    instructionId === null ? "" : leaf("InstrId", instructionId),
    leaf("EndToEndId", endToEndId),
    leaf("MndtId", mandateReference),
  );
}

function debtorOf({ debtorName, debtorIban }: ReceivedCollection): string {
  const name = group("Dbtr", group("Pty", leaf("Nm", debtorName)));
  return group("RltdPties", name, group("DbtrAcct", accountElement(debtorIban)));
}
