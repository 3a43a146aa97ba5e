/** How much of a return is the collection that came back, and how much the banks' fees for it. */
import { cents, type Cents } from "../../lib/money.ts";
import type { BankAmount } from "./amounts.ts";
import type { Charge, Detail, Entry } from "./records.ts";

export interface ReturnedAmount {
  /** What was taken from the account for it. */
  readonly booked: Cents;
  /** What had been collected. */
  readonly original: Cents;
  /** Fees and interest of the banks. */
  readonly fee: Cents;
  /** Whether `booked` contains the fee; otherwise the bank books it by itself (Switzerland) . */
  readonly feeIncluded: boolean;
}

/**
 * Splits what was booked for a return: booked = original + fee, where the fee is inside.
 *
 * Null when the bank's amounts contradict each other or cannot be said in cents: a person has to look.
 *
 * @param alone Whether the detail is the only one of its entry (`entry_end.details` is 1).
 */
export function splitReturn(entry: Entry, detail: Detail | null, alone: boolean): ReturnedAmount | null {
  const booked = bookedFor(entry, detail, alone);
  if (booked === null) return null;
  const charges = detail !== null && detail.charges.length > 0 ? detail.charges : alone ? entry.charges : [];
  const stated = statedOriginal(entry, detail, booked);
  if (stated === "contradiction") return null;
  const charged = sumOf(charges, booked.currency);
  const included = sumOf(
    charges.filter((charge) => charge.included === true),
    booked.currency,
  );
  if (charged === null || included === null) return null;
  return split(booked.cents, stated ?? booked.cents - included, charged);
}

/** An amount that is known in cents. */
interface Known {
  readonly cents: Cents;
  readonly currency: string | null;
}

/** A detail's own part; the whole entry, which may be more by its fees, when there is nothing else in it. */
function bookedFor(entry: Entry, detail: Detail | null, alone: boolean): Known | null {
  const amount = alone || detail === null ? entry.amount : (detail.amount ?? detail.instructedAmount);
  return known(amount);
}

/** What the bank states as the original: the instructed amount, else a smaller amount of the transaction itself. */
function statedOriginal(entry: Entry, detail: Detail | null, booked: Known): Cents | null | "contradiction" {
  const instructed = detail === null ? entry.instructedAmount : (detail.instructedAmount ?? null);
  const candidates = [instructed, detail?.transactionAmount ?? null, detail?.amount ?? null];
  const inCurrency = candidates.filter((amount) => amount !== null && amount.currency === booked.currency);
  if (inCurrency.some((amount) => amount?.cents === null)) return "contradiction";
  const stated = inCurrency.map((amount) => amount?.cents ?? booked.cents);
  if (stated.some((amount) => amount > booked.cents)) return "contradiction";
  return stated.find((amount) => amount > 0 && amount < booked.cents) ?? null;
}

function split(booked: Cents, original: number, charged: number): ReturnedAmount | null {
  if (original <= 0) return null;
  const difference = booked - original;
  if (difference > 0) return { booked, original: cents(original), fee: cents(difference), feeIncluded: true };
  return { booked, original: booked, fee: cents(Math.max(0, charged)), feeIncluded: false };
}

/** Fees given back count against fees taken. Null when one cannot be counted. */
function sumOf(charges: readonly Charge[], currency: string | null): number | null {
  let sum = 0;
  for (const { amount, sign } of charges) {
    const charge = known(amount);
    if (charge === null || charge.currency !== currency) return null;
    sum += sign === "CRDT" ? 0 - charge.cents : charge.cents;
  }
  return sum;
}

function known(amount: BankAmount | null): Known | null {
  return amount === null || amount.cents === null ? null : { cents: amount.cents, currency: amount.currency };
}
