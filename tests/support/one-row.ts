/**
 * A database for testing single statements. Each table has one row with the same values, so every key joins every row.
 */
import pg from "pg";
import { testDatabase } from "./database.ts";
import type { Json } from "./service.ts";

/** Every uuid. */
export const ID = "00000000-0000-4000-8000-000000000001";

/** The value of a column or parameter, by its type. For a parameter, times are a month later. */
const VALUES: Readonly<Record<string, unknown>> = {
  uuid: ID,
  text: "x",
  integer: 1,
  bigint: 1,
  smallint: 1,
  numeric: 1,
  "double precision": 1,
  boolean: false,
  date: "2026-01-01",
  "timestamp with time zone": "2026-01-01T00:00:00Z",
  json: {},
  jsonb: {},
  bytea: Buffer.from("x"),
  inet: "127.0.0.1",
  interval: "1 day",
};
const LATER: Readonly<Record<string, unknown>> = {
  date: "2026-02-01",
  "timestamp with time zone": "2026-02-01T00:00:00Z",
};
/** A nullable time records that something has happened, so by default it is null. */
const HAS_HAPPENED = /^(date|timestamp.*)$/;

/** Columns by name; the other columns have their defaults. */
export type Row = Readonly<Record<string, unknown>>;

export interface OneRow {
  connect(): Promise<pg.Client>;
  /** Replaces a table's row by these rows. */
  put(table: string, rows: readonly Row[]): Promise<void>;
  /** The values of a statement's parameters, in order; `named` ones are given, the others are chosen by type. */
  valuesFor(text: string, params: readonly string[], named: Row): Promise<unknown[]>;
  /** The types of a statement's parameters. */
  typesOf(text: string): Promise<readonly string[]>;
  /** The value of a parameter: as named, or chosen by its type. */
  valueFor(param: string, type: string, named: Row): unknown;
  rows(text: string): Promise<readonly Json[]>;
  close(): Promise<void>;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

export async function oneRow(): Promise<OneRow> {
  const database = await testDatabase();
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    // Foreign keys and triggers are disabled.
    const options = "-c session_replication_role=replica";
    const client = new pg.Client({ connectionString: database.ownerUrl, options });
    await client.connect();
    clients.push(client);
    return client;
  };
  const owner = await connect();
  await owner.query(WITHOUT_CHECKS);
  const { rows: columns } = await owner.query<Column>(COLUMNS);
  const put = async (table: string, rows: readonly Row[]): Promise<void> => {
    const own = columns.filter((column) => column.table === table);
    const names = own.map(({ name }) => name).join(", ");
    const places = own.map((_, index) => `$${index + 1}`).join(", ");
    await owner.query(`delete from ${table}`);
    for (const row of rows) {
      const values = own.map(({ name, type, optional }) => {
        if (name in row) return row[name];
        return optional && HAS_HAPPENED.test(type) ? null : valueOf(type, VALUES);
      });
      await owner.query(`insert into ${table} (${names}) overriding system value values (${places})`, values);
    }
  };
  for (const table of new Set(columns.map(({ table }) => table))) await put(table, [{}]);
  const typesOf = async (text: string): Promise<readonly string[]> => {
    await owner.query(`prepare asked as ${text}`);
    const { rows } = await owner.query<{ types: string[] }>(
      "select parameter_types::text[] as types from pg_prepared_statements where name = 'asked'",
    );
    await owner.query("deallocate asked");
    return rows[0]?.types ?? [];
  };
  const valueFor = (param: string, type: string, named: Row): unknown =>
    param in named ? named[param] : valueOf(type, { ...VALUES, ...LATER });
  return {
    connect,
    put,
    typesOf,
    valueFor,
    async valuesFor(text, params, named) {
      const types = await typesOf(text);
      return params.map((param, index) => valueFor(param, types[index] ?? "", named));
    },
    rows: async (text) => (await owner.query<Json>(text)).rows,
    async close() {
      await Promise.all(clients.map((client) => client.end()));
      await database.close();
    },
  };
}

function valueOf(type: string, values: Readonly<Record<string, unknown>>): unknown {
  if (type.endsWith("[]")) return [valueOf(type.slice(0, -2), values)];
  const plain = type.replace(/\(.*\)/, "");
  if (!(plain in values)) throw new Error(`A value of the type ${type} is missing here`);
  return values[plain];
}

const WITHOUT_CHECKS = `do $$
  declare one record;
  begin
    for one in
      select conrelid::regclass as held_by, conname from pg_constraint
       where contype = 'c' and connamespace = 'public'::regnamespace
    loop
      execute format('alter table %s drop constraint %I', one.held_by, one.conname);
    end loop;
  end $$`;
const COLUMNS = `
  select t.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as optional
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
   order by t.relname, a.attnum`;
