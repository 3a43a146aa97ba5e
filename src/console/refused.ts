/** What the service refuses, as text of the console. Pure. */
import type { Refusal } from "../refusals.ts";
import { written } from "./pages/entry-reason.ts";
import { fieldName } from "./records/names.ts";
import { translate } from "./translate.ts";
import type { Words } from "./words.ts";

/** Why an action was refused: the sentence if it is translated, else what the refusal's code means. */
export function refusedWords(words: Words, { kind, detail }: Pick<Refusal, "kind" | "detail">): string {
  return translated(words, detail) ?? words.texts.refusals?.[kind] ?? detail;
}

/** A message at a field, or another sentence of the service. One without a translation stays unchanged. */
export function faultWords(words: Words, fault: string): string {
  return translated(words, fault) ?? fault;
}

function translated(words: Words, sentence: string): string | null {
  return translate(words.texts.faults, sentence, (value) => {
    const known = translated(words, value) ?? written(words, value);
    return known === value ? fieldName(words, value) : known;
  });
}
