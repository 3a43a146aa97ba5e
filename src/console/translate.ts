/** Translates English sentences, such as the API's, into the person's language. Pure. */
import { filled } from "../payment-page/render/wording.ts";

/**
 * Translates a sentence.
 * @param known the translations by the English sentences, in which {names} are placeholders.
 * @param written converts a placeholder's value to the text that the person reads.
 * @returns null for an unknown sentence.
 */
export function translate(
  known: Readonly<Record<string, string>>,
  english: string,
  written: (value: string) => string,
): string | null {
  for (const [pattern, own] of Object.entries(known)) {
    const found = patternOf(pattern).exec(english);
    if (found === null) continue;
    const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, written(value)]);
    return filled(own, Object.fromEntries(values));
  }
  return null;
}

function patternOf(english: string): RegExp {
  const escaped = english
    .split(/\{(\w+)\}/)
    .map((part, i) => (i % 2 === 1 ? `(?<${part}>.+)` : RegExp.escape(part)));
  return new RegExp(`^${escaped.join("")}$`, "u");
}
