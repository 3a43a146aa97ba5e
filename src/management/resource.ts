/** Describes a resource of the management API: its fields, table, rules and rendering. */
import type { TSchema } from "../lib/schema.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import type { Author } from "./audit/audit.ts";
import type { Problems } from "./problems.ts";
import type { RecordStore, StoredRow, Settable } from "./resource-store.ts";

/** The dependencies of records and their rules. */
export type RecordDeps = Pick<
  Deps,
  "adapters" | "allowPrivateTargets" | "clock" | "db" | "environment" | "ids" | "keys" | "mail" | "publicUrl"
>;

/** A request that changes a record, inside its transaction. */
export interface Write {
  readonly deps: RecordDeps;
  readonly tx: Tx;
  readonly author: Author;
  readonly tenant: number;
  /** The record's id. */
  readonly id: string;
  readonly now: Date;
}

/** What the defaults of a record may depend on. */
export type NewRecord = Pick<Write, "deps" | "tenant" | "id">;

/** @typeParam Row the table's row; @typeParam Fields what a request may give, validated by the schemas. */
export interface RecordKind<Row extends StoredRow, Fields extends object> {
  /** Its name in the path and in the audit log, such as `webhook-profiles`. */
  readonly resource: string;
  /** Its name in a sentence, with its article. */
  readonly noun: string;
  /** Who may change it; with `read`, or as the operator, it can be read. */
  readonly access: "settings" | "keys" | "operator";
  readonly schemas: {
    readonly create: TSchema;
    readonly patch: TSchema;
    readonly record: TSchema;
    /** The response to its creation, which may show a secret this once. */
    readonly created: TSchema;
  };
  readonly store: RecordStore<Row>;
  /** Columns by which a list can be filtered. */
  readonly filters?: Readonly<Record<string, TSchema>>;
  /** The values of a new record where none are given. */
  defaults(write: NewRecord): Partial<Settable<Row>>;
  /** The columns that the given fields set; `before` is null at creation. */
  change(write: Write, given: Fields, before: Row | null): Partial<Settable<Row>>;
  /** Problems of single fields that match their schema, reported together with those found by the schema. */
  problems?(deps: RecordDeps, given: Partial<Fields>): Problems;
  /**
   * Rules across fields and records, on the record after the change.
   * @throws FieldErrors.
   */
  check?(write: Write, given: Fields, values: Settable<Row>, before: Row | null): void | Promise<void>;
  /** As shown by the API: without secrets and the tenant's number. */
  render(row: Row): object;
  /**
   * Additional members of the response to its creation.
   * @param row as it is now: a repeated creation finds what was changed since.
   */
  secrets(deps: RecordDeps, row: Row, given: Fields): object;
  /** Additional members of every response that must not be in the audit log. */
  answered?(deps: RecordDeps, row: Row): object;
}

/** A record as the API shows it: its id, the named columns, its times. */
export function shownRecord<Row extends StoredRow>(
  row: Row,
  columns: readonly (keyof Settable<Row> & string)[],
): object {
  return {
    id: row.id,
    ...Object.fromEntries(columns.map((column) => [column, row[column]])),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
  };
}

type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Drops absent fields; null stays, as it clears a field. */
export function withoutAbsent<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
