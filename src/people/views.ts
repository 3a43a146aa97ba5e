/** Saved views of lists: a name for filters and columns, of a person or of the company. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { must } from "../lib/assert.ts";
import { isUuid } from "../lib/ids.ts";
import { writeEntry, type Author, type Change } from "../management/audit/audit.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { may } from "./access.ts";
import { lockPerson, type PersonRow } from "./store.ts";
import { countViews, deleteView, insertView, lockView, renameView, type SavedView } from "./view-store.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids">;

/** In characters. */
export const VIEW_NAME_MAX = 60;
const QUERY_MAX = 2_000;
/** Of a person, per list. */
const VIEWS_MAX = 50;
/** Of a company, per list: together with a person's own as many as are listed. */
const SHARED_MAX = 100;
/** Filters that a view does not store: those about one customer, who may be erased later. */
const OF_ONE_CUSTOMER: ReadonlySet<string> = new Set([
  "email",
  "iban_last4",
  "lead_id",
  "mandate_id",
  "name",
  "reference",
  "session_id",
  "subscription_id",
]);

interface Who {
  readonly tenant: number;
  readonly person: string;
  readonly author: Author;
  /** Whether the person may see the list. */
  sees(list: string): boolean;
}

/** The part of a list's query that a view stores, in one spelling. */
export function viewQuery(query: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(([name]) => !OF_ONE_CUSTOMER.has(name));
  return new URLSearchParams(kept.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/**
 * Saves a view; a form sent twice creates one.
 * @throws FieldErrors, Refusal scope_missing, too_many_views.
 */
export async function saveView(parts: Parts, who: Who, view: SavedView): Promise<void> {
  const name = checkedName(view.name);
  if (view.query === "" || view.query.length > QUERY_MAX)
    throw new FieldErrors({ query: ["Set filters or choose columns first."] });
  await withPerson(parts, who, async (tx, person) => {
    const { tenant } = who;
    if (view.shared && !may(person.role, "views.share")) throw new Refusal("scope_missing");
    const after = { ...view, name };
    const row = { ...after, tenant, person: person.id, created_at: parts.clock.now() };
    if (!(await insertView(tx, row))) return null;
    const { written, shared } = await countViews(tx, { tenant, person: person.id, list: view.list });
    if (written > VIEWS_MAX || (view.shared && shared > SHARED_MAX)) throw new Refusal("too_many_views");
    return { action: "create", before: null, after };
  });
}

/**
 * Renames a view.
 * @throws FieldErrors, Refusal not_found.
 */
export async function changeViewName(parts: Parts, who: Who, id: string, given: string): Promise<SavedView> {
  return withView(parts, who, id, async (tx, before) => {
    const name = checkedName(given);
    await renameView(tx, { tenant: who.tenant, id, name, now: parts.clock.now() });
    return { action: "update", before, after: { ...before, name } };
  });
}

/**
 * Removes a view.
 * @throws Refusal not_found.
 */
export async function removeView(parts: Parts, who: Who, id: string): Promise<SavedView> {
  return withView(parts, who, id, async (tx, before) => {
    await deleteView(tx, who.tenant, id);
    return { action: "remove", before, after: null };
  });
}

interface Done {
  readonly action: Change["action"];
  readonly before: SavedView | null;
  readonly after: SavedView | null;
}

/**
 * Runs work on a locked view.
 * @returns the view before the change.
 */
async function withView(
  parts: Parts,
  who: Who,
  id: string,
  work: (tx: Tx, before: SavedView) => Promise<Done>,
): Promise<SavedView> {
  const done = await withPerson(parts, who, async (tx, { id: person, role }) => {
    const by = { tenant: who.tenant, person, mayShare: may(role, "views.share") };
    const before = isUuid(id) ? await lockView(tx, { ...by, id }) : null;
    if (before === null || !who.sees(before.list)) throw new Refusal("not_found");
    return work(tx, before);
  });
  return must(done?.before, "the view that was changed");
}

/** Makes one change under a lock on its author, who may be removed or get another role at that moment. */
function withPerson(
  { db, clock, ids }: Parts,
  { tenant, person: id, author }: Who,
  work: (tx: Tx, person: PersonRow) => Promise<Done | null>,
): Promise<Done | null> {
  return db.transaction(async (tx) => {
    const person = await lockPerson(tx, tenant, id);
    if (person === null) throw new Refusal("not_found");
    const done = await work(tx, person);
    if (done === null) return null;
    await writeEntry(tx, author, {
      ...done,
      tenant,
      id: ids.uuid(),
      at: clock.now(),
      resource: "saved_views",
      resourceId: (done.after ?? done.before)?.id ?? null,
    });
    return done;
  });
}

function checkedName(given: string): string {
  const name = given.trim();
  if (name.length >= 1 && name.length <= VIEW_NAME_MAX) return name;
  throw new FieldErrors({ name: [`A name has 1 to ${VIEW_NAME_MAX} characters.`] });
}
