/**
 * Decides what an entry changes, from the instruction's state and what the bank reports. Pure. How a return reaches the
 * payment from here: docs/architecture.md, One bank return.
 */
import type { SepaCollection } from "../books-store.ts";
import type { IsoDate } from "../../../lib/dates.ts";
import { windowsOf } from "../../../sepa/windows.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../../lib/money.ts";
import type { Booking, CollectionChange, WithdrawnFrom } from "./changes-store.ts";
import { hasNoReason } from "./interpret.ts";
import type { Item } from "./items.ts";

/** The state of an instruction while a file is being read. */
export type KnownInstruction = Pick<
  SepaCollection,
  | "reference"
  | "refund_of"
  | "reversible_until"
  | "state"
  | "amount"
  | "currency"
  | "settled_on"
  | "assumed"
  | "due_date"
  | "file_id"
  | "block_id"
  | "returned_on"
  | "reinstated_on"
> & {
  /** Whether it is in no file and was in one that was withdrawn: the bank may have that all the same. */
  readonly withdrawn: boolean;
  /** The blocks in withdrawn files that it was in. */
  readonly withdrawnBlocks?: readonly string[];
  /** Of one that was sent: the files that it was withdrawn from before; absent for any other. */
  readonly withdrawnFrom?: readonly WithdrawnFrom[];
  /** The bank's bookings for it so far. */
  readonly booked: Partial<Readonly<Record<Booking["movement"], Seen>>>;
  /** What the file being read and other pages of its statement have reported, by `reportKey`; absent outside a file. */
  readonly reported?: Pick<ReadonlySet<string>, "has">;
  /** Whether the file being read has reported it on this day, or another page of its statement on any day. */
  readonly isReportedOn?: (what: Reportable, on: IsoDate) => boolean;
};

/** The booking that a movement was first reported with. */
interface Seen {
  readonly on: IsoDate;
  readonly bankReference: string | null;
}

/** `unmatched`: a person decides; `known`: reported before; `change`: what to write. */
export type Decision =
  | {
      readonly kind: "change";
      readonly changes: readonly CollectionChange[];
      readonly booking: Booking | null;
    }
  | {
      readonly kind: "known";
      readonly booking: Booking | null;
      /** What it reports where that is not its booking, by `reportKey`. */
      readonly reports?: string;
    }
  | {
      readonly kind: "unmatched";
      readonly why: string;
      /** What the entry really is, when its code says otherwise. */
      readonly as?: "withdrawn_return";
      /**
       * Whether the same file has reported the movement on record on the same day, or another page of the statement has
       * reported it.
       */
      readonly another?: true;
    };

export type InstructionItem = Extract<
  Item,
  { readonly kind: "credit" | "return" | "reject" | "transfer_out" | "transfer_back" | "fee" }
>;

const NOTHING = {
  reason_code: null,
  gateway_reference: null,
  reason_message: null,
  report_type: null,
  bank_fee: null,
  amount: null,
};

/**
 * What an entry reports: a movement of one instruction, the money that arrived again after its return, the return before
 * that, the movement of a block or file that was booked as one sum, or of a part of it.
 */
type Reportable =
  | Booking["movement"]
  | "reinstatement"
  | "earlier return"
  | `${"block" | "part"} ${Booking["movement"]}`;

/**
 * Decides what an entry changes. `applyItems` calls it and writes the changes with `writeChanges`.
 * @param instruction the one that the entry names.
 * @param today used where the bank gives no date.
 */
export function decide(instruction: KnownInstruction, item: InstructionItem, today: IsoDate): Decision {
  const on = item.bookedOn ?? today;
  if (item.kind === "fee") return ofFee(instruction, item, on);
  const wrong = wrongAmount(instruction, item);
  if (wrong !== null) return unmatched(wrong);
  if (instruction.refund_of !== null) return ofRefund(instruction, item, on);
  switch (item.kind) {
    case "credit":
      return ofCredit(instruction, item, on);
    case "return":
      return ofReturn(instruction, item, on);
    case "reject":
      return ofReject(instruction, item, on);
    default:
      return unmatched("a transfer under the id of a collection");
  }
}

