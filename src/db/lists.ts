/** Lists read in windows: one text gives the statements towards older and newer rows. */
import type { Window } from "../lib/window.ts";
import { sql, type ParamsIn, type PlainStatement, type Statement } from "./database.ts";

/** The statement for each direction; it takes the parameters of the window in addition to those of the text. */
type List<Param extends string, Row extends object> = Readonly<
  Record<Window["towards"], Statement<Param | "at" | "id" | "limit", Row>>
>;

/**
 * Defines a list.
 * @param text a select that ends in its conditions: the window's condition, order and limit are appended.
 * @param by the columns that order the list: a time, and the id that orders rows of the same time.
 */
export function listed<const Text extends string>(
  name: string,
  text: Text,
  [at, id]: readonly [at: string, id: string],
  how: Pick<PlainStatement, "plannedByValues"> = {},
): { gives<Row extends object>(): List<ParamsIn<Text>, Row> } {
  const list = bothWays((towards) => sql(`${name}_${towards}`, windowOf(text, [at, id], towards), how));
  // The compiler cannot work out the parameters of a text that it does not know yet.
  return { gives: <Row extends object>() => list as unknown as List<ParamsIn<Text>, Row> };
}

/**
 * A list of the rows of several disjoint selects: each is read by an index of its own, and no further than the window.
 * @param texts as for `listed`; their rows have `created_at` and `id`.
 * @param shown a select of the shown columns from the found rows, `x`.
 */
export function listedTogether<const Text extends string>(
  name: string,
  texts: readonly Text[],
  by: readonly [at: string, id: string],
  { shown = (found) => `select x.* from ${found}`, ...how }: Together = {},
): { gives<Row extends object>(): List<ParamsIn<Text>, Row> } {
  const list = bothWays((towards) => {
    const parts = texts.map((text) => `(${windowOf(text, by, towards)})`).join(" union all ");
    const { order } = DIRECTIONS[towards];
    const text = `${shown(`(${parts}) x`)} order by x.created_at ${order}, x.id ${order} limit :limit`;
    return sql(`${name}_${towards}`, text, how);
  });
  return { gives: <Row extends object>() => list as unknown as List<ParamsIn<Text>, Row> };
}

interface Together extends Pick<PlainStatement, "plannedByValues"> {
  readonly shown?: (found: string) => string;
}

const DIRECTIONS = {
  older: { beyond: "<", order: "desc" },
  newer: { beyond: ">", order: "asc" },
} as const satisfies Readonly<Record<Window["towards"], object>>;

function bothWays<Made>(
  make: (towards: Window["towards"]) => Made,
): Readonly<Record<Window["towards"], Made>> {
  return { older: make("older"), newer: make("newer") };
}

/** The window's part of a select. */
function windowOf(
  text: string,
  [at, id]: readonly [at: string, id: string],
  towards: Window["towards"],
): string {
  const { beyond, order } = DIRECTIONS[towards];
  return `${text}
      and (${at}, ${id}) ${beyond} (:at, :id::uuid)
      order by ${at} ${order}, ${id} ${order}
      limit :limit`;
}
