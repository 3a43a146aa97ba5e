/** Finds the tests that are relevant for a mutant: their files contain rare words of its line. */
import type { Mutant } from "./mutant.ts";

/** The relevance of a test file for a mutant, from 0. */
export type Telling = (mutant: Mutant, testFile: string) => number;

/** @param texts the text of each test file. */
export function tellingBy(texts: ReadonlyMap<string, string>): Telling {
  const having = new Map([...texts].map(([file, text]) => [file, wordsOf(text)]));
  const counts = new Map<string, number>();
  for (const words of having.values())
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(texts.size / (counts.get(word) ?? texts.size));
  return ({ line, file }, testFile) => {
    const words = having.get(testFile) ?? new Set();
    const own = wordsOf(`${line} ${file.replaceAll("-", "_")}`);
    return [...own].filter((word) => words.has(word)).reduce((sum, word) => sum + rarity(word), 0);
  };
}

/** Names are the same in the database and in the code: `time_zone` and `timeZone`. */
function wordsOf(text: string): ReadonlySet<string> {
  const found = text.match(/[a-z_]{4,}/gi) ?? [];
  return new Set(found.map((word) => word.replaceAll("_", "").toLowerCase()));
}