/** Describes a wrong amount or currency; null if they match. A missing amount is not compared. */
function wrongAmount({ amount, currency }: KnownInstruction, item: InstructionItem): string | null {
  if (item.amount === null) return null;
  if (item.amount === centsFromDatabase(amount) && item.currency === currency) return null;
  const said = `${formatAmount(item.amount)} ${item.currency ?? "without a currency"}`;
  return `the bank reports ${said}, but the file asked for ${amount} ${currency}`;
}

function ofCredit(instruction: KnownInstruction, item: AboutBooking, on: IsoDate): Decision {
  const { state, booked, returned_on } = instruction;
  const booking = bookingOf(instruction, "credit", item, on);
  if (isWithBank(instruction)) return change([settled(instruction, item.bankReference, on)], booking);
  switch (state) {
    case "settled":
      return isSame(instruction, "credit", item, on) || isReinstatement(instruction, on)
        ? known(booking)
        : another(instruction, ["credit", "reinstatement"], on, "the bank credits it a second time");
    case "returned": {
      // Money that arrives after a return, or after a rejection of what was assumed to be settled, is not the earlier credit.
      const back = booked.debit?.on ?? returned_on;
      const after = booked.credit === undefined && back !== null && on > back;
      if (!after && isSame(instruction, "credit", item, on)) return known(booking);
      return {
        ...unmatched("money arrived for a collection that was charged back"),
        as: "withdrawn_return",
      };
    }
    case "rejected":
      return unmatched("money arrived for a collection that had been rejected");
    default:
      return neverSent(instruction);
  }
}

function ofReturn(
  instruction: KnownInstruction,
  item: Extract<InstructionItem, { kind: "return" }>,
  on: IsoDate,
): Decision {
  const { state, booked } = instruction;
  const booking = bookingOf(instruction, "debit", item, on);
  if (isWithBank(instruction)) {
    // A debit for a return proves that the collection was credited before.
    const there = settled(instruction, null, instruction.due_date ?? on);
    return change([there, comesBack({ ...instruction, settled_on: there.on }, item, on)], booking);
  }
  switch (state) {
    case "settled":
      return again(instruction, on, item.kind) ?? change([comesBack(instruction, item, on)], booking);
    case "returned":
      if (!isSame(instruction, "debit", item, on)) {
        return another(instruction, ["debit"], on, "the bank returned the same money a second time");
      }
      // A status report announced the return; only the statement contains the fee.
      return booked.debit === undefined && item.fee !== null
        ? change([feeOf(instruction.reference, item.fee, on)], booking)
        : known(booking);
    case "rejected":
      return unmatched("the bank returned a collection that had been rejected");
    default:
      return neverSent(instruction);
  }
}

type AboutBooking = Exclude<InstructionItem, { kind: "reject" }>;

function bookingOf(
  { reference }: KnownInstruction,
  movement: Booking["movement"],
  { bankReference }: AboutBooking,
  on: IsoDate,
): Booking {
  return { reference, movement, booked_on: on, bank_reference: bankReference };
}

/** Banks' shorter references are often unique only for a day. */
export const BANK_REFERENCE_MIN = 6;

/** The bank's reference of a booking if it is long enough to name no other one; else null. */
export function uniqueReference(bankReference: string | null): string | null {
  return bankReference !== null && bankReference.length >= BANK_REFERENCE_MIN ? bankReference : null;
}

/**
 * Whether an entry is about the booking of this movement that is on record, or the first one. Files about one booking
 * agree in its day, or in the bank's own reference; within one file every entry is a movement of its own.
 */
