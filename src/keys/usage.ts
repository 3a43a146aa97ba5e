/** The number of values sealed under each key, per table and column. */
import type { Reader } from "../db/database.ts";
import { SEALED_COLUMNS } from "./columns.ts";

export interface Usage {
  /** `table.column`. */
  readonly column: string;
  /** The key's number. */
  readonly number: number;
  readonly count: number;
}

/** Reads every sealed column, so its duration depends on the size of the tables. */
export async function usageOf(db: Reader): Promise<readonly Usage[]> {
  const usage: Usage[] = [];
  for (const one of SEALED_COLUMNS) {
    const column = `${one.table}.${one.column}`;
    for (const { number, count } of await one.countByKey(db)) usage.push({ column, number, count });
  }
  return usage;
}
