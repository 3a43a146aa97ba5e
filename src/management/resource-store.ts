/** The SQL of a plain record: the same six statements for every table that has a tenant, an id and the three times. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { Window } from "../http/paging.ts";
import { must } from "../lib/assert.ts";

export interface StoredRow {
  readonly tenant: number;
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

/** What a request can set. */
export type Values<Row extends StoredRow> = Omit<Row, keyof StoredRow>;

export interface RecordStore<Row extends StoredRow> {
  /** Null when the id is taken: the same operation has run before. */
  insert(tx: Tx, tenant: number, id: string, at: Date, values: Partial<Values<Row>>): Promise<Row | null>;
  find(reader: Reader, tenant: number, id: string): Promise<Row | null>;
  /** The row, which nobody else changes until the transaction ends. */
  lock(tx: Tx, tenant: number, id: string): Promise<Row | null>;
  /** Writes the settable columns of the row. */
  update(tx: Tx, row: Row, at: Date): Promise<Row>;
  archive(tx: Tx, row: Row, at: Date): Promise<Row>;
  list(reader: Reader, tenant: number, withArchived: boolean, window: Window): Promise<readonly Row[]>;
}

/** @param settable the columns that requests set; @param kept those that only the service writes. */
export function recordStore<Row extends StoredRow>(
  table: string,
  settable: readonly (keyof Values<Row> & string)[],
  kept: readonly (keyof Values<Row> & string)[] = [],
): RecordStore<Row> {
  const columns = ["tenant", "id", "created_at", "updated_at", "archived_at", ...settable, ...kept].join(
    ", ",
  );
  const parameters = settable.map((_, index) => `$${index + 4}`).join(", ");
  const assignments = settable.map((column, index) => `${column} = $${index + 4}`).join(", ");

  const INSERT = sql(
    `${table}.insert`,
    `insert into ${table} (tenant, id, created_at, updated_at, ${settable.join(", ")})
     values ($1, $2, $3, $3, ${parameters})
         on conflict (tenant, id) do nothing
     returning ${columns}`,
  );
  const FIND = sql(`${table}.find`, `select ${columns} from ${table} where tenant = $1 and id = $2`);
  const LOCK = sql(
    `${table}.lock`,
    `select ${columns} from ${table} where tenant = $1 and id = $2 for update`,
  );
  const UPDATE = sql(
    `${table}.update`,
    `update ${table} set updated_at = $3, ${assignments}
      where tenant = $1 and id = $2
     returning ${columns}`,
  );
  const ARCHIVE = sql(
    `${table}.archive`,
    `update ${table} set archived_at = $3, updated_at = $3
      where tenant = $1 and id = $2
     returning ${columns}`,
  );
  const LIST = {
    older: sql(
      `${table}.list_older`,
      `select ${columns} from ${table}
        where tenant = $1 and ($2 or archived_at is null) and (created_at, id) < ($3, $4)
        order by created_at desc, id desc
        limit $5`,
    ),
    newer: sql(
      `${table}.list_newer`,
      `select ${columns} from ${table}
        where tenant = $1 and ($2 or archived_at is null) and (created_at, id) > ($3, $4)
        order by created_at, id
        limit $5`,
    ),
  };

  return {
    async insert(tx, tenant, id, at, values) {
      const rows = await tx.write<Row>(INSERT, [
        tenant,
        id,
        at,
        ...settable.map((column) => values[column] ?? null),
      ]);
      return rows[0] ?? null;
    },
    find: async (reader, tenant, id) => (await reader.query<Row>(FIND, [tenant, id]))[0] ?? null,
    lock: async (tx, tenant, id) => (await tx.query<Row>(LOCK, [tenant, id]))[0] ?? null,
    async update(tx, row, at) {
      const values = settable.map((column) => row[column]);
      return only(await tx.write<Row>(UPDATE, [row.tenant, row.id, at, ...values]), table);
    },
    async archive(tx, row, at) {
      return only(await tx.write<Row>(ARCHIVE, [row.tenant, row.id, at]), table);
    },
    list: (reader, tenant, withArchived, { towards, at, id, limit }) =>
      reader.query<Row>(LIST[towards], [tenant, withArchived, at, id, limit]),
  };
}

/** The one row that a statement about a locked row returns. */
function only<Row>(rows: readonly Row[], table: string): Row {
  return must(rows[0], `the locked row of ${table}`);
}
