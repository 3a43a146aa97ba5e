/** Which of a debit and its reversal an entry is about: banks book a reversal under the debit's own id. Pure. */
import type { IsoDate } from "../../../lib/dates.ts";
import { isSame, type About, type KnownInstruction } from "./decide.ts";
import type { Item } from "./items.ts";

type MaybeReversal = Extract<About, { readonly kind: "return" | "reject" }>;

/** Only a return or a status may be about a reversal under the id of its debit. */
export function mayBeReversal<One extends Pick<Item, "kind">>(item: One): item is One & MaybeReversal {
  return item.kind === "return" || item.kind === "reject";
}

/** The instruction itself, or the reversal of it that the bank has under its id. */
export function meantBy(
  named: KnownInstruction,
  item: About,
  instructions: ReadonlyMap<string, KnownInstruction>,
  today: IsoDate,
): KnownInstruction | "unclear" | "withdrawn" {
  if (!mayBeReversal(item) || named.refund_of !== null) return named;
  const reversals = [...instructions.values()].filter(
    (one) => one.refund_of === named.reference && one.reversible_until !== null && one.state !== "refused",
  );
  const waiting = reversals.find(({ state }) => state === "accepted");
  // One that was settled while it waited has no block, and is done like any other.
  const going = reversals.find(({ state }) => state === "batched" || state === "settled");
  if (going === undefined && waiting !== undefined && isBookedReversal(item)) return waiting;
  // At most one of them is under way or done; without one, the last that the bank refused.
  const reversal = going ?? reversals.findLast(({ block_id: block }) => block !== null);
  if (reversal === undefined) return meantByUnsent(named, item, reversals);
  const meant = meantOf(named, reversal, item, today);
  return meant === "unclear" ? meant : meant === "debit" ? named : reversal;
}

/** No reversal of the debit is with the bank, or waits and can be what the entry is about. */
function meantByUnsent(
  named: KnownInstruction,
  item: MaybeReversal,
  unsent: readonly KnownInstruction[],
): KnownInstruction | "unclear" | "withdrawn" {
  if (item.reversal === true && item.kind === "reject") return "unclear";
  return isBookedReversal(item) && unsent.length > 0 ? "withdrawn" : named;
}

/**
 * What the bank itself calls the booking of a reversal. While none is in a file it is about one that was taken out of its file and
 * had been given to the bank all the same; a reason is one of a return.
 */
function isBookedReversal(item: MaybeReversal): boolean {
  return item.kind === "return" && item.reversal === true && item.why.code === null;
}

/** The reversal of a debit that an entry under the debit's id may be about. */
type KnownReversal = Pick<KnownInstruction, "reference" | "state" | "block_id" | "booked" | "reported">;

/**
 * Whom an entry is about that names a debit which the creditor has reversed: banks book a reversal, and answer to it, under the
 * debit's own id. The bank's code counts, then the file or block that it names; a reason is one of the debtor's bank. What says
 * none of these may be either, until the reversal's booking is known.
 * @param today where the bank gives no date.
 */
export function meantOf(
  debit: KnownInstruction,
  reversal: KnownReversal,
  item: MaybeReversal,
  today: IsoDate,
): "debit" | "reversal" | "unclear" {
  if (item.reversal === true || isNamed(reversal, item)) return "reversal";
  if (isNamed(debit, item)) return "debit";
  const { state, booked } = reversal;
  // A reversal that was assumed to be booked still waits for its booking.
  const waits = state === "batched" || (state === "settled" && booked.debit === undefined);
  if (item.kind === "reject") return waits ? "unclear" : "debit";
  if (item.why.code !== null) return "debit";
  if (waits) return "unclear";
  return state === "settled" && isSame(reversal, "debit", item, item.bookedOn ?? today)
    ? "reversal"
    : "debit";
}

/** By the block that it was sent in, or the file, whose id begins that of the block. */
function isNamed({ block_id: block }: Pick<KnownInstruction, "block_id">, { ids }: About): boolean {
  return block !== null && (ids.others.includes(block) || ids.others.includes(block.replace(/-\d+$/, "")));
}
