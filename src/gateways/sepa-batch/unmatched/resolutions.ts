/**
 * Decides what a person's resolution of an entry changes, or why it is refused, from amounts and current states. Pure.
 */
import type { IsoDate } from "../../../lib/dates.ts";
import { must } from "../../../lib/assert.ts";
import { cents, centsFromDatabase, formatAmount, type Cents } from "../../../lib/money.ts";
import { Refusal } from "../../../refusals.ts";
import type { Booking, CollectionChange } from "../incoming/changes-store.ts";
import {
  decide,
  isWithBank,
  reinstated,
  rejected,
  settled,
  uniqueReference,
  type InstructionItem,
  type Decision,
  type KnownInstruction,
} from "../incoming/decide.ts";
import { hasNoReason } from "../incoming/interpret.ts";
import type { Item } from "../incoming/items.ts";

export interface Resolution {
  readonly status: "applied" | "part" | "dismissed";
  readonly changes: readonly CollectionChange[];
  /** The entry's booking, so that another file with it is recognised. */
  readonly bookings: readonly Booking[];
  /** With two decimals, if the person entered it. */
  readonly bankFee?: string | null;
}

/** What the person entered about the amounts. */
interface Entered {
  readonly bankFee: Cents | null;
  readonly acceptAmount: boolean;
}

/**
 * Applies the entry to this one transaction.
 * @param returned how the bank booked the recorded return.
 * @throws Refusal unmatched_not_applicable.
 */
export function applied(
  instruction: KnownInstruction,
  item: Item,
  entered: Entered,
  today: IsoDate,
  returned: Booking | null = null,
): Resolution {
  if (item.kind === "withdrawn_return") throw no("It reverses a return: use the action reinstate.");
  if (item.kind === "block_credit") return settledBy([instruction], item, { ...entered, ...ALONE }, today);
  if (item.kind === "block_reject")
    throw no("It does not concern a single transaction: use the action reject, or dismiss it.");
  if (item.kind === "note") {
    throw no("It does not concern a single transaction: handle it by hand and dismiss it.");
  }
  if (item.kind === "credit" && hasEnded(instruction)) {
    throw no("This collection had ended without its money: use the action reinstate if the money is for it.");
  }
  if (instruction.state === "returned" && returned !== null && isAnotherReturn(item, returned)) {
    throw no(
      `The bank returned this money on ${returned.booked_on} already, and this is another return. If the money came again, ` +
        "reinstate the payment with that entry first, and apply this one then; otherwise dismiss it.",
    );
  }
  // A fee has an amount of its own, and is added to those on record.
  const agreed = item.kind === "fee" ? item : withAmounts(instruction, item, entered);
  const { changes, booking } = changeOf(instruction, agreed, today);
  const partial = item.kind === "return" ? partOf(instruction, item, entered) : null;
  return {
    status: "applied",
    changes: changes.map((one) => (one.news === "charged_back" ? { ...one, amount: partial } : one)),
    bookings: booking === null ? [] : [booking],
    bankFee: feeOf(entered),
  };
}

/** Whether neither its day nor its bank reference is that of the recorded return. */
function isAnotherReturn(item: Item, { booked_on, bank_reference }: Booking): boolean {
  if (item.kind !== "return" || item.bookedOn === null || item.bookedOn === booked_on) return false;
  const own = uniqueReference(item.bankReference);
  return own === null || own !== bank_reference;
}

const ALONE = { parts: [], explicit: true, part: false } as const;

function changeOf(
  instruction: KnownInstruction,
  item: InstructionItem,
  today: IsoDate,
): Extract<Decision, { readonly kind: "change" }> {
  const decision = decide(instruction, item, today);
  if (decision.kind === "known") throw no("The transaction already reflects this: dismiss the entry.");
  if (decision.kind === "unmatched") throw no(`It cannot be applied to this transaction: ${decision.why}.`);
  return decision;
}

/** The entry with the transaction's amount, once the difference is explained. An entered fee belongs to a return. */
function withAmounts(
  instruction: KnownInstruction,
  item: InstructionItem,
  entered: Entered,
): InstructionItem {
  agree(item, centsFromDatabase(instruction.amount), item.kind === "return" ? -1 : 1, entered, instruction);
  const fee = item.kind === "return" && entered.bankFee !== null ? { fee: entered.bankFee } : {};
  return { ...item, ...fee, amount: null };
}

