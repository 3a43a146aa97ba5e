/** The parts that entries, transactions and status reports have in common, out of their element trees. */
import { cents, type Cents } from "../../../lib/money.ts";
import { booleanAt, find, findAll, idAt, textAt, textAtAny, type Element } from "./element.ts";
import type { Batch, Charge, Party, Reason, Sign, TransactionCode } from "./records.ts";

export function signAt(element: Element | null): Sign | null {
  const text = textAt(element, "CdtDbtInd");
  return text === "CRDT" || text === "DBIT" ? text : null;
}

/** A count; null when it is not one (Spanish banks write it with fifteen digits). */
export function countAt(element: Element | null, ...path: readonly string[]): number | null {
  const text = textAt(element, ...path);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The bank transaction code, or null. */
export function codeAt(element: Element): TransactionCode | null {
  const place = find(element, "BkTxCd");
  if (place === null) return null;
  return {
    domain: textAt(place, "Domn", "Cd"),
    family: textAt(place, "Domn", "Fmly", "Cd"),
    subfamily: textAt(place, "Domn", "Fmly", "SubFmlyCd"),
    proprietary: textAt(place, "Prtry", "Cd"),
    issuer: textAt(place, "Prtry", "Issr"),
  };
}

/** Version 2 lists charges one by one, later ones as records; a total alone counts as one. */
export function chargesAt(element: Element): readonly Charge[] {
  return findAll(element, "Chrgs").flatMap((charges) => {
    const records = findAll(charges, "Rcrd");
    if (records.length > 0) return records.map(chargeOf);
    if (find(charges, "Amt") !== null) return [chargeOf(charges)];
    const total = amountAt(charges, "TtlChrgsAndTaxAmt");
    return total === null ? [] : [{ amount: total, sign: null, included: null }];
  });
}

function chargeOf(element: Element): Charge {
  return {
    amount: amountAt(element, "Amt"),
    sign: signAt(element),
    included: booleanAt(element, "ChrgInclInd"),
  };
}

export function batchOf(element: Element): Batch {
  return {
    messageId: idAt(element, "MsgId"),
    paymentInformationId: idAt(element, "PmtInfId"),
    transactions: countAt(element, "NbOfTxs"),
    amount: amountAt(element, "TtlAmt"),
    sign: signAt(element),
  };
}

/** From version 7 on the name is one level deeper. @param role `Dbtr` or `Cdtr` */
export function partyAt(element: Element | null, role: "Dbtr" | "Cdtr"): Party {
  return {
    name: textAtAny(element, `${role}/Nm`, `${role}/Pty/Nm`),
    iban: ibanAt(find(element, `${role}Acct`)),
  };
}

/** An account's IBAN; some banks print it in groups. */
export function ibanAt(account: Element | null): string | null {
  return textAt(account, "Id", "IBAN")?.replaceAll(" ", "") ?? null;
}

/** The creditor identifier among a party's identifications. */
export function creditorIdAt(element: Element | null): string | null {
  return textAtAny(
    element,
    "Id/PrvtId/Othr/Id",
    "Id/OrgId/Othr/Id",
    "Pty/Id/PrvtId/Othr/Id",
    "Pty/Id/OrgId/Othr/Id",
  );
}

/** A reason of `RtrInf` or `StsRsnInf`. */
export function readReason(element: Element): Reason {
  return {
    code: textAt(element, "Rsn", "Cd"),
    proprietary: textAt(element, "Rsn", "Prtry"),
    additionalInformation: textsAt(element, "AddtlInf").join(" ") || null,
  };
}

export function textsAt(element: Element, ...path: readonly string[]): readonly string[] {
  return findAll(element, ...path)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "");
}

/** `cents` is null unless the text is an amount in whole cents; then a person sees `text`. */
export interface BankAmount {
  readonly cents: Cents | null;
  readonly currency: string | null;
  readonly text: string;
}

/** XML's decimal without a minus: amounts carry their sign in an element of its own. Digits as ISO 20022 allows them. */
const DECIMAL = /^\+?(\d{0,18})(?:\.(\d{0,17}))?$/;

/** `37.0`, `100`, `474.4` and `18.150` are legal; more than two decimals that say something, and anything else, is null. */
export function centsOf(text: string): Cents | null {
  const match = DECIMAL.exec(text);
  if (match === null || !/\d/.test(text)) return null;
  const decimals = (match[2] ?? "").replace(/0+$/, "");
  if (decimals.length > 2) return null;
  const value = Number((match[1] ?? "") + decimals.padEnd(2, "0"));
  return Number.isSafeInteger(value) ? cents(value) : null;
}

/** The amount at the path, or null. */
export function amountAt(element: Element | null, ...path: readonly string[]): BankAmount | null {
  const place = find(element, ...path);
  const text = textAt(place);
  if (place === null || text === null) return null;
  // Longer than any amount: what a person sees need not be the whole of it.
  return { cents: centsOf(text), currency: place.currency, text: text.slice(0, 40) };
}