export function isSame(
  { reference, booked, reported }: Pick<KnownInstruction, "reference" | "booked" | "reported">,
  movement: Booking["movement"],
  { bankReference }: Pick<AboutBooking, "bankReference">,
  on: IsoDate,
): boolean {
  const seen = booked[movement];
  if (seen === undefined) return true;
  if (reported?.has(reportKey(movement, reference)) === true) return false;
  const own = uniqueReference(bankReference);
  return seen.on === on || (own !== null && own === seen.bankReference);
}

/**
 * Whether a credit is the money that arrived again after a return, on the day on record: one entry of a file can be.
 * Money for what had been rejected is the credit on record itself.
 */
function isReinstatement(
  {
    reference,
    settled_on,
    reinstated_on,
    reported,
  }: Pick<KnownInstruction, "reference" | "settled_on" | "reinstated_on" | "reported">,
  on: IsoDate,
): boolean {
  if (on !== reinstated_on || settled_on === reinstated_on) return false;
  return reported?.has(reportKey("reinstatement", reference)) !== true;
}

/**
 * Whether the bank has the instruction. One that was taken out of its file and is booked all the same is with the bank.
 * Only a booking proves it: for a rejection see `isOfWithdrawn`.
 */
export function isWithBank({ state, withdrawn }: KnownInstruction): boolean {
  return state === "batched" || (state === "accepted" && withdrawn);
}

/** A status report without a booking moves no money. */
function ofReject(
  instruction: KnownInstruction,
  item: Extract<InstructionItem, { kind: "reject" }>,
  on: IsoDate,
): Decision {
  if (isOfWithdrawn(instruction, item))
    return instruction.state === "settled"
      ? unmatched(
          "the bank rejected it in a file that was withdrawn, but the money arrived: ask whether it came back",
        )
      : known(null);
  switch (instruction.state) {
    case "batched":
      return change([rejected(instruction, item, on)], null);
    case "settled": {
      // A settlement may only have been assumed. Otherwise a booking later than the report is real money.
      const { assumed, booked, settled_on } = instruction;
      const arrived = assumed ? (booked.credit?.on ?? null) : settled_on;
      if (arrived !== null && on < arrived) {
        return (
          again(instruction, on, item.kind) ??
          unmatched(`the bank had rejected it, but the money arrived on ${arrived}`)
        );
      }
      return again(instruction, on, item.kind) ?? change([comesBack(instruction, item, on)], null);
    }
    case "returned":
    case "rejected":
      return known(null);
    default:
      return neverSent(instruction);
  }
}

/**
 * Whether a report names a withdrawn file that the instruction was in, and not the one that it is in. The rejection may
 * be the reason why the file was withdrawn, and says nothing about the next file.
 */
function isOfWithdrawn(
  { state, block_id: block, withdrawnBlocks = [] }: KnownInstruction,
  item: Pick<Item, "ids">,
): boolean {
  // Money for what is in no file came from the withdrawn one.
  if (block === null ? state === "settled" : namesBlock(item, block)) return false;
  return withdrawnBlocks.some((one) => namesBlock(item, one));
}

/** Whether the entry names the block, or the file that it was sent in. */
export function namesBlock({ ids }: Pick<Item, "ids">, block: string): boolean {
  return ids.others.includes(block) || ids.others.includes(fileIdOfBlock(block));
}

/**
 * A return of money that has been reinstated since. A return dated before the reinstatement, or on the day of the
 * recorded return, is that same return reported by another file: returned on the 5th, reinstated on the 7th, and a file
 * of the 8th says "returned on the 5th". But where a report had refused the debit and its money came all the same, a
 * booking on the day of the report takes that money back, so it is another return.
 */
function again(instruction: KnownInstruction, on: IsoDate, kind: AboutReturn["kind"]): Decision | null {
  const { reference, returned_on, reinstated_on, settled_on, reported } = instruction;
  if (reinstated_on === null) return null;
  const wasRefused = settled_on === reinstated_on;
  if (on === returned_on && (kind === "reject" || !wasRefused)) {
    // A report moves no money, so another one is about the same.
    if (kind === "reject") return known(null);
    const reports = reportKey("earlier return", reference);
    if (reported?.has(reports) !== true) return { kind: "known", booking: null, reports };
  } else if (on > reinstated_on) return null;
  const why = `the money was reinstated on ${reinstated_on}: check whether this is another return`;
  return another(instruction, ["earlier return"], on, why);
}

