/** Create, patch and archive: one transaction each, for the change and its audit entry. */
import type { Deps } from "../deps.ts";
import { must } from "../lib/assert.ts";
import { isUuid } from "../lib/ids.ts";
import { changedMeanwhile, Refusal } from "../refusals.ts";
import { hasRun, writeEntry, type Author, type Change } from "./audit/audit.ts";
import { refuseProblems } from "./problems.ts";
import type { RecordKind, Write, RecordDeps } from "./resource.ts";
import type { StoredRow, Settable } from "./resource-store.ts";

/** The record to change, and the author. */
export interface Target {
  readonly tenant: number;
  readonly id: string;
  readonly author: Author;
  /** Drawn once per operation: the audit entry's id. */
  readonly operationId: string;
}

/**
 * Creates a record; repeating the operation finds the one it created.
 * @throws FieldErrors.
 */
export function createRecord<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
  target: Target,
  given: Fields,
): Promise<Row> {
  return deps.db.transaction(async (tx) => {
    const write = writeOf(deps, tx, target);
    const { tenant, id, now } = write;
    // First: what the record names may have been archived since it was made.
    const there = await kind.store.find(tx, tenant, id);
    if (there !== null) return there;
    // The schema requires what has no default, so that the two together are the whole record.
    const values = { ...kind.defaults(write), ...kind.change(write, given, null) } as Settable<Row>;
    await checkRecord(kind, write, given, values, null);
    const made = await kind.store.insert(tx, tenant, id, now, values);
    if (made === null)
      return must(await kind.store.find(tx, tenant, id), "the record that this operation made");
    await createdEntry(write, kind, target.operationId, made);
    return made;
  });
}

/** All rules of a kind, on the record as it would become. @throws FieldErrors. */
export async function checkRecord<Row extends StoredRow, Fields extends object>(
  kind: RecordKind<Row, Fields>,
  write: Write,
  given: Fields,
  values: Settable<Row>,
  before: Row | null,
): Promise<void> {
  refuseProblems(kind.problems?.(write.deps, given) ?? {});
  await kind.check?.(write, given, values, before);
}

/**
 * Changes the given fields.
 * @param seen when the record was last changed as far as the caller knows; null if that does not matter.
 * @throws FieldErrors; Refusal not_found, or record_in_use when it is archived or was changed since.
 */
export function patchRecord<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
  target: Target,
  given: Fields,
  seen: Date | null = null,
): Promise<Row> {
  return changeRecord(deps, kind, target, "update", async (write, before) => {
    if (seen !== null && seen.getTime() !== before.updated_at.getTime()) throw changedMeanwhile();
    const values = { ...before, ...kind.change(write, given, before) };
    await checkRecord(kind, write, given, values, before);
    return kind.store.update(write.tx, values, write.now);
  });
}

/**
 * Archives a record; an archived one stays unchanged.
 * @throws Refusal not_found.
 */
export function archiveRecord<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
  target: Target,
): Promise<void> {
  return deps.db.transaction(async (tx) => {
    const write = writeOf(deps, tx, target);
    const before = await locked(write, kind);
    if (before.archived_at !== null) return;
    const after = await kind.store.archive(tx, before, write.now);
    await entry(write, kind, target.operationId, "archive", before, after);
  });
}

/**
 * Makes any other change to a record, with its audit entry.
 * @param change returns the row after the change, or the same row if there is nothing to change. `repeated`: the same
 * operation has run before, and ended before its response was stored.
 * @throws Refusal not_found, or record_in_use when it is archived.
 */
export function changeRecord<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
  target: Target,
  action: Change["action"],
  change: (write: Write & { readonly repeated: boolean }, before: Row) => Promise<Row>,
): Promise<Row> {
  return deps.db.transaction(async (tx) => {
    const write = writeOf(deps, tx, target);
    const before = await locked(write, kind);
    if (before.archived_at !== null)
      throw new Refusal("record_in_use", { detail: "This record is archived." });
    const { tenant, id: resourceId } = before;
    const operation = { tenant, id: target.operationId, resource: kind.resource, resourceId };
    const repeated = await hasRun(tx, target.author, operation);
    const after = await change({ ...write, repeated }, before);
    if (after !== before) await entry(write, kind, target.operationId, action, before, after);
    return after;
  });
}

/**
 * Reads a record.
 * @throws Refusal not_found: the same for malformed, unknown and another tenant's ids (contract: Not found).
 */
export async function readRecord<Row extends StoredRow, Fields extends object>(
  deps: Pick<Deps, "db">,
  kind: RecordKind<Row, Fields>,
  tenant: number,
  id: string,
): Promise<Row> {
  return found(isUuid(id) ? await kind.store.find(deps.db, tenant, id) : null);
}

/** A change to the target, in the transaction. */
export function writeOf(deps: RecordDeps, tx: Write["tx"], { tenant, id, author }: Target): Write {
  return { deps, tx, tenant, id, author, now: deps.clock.now() };
}

async function locked<Row extends StoredRow, Fields extends object>(
  { tx, tenant, id }: Write,
  kind: RecordKind<Row, Fields>,
): Promise<Row> {
  return found(isUuid(id) ? await kind.store.lock(tx, tenant, id) : null);
}

function found<Row>(row: Row | null): Row {
  if (row === null) throw new Refusal("not_found");
  return row;
}

/** The audit entry of a record that was made. */
export function createdEntry<Row extends StoredRow, Fields extends object>(
  write: Write,
  kind: RecordKind<Row, Fields>,
  operationId: string,
  made: Row,
): Promise<void> {
  return entry(write, kind, operationId, "create", null, made);
}

async function entry<Row extends StoredRow, Fields extends object>(
  { tx, author, now }: Write,
  kind: RecordKind<Row, Fields>,
  operationId: string,
  action: Change["action"],
  before: Row | null,
  after: Row,
): Promise<void> {
  await writeEntry(tx, author, {
    tenant: after.tenant,
    id: operationId,
    at: now,
    action,
    resource: kind.resource,
    resourceId: after.id,
    before: before === null ? null : kind.render(before),
    after: kind.render(after),
  });
}
