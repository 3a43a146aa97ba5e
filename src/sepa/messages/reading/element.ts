/** Small element trees, addressed by local names, and what statements and status reports alike say in them. */
import { BankFileRefused } from "../../../files/refused.ts";
import { cents, type Cents } from "../../../lib/money.ts";
import type { BankAmount, Batch, Charge, Party, Reason, Sign, TransactionCode } from "./records.ts";

export interface Element {
  readonly name: string;
  /** The currency attribute of amounts. */
  readonly currency: string | null;
  text: string;
  readonly children: Element[];
  /** Characters and elements below, roughly in bytes: what it costs to keep. */
  size: number;
}

/** The first element under this one by a path of names. */
export function find(element: Element | null, ...path: readonly string[]): Element | null {
  let found: Element | null = element;
  for (const name of path) found = found?.children.find((child) => child.name === name) ?? null;
  return found;
}

/** All elements at the path, below every one of its parents. */
export function findAll(element: Element | null, ...path: readonly string[]): readonly Element[] {
  let found: readonly Element[] = element === null ? [] : [element];
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** The trimmed text at the path, or null. */
export function textAt(element: Element | null, ...path: readonly string[]): string | null {
  const text = find(element, ...path)?.text.trim() ?? "";
  return text === "" ? null : text;
}

/** The first text among several places: versions of a message keep the same fact in different ones. */
export function textAtAny(element: Element | null, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(element, ...path.split("/"));
    if (text !== null) return text;
  }
  return null;
}

/** What banks write where an identification has to be and none was given. */
const PLACEHOLDERS = new Set(["NOTPROVIDED", "NOT PROVIDED", "NOTAVAIL", "NONREF"]);

/** An identification at one of the places; null for a placeholder, so that nothing is ever matched by one. */
export function idAt(element: Element | null, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const id = textAt(element, ...path.split("/"));
    if (id !== null && !PLACEHOLDERS.has(id.toUpperCase())) return id;
  }
  return null;
}

/** `true`, `1`, `false` or `0`; null when it is not said. */
export function booleanAt(element: Element | null, ...path: readonly string[]): boolean | null {
  const text = textAt(element, ...path);
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : null;
}

/** The calendar date of a choice of `Dt` and `DtTm` (or a date itself), as the bank wrote it; null unless it is a date. */
export function dateAt(element: Element | null, ...path: readonly string[]): string | null {
  const place = find(element, ...path);
  const text = textAtAny(place, "Dt", "DtTm") ?? textAt(place);
  const date = /^\d{4}-\d\d-\d\d(?=$|T|Z|[+-]\d)/.exec(text ?? "")?.[0] ?? null;
  return date !== null && isCalendarDate(date) ? date : null;
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isCalendarDate(date: string): boolean {
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7));
  const day = Number(date.slice(8));
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  // PostgreSQL has no year 0.
  return year >= 1 && day >= 1 && day <= (DAYS_OF_MONTH[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** A statement's balances or an entry's charges are some hundred characters each. */
const KEPT_SIZE_MAX = 1_024 * 1_024;

/** For the parts of a statement, entry or block that are kept until it is emitted, within a limit. */
export function emptyParts(): Element {
  return { name: "", currency: null, text: "", children: [], size: 0 };
}

/** @throws BankFileRefused when the parts become too many. */
export function keepPart(parts: Element, element: Element): void {
  parts.children.push(element);
  parts.size += element.size;
  limitKept(parts.size);
}

/** @throws BankFileRefused when that is more than is kept. */
export function limitKept(size: number): void {
  if (size <= KEPT_SIZE_MAX) return;
  throw new BankFileRefused(
    "too_long",
    `A statement, entry or block contains more than ${KEPT_SIZE_MAX} bytes besides its transactions`,
  );
}

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
