/** Small element trees, addressed by local names: one transaction's part of a bank file. */
import { BankFileRefused } from "../../../files/refused.ts";

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
