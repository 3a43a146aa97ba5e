/** Processors' names of statuses, types and columns: the built-in ones and the caller's mapping. Pure. */
import type { ValueMapping } from "../../files/cells.ts";

const STATUS_WORDS: Readonly<Record<string, readonly string[]>> = {
  approved: ["approved", "settled", "success", "successful", "succeeded", "completed", "paid", "captured"],
  pending: ["pending", "submitted", "processing", "accepted", "in_progress"],
  declined: ["declined", "failed", "rejected", "refused", "error", "returned"],
};
export const STATUS_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(STATUS_WORDS).flatMap(([status, words]) => words.map((word) => [word, status] as const)),
);
const TYPE_WORDS: Readonly<Record<string, readonly string[]>> = {
  sdd_sale: ["", "sdd_sale", "sale", "debit", "direct_debit", "payment", "sepa_debit"],
  sdd_rebill: ["sdd_rebill", "rebill", "recurring", "sdd_recurring_sale"],
  sdd_refund: ["sdd_refund", "refund", "credit"],
};
export const TYPE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPE_WORDS).flatMap(([type, words]) => words.map((word) => [word, type] as const)),
);
export const IMPORT_STATUSES = Object.keys(STATUS_WORDS);
const OUR_WORDS = {
  transactions: new Map([
    ["status", IMPORT_STATUSES],
    ["type", [...Object.keys(TYPE_WORDS), "other_type"]],
  ]),
  chargebacks: new Map<string, readonly string[]>(),
};

/** The problems of a mapping of values; empty when it is valid. */
export function problemsOfValues(kind: keyof typeof OUR_WORDS, mapping: ValueMapping): readonly string[] {
  return Object.entries(mapping).flatMap(([field, words]) => {
    const ours = OUR_WORDS[kind].get(field);
    if (ours === undefined) return [`${field} of ${kind} does not accept a mapping of values.`];
    return Object.entries(words)
      .filter(([, word]) => !ours.includes(word))
      .map(([theirs, word]) => `${field} ${theirs}: ${word} must be ${listInWords(ours)}.`);
  });
}

/** `a, b or c`. */
export function listInWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
