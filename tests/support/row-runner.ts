/** Runs statements on given rows, each from the same start, and reports what they returned and wrote. */
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { assert } from "../../src/lib/assert.ts";
import { added, listed, type Given, type Outcome, type Written } from "./conditions.ts";
import type { OneRow, Row } from "./one-row.ts";
import type { Json } from "./service.ts";

/** Runs statements on the rows of a case. */
export interface Runner {
  /**
   * Runs each text on the given rows, independently of the others. The first text determines the types of the
   * parameters.
   */
  run(texts: readonly string[], params: readonly string[], given: Given): Promise<readonly Outcome[]>;
}

interface Table {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** The columns that PostgreSQL numbers itself. */
  readonly numbered: readonly string[];
  readonly base: Json;
  /** The columns of a row without given values. */
  readonly defaults: Json;
}

/** The result of one text in the function below. */
interface Tried {
  readonly code: string | null;
  readonly rows: readonly Json[];
  readonly after: Readonly<Record<string, readonly Json[]>>;
}

export async function runner(database: OneRow): Promise<Runner> {
  const client = await database.connect();
  await client.query(`set time zone 'UTC'; ${TRY}`);
  const tables = await tablesIn(client);
  const typesOf = new Map<string, readonly string[]>();
  return {
    async run(texts, params, given) {
      const [original = ""] = texts;
      for (const param of Object.keys(given.with ?? {}))
        assert(params.includes(param), `:${param} is a parameter`);
      const written = writtenIn(original).filter((name) => tables.has(name));
      const types = typesOf.get(original) ?? (await database.typesOf(original));
      typesOf.set(original, types);
      const values = types.map((type, n) =>
        literal(database.valueFor(params[n] ?? "", type, given.with ?? {}), type),
      );
      const tried = ["", ...texts].map((text) => pg.escapeLiteral(withValues(text, values)));
      const results = (await client
        .query(
          `begin; ${setUp(tables, given)}
           select pg_temp.try(array[${tried.join(", ")}], ${pg.escapeLiteral(stateOf(written))}) as found; rollback`,
        )
        .catch(async (error: unknown) => {
          await client.query("rollback");
          throw error;
        })) as unknown as readonly pg.QueryResult<{ found: readonly Tried[] }>[];
      const [before, ...found] = results.at(-2)?.rows[0]?.found ?? [];
      return found.map(({ code, rows, after }) => {
        if (code !== null) return { fails: code };
        const changes = written.map((name): [string, readonly Written[]] => [
          name,
          differences(
            (before?.after[name] ?? []).map(plain),
            (after[name] ?? []).map(plain),
            tables.get(name),
          ),
        ]);
        return {
          gives: rows.map(plain),
          does: Object.fromEntries(changes.filter(([, rows]) => rows.length > 0)),
        };
      });
    },
  };
}

/**
 * Runs each text, reports the returned rows and the content of the tables, and rolls back. The empty text shows the
 * state before.
 */
const TRY = `
  create function pg_temp.try(texts text[], state text) returns jsonb language plpgsql as $$
    declare
      one text; tuple record; rows jsonb; after jsonb; found jsonb := '[]';
    begin
      foreach one in array texts loop
        begin
          rows := '[]';
          if one <> '' then
            begin
              for tuple in execute one loop rows := rows || jsonb_build_array(to_jsonb(tuple)); end loop;
            exception when invalid_cursor_definition then
              execute one;
            end;
          end if;
          execute state into after;
          raise exception 'taken back' using errcode = 'TAKEN';
        exception when others then
          found := found || jsonb_build_object(
            'code', nullif(sqlstate, 'TAKEN'), 'rows', rows, 'after', after);
        end;
      end loop;
      return found;
    end $$`;

/** The content of these tables as one JSON value. */
function stateOf(names: readonly string[]): string {
  const parts = names.map(
    (name) => `'${name}', (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from ${name} t)`,
  );
  return `select jsonb_build_object(${parts.join(", ")})`;
}

function setUp(tables: ReadonlyMap<string, Table>, given: Given): string {
  const changes = Object.entries(given).filter(([name]) => name !== "with");
  return changes
    .map(([name, rows]) => {
      const table = tables.get(name);
      assert(table !== undefined, `${name} is a table`);
      const own = listed(rows as Row | readonly Row[]).map((row) => {
        for (const column of Object.keys(row))
          assert(table.columns.includes(column), `${name}.${column} is a column`);
        return { ...table.base, ...row };
      });
      const columns = table.columns.join(", ");
      return `delete from ${name}; insert into ${name} (${columns}) overriding system value
        select ${columns} from jsonb_populate_recordset(null::${name}, ${pg.escapeLiteral(JSON.stringify(own))});`;
    })
    .join("\n");
}

