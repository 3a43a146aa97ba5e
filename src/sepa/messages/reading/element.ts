/**
 * Reads a document as small element trees, addressed by local names; an outline lists the containers that are only
 * walked through. Also reads what statements and status reports have in common.
 */
import { BankFileRefused } from "../../../files/refused.ts";
import type { XmlElement, XmlHandler } from "../../../files/xml-reader.ts";
import { cents, type Cents } from "../../../lib/money.ts";
import type { BankAmount, Party, Reason } from "./bank-records.ts";

export interface Element {
  readonly name: string;
  /** The currency attribute of amounts. */
  readonly currency: string | null;
  text: string;
  readonly children: Element[];
  /** Characters and elements below it: its approximate memory in bytes. */
  size: number;
}

/** Receives the parts of a document in order. */
export interface OutlineReader {
  enter(container: string): void;
  /** Called with each complete element directly below a container. */
  take(container: string, element: Element): void;
  leave(container: string): void;
  /** Called when the document is complete. */
  end(): void;
}

/** Containers by their parent container. They may be of any size, as nothing in them is kept. */
export type Outline = Readonly<Record<string, ReadonlySet<string>>>;

/** Elements that are never read; banks put kilobytes into them. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  "SplmtryData",
  "TxsSummry",
  "RfrdDocInf",
  "TaxRmt",
  "GrnshmtRmt",
  "PstlAdr",
  "CardTx",
  "RltdAgts",
]);
/** One transaction has a few hundred characters and some dozens of elements. */
const TREE_SIZE_MAX = 256 * 1_024;
/** The memory of an element without its text. */
const ELEMENT_SIZE = 64;

/** Passes a document's elements to the reader of an outline. */
export class OutlineHandler implements XmlHandler {
  readonly #outline: Outline;
  readonly #reader: OutlineReader;
  readonly #containers: string[];
  /** The open elements, from the one below the container down. */
  readonly #open: Element[] = [];
  #passingOver = 0;
  readonly #passedOver: ReadonlySet<string>;

  /**
   * @param root the container that is already open.
   * @param asked names to read that other messages skip.
   */
  constructor(root: string, outline: Outline, reader: OutlineReader, asked: readonly string[] = []) {
    this.#passedOver = PASSED_OVER.difference(new Set(asked));
    this.#containers = [root];
    this.#outline = outline;
    this.#reader = reader;
  }

  open(name: string, xml: XmlElement): void {
    if (this.#passingOver > 0 || this.#passedOver.has(name)) {
      this.#passingOver += 1;
    } else if (this.#open.length === 0 && this.#isContainer(name)) {
      this.#containers.push(name);
      this.#reader.enter(name);
    } else {
      this.#open.push({ name, currency: xml.attribute("Ccy"), text: "", children: [], size: ELEMENT_SIZE });
    }
  }

  #isContainer(name: string): boolean {
    return this.#outline[this.#containers.at(-1) ?? ""]?.has(name) ?? false;
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || this.#passingOver > 0) return;
    element.text += text;
    element.size += text.length;
    this.#limit(element);
  }

  #limit(element: Element): void {
    if (element.size <= TREE_SIZE_MAX) return;
    throw new BankFileRefused(
      "too_long",
      `The element ${element.name.slice(0, 40)} is larger than ${TREE_SIZE_MAX} bytes`,
    );
  }

  close(): void {
    if (this.#passingOver > 0) {
      this.#passingOver -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element !== undefined) {
      this.#hang(element);
    } else if (this.#containers.length > 1) {
      this.#reader.leave(this.#containers.pop() ?? "");
    }
  }

  #hang(element: Element): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#reader.take(this.#containers.at(-1) ?? "", element);
      return;
    }
    parent.children.push(element);
    parent.size += element.size;
    this.#limit(parent);
  }

  /** Called when nothing follows the document. */
  end(): void {
    this.#reader.end();
  }
}

/** The trimmed text at the path, or null. */
export function textAt(element: Element | null, ...path: readonly string[]): string | null {
  const text = find(element, ...path)?.text.trim() ?? "";
  return text === "" ? null : text;
}

/** The first element below this one at a path of names. */
export function find(element: Element | null, ...path: readonly string[]): Element | null {
  let found: Element | null = element;
  for (const name of path) found = found?.children.find((child) => child.name === name) ?? null;
  return found;
}

