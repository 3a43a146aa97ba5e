/** Amounts as banks write them: decimal text to cents, never rounded. */
import { cents, type Cents } from "../../../lib/money.ts";
import { textAt, find, type Element } from "./element.ts";

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
