/** SQL lists of constants, from lists in code. */

type Quoted<List extends readonly string[]> = List extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? Rest extends readonly []
    ? `'${First}'`
    : `'${First}', ${Quoted<Rest>}`
  : "";

/**
 * For `in`: constants, never a caller's values. Its type is the text itself, so that a statement's parameters stay
 * known.
 */
export function inList<const List extends readonly string[]>(words: List): `(${Quoted<List>})` {
  return `(${words.map((word) => `'${word}'`).join(", ")})` as `(${Quoted<List>})`;
}
