/** Lists that are read in windows: one text makes the statement towards older rows and the one towards newer. */
import type { Window } from "../lib/window.ts";
import { sql, type ParamsIn, type PlainStatement, type Statement } from "./database.ts";

/** The statement for each direction; besides the text's parameters they take those of the window. */
type List<Param extends string, Row extends object> = Readonly<
  Record<Window["towards"], Statement<Param | "at" | "id" | "limit", Row>>
>;

/**
 * @param text a select that ends in its conditions: the window's condition, order and limit are added to it.
 * @param by the columns that order the list: a time, and the id that tells rows of one time apart.
 */
export function listed<const Text extends string>(
  name: string,
  text: Text,
  [at, id]: readonly [at: string, id: string],
  how: Pick<PlainStatement, "plannedByValues"> = {},
): { gives<Row extends object>(): List<ParamsIn<Text>, Row> } {
  const window = (towards: Window["towards"], beyond: "<" | ">", order: "desc" | "asc") =>
    sql(
      `${name}_${towards}`,
      `${text}
      and (${at}, ${id}) ${beyond} (:at, :id::uuid)
      order by ${at} ${order}, ${id} ${order}
      limit :limit`,
      how,
    );
  const list = { older: window("older", "<", "desc"), newer: window("newer", ">", "asc") };
  // The compiler cannot work out the parameters of a text that it does not know yet.
  return { gives: <Row extends object>() => list as unknown as List<ParamsIn<Text>, Row> };
}
