/** Money is a whole number of cents in code and a string with two decimals outside; no floats anywhere. */
import { assert } from "./assert.ts";

export type Cents = number & { readonly __unit: "cents" };

/** Ten digits in total, two of them decimals (contract: Money). */
const AMOUNT = /^(0|[1-9]\d{0,7})(?:\.(\d{1,2}))?$/;

/**
 * Converts a number of cents.
 * @throws Error unless it is a whole, non-negative number.
 */
export function cents(value: number): Cents {
  assert(Number.isSafeInteger(value) && value >= 0, "an amount is a whole number of cents");
  return value as Cents;
}

/** Reads `12`, `12.5` or `12.50`; null for anything else (contract: Money). */
export function parseAmount(text: string): Cents | null {
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  return cents(Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")));
}

/** The amount with two decimals and a dot: `29.90`. */
export function formatAmount(amount: Cents): string {
  const digits = String(amount).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Converts a numeric(12,2) from the database.
 * @throws Error when it is not one.
 */
export function centsFromDatabase(text: string): Cents {
  assert(/^\d+\.\d{2}$/.test(text), "the database keeps amounts with two decimals");
  return cents(Number(text.replace(".", "")));
}