/** The text with values in place of `$1`, `$2`, … */
function withValues(text: string, values: readonly string[]): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => values[Number(number) - 1] ?? "null");
}

function literal(value: unknown, type: string): string {
  if (value === null) return `null::${type}`;
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'::${type}`;
  if (!type.endsWith("[]")) {
    const text =
      typeof value === "object" || (/^jsonb?$/.test(type) && typeof value !== "string")
        ? JSON.stringify(value)
        : String(value);
    return `${pg.escapeLiteral(text)}::${type}`;
  }
  return `array[${(value as readonly unknown[]).map((one) => literal(one, type.slice(0, -2))).join(", ")}]::${type}`;
}

async function tablesIn(client: pg.Client): Promise<ReadonlyMap<string, Table>> {
  const { rows } = await client.query<{
    name: string;
    columns: string[];
    key: string[];
    numbered: string[];
    defaults: string[];
  }>(TABLES);
  const tables = new Map<string, Table>();
  for (const { name, columns, key, numbered, defaults } of rows) {
    // The given row has the number 1. Generated numbers start far above it.
    for (const column of numbered)
      await client.query(`select setval(pg_get_serial_sequence('${name}', '${column}'), 1000)`);
    const { rows: own } = await client.query<{ row: Json }>(`select to_jsonb(t) as row from ${name} t`);
    const { rows: made } = await client.query<{ row: Json }>(
      `select to_jsonb(t) as row from (select ${defaults.join(", ")}) t`,
    );
    tables.set(name, {
      columns,
      key,
      numbered,
      base: own[0]?.row ?? {},
      defaults: plain(made[0]?.row ?? {}),
    });
  }
  return tables;
}

const TABLES = `
  select t.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
         coalesce((select array_agg(k.attname::text order by k.attnum) from pg_index i
                     join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any (i.indkey)
                    where i.indrelid = t.oid and i.indisprimary), '{}') as key,
         array_remove(array_agg(case when a.attidentity <> '' then a.attname::text end), null) as numbered,
         array_agg(coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') || ' as ' || quote_ident(a.attname)) as defaults
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
   where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
   group by t.oid`;

/** The tables that a statement may write. */
function writtenIn(text: string): readonly string[] {
  const found = [...text.matchAll(/\b(?:update|insert\s+into|delete\s+from)\s+(\w+)/g)].map(
    ([, name = ""]) => name,
  );
  return [...new Set(found)].toSorted();
}

function differences(
  before: readonly Json[],
  after: readonly Json[],
  table: Table | undefined,
): readonly Written[] {
  assert(table !== undefined, "only tables are compared");
  const base = plain(table.base);
  const keyOf = (row: Json): string => JSON.stringify(table.key.map((column) => row[column]));
  const earlier = new Map(before.map((row) => [keyOf(row), row]));
  const later = new Map(after.map((row) => [keyOf(row), row]));
  return [...new Set([...earlier.keys(), ...later.keys()])].toSorted().flatMap((key): readonly Written[] => {
    const [old, row] = [earlier.get(key), later.get(key)];
    if (row === undefined) return ["gone"];
    if (old === undefined)
      return [added(changedColumns(table.defaults, without(row, ["tenant", ...table.numbered])))];
    const changed = changedColumns(old, row);
    if (Object.keys(changed).length === 0) return [];
    // The position of the row, if there are several.
    return [
      { ...changedColumns(base, Object.fromEntries(table.key.map((name) => [name, row[name]]))), ...changed },
    ];
  });
}

function changedColumns(before: Json, after: Json): Row {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name], value)),
  );
}

function without(row: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** Shortens times, so that expectations are easy to read: midnight is its date. A generated id is `made here`. */
function plain<T>(value: T): T {
  if (typeof value === "string") {
    if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) && !value.startsWith("00000000-")) return "made here" as T;
    const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00(:00)?|Z)$/.test(value);
    if (!isTime) return value;
    const time = new Date(value.replace(/\+00(:00)?$/, "Z"));
    // Leases use the database's own clock.
    const minutesAhead = Math.round((time.getTime() - Date.now()) / 60_000);
    if (Math.abs(minutesAhead) < 60) return `in ${minutesAhead} minutes` as T;
    const iso = time.toISOString();
    return iso.replace(/T00:00:00\.000Z$/, "").replace(/(:00)?\.000Z$/, "Z") as T;
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one as unknown)])) as T;
}