/** The amount that moved without the fee, which is in a return, or deducted from a credit; null for the full amount. */
function partOf(instruction: KnownInstruction, item: Item, { bankFee }: Entered): string | null {
  if (!("amount" in item) || item.amount === null) return null;
  const moved = item.amount + (item.kind === "return" ? -1 : 1) * (bankFee ?? 0);
  return moved > 0 && moved < centsFromDatabase(instruction.amount) ? formatAmount(cents(moved)) : null;
}

/**
 * Reinstates a payment whose money arrived after the bank had rejected or returned it.
 * @throws Refusal unmatched_not_applicable.
 */
export function reinstatedBy(
  instruction: KnownInstruction,
  item: Item,
  entered: Entered,
  today: IsoDate,
): Resolution {
  if (item.kind !== "withdrawn_return" && item.kind !== "credit" && item.kind !== "block_credit") {
    throw no("Only incoming money reinstates a payment; this entry is not incoming money.");
  }
  if (instruction.refund_of !== null) throw no("This is a refund. Only a collection can be reinstated.");
  if (instruction.state === "settled") throw no("The transaction already reflects this: dismiss the entry.");
  if (instruction.state !== "returned" && !hasEnded(instruction))
    throw no(
      `The collection is ${instruction.state}: only one that was rejected or returned, or taken out of a file that the bank may have, can be reinstated.`,
    );
  agree(item, centsFromDatabase(instruction.amount), 1, entered, instruction);
  // What was returned, in part or in full, was credited before; a rejected debit was not.
  const amount = instruction.state === "returned" ? partOf(instruction, item, entered) : null;
  const change = { ...reinstated(instruction, referenceOf(item), item.bookedOn ?? today), amount };
  const credit = { reference: instruction.reference, movement: "credit", booked_on: change.on } as const;
  const bookings = [{ ...credit, bank_reference: referenceOf(item) }];
  return { status: "applied", changes: [change], bookings, bankFee: feeOf(entered) };
}

/**
 * Whether it was in a file that the bank may have and ended without its money: rejected, or withdrawn with the file and
 * then stopped.
 */
function hasEnded({ state, file_id: file, withdrawn }: KnownInstruction): boolean {
  return (state === "rejected" || state === "fenced") && (file !== null || withdrawn);
}

interface Several extends Entered {
  /** The sum of the parts recorded for this target, fees included. */
  readonly parts: readonly Cents[];
  /** Whether the person named each transaction; one that the bank had rejected is accepted then. */
  readonly explicit: boolean;
  /** Whether more parts follow. */
  readonly part: boolean;
}

/** Whether the entry is a debit for a sum of refunds, which it settles. */
export function isOutgoing(item: Item): item is Extract<Item, { readonly kind: "transfer_out" | "return" }> {
  return (
    item.kind === "transfer_out" || (item.kind === "return" && (item.reversal === true || hasNoReason(item)))
  );
}

/**
 * Settles all of these that wait with the money of the entry and its recorded parts: incoming for collections, outgoing
 * for refunds.
 * @throws Refusal unmatched_not_applicable.
 */
export function settledBy(
  all: readonly KnownInstruction[],
  item: Item,
  entered: Several,
  today: IsoDate,
): Resolution {
  if (isOutgoing(item)) return refundsSettledBy(all, item, entered, today);
  if (item.kind !== "credit" && item.kind !== "block_credit") {
    throw no("Only incoming money settles collections; this entry is not incoming money.");
  }
  const wanted = unanswered(all, entered.explicit, (one) => isWithBank(one) || hasEnded(one));
  if (wanted.some(({ refund_of: of }) => of !== null))
    throw no("The list contains a refund: name collections only.");
  const open = wanted.reduce((sum, { amount }) => sum + centsFromDatabase(amount), 0);
  if (item.amount === null && entered.part)
    throw no("The entry's amount cannot be read, so it cannot be a part.");
  const there =
    (item.amount ?? 0) + (entered.bankFee ?? 0) + entered.parts.reduce((sum: number, part) => sum + part, 0);
  if (entered.part && there < open)
    return { status: "part", changes: [], bookings: [], bankFee: feeOf(entered) };
  const booked = item.amount === null ? null : cents(there - (entered.bankFee ?? 0));
  agree({ amount: booked, currency: item.currency }, cents(open), 1, entered, must(wanted[0], "what waits"));
  const on = item.bookedOn ?? today;
  const changes = wanted.map((one) =>
    hasEnded(one) ? reinstated(one, item.bankReference, on) : settled(one, item.bankReference, on),
  );
  const booking = { movement: "credit", booked_on: on, bank_reference: item.bankReference } as const;
  const bookings = wanted.map(({ reference }) => ({ ...booking, reference }));
  return { status: "applied", changes, bookings, bankFee: feeOf(entered) };
}

