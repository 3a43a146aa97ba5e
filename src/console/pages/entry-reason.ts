/** Why an entry or a notice of a bank could not be applied, in the person's language. Pure. */
import { translate } from "../translate.ts";
import type { Words } from "../words.ts";

/**
 * The reason in the person's language.
 * @param why as stored, in English (gateways/sepa-batch/incoming/, payments/news/fetch.ts). A sentence without a
 * translation stays unchanged: entries outlive the texts of a release.
 */
export function entryReason(words: Words, why: string): string {
  return translate(words.texts.entryReasons, why, (value) => written(words, value)) ?? why;
}

/** Amounts, days and states in the person's format; also in a sentence within a sentence. */
export function written(words: Words, value: string): string {
  const amount = /^(\d+\.\d\d) ([A-Z]{3})$/.exec(value);
  if (amount?.[1] !== undefined && amount[2] !== undefined) return words.money(amount[1], amount[2]);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return words.day(value);
  return words.texts.states[value] ?? entryReason(words, value);
}
