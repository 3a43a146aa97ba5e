/** The parts of a statement, entry or block that are kept until it is emitted, within a limit. */
import type { Element } from "./element.ts";
import { BankFileRefused } from "../../../files/refused.ts";

/** A statement's balances or an entry's charges are some hundred characters each. */
const KEPT_SIZE_MAX = 1_024 * 1_024;

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
