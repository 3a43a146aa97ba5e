/** Splits a return's amount into the returned collection and the banks' fees. */
import { cents, type Cents } from "../../../lib/money.ts";
import type { BankAmount, Charge, Detail, Entry } from "./records.ts";

interface ReturnedAmount {
  /** What was taken from the account for it. */
  readonly booked: Cents;
  /** What had been collected. */
  readonly original: Cents;
  /** Fees and interest of the banks. */
  readonly fee: Cents;
  /** Whether `booked` contains the fee; otherwise the bank books it separately (Switzerland). */
  readonly feeIncluded: boolean;
  /** Of all of them. */
  readonly currency: string | null;
}

/**
 * Splits what was booked for a return: booked = original + fee, where the fee is inside.
 *
 * Null when the bank's amounts contradict each other or cannot be said in cents: a person has to look.
 */
export function splitReturn(entry: Entry, detail: Detail | null): ReturnedAmount | null {
  const booked = known(bookedFor(entry, detail));
  if (booked === null) return null;
  const stated = statedOriginal(entry, detail, booked);
  const charges = chargesFor(entry, detail);
  return stated === null ? splitByCharges(booked, charges) : splitByOriginal(booked, stated, charges);
}

/** An amount that is known in cents. */
interface Known {
  readonly cents: Cents;
  readonly currency: string | null;
}

/**
 * A detail's own part, as far as it is said in the account's currency; the whole entry, which may be more by its fees,
 * when there is nothing else in it.
 */
function bookedFor(entry: Entry, detail: Detail | null): BankAmount | null {
  if (detail === null || detail.alone) return entry.amount;
  const stated = [detail.amount, detail.transactionAmount, detail.instructedAmount];
  const inCurrency = stated.find((amount) => amount !== null && amount.currency === entry.amount?.currency);
  return inCurrency ?? detail.amount ?? detail.instructedAmount;
}

function known(amount: BankAmount | null): Known | null {
  return amount === null || amount.cents === null ? null : { cents: amount.cents, currency: amount.currency };
}

/** What the bank states as the original: the instructed amount, else a transaction's amount that is not the entry's. */
function statedOriginal(entry: Entry, detail: Detail | null, booked: Known): BankAmount | null {
  const instructed =
    detail?.instructedAmount ?? (detail === null || detail.alone ? entry.instructedAmount : null);
  if (isStated(instructed, booked)) return instructed;
  const others = [detail?.transactionAmount ?? null, detail?.amount ?? null];
  return others.find((amount) => isStated(amount, booked) && amount?.cents !== booked.cents) ?? null;
}

/** Amounts in another currency are what the debtor's bank saw; a zero is a place that had to be filled. */
function isStated(amount: BankAmount | null, booked: Known): boolean {
  return amount !== null && amount.currency === booked.currency && amount.cents !== 0;
}

function chargesFor(entry: Entry, detail: Detail | null): readonly Charge[] {
  if (detail === null) return entry.charges;
  return detail.charges.length === 0 && detail.alone ? entry.charges : detail.charges;
}

/** The fee is the difference, whatever the charges say: interest is in it, too. */
function splitByOriginal(
  booked: Known,
  stated: BankAmount,
  charges: readonly Charge[],
): ReturnedAmount | null {
  if (stated.cents === null || stated.cents > booked.cents) return null;
  if (stated.cents === booked.cents) return feeApart(booked, charges);
  return {
    booked: booked.cents,
    original: stated.cents,
    fee: cents(booked.cents - stated.cents),
    feeIncluded: true,
    currency: booked.currency,
  };
}

/** Without a stated original only charges that the bank calls included are inside. */
function splitByCharges(booked: Known, charges: readonly Charge[]): ReturnedAmount | null {
  const inside = charges.filter(({ included }) => included === true);
  if (inside.length === 0) return feeApart(booked, charges);
  const fee = sumOf(inside, booked.currency);
  if (fee === null || fee >= booked.cents) return null;
  const original = cents(booked.cents - fee);
  return { booked: booked.cents, original, fee, feeIncluded: true, currency: booked.currency };
}

function feeApart(booked: Known, charges: readonly Charge[]): ReturnedAmount | null {
  const fee = sumOf(charges, booked.currency);
  const { cents: original, currency } = booked;
  return fee === null ? null : { booked: original, original, fee, feeIncluded: false, currency };
}

/** Fees given back count against fees taken. Null when one cannot be counted, or more was given back than taken. */
function sumOf(charges: readonly Charge[], currency: string | null): Cents | null {
  let sum = 0;
  for (const { amount, sign } of charges) {
    const charge = known(amount);
    if (charge === null || charge.currency !== currency) return null;
    sum += sign === "CRDT" ? 0 - charge.cents : charge.cents;
  }
  return sum >= 0 ? cents(sum) : null;
}
