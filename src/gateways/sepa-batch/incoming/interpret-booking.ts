/** Classifies a booked transaction: credit, return, transfer, fee, or nothing that moves money. Pure. */
import type { BankAmount } from "../../../sepa/messages/reading/amounts.ts";
import { classify, movesMoney } from "../../../sepa/messages/reading/classify.ts";
import type { Detail, Entry } from "../../../sepa/messages/reading/records.ts";
import { splitReturn } from "../../../sepa/messages/reading/returned-amount.ts";
import { blockOf, idsOf, usable } from "./ids.ts";
import type { Item, Money, Reading } from "./interpret.ts";
import { whyOf } from "./why.ts";

/** @param detail Null for an entry that lists no transaction. */
export function ofMovement(reading: Reading, entry: Entry, detail: Detail | null): Item {
  const bookedOn = entry.bookingDate ?? entry.valueDate ?? reading.createdOn;
  const said = { bookedOn, ids: idsOf(entry, detail) };
  const note = (words: string, understood = false): Item => ({ ...said, kind: "note", words, understood });
  if (!reading.ours) return note("another account");
  // A state that is not of the standard is not understood; the others say that nothing is booked yet.
  if (!movesMoney(entry)) return note(`not booked (${entry.state ?? "no status"})`, entry.state !== null);
  const sign = detail?.sign ?? entry.sign;
  if (sign === null) return note("booked without a credit or debit indicator");
  const movement = classify(entry, detail);
  const money = moneyOf(reading, entry, detail);
  const bankReference = usable(detail?.servicerReference) ?? usable(entry.servicerReference);
  const why = whyOf(detail?.returnReason ?? null, detail?.additionalInformation ?? null);
  const block = blockOf(detail?.batch ?? entry.batches[0] ?? null, detail);
  const booked = { ...said, ...money, bankReference, block };
  switch (movement) {
    case "collection":
    case "unclear": {
      const sure = movement === "collection";
      if (sign === "DBIT")
        return { ...booked, ...returnedOf(reading, entry, detail), kind: "return", why, sure };
      if (entry.reversal) return { ...said, ...money, kind: "withdrawn_return", sure };
      return { ...booked, kind: detail === null ? "block_credit" : "credit", sure };
    }
    case "return":
      return { ...booked, ...returnedOf(reading, entry, detail), kind: "return", why, sure: true };
    case "return_withdrawn":
      return { ...said, ...money, kind: "withdrawn_return", sure: true };
    case "fee":
      return sign === "DBIT"
        ? { ...said, ...money, kind: "fee", bankReference }
        : note("a fee that was refunded");
    case "unrelated":
      return { ...booked, kind: sign === "DBIT" ? "transfer_out" : "transfer_back", why };
  }
}

/** The collected amount, and the fee on top. Without cents where the bank contradicts itself. */
function returnedOf(
  { currency }: Reading,
  entry: Entry,
  detail: Detail | null,
): Money & Pick<Extract<Item, { readonly kind: "return" }>, "fee"> {
  const split = splitReturn(entry, detail);
  return {
    amount: split?.original ?? null,
    currency: split?.currency ?? currency,
    fee: split === null || split.fee === 0 ? null : split.fee,
  };
}

/** A transaction's amount in the currency of its entry: amounts in another one are those of another bank. */
function moneyOf({ currency }: Reading, entry: Entry, detail: Detail | null): Money {
  const stated = [
    detail?.amount,
    detail?.transactionAmount,
    detail?.instructedAmount,
    detail === null || detail.alone ? entry.amount : null,
  ].filter((amount): amount is BankAmount => amount !== null && amount !== undefined);
  const amount = stated.find((one) => one.currency === entry.amount?.currency) ?? stated[0] ?? null;
  return { amount: amount?.cents ?? null, currency: amount?.currency ?? currency };
}
