/** What a booked transaction means: one of our collections, a return of one and how much of that are fees, or neither. */
import { cents, type Cents } from "../../../lib/money.ts";
import type { BankAmount, Charge, Detail, Entry, Sign, TransactionCode } from "./bank-records.ts";

/**
 * - `collection`: money of our direct debits came in.
 * - `return`: money of one of them was returned, by whomever (return, refund, reversal; see the reason).
 * - `return_withdrawn`: the bank reverses a return: a person has to look.
 * - `fee`: charges, commissions, taxes and interest of the banks, booked separately; never a collection or a return.
 * - `unrelated`: credit transfers, debits of others against us, the return of our own transfers.
 * - `unclear`: the bank does not say enough. Only an id that we gave makes it ours; an amount or a mandate does not.
 */
export type Movement = "collection" | "return" | "return_withdrawn" | "fee" | "unrelated" | "unclear";

/** What a code alone says, before the sign is looked at. */
type Role = "collection" | "taking_back" | "fee" | "other" | "unknown";
/** Whose direct debit: IDDT were issued by the account's holder, RDDT were received by them. */
type Side = "issued" | "received";

interface Meaning {
  readonly role: Role;
  readonly side: Side;
}

const UNKNOWN: Meaning = { role: "unknown", side: "issued" };
const OTHER: Meaning = { role: "other", side: "issued" };
const FEE: Meaning = { role: "fee", side: "issued" };

const SIDES = table<Side>({ IDDT: "issued", RDDT: "received" });

/** ISO's subfamilies of direct debits. Those not listed (adjustments) are no movement of ours. */
const SUBFAMILIES = table<Role>({
  ESDD: "collection",
  BBDD: "collection",
  PMDD: "collection",
  OODD: "collection",
  PADD: "collection",
  XBDD: "collection",
  OTHR: "collection",
  NTAV: "collection",
  UPDD: "taking_back",
  PRDD: "taking_back",
  RCDD: "taking_back",
});

/** ISO's subfamilies of what banks charge, in whatever family: charges, fees, commissions, taxes, interest. */
const FEES = new Set(["CHRG", "FEES", "COMM", "COME", "COMI", "COMT", "TAXE", "INTR"]);

/** Families that say "something" only. */
const FAMILIES_SAYING_NOTHING = new Set(["NTAV", "OTHR", "MCOP", "MDOP"]);

/** The German banks' business transaction codes (GVC) of direct debits and of what is certainly none. */
const GVC = table<Meaning>({
  "171": { role: "collection", side: "issued" },
  "174": { role: "collection", side: "issued" },
  "192": { role: "collection", side: "issued" },
  "196": { role: "collection", side: "issued" },
  "108": { role: "taking_back", side: "issued" },
  "109": { role: "taking_back", side: "issued" },
  "104": { role: "collection", side: "received" },
  "105": { role: "collection", side: "received" },
  // Closing entries, interest, charges and commissions.
  ...Object.fromEntries(
    ["805", "807", "808", "809", "810", "811", "814", "815", "817"].map((code) => [code, FEE]),
  ),
  ...Object.fromEntries(
    [
      "020",
      "051",
      "116",
      "117",
      "118",
      "119",
      "152",
      "153",
      "156",
      "159",
      "166",
      "168",
      "177",
      "191",
      "194",
      "201",
    ].map((code) => [code, OTHER]),
  ),
});

/** Codes of single banks. */
const OF_BANKS = table<Meaning>({
  // ABN AMRO: unpaid direct debit.
  N245: { role: "taking_back", side: "issued" },
});

/** Only what is booked moves money; everything else is a note that it may. */
export function movesMoney(entry: Entry): boolean {
  return entry.state === "BOOK";
}

