/**
 * Finds out whether an entry is about a debit or its reversal: banks book a reversal under the debit's own id. Pure.
 */
import type { IsoDate } from "../../../lib/dates.ts";
import { isSame, namesBlock, type InstructionItem, type KnownInstruction } from "./decide.ts";
import type { Item } from "./items.ts";

type MaybeReversal = Extract<InstructionItem, { readonly kind: "return" | "reject" }>;

/** Only a return or a status may be about a reversal under the id of its debit. */
export function mayBeReversal<One extends Pick<Item, "kind">>(item: One): item is One & MaybeReversal {
  return item.kind === "return" || item.kind === "reject";
}

/** The named instruction itself, or its reversal if the entry is about that. */
export function concernedInstruction(
  named: KnownInstruction,
  item: InstructionItem,
  instructions: ReadonlyMap<string, KnownInstruction>,
  today: IsoDate,
): KnownInstruction | "unclear" | "withdrawn" {
  if (!mayBeReversal(item) || named.refund_of !== null) return named;
  const reversals = [...instructions.values()].filter(
    (one) => one.refund_of === named.reference && one.reversible_until !== null && one.state !== "refused",
  );
  const waiting = reversals.find(({ state }) => state === "accepted");
  // A reversal that was settled while it waited has no block and counts as done.
  const going = reversals.find(({ state }) => state === "batched" || state === "settled");
  if (going === undefined && waiting !== undefined && isBookedReversal(item)) return waiting;
  // At most one of them is under way or done. Without one, the last that the bank refused counts.
  const reversal = going ?? reversals.findLast(({ block_id: block }) => block !== null);
  if (reversal === undefined) return concernedWithoutSent(named, item, reversals);
  const meant = debitOrReversal(named, reversal, item, today);
  return meant === "unclear" ? meant : meant === "debit" ? named : reversal;
}

/** For a debit without a reversal at the bank, or one waiting that the entry could be about. */
function concernedWithoutSent(
  named: KnownInstruction,
  item: MaybeReversal,
  unsent: readonly KnownInstruction[],
): KnownInstruction | "unclear" | "withdrawn" {
  if (item.reversal === true && item.kind === "reject") return "unclear";
  return isBookedReversal(item) && unsent.length > 0 ? "withdrawn" : named;
}

/**
 * Whether the bank itself calls it the booking of a reversal. If no reversal is in a file, it is one that was taken out
 * of its file although the bank had it. A reason code means a return instead.
 */
function isBookedReversal(item: MaybeReversal): boolean {
  return item.kind === "return" && item.reversal === true && item.why.code === null;
}

/** The reversal of a debit that an entry under the debit's id may be about. */
type KnownReversal = Pick<KnownInstruction, "reference" | "state" | "block_id" | "booked" | "reported">;

/**
 * Whether an entry that names a reversed debit is about the debit or the reversal: banks book a reversal, and answer to
 * it, under the debit's own id. The bank's code decides first, then the file or block that the entry names; a reason
 * comes from the debtor's bank, so it means the debit. An entry with none of these may be about either until the
 * reversal's booking is known.
 * @param today used where the bank gives no date.
 */
export function debitOrReversal(
  debit: KnownInstruction,
  reversal: KnownReversal,
  item: MaybeReversal,
  today: IsoDate,
): "debit" | "reversal" | "unclear" {
  if (item.reversal === true || isNamed(reversal, item)) return "reversal";
  if (isNamed(debit, item)) return "debit";
  const { state, booked } = reversal;
  // A reversal whose booking was only assumed still waits for it.
  const waits = state === "batched" || (state === "settled" && booked.debit === undefined);
  if (item.kind === "reject") return waits ? "unclear" : "debit";
  if (item.why.code !== null) return "debit";
  if (waits) return "unclear";
  return state === "settled" && isSame(reversal, "debit", item, item.bookedOn ?? today)
    ? "reversal"
    : "debit";
}

/** Whether the entry names the block that the instruction was sent in, or its file. */
function isNamed({ block_id: block }: Pick<KnownInstruction, "block_id">, item: InstructionItem): boolean {
  return block !== null && namesBlock(item, block);
}