/** The change for money that arrived although the bank had rejected or returned the collection. */
export function reinstated(
  instruction: KnownInstruction,
  bankReference: string | null,
  on: IsoDate,
): CollectionChange {
  // A returned collection keeps the reference of its first booking.
  const gateway_reference =
    instruction.state === "returned" ? null : settled(instruction, bankReference, on).gateway_reference;
  return {
    ...NOTHING,
    reference: instruction.reference,
    state: "settled",
    on,
    gateway_reference,
    news: "reinstated",
  };
}

/** Our own transfers and reversals are booked or rejected; one that is returned later waits for a person. */
function ofRefund(
  instruction: KnownInstruction,
  item: Exclude<InstructionItem, { kind: "fee" }>,
  on: IsoDate,
): Decision {
  const { state, reversible_until: reversible } = instruction;
  if (item.kind === "reject") {
    if (state === "rejected" || isOfWithdrawn(instruction, item)) return known(null);
    return state === "batched"
      ? change([rejected(instruction, item, on)], null)
      : unmatched(`the bank rejected a refund that is ${state}`);
  }
  // Without a bank code, money that leaves under a refund's id without a return reason is that refund.
  const taken = item.kind === "return" && (reversible !== null || hasNoReason(item));
  const out = item.kind === "transfer_out" || taken;
  if (!out) return unmatched("a refund was returned: pay it again by hand, or to another account");
  const booking = bookingOf(instruction, "debit", item, on);
  // A reversal whose file was withdrawn waits for the next file. The bank had the first file all the same, so the
  // reversal must not be sent again.
  const wasGiven = state === "accepted" && item.kind === "return" && item.reversal === true;
  const fee = item.kind === "return" ? item.fee : null;
  if (isWithBank(instruction) || wasGiven) {
    const bank_fee = fee === null ? null : formatAmount(fee);
    return change([{ ...settled(instruction, item.bankReference, on), bank_fee }], booking);
  }
  if (state !== "settled") return unmatched(`the refund is ${state}`);
  // Its settlement was only assumed; the actual booking contains the fee.
  if (instruction.assumed && instruction.booked.debit === undefined && fee !== null)
    return change([feeOf(instruction.reference, fee, on)], booking);
  return isSame(instruction, "debit", item, on)
    ? known(booking)
    : another(instruction, ["debit"], on, "a refund was paid a second time");
}

/** The collected amount never contains a fee; a return may have one. */
function ofFee(
  instruction: KnownInstruction,
  item: Extract<InstructionItem, { kind: "fee" }>,
  on: IsoDate,
): Decision {
  const { reference, state, booked, currency } = instruction;
  const { amount } = item;
  const booking = bookingOf(instruction, "fee", item, on);
  if (booked.fee !== undefined) {
    return isSame(instruction, "fee", item, on)
      ? known(booking)
      : another(instruction, ["fee"], on, "a second fee with the same id");
  }
  if (state !== "returned") return unmatched("a fee with the id of an instruction that was not returned");
  if (amount === null || item.currency !== currency)
    return unmatched("a fee whose amount cannot be recorded");
  return change([feeOf(reference, amount, on)], booking);
}

function feeOf(reference: string, fee: Cents, on: IsoDate): CollectionChange {
  return { ...NOTHING, reference, state: "returned", on, news: "fee", bank_fee: formatAmount(fee) };
}

/**
 * The change for a settlement. All transactions of a collective booking share the bank's reference, so ours is
 * appended.
 */