/** The calendar date of a choice of `Dt` and `DtTm`, or of a date itself, as written; null unless it is valid. */
export function dateAt(element: Element | null, ...path: readonly string[]): string | null {
  const place = find(element, ...path);
  const text = textAtAny(place, "Dt", "DtTm") ?? textAt(place);
  const date = /^\d{4}-\d\d-\d\d(?=$|T|Z|[+-]\d)/.exec(text ?? "")?.[0] ?? null;
  return date !== null && isCalendarDate(date) ? date : null;
}

/** The first text found at several paths: versions of a message keep the same fact in different places. */
export function textAtAny(element: Element | null, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(element, ...path.split("/"));
    if (text !== null) return text;
  }
  return null;
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

/** A count; null if it is invalid (Spanish banks write it with fifteen digits). */
export function countAt(element: Element | null, ...path: readonly string[]): number | null {
  const text = textAt(element, ...path);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** `true`, `1`, `false` or `0`; null if absent. */
export function booleanAt(element: Element | null, ...path: readonly string[]): boolean | null {
  const text = textAt(element, ...path);
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : null;
}

/** A statement's balances or an entry's charges have some hundred characters each. */
const KEPT_SIZE_MAX = 1_024 * 1_024;

/** Collects the parts of a statement, entry or block that are kept until it is emitted, within a limit. */
export function emptyParts(): Element {
  return { name: "", currency: null, text: "", children: [], size: 0 };
}

/**
 * Keeps a part.
 * @throws BankFileRefused beyond the limit.
 */
export function keepPart(parts: Element, element: Element): void {
  parts.children.push(element);
  parts.size += element.size;
  limitKept(parts.size);
}

/**
 * Enforces the limit.
 * @throws BankFileRefused beyond it.
 */
export function limitKept(size: number): void {
  if (size <= KEPT_SIZE_MAX) return;
  throw new BankFileRefused(
    "too_long",
    `A statement, entry or block contains more than ${KEPT_SIZE_MAX} bytes besides its transactions`,
  );
}

/** All elements at the path, below each matching parent. */
export function findAll(element: Element | null, ...path: readonly string[]): readonly Element[] {
  let found: readonly Element[] = element === null ? [] : [element];
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** An account's IBAN; some banks print it in groups. */
export function ibanAt(account: Element | null): string | null {
  return textAt(account, "Id", "IBAN")?.replaceAll(" ", "") ?? null;
}

/** The amount at the path, or null. */
export function amountAt(element: Element | null, ...path: readonly string[]): BankAmount | null {
  const place = find(element, ...path);
  const text = textAt(place);
  if (place === null || text === null) return null;
  // Longer than any amount; a person does not need to see more.
  return { cents: centsOf(text), currency: place.currency, text: text.slice(0, 40) };
}

/**
 * XML's decimal without a minus sign: the sign of an amount is an element of its own. Digits as ISO 20022 allows them.
 */
const DECIMAL = /^\+?(\d{0,18})(?:\.(\d{0,17}))?$/;

/** `37.0`, `100`, `474.4` and `18.150` are valid; more than two significant decimals, or anything else, gives null. */
export function centsOf(text: string): Cents | null {
  const match = DECIMAL.exec(text);
  if (match === null || !/\d/.test(text)) return null;
  const decimals = (match[2] ?? "").replace(/0+$/, "");
  if (decimals.length > 2) return null;
  const value = Number((match[1] ?? "") + decimals.padEnd(2, "0"));
  return Number.isSafeInteger(value) ? cents(value) : null;
}

/** What banks write where an id is required and none was given. */
const PLACEHOLDER = /^(?:NOT ?PROVIDED|NOTAVAIL(?:ABLE)?|NONREF|NA|[0.-]+)$/i;

/** The id at one of the paths; null for a placeholder, so that nothing is ever matched by one. */
export function idAt(element: Element | null, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const id = textAt(element, ...path.split("/"));
    if (id !== null && !PLACEHOLDER.test(id)) return id;
  }
  return null;
}

/** The creditor identifier among a party's ids. */
export function creditorIdAt(element: Element | null): string | null {
  return textAtAny(
    element,
    "Id/PrvtId/Othr/Id",
    "Id/OrgId/Othr/Id",
    "Pty/Id/PrvtId/Othr/Id",
    "Pty/Id/OrgId/Othr/Id",
  );
}

/**
 * From version 7 on the name is one level deeper.
 * @param role `Dbtr` or `Cdtr`
 */
export function partyAt(element: Element | null, role: "Dbtr" | "Cdtr"): Party {
  return {
    name: textAtAny(element, `${role}/Nm`, `${role}/Pty/Nm`),
    iban: ibanAt(find(element, `${role}Acct`)),
  };
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
