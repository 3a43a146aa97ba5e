/** English sentences that the console is given, such as the API's, in the person's words. Pure. */
import { filled } from "../payment-page/render/wording.ts";

/**
 * @param known the person's sentences by the English ones, in which {names} stand for what differs.
 * @param written what stood for a name, as the person reads it.
 * @returns null for a sentence that is not known.
 */
export function retold(
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