export function settled(
  { reference, block_id }: KnownInstruction,
  bankReference: string | null,
  on: IsoDate,
): CollectionChange {
  const block = block_id === null ? "" : `${fileIdOfBlock(block_id)}/${block_id}/`;
  const gateway_reference = bankReference === null ? `${block}${reference}` : `${bankReference}:${reference}`;
  return { ...NOTHING, reference, state: "settled", on, gateway_reference, news: "settled" };
}

type AboutReturn = Extract<InstructionItem, { kind: "return" | "reject" }>;

/**
 * The change for a debit that came back before it settled; its news is `returned`. For settled money see `comesBack`.
 */
export function rejected(
  { reference }: Pick<KnownInstruction, "reference">,
  { why }: Pick<AboutReturn, "why">,
  on: IsoDate,
): CollectionChange {
  return {
    ...NOTHING,
    reference,
    state: "rejected",
    on,
    news: "returned",
    reason_code: why.code ?? "NARR",
    reason_message: why.message,
  };
}

/**
 * The change for settled money that was returned: a chargeback, regardless of who requested it. `writeChanges`
 * (changes-store.ts) stores its news in `sepa_news`; `applyNews` (src/payments/news/apply.ts) charges the payment back.
 */
function comesBack(instruction: KnownInstruction, item: AboutReturn, on: IsoDate): CollectionChange {
  const { why } = item;
  const fee = item.kind === "return" ? item.fee : null;
  return {
    ...NOTHING,
    reference: instruction.reference,
    state: "returned",
    on,
    news: "charged_back",
    reason_code: why.code ?? "NARR",
    reason_message: why.message,
    report_type: reportType(why.code, instruction.settled_on ?? instruction.due_date ?? on, on),
    bank_fee: fee === null ? null : formatAmount(fee),
  };
}

/** MD06 is a refund within eight weeks; MD01 after the period for returns is the refund of an unauthorised debit. */
function reportType(code: string | null, settledOn: IsoDate, on: IsoDate): string {
  if (code === "MD06") return "refund";
  return code === "MD01" && on > windowsOf(settledOn).lastCoreReturn ? "unauthorised_refund" : "return";
}

function neverSent({ state, withdrawn }: KnownInstruction): Decision {
  if (withdrawn && state !== "accepted")
    return unmatched(
      "the bank has it from a file that was withdrawn, and it was not to be collected any more",
    );
  return unmatched(`the collection is ${state}: it was never sent to the bank`);
}

function change(changes: readonly CollectionChange[], booking: Booking | null): Decision {
  return { kind: "change", changes, booking };
}

function known(booking: Booking | null): Decision {
  return { kind: "known", booking };
}

function unmatched(why: string): Extract<Decision, { kind: "unmatched" }> {
  return { kind: "unmatched", why };
}

/** A movement besides the one on record, of this day. */
function another(
  { isReportedOn }: Pick<KnownInstruction, "isReportedOn">,
  movements: readonly Reportable[],
  on: IsoDate,
  why: string,
): Decision {
  const isReported = movements.some((one) => isReportedOn?.(one, on));
  return { ...unmatched(why), ...(isReported ? { another: true } : {}) };
}

/** What an entry reports, whether it was applied or already known. */
export function reportableOf(instruction: KnownInstruction, booking: Booking): Reportable {
  const { movement, booked_on: on, bank_reference: bankReference } = booking;
  const isAnother = movement === "credit" && !isSame(instruction, movement, { bankReference }, on);
  return isAnother ? "reinstatement" : movement;
}

/**
 * Key of a movement in a file's set of reported movements.
 * @param of the reference of the instruction, or the id of the block or file.
 */
export function reportKey(what: Reportable, of: string): string {
  return `${what} ${of}`;
}

/** Key of a movement of this day in a file's set of reported movements. */
export function onDay(key: string, on: IsoDate): string {
  return `${key} ${on}`;
}

/** The id of the file that a block was sent in, which is the prefix of the block's. */
export function fileIdOfBlock(block: string): string {
  return block.replace(/-\d+$/, "");
}
