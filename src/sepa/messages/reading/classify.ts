/** Classifies a booked transaction: one of our collections, a return of one, or neither. */
import type { Detail, Entry, Sign, TransactionCode } from "./records.ts";

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

/** A map, because codes come from outside and an object knows more names than its own. */
function table<Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(rows));
}