function refundsSettledBy(
  all: readonly KnownInstruction[],
  item: Extract<Item, { readonly kind: "transfer_out" | "return" }>,
  { explicit, part, ...entered }: Several,
  today: IsoDate,
): Resolution {
  if (part) throw no("Money that went out is not kept in parts: settle the refunds that it is for.");
  const wanted = unanswered(all, explicit, isWithBank);
  if (wanted.some(({ refund_of: of }) => of === null))
    throw no("The list contains a collection: money that went out settles refunds only.");
  const open = wanted.reduce((sum, { amount }) => sum + centsFromDatabase(amount), 0);
  agree(item, cents(open), -1, entered, must(wanted[0], "what waits"));
  const on = item.bookedOn ?? today;
  const booking = { movement: "debit", booked_on: on, bank_reference: item.bankReference } as const;
  return {
    status: "applied",
    changes: wanted.map((one) => settled(one, item.bankReference, on)),
    bookings: wanted.map(({ reference }) => ({ ...booking, reference })),
    bankFee: feeOf(entered),
  };
}

/**
 * Rejects these, or everything in a block or file that the bank has not credited. Where it credited a part of a block
 * and then refused the block, a person has asked the bank about the rest.
 * @throws Refusal unmatched_not_applicable.
 */
export function rejectedBy(
  all: readonly KnownInstruction[],
  item: Item,
  { parts, explicit }: Pick<Several, "parts" | "explicit">,
  today: IsoDate,
): Resolution {
  if (item.kind !== "block_reject" && item.kind !== "reject")
    throw no("Only a status report that rejects can reject payments; this entry is not one.");
  if (parts.length > 0)
    throw no("A part of the money for these is kept: settle them, or dismiss the parts first.");
  const wanted = unanswered(all, explicit);
  if (item.reversal === true && wanted.some(({ reversible_until: until }) => until === null))
    throw no("The bank rejected reversals, and these are not: name the transactions of the refunds.");
  const on = item.bookedOn ?? today;
  return { status: "applied", changes: wanted.map((one) => rejected(one, item, on)), bookings: [] };
}

/**
 * Those without an answer from the bank.
 * @param isOpen what a person may list.
 * @throws Refusal if nothing is left, or if one that a person listed is already answered.
 */
function unanswered(
  all: readonly KnownInstruction[],
  explicit: boolean,
  isOpen: (one: KnownInstruction) => boolean = ({ state }) => state === "batched",
): readonly KnownInstruction[] {
  const wanted = explicit ? all : all.filter(({ state }) => state === "batched");
  const ended = wanted.find((one) => !isOpen(one));
  if (ended !== undefined)
    throw no(`${ended.reference} is ${ended.state}: leave it out, or dismiss the entry.`);
  if (wanted.length === 0) throw no("All of these are already answered: dismiss the entry.");
  return wanted;
}

interface Money {
  readonly amount: Cents | null;
  readonly currency: string | null;
}

/**
 * Compares the amounts.
 * @param sign 1 where a fee was deducted from the money, -1 where it was charged on top.
 * @throws Refusal if the amounts differ without an explanation.
 */
function agree(
  { amount, currency }: Money,
  wanted: Cents,
  sign: 1 | -1,
  { bankFee, acceptAmount }: Entered,
  instruction: Pick<KnownInstruction, "currency">,
): void {
  if (acceptAmount || amount === null) return;
  const same = currency === instruction.currency;
  if (same && amount + sign * (bankFee ?? 0) === wanted) return;
  const fee = bankFee === null ? "" : ` with a fee of ${formatAmount(bankFee)}`;
  const more = sign === 1 ? ", use the action part if more is to come" : "";
  throw no(
    `The bank booked ${formatAmount(amount)} ${currency ?? "without a currency"}${fee}, but ${formatAmount(wanted)} ` +
      `${instruction.currency} is expected. Set bank_fee if the difference is the bank's fee${more}, or accept_amount: true to ` +
      "apply it anyway.",
  );
}

function referenceOf(item: Item): string | null {
  return item.kind === "credit" || item.kind === "block_credit" ? item.bankReference : null;
}

function feeOf({ bankFee }: Entered): string | null {
  return bankFee === null ? null : formatAmount(bankFee);
}

function no(detail: string): Refusal {
  return new Refusal("unmatched_not_applicable", { detail });
}
