/** Copies whole tables out of and into a database with COPY, from one snapshot or in one transaction. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { MIGRATION_LOCK } from "./migrate.ts";
import type { Migration } from "./migrations.ts";
import { COPY_NAME, serviceConnections } from "./running-service.ts";

/** A migration applied to a database. */
export type AppliedMigration = Pick<Migration, "number" | "name" | "hash">;

/** A table for COPY. */
export interface CopiedTable {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
}

/** The next number of a table's column. */
export interface Counter {
  readonly table: string;
  readonly column: string;
  /** As text: it may have more digits than a JavaScript number. */
  readonly next: string;
}

/** A master key by its number in sealed values, with the number of values that it sealed. */
export interface MasterKeyUse {
  readonly number: number;
  /** Null: not in the register of keys. */
  readonly name: string | null;
  readonly values: number;
}

/** The database at one moment. */
export interface Snapshot {
  readonly serverVersion: string;
  /** The time of the snapshot, by the database's clock. */
  readonly at: Date;
  /** Sorted so that no row comes before one that it references. */
  readonly tables: readonly CopiedTable[];
  readonly migrations: readonly AppliedMigration[];
  /** Read after the snapshot: they may be ahead of the rows, never behind. */
  counters(): Promise<readonly Counter[]>;
  /** Which master keys have sealed how many values. */
  keyUses(): Promise<readonly MasterKeyUse[]>;
  /** A table's rows in COPY's text format, in arbitrary pieces. */
  rowsOf(table: CopiedTable): AsyncIterable<Buffer>;
}

/** A database that is filled completely or not at all. */
export interface Filling {
  readonly tables: readonly CopiedTable[];
  readonly migrations: readonly AppliedMigration[];
  /** Adds rows. @param rows whole lines of COPY's text format. */
  add(table: CopiedTable, rows: Buffer): Promise<void>;
  setCounter(counter: Counter): Promise<void>;
  /** Restores triggers and foreign keys, and checks the latter. */
  restoreRules(): Promise<void>;
  /** The added rows, in the format of `Snapshot.rowsOf`. */
  rowsOf(table: CopiedTable): AsyncIterable<Buffer>;
}

/** Only with the same settings do both sides write values as the same text. */
const TEXT_SETTINGS =
  "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1 -c client_encoding=UTF8 -c synchronize_seqscans=off";
/** The work itself has no time limit; waiting for a lock has one. */
const LIMITS =
  "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=30s -c search_path=public";
/** The offset of the key number in a sealed value (src/lib/keyring.ts). */
const KEY_NUMBER_AT = 1;
/** Tables written by a service that is started on an empty database. */
const MADE_AT_START = new Set(["database_places", "master_keys"]);
/**
 * Written by the migrations. The location of the original is copied, so that the copy can recognise that it is one
 * (src/backup/place.ts).
 */
const OF_THIS_DATABASE = new Set(["schema_migrations"]);

/** Runs `work` on a snapshot of the database at `url`; others can write meanwhile. */
export async function onSnapshot<T>(url: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return connected(url, async (client) => {
    const names = (await readTables(client)).map(({ name }) => quoted(name));
    await client.query("begin isolation level repeatable read read only");
    // Locked until the end, so that no migration changes a table before it is read.
    if (names.length > 0) await client.query(`lock table ${names.join(", ")} in access share mode`);
    const { rows } = await client.query<{ at: Date; version: string }>(
      "select now() as at, current_setting('server_version') as version",
    );
    const tables = await readTables(client);
    return work({
      at: rows[0]?.at ?? new Date(0),
      serverVersion: rows[0]?.version ?? "",
      tables,
      migrations: await readMigrationsOf(client),
      counters: () => readCounters(client),
      keyUses: () => readKeyUses(client),
      rowsOf: (table) => rowsOf(client, table),
    });
  });
}

/** How a database is used. */
export interface Use {
  /** The tables that have rows. */
  readonly filled: readonly string[];
  /** The number of connections of the service, without exports and imports. */
  readonly connections: number;
}

/** How the database is used; its tables may not have been made yet. */
export async function readUse(url: string): Promise<Use> {
  return connected(url, async (client) => useOf(client, await readTables(client)));
}

/**
 * Runs `work` in one transaction on a migrated database without rows. Others wait: to a service that connects
 * meanwhile, it is a database that was imported before (src/backup/place.ts).
 * @param refuseUsed throws when the database has rows, or a service runs on it.
 */
