/** Why an entry or a notice of a bank could not be applied, in the person's language. Pure. */
import { retold } from "../retold.ts";
import type { Words } from "../words.ts";

/**
 * @param why as stored, in English (gateways/sepa-batch/incoming/, payments/news/take.ts). A sentence that the language does not have stays as it is:
 *   entries outlive the words of a release.
 */
export function entryReason(words: Words, why: string): string {
  return retold(words.texts.entryReasons, why, (value) => written(words, value)) ?? why;
}

/** Amounts, days and states as the person reads them; a sentence inside a sentence likewise. */
function written(words: Words, value: string): string {
  const amount = /^(\d+\.\d\d) ([A-Z]{3})$/.exec(value);
  if (amount?.[1] !== undefined && amount[2] !== undefined) return words.money(amount[1], amount[2]);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return words.day(value);
  return words.texts.states[value] ?? entryReason(words, value);
}
