/** The SQL of saved views. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { SavedViewRow } from "../db/rows.ts";

export type SavedView = Pick<SavedViewRow, "id" | "shared" | "list" | "name" | "query">;

/** The person, and whether they may change shared views. */
interface By {
  readonly tenant: number;
  readonly person: string;
  readonly mayShare: boolean;
}

const LIST = sql(
  "saved_views.list",
  `select id, shared, list, name, query from (
     select * from saved_views
      where tenant = :tenant and list = :list and (shared or person = :person)
      order by shared, created_at, id
      limit 200) v
    order by shared desc, created_at, id`,
).gives<SavedView>();

/** The company's views of a list, then the person's own: at most 200, of which the person's are kept first. */
export function listViews(
  db: Reader,
  given: { readonly tenant: number; readonly person: string; readonly list: string },
): Promise<readonly SavedView[]> {
  return db.query(LIST, { ...given });
}

const COUNT = sql(
  "saved_views.count",
  `select (count(*) filter (where person = :person))::integer as written, (count(*) filter (where shared))::integer as shared
     from saved_views where tenant = :tenant and list = :list`,
).gives<ViewCount>();

interface ViewCount {
  /** Those created by the person, shared or not. */
  readonly written: number;
  /** The company's. */
  readonly shared: number;
}

export async function countViews(
  tx: Tx,
  given: { readonly tenant: number; readonly person: string; readonly list: string },
): Promise<ViewCount> {
  return (await tx.query(COUNT, { ...given }))[0] ?? { written: 0, shared: 0 };
}

const INSERT = sql(
  "saved_views.insert",
  `insert into saved_views (tenant, id, person, shared, list, name, query, created_at, updated_at)
   values (:tenant, :id, :person, :shared, :list, :name, :query, :created_at, :created_at)
       on conflict (tenant, id) do nothing
   returning id`,
).gives<{ readonly id: string }>();

/** Returns false when there is a view with this id: the form was sent twice. */
export async function insertView(tx: Tx, view: Omit<SavedViewRow, "updated_at">): Promise<boolean> {
  return (await tx.write(INSERT, { ...view })).length === 1;
}

const LOCK = sql(
  "saved_views.lock",
  `select id, shared, list, name, query from saved_views
    where tenant = :tenant and id = :id and case when shared then :mayShare else person = :person end
      for update`,
).gives<SavedView>();

/** Null for another person's view, and for a shared one that the person may not change. */
export async function lockView(tx: Tx, by: By & { readonly id: string }): Promise<SavedView | null> {
  return (await tx.query(LOCK, { ...by }))[0] ?? null;
}

const RENAME = sql(
  "saved_views.rename",
  "update saved_views set name = :name, updated_at = :now where tenant = :tenant and id = :id",
);

export async function renameView(
  tx: Tx,
  given: { readonly tenant: number; readonly id: string; readonly name: string; readonly now: Date },
): Promise<void> {
  await tx.write(RENAME, { ...given });
}

const DELETE = sql("saved_views.delete", "delete from saved_views where tenant = :tenant and id = :id");

export async function deleteView(tx: Tx, tenant: number, id: string): Promise<void> {
  await tx.write(DELETE, { tenant, id });
}

const DELETE_PRIVATE = sql(
  "saved_views.delete_private",
  "delete from saved_views where tenant = :tenant and person = :person and not shared",
);

/** Deletes a person's views that are not shared. */
export async function deletePrivateViews(tx: Tx, tenant: number, person: string): Promise<void> {
  await tx.write(DELETE_PRIVATE, { tenant, person });
}
