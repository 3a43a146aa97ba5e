/** The SQL of a plain record: the same six statements for every table with a tenant, an id and the three times. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import { listed } from "../db/lists.ts";
import type { Window } from "../lib/window.ts";
import { must } from "../lib/assert.ts";

export interface StoredRow {
  readonly tenant: number;
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

/** The fields that a request can set. */
export type Settable<Row extends StoredRow> = Omit<Row, keyof StoredRow>;

export interface RecordStore<Row extends StoredRow> {
  /** Null when the id is taken: the same operation has run before. */
  insert(tx: Tx, tenant: number, id: string, at: Date, values: Partial<Settable<Row>>): Promise<Row | null>;
  find(reader: Reader, tenant: number, id: string): Promise<Row | null>;
  /** The row, locked until the transaction ends. */
  lock(tx: Tx, tenant: number, id: string): Promise<Row | null>;
  /** Writes the settable columns of the row. */
  update(tx: Tx, row: Row, at: Date): Promise<Row>;
  archive(tx: Tx, row: Row, at: Date): Promise<Row>;
  /** @param narrowed the given columns of `filters`. */
  list(
    reader: Reader,
    tenant: number,
    withArchived: boolean,
    window: Window,
    narrowed?: Readonly<Record<string, unknown>>,
  ): Promise<readonly Row[]>;
}

/**
 * @param settable the columns that requests set; @param kept those that only the service writes.
 * @param filters columns that a list can be narrowed by, with their types.
 */
export function recordStore<Row extends StoredRow>(
  table: string,
  settable: readonly (keyof Settable<Row> & string)[],
  kept: readonly (keyof Settable<Row> & string)[] = [],
  filters: { readonly [Column in keyof Settable<Row> & string]?: string } = {},
): RecordStore<Row> {
  const columns = ["tenant", "id", "created_at", "updated_at", "archived_at", ...settable, ...kept].join(
    ", ",
  );
  const parameters = settable.map((column) => `:${column}`).join(", ");
  const assignments = settable.map((column) => `${column} = :${column}`).join(", ");

  const narrowing = Object.entries<string | undefined>(filters).map(
    ([column, type = ""]) => `\n          and (:${column}::${type} is null or ${column} = :${column})`,
  );
  const narrowedBy = (given: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.keys(filters).map((column) => [column, given[column] ?? null]));

  const settableOf = (row: Partial<Settable<Row>>) =>
    Object.fromEntries(settable.map((column) => [column, row[column] ?? null]));

  const INSERT = sql(
    `${table}.insert`,
    `insert into ${table} (tenant, id, created_at, updated_at, ${settable.join(", ")})
     values (:tenant, :id, :at, :at, ${parameters})
         on conflict (tenant, id) do nothing
     returning ${columns}`,
  ).gives<Row>();
  const FIND = sql(
    `${table}.find`,
    `select ${columns} from ${table} where tenant = :tenant and id = :id`,
  ).gives<Row>();
  const LOCK = sql(
    `${table}.lock`,
    `select ${columns} from ${table} where tenant = :tenant and id = :id for update`,
  ).gives<Row>();
  const UPDATE = sql(
    `${table}.update`,
    `update ${table} set updated_at = :at, ${assignments}
      where tenant = :tenant and id = :id
     returning ${columns}`,
  ).gives<Row>();
  const ARCHIVE = sql(
    `${table}.archive`,
    `update ${table} set archived_at = :at, updated_at = :at
      where tenant = :tenant and id = :id
     returning ${columns}`,
  ).gives<Row>();
  const LIST = listed(
    `${table}.list`,
    `select ${columns} from ${table}
        where tenant = :tenant and (:withArchived or archived_at is null)${narrowing.join("")}`,
    ["created_at", "id"],
  ).gives<Row>();

  return {
    async insert(tx, tenant, id, at, values) {
      const rows = await tx.write(INSERT, { ...settableOf(values), tenant, id, at });
      return rows[0] ?? null;
    },
    find: async (reader, tenant, id) => (await reader.query(FIND, { tenant, id }))[0] ?? null,
    lock: async (tx, tenant, id) => (await tx.query(LOCK, { tenant, id }))[0] ?? null,
    async update(tx, row, at) {
      const { tenant, id } = row;
      return only(await tx.write(UPDATE, { ...settableOf(row), tenant, id, at }), table);
    },
    async archive(tx, row, at) {
      return only(await tx.write(ARCHIVE, { tenant: row.tenant, id: row.id, at }), table);
    },
    list: (reader, tenant, withArchived, { towards, at, id, limit }, narrowed = {}) =>
      reader.query(LIST[towards], { ...narrowedBy(narrowed), tenant, withArchived, at, id, limit }),
  };
}

/** The one row that a statement about a locked row returns. */
function only<Row>(rows: readonly Row[], table: string): Row {
  return must(rows[0], `the locked row of ${table}`);
}
