/** Classifies a booked transaction: a collection of ours, a return of one with the fees in it, or neither. */
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

/** What a code alone means, before the sign is considered. */
type Role = "collection" | "taking_back" | "fee" | "other" | "unknown";
/** The issuer of the direct debit: IDDT were issued by the account holder, RDDT were received. */
type Side = "issued" | "received";

interface Meaning {
  readonly role: Role;
  readonly side: Side;
}

const UNKNOWN: Meaning = { role: "unknown", side: "issued" };
const OTHER: Meaning = { role: "other", side: "issued" };
const FEE: Meaning = { role: "fee", side: "issued" };

const SIDES = table<Side>({ IDDT: "issued", RDDT: "received" });

/** ISO's subfamilies of direct debits. Unlisted ones (adjustments) are no movements of ours. */
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

/** ISO's subfamilies of bank charges, in any family: charges, fees, commissions, taxes, interest. */
const FEES = new Set(["CHRG", "FEES", "COMM", "COME", "COMI", "COMT", "TAXE", "INTR"]);

/** Families that mean nothing specific. */
const FAMILIES_SAYING_NOTHING = new Set(["NTAV", "OTHR", "MCOP", "MDOP"]);

/** The German banks' business transaction codes (GVC) of direct debits, and of movements that certainly are none. */
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

/** Codes of individual banks. */
const OF_BANKS = table<Meaning>({
  // ABN AMRO: unpaid direct debit.
  N245: { role: "taking_back", side: "issued" },
});

/** Only booked entries move money; anything else is only an announcement. */
export function movesMoney(entry: Entry): boolean {
  return entry.state === "BOOK";
}

/**
 * Classifies a movement, by its code, sign and return reason (`MOVEMENTS`). `interpret` (src/gateways/sepa-batch/incoming)
 * makes an item of the result, and `decide` (decide.ts there) says what the item changes.
 * @param detail null for an entry without details: a collective booking, or a single one that is complete in itself.
 */
export function classify(entry: Entry, detail: Detail | null): Movement {
  const meaning = meaningOf(entry.code, detail?.code ?? null);
  const sign = detail?.sign ?? entry.sign;
  if (meaning.role === "fee") return "fee";
  if (meaning.role === "other") return "unrelated";
  if (sign === null || meaning.role === "unknown") return "unclear";
  const returned = detail !== null && detail.returnReason !== null;
  return MOVEMENTS[meaning.role][meaning.side][sign](entry.reversal, returned);
}

/** The transaction's own code decides, unless only the entry's code is a return. */
function meaningOf(entryCode: TransactionCode, detailCode: TransactionCode | null): Meaning {
  const ofEntry = meaningOfCode(entryCode);
  const ofDetail = detailCode === null ? UNKNOWN : meaningOfCode(detailCode);
  if (ofDetail.role === "unknown") return ofEntry;
  return ofEntry.role === "taking_back" && ofDetail.role === "collection" ? ofEntry : ofDetail;
}

/**
 * ISO's code first; the bank's own code if ISO's means nothing specific. If they contradict each other, neither counts.
 */
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

/** `NDDT+192+09200`, the German banks' `192` alone, or a code of an individual bank. */
function meaningOfProprietary({ proprietary, issuer }: TransactionCode): Meaning {
  if (proprietary === null) return UNKNOWN;
  const german = /^N?[A-Z]{3}\+(\d{3})(?:\+|$)/.exec(proprietary)?.[1];
  const gvc = german ?? (issuer === "DK" || issuer === "ZKA" ? proprietary : null);
  return GVC.get(gvc ?? "") ?? OF_BANKS.get(proprietary) ?? UNKNOWN;
}

/** By role, side and sign; then by whether the entry is marked as a reversal and whether a return reason is given. */
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
      // A debit against us was returned.
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

/** A map, because codes come from outside and an object has inherited names. */
function table<Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(rows));
}

interface ReturnedAmount {
  /** The amount debited for it. */
  readonly booked: Cents;
  /** The amount that had been collected. */
  readonly original: Cents;
  /** Fees and interest of the banks. */
  readonly fee: Cents;
  /** Whether `booked` includes the fee; otherwise the bank books it separately (Switzerland). */
  readonly feeIncluded: boolean;
  /** The currency of all amounts. */
  readonly currency: string | null;
}

/**
 * Splits the amount booked for a return: booked = original + fee, if the fee is included.
 * Null when the bank's amounts contradict each other or are not in whole cents: a person has to look.
 */
export function splitReturn(entry: Entry, detail: Detail | null): ReturnedAmount | null {
  const booked = known(bookedFor(entry, detail));
  if (booked === null) return null;
  const stated = statedOriginal(entry, detail, booked);
  const charges = chargesFor(entry, detail);
  return stated === null ? splitByCharges(booked, charges) : splitByOriginal(booked, stated, charges);
}

/** An amount in whole cents. */
interface Known {
  readonly cents: Cents;
  readonly currency: string | null;
}

/**
 * The detail's own amount in the account's currency; otherwise the whole entry, which may include fees, if it contains
 * nothing else.
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

/**
 * The original amount stated by the bank: the instructed amount, otherwise a transaction amount that differs from the
 * entry's.
 */
function statedOriginal(entry: Entry, detail: Detail | null, booked: Known): BankAmount | null {
  const instructed =
    detail?.instructedAmount ?? (detail === null || detail.alone ? entry.instructedAmount : null);
  if (isStated(instructed, booked)) return instructed;
  const others = [detail?.transactionAmount ?? null, detail?.amount ?? null];
  return others.find((amount) => isStated(amount, booked) && amount?.cents !== booked.cents) ?? null;
}

/** An amount in another currency is the debtor's bank's view; zero is a filler. */
function isStated(amount: BankAmount | null, booked: Known): boolean {
  return amount !== null && amount.currency === booked.currency && amount.cents !== 0;
}

function chargesFor(entry: Entry, detail: Detail | null): readonly Charge[] {
  if (detail === null) return entry.charges;
  return detail.charges.length === 0 && detail.alone ? entry.charges : detail.charges;
}

/** The fee is the difference, whatever charges are listed: it includes interest. */
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

/** Without a stated original, only charges that the bank calls included are. */
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

/** Sums fees; refunded fees are subtracted. Null if one is not in whole cents, or more was refunded than charged. */
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