/** @param detail Null for an entry without any: a collective booking, or a single one that says everything itself. */
export function classify(entry: Entry, detail: Detail | null): Movement {
  const meaning = meaningOf(entry.code, detail?.code ?? null);
  const sign = detail?.sign ?? entry.sign;
  if (meaning.role === "fee") return "fee";
  if (meaning.role === "other") return "unrelated";
  if (sign === null || meaning.role === "unknown") return "unclear";
  const returned = detail !== null && detail.returnReason !== null;
  return MOVEMENTS[meaning.role][meaning.side][sign](entry.reversal, returned);
}

/** The transaction's own code counts, unless only the entry's code is a return. */
function meaningOf(entryCode: TransactionCode, detailCode: TransactionCode | null): Meaning {
  const ofEntry = meaningOfCode(entryCode);
  const ofDetail = detailCode === null ? UNKNOWN : meaningOfCode(detailCode);
  if (ofDetail.role === "unknown") return ofEntry;
  return ofEntry.role === "taking_back" && ofDetail.role === "collection" ? ofEntry : ofDetail;
}

/** ISO's code first; the bank's own where that says nothing. Where they contradict each other, nothing is said. */
function meaningOfCode(code: TransactionCode): Meaning {
  const ofFamily = meaningOfFamily(code);
  const ofBank = meaningOfProprietary(code);
  // A fee for a return may also have the return's code.
  if (ofFamily.role === "fee" || ofBank.role === "fee") return FEE;
  if (ofFamily.role === "unknown") return ofBank;
  const contradicted =
    ofFamily.role === "other" && (ofBank.role === "collection" || ofBank.role === "taking_back");
  return contradicted ? UNKNOWN : ofFamily;
}

function meaningOfFamily({ domain, family, subfamily }: TransactionCode): Meaning {
  if (FEES.has(subfamily ?? "")) return FEE;
  if (domain === null || family === null || FAMILIES_SAYING_NOTHING.has(family)) return UNKNOWN;
  const side = domain === "PMNT" ? SIDES.get(family) : undefined;
  return side === undefined ? OTHER : { role: SUBFAMILIES.get(subfamily ?? "NTAV") ?? "other", side };
}

/** `NDDT+192+09200`, the German banks' `192` alone, or a code of a single bank. */
function meaningOfProprietary({ proprietary, issuer }: TransactionCode): Meaning {
  if (proprietary === null) return UNKNOWN;
  const german = /^N?[A-Z]{3}\+(\d{3})(?:\+|$)/.exec(proprietary)?.[1];
  const gvc = german ?? (issuer === "DK" || issuer === "ZKA" ? proprietary : null);
  return GVC.get(gvc ?? "") ?? OF_BANKS.get(proprietary) ?? UNKNOWN;
}

/** By role, side and sign; then whether the entry is marked as a reversal, and whether a reason of a return is given. */
const MOVEMENTS: Readonly<
  Record<
    "collection" | "taking_back",
    Record<Side, Record<Sign, (reversal: boolean, returned: boolean) => Movement>>
  >
> = {
  taking_back: {
    issued: {
      DBIT: () => "return",
      CRDT: (reversal) => (reversal ? "return_withdrawn" : "unclear"),
    },
    received: {
      // PostFinance books the creditor's side as received.
      DBIT: () => "return",
      // A debit against us came back.
      CRDT: (reversal) => (reversal ? "unclear" : "unrelated"),
    },
  },
  collection: {
    issued: {
      DBIT: (reversal, returned) => (reversal || returned ? "return" : "unclear"),
      CRDT: (reversal) => (reversal ? "unclear" : "collection"),
    },
    received: {
      DBIT: (reversal, returned) =>
        reversal && returned ? "return" : reversal || returned ? "unclear" : "unrelated",
      CRDT: (reversal) => (reversal ? "unrelated" : "collection"),
    },
  },
};

/** A map, because codes come from outside and an object knows more names than its own. */
function table<Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(rows));
}

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

/** Whether the bank's code says that the creditor has reversed the debit: no return by the debtor's bank. */
export function isCreditorsReversal(entry: Entry, detail: Detail | null): boolean {
  return [entry.code, detail?.code].some((code) => code?.family === "IDDT" && code.subfamily === "PRDD");
}