export async function fillInOneTransaction<T>(
  url: string,
  refuseUsed: (use: Use) => void,
  work: (filling: Filling) => Promise<T>,
): Promise<T> {
  return connected(url, async (client) => {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const tables = await readTables(client);
    await client.query(
      `lock table ${tables.map(({ name }) => quoted(name)).join(", ")} in access exclusive mode`,
    );
    refuseUsed(await useOf(client, tables));
    const rules = await suspendRules(client);
    // A failed import may have left dead rows, between which new ones would be stored and then read back in another
    // order.
    await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`);
    const result = await work({
      tables,
      migrations: await readMigrationsOf(client),
      add: (table, rows) =>
        pipeline(Readable.from([rows]), client.query(copyFrom(`copy ${listed(table)} from stdin`))),
      setCounter: (counter) => setCounter(client, counter),
      restoreRules: () => restoreRules(client, rules),
      rowsOf: (table) => rowsOf(client, table),
    });
    await client.query("commit");
    // The new rows have no statistics yet, on which plans depend.
    await client.query("analyze");
    return result;
  });
}

/** Whether PostgreSQL refuses the data: the rows are wrong, not the server. */
export function isRefusedByData(error: unknown): error is Error {
  // 22: data exception, 23: integrity constraint violation.
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    options: `${TEXT_SETTINGS} ${LIMITS}`,
    application_name: COPY_NAME,
  });
  // A lost connection fails the query that uses it; the event must not end the process.
  client.on("error", () => {});
  await client.connect();
  // Closing the connection rolls back what was not committed.
  return work(client).finally(() => client.end().catch(() => {}));
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** A table with the columns that are copied. */
function listed({ name, columns }: CopiedTable): string {
  return `${quoted(name)} (${columns.map(quoted).join(", ")})`;
}

async function* rowsOf(client: pg.Client, { name, columns }: CopiedTable): AsyncGenerator<Buffer> {
  const text = `copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)}) to stdout`;
  for await (const piece of client.query(copyTo(text))) yield piece as Buffer;
}

const TABLES = `
  select c.relname as name,
         array(select a.attname::text from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                order by a.attnum) as columns,
         array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
                where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as needs
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')
   order by c.relname`;

async function readTables(client: pg.Client): Promise<readonly CopiedTable[]> {
  const { rows } = await client.query<CopiedTable & { needs: readonly string[] }>(TABLES);
  const waiting = rows.filter(({ name }) => !OF_THIS_DATABASE.has(name));
  const ordered: CopiedTable[] = [];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.findIndex(({ needs }) => needs.every((name) => !names.has(name)));
    // Tables that reference each other come in any order: their foreign keys are checked at the end.
    const [next] = waiting.splice(Math.max(free, 0), 1);
    if (next !== undefined) ordered.push({ name: next.name, columns: next.columns });
  }
  return ordered;
}

async function useOf(client: pg.Client, tables: readonly CopiedTable[]): Promise<Use> {
  return {
    filled: await findFilled(client, tables),
    connections: await serviceConnections(client, COPY_NAME),
  };
}

async function findFilled(client: pg.Client, tables: readonly CopiedTable[]): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const { name } of tables) {
    if (MADE_AT_START.has(name)) continue;
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`);
    if (rowCount !== 0) filled.push(name);
  }
  return filled;
}

async function readMigrationsOf(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    "select number, name, sha256 as hash from schema_migrations order by number",
  );
  return rows;
}

const COUNTERS = `
  select t.relname as table, a.attname as column,
         coalesce(pg_sequence_last_value(s.seqrelid) + s.seqincrement, s.seqstart)::text as next
    from pg_sequence s
    join pg_depend d on d.objid = s.seqrelid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_class t on t.oid = d.refobjid and t.relnamespace = 'public'::regnamespace
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
   order by t.relname, a.attname`;

async function readCounters(client: pg.Client): Promise<readonly Counter[]> {
  const { rows } = await client.query<Counter>(COUNTERS);
  return rows.filter(({ table }) => !OF_THIS_DATABASE.has(table));
}

/** The schema marks sealed columns (tests/schema.test.ts). */
const SEALED = `
  select format('select get_byte(%1$I, ${KEY_NUMBER_AT}) as number from %2$I where octet_length(%1$I) > ${KEY_NUMBER_AT}', a.attname, c.relname) as query
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'bytea'::regtype
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and col_description(c.oid, a.attnum) like 'Sealed%' and c.relname <> 'master_keys'`;

async function readKeyUses(client: pg.Client): Promise<readonly MasterKeyUse[]> {
  const { rows: columns } = await client.query<{ query: string }>(SEALED);
  if (columns.length === 0) return [];
  const all = columns.map(({ query }) => query).join(" union all ");
  const { rows } = await client.query<MasterKeyUse>(
    `select s.number, k.name, count(*)::float8 as values from (${all}) s left join master_keys k on k.number = s.number
      group by s.number, k.name order by s.number`,
  );
  return rows;
}

async function setCounter(client: pg.Client, { table, column, next }: Counter): Promise<void> {
  const { rows } = await client.query<{ sequence: string; last: string; fresh: boolean }>(
    `select s.seqrelid::regclass::text as sequence, ($3::bigint - s.seqincrement)::text as last, $3::bigint = s.seqstart as fresh
       from pg_sequence s where s.seqrelid = pg_get_serial_sequence($1, $2)::regclass`,
    [quoted(table), column, next],
  );
  for (const { sequence, last, fresh } of rows) {
    if (fresh) continue;
    // Unlike setval, this is undone with the transaction. Drawing the last number marks it as used.
    await client.query(`alter sequence ${sequence} restart with ${BigInt(last)}`);
    await client.query("select nextval($1)", [sequence]);
  }
}

/**
 * Triggers have run where the rows were created; foreign keys within a table, or in a circle, are checked at the end.
 */
const RULES = `
  select format('alter table %I disable trigger %I', c.relname, t.tgname) as off,
         format('alter table %I enable %s trigger %I', c.relname,
                case t.tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, t.tgname) as on
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgenabled <> 'D' and t.tgparentid = 0
   union all
  select format('alter table %I alter constraint %I deferrable initially deferred', c.relname, k.conname),
         format('alter table %I alter constraint %I not deferrable', c.relname, k.conname)
    from pg_constraint k join pg_class c on c.oid = k.conrelid
   where c.relnamespace = 'public'::regnamespace and k.contype = 'f' and not k.condeferrable and k.conparentid = 0
     and exists (
       with recursive reached (oid) as (
         select k.confrelid
          union
         select f.confrelid from reached r join pg_constraint f on f.conrelid = r.oid and f.contype = 'f'
       )
       select from reached where reached.oid = k.conrelid)`;

/** Returns the statements that undo it. */
async function suspendRules(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ off: string; on: string }>(RULES);
  for (const { off } of rows) await client.query(off);
  return rows.map(({ on }) => on);
}

async function restoreRules(client: pg.Client, statements: readonly string[]): Promise<void> {
  await client.query("set constraints all immediate");
  for (const statement of statements) await client.query(statement);
}
