/** SQL lists of words, made from the code's own lists. */

type Quoted<List extends readonly string[]> = List extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? Rest extends readonly []
    ? `'${First}'`
    : `'${First}', ${Quoted<Rest>}`
  : "";

/** For `in`: words of ours, never of a caller. Its type is the text itself, so that a statement's parameters stay known. */
export function inList<const List extends readonly string[]>(words: List): `(${Quoted<List>})` {
  return `(${words.map((word) => `'${word}'`).join(", ")})` as `(${Quoted<List>})`;
}
