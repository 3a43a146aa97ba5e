/** Shared by the lists of the console: the requested page and its neighbours. */
import { pageOf } from "../../http/paging.ts";
import { Type } from "../../lib/schema.ts";
import { FieldErrors } from "../../refusals.ts";
import type { GivenQuery } from "./list-query.ts";

export const response = { 200: Type.Unknown() };
export const AnyIdInPath = Type.Object({ id: Type.String() });
/** Accepts any parameters: blank ones are ignored, and invalid ones are shown above the list. */
export const AnyQuery = Type.Unsafe<Readonly<Record<string, string>>>(
  Type.Object({}, { additionalProperties: true }),
);
/** Accepts any fields: invalid ones are shown at the form, not instead of it. */
export const AnyForm = AnyQuery;
const PAGE_ROWS = 50;

interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Cursors: "" for the start of the list, null if there is no such page. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** The requested page of a list; a cursor of another list leads to the start. */
export async function readListPage<Row extends { readonly id: string; readonly created_at: Date }>(
  deps: Parameters<typeof pageOf>[0],
  scope: { readonly tenant: number; readonly path: string },
  { usable }: GivenQuery,
  read: Parameters<typeof pageOf<Row>>[2],
): Promise<Listed<Row>> {
  const { cursor, page_size: size = PAGE_ROWS, ...filters } = usable;
  const place = (at: string | undefined) => ({
    ...scope,
    query: { ...filters, page_size: Number(size), ...(at === undefined ? {} : { cursor: at }) },
  });
  const position = (row: Row) => ({ at: row.created_at, id: row.id });
  const page = await pageOf(deps, place(cursor), read, position).catch((error: unknown) => {
    if (error instanceof FieldErrors) return pageOf(deps, place(undefined), read, position);
    throw error;
  });
  const cursorIn = (url: string | null) =>
    url === null ? null : (new URL(url).searchParams.get("cursor") ?? "");
  return { rows: page.results, newer: cursorIn(page.previous), older: cursorIn(page.next) };
}
