/**
 * Finds what a bank would refuse in a file of orders, ours or another program's, if it received the file on a given
 * day. Pure.
 */
import type { BankProfile } from "../bank-profiles.ts";
import { addDays, type IsoDate } from "../../lib/dates.ts";
import { isTargetDay } from "../target.ts";
import { windowsOf } from "../windows.ts";
import { needsAddress } from "./direct-debit-file.ts";
import {
  checkAccount,
  checkAmount,
  checkIdentifier,
  checkMandateReference,
  checkName,
  checkReference,
  checkSignatureDate,
  SepaFileRefused,
  UniqueReferences,
} from "./file-rules.ts";
import { ORDER_VERSIONS, type SentBlock, type SentFile, type SentOrder } from "./reading/sent-file.ts";

/** The bank accepts transfers this many days before their date. */
const TRANSFER_DAYS_MAX = 14;
/**
 * EPC, implementation guidelines of the 2025 SDD rulebooks 1.1: from this day on unstructured addresses are not
 * allowed.
 */
const ADDRESSES_IN_FIELDS_FROM = "2026-11-15";

/**
 * Every rule of the scheme and the bank that the file breaks, with the place; empty if it could be sent.
 * @param on the day on which the bank receives it.
 */
export function problemsOf(file: SentFile, on: IsoDate, bank: BankProfile): readonly string[] {
  const blocks = new UniqueReferences();
  const orders = new UniqueReferences();
  return [
    ...problem(() => checkReference(file.messageId, "message id", file.messageId)),
    ...versionProblems(file),
    ...(file.kind === "pain.008" ? bankProblems(file, on, bank) : []),
    ...file.blocks.flatMap((block) => [
      ...problem(() => blocks.add(block.id, "block id", block.id)),
      ...blockProblems(block, file.kind, on),
      ...block.orders.flatMap((order) => [
        ...problem(() => orders.add(order.endToEndId, "end-to-end id", order.endToEndId)),
        ...orderProblems(order, file.kind, on),
        ...(file.kind === "pain.008" ? addressProblems(order, on, bank) : []),
      ]),
    ]),
  ];
}

const ORDERS = { "pain.008": "direct debits", "pain.001": "transfers", "pain.007": "reversals" } as const;

function versionProblems({ kind, messageId, schema }: SentFile): readonly string[] {
  const versions = ORDER_VERSIONS[kind];
  return versions.includes(schema)
    ? []
    : [`${messageId}: ${ORDERS[kind]} of SEPA are ${versions.join(" or ")}, this is ${schema}`];
}

/** What this bank refuses beyond the scheme's rules. */
function bankProblems({ messageId, schema, blocks }: SentFile, on: IsoDate, bank: BankProfile) {
  const { name, versionsUntil, blocksMax, oneDay } = bank;
  const until = versionsUntil?.value[schema] ?? null;
  const days = new Set(blocks.map(({ dueDate }) => dueDate));
  return [
    ...(until !== null && on > until ? [`${messageId}: ${name} takes ${schema} until ${until}`] : []),
    ...(blocksMax !== undefined && blocks.length > blocksMax.value
      ? [`${messageId}: ${name} takes ${blocksMax.value} block in a file, this one has ${blocks.length}`]
      : []),
    ...blocks.flatMap((block) => bookingProblems(block, bank)),
    ...(oneDay !== undefined && days.size > 1
      ? [`${messageId}: ${name} takes one due date in a file, this one has ${days.size}`]
      : []),
  ];
}

/** Checks the booking. A file that does not specify it leaves it to the bank. */
function bookingProblems({ id, batchBooking }: SentBlock, { name, batchBooking: fact }: BankProfile) {
  if (fact === undefined || batchBooking === null || batchBooking === fact.value) return [];
  const books = fact.value ? "each block as one sum" : "debits one by one";
  return [`${id}: ${name} books ${books}, the file asks for the other (BtchBookg ${String(batchBooking)})`];
}

/** Checks addresses: banks outside the EEA require the account holder's. */
function addressProblems(
  { endToEndId, iban, address }: SentOrder,
  on: IsoDate,
  bank: BankProfile,
): readonly string[] {
  const lines = address.street !== null && (address.city === null || address.country === null);
  if (lines && on >= ADDRESSES_IN_FIELDS_FROM)
    return [
      `${endToEndId}: since ${ADDRESSES_IN_FIELDS_FROM} an address has its city and country in fields of their own (TwnNm, Ctry)`,
    ];
  if (!needsAddress((iban ?? "").slice(0, 2))) return [];
  if (address.city === null)
    return [`${endToEndId}: an account outside the EEA needs the city of its holder (TwnNm)`];
  const isWhole = address.street !== null && address.postalCode !== null;
  return bank.wholeAddress === undefined || isWhole
    ? []
    : [`${endToEndId}: ${bank.name} asks for street and postal code of a holder outside the EEA`];
}

function blockProblems(block: SentBlock, kind: SentFile["kind"], on: IsoDate): readonly string[] {
  const { id, iban, creditorName, creditorIdentifier } = block;
  return [
    ...problem(() => checkReference(id, "block id", id)),
    ...problem(() => checkAccount(iban, null, "own account", id)),
    ...problem(() => checkName(creditorName, "creditor", id)),
    ...(kind === "pain.001" ? [] : problem(() => checkIdentifier(creditorIdentifier ?? "", id))),
    ...(kind === "pain.008" && block.scheme === null
      ? [`${id}: the scheme (LclInstrm) is neither CORE nor B2B`]
      : []),
    ...dayProblems(block, kind, on),
  ];
}

/**
 * Checks the day. A direct debit is accepted from 14 days before its due date until the business day before it; a
 * transfer also on its date; a reversal from the debit's date on.
 */
function dayProblems({ id, dueDate }: SentBlock, kind: SentFile["kind"], on: IsoDate): readonly string[] {
  if (!isTargetDay(dueDate)) return [`${id}: the day ${dueDate} is not a TARGET business day`];
  const { earliestSubmission, latestSubmission, lastReversal } = windowsOf(dueDate);
  const [first, last] = {
    "pain.008": [earliestSubmission, latestSubmission],
    "pain.001": [addDays(dueDate, -TRANSFER_DAYS_MAX), dueDate],
    "pain.007": [dueDate, lastReversal],
  }[kind] as [IsoDate, IsoDate];
  if (on < first) return [`${id}: due on ${dueDate}, the bank takes it from ${first} on`];
  return on > last ? [`${id}: due on ${dueDate}, the bank takes it until ${last}`] : [];
}

function orderProblems(order: SentOrder, kind: SentFile["kind"], on: IsoDate): readonly string[] {
  const { endToEndId: id, amount, mandateReference, signedOn, iban, name } = order;
  return [
    ...problem(() => checkReference(id, "end-to-end id", id)),
    ...problem(() => checkAmount(amount, id)),
    ...problem(() => checkAccount(iban ?? "", null, "other side", id)),
    ...(kind === "pain.001" ? [] : problem(() => checkMandateReference(mandateReference ?? "", id))),
    ...(kind === "pain.001" ? [] : problem(() => checkSignatureDate(signedOn ?? "", on, id))),
    ...(name === null ? [] : problem(() => checkName(name, "debtor", id))),
  ];
}

function problem(check: () => void): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof SepaFileRefused) return [error.message];
    throw error;
  }
}
