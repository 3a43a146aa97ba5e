/** The error message of an attempt, without addresses. Pure. */

const CHARS_MAX = 300;
const ADDRESS = /[^\s<>@:,;]+@[^\s<>@:,;]+/g;

/** An error's message without addresses. */
export function failureWords(error: unknown): string {
  return withoutAddresses(error instanceof Error ? error.message : String(error));
}

export function withoutAddresses(words: string): string {
  return words.replace(ADDRESS, "(address)").slice(0, CHARS_MAX);
}
