/** Compares the database's schema with the one that this version of the code was written for. */
import pg from "pg";
import { sql, type Reader } from "./database.ts";
import { knownMigrations, migrationCount, type Migration } from "./migrations.ts";

export interface SchemaState {
  /**
   * `newer`: a later version has migrated and declares that this code works with the result; `too_new`: it does not.
   * `older`: migrations of this version are missing.
   */
  readonly kind: "empty" | "older" | "current" | "newer" | "too_new";
  /** The state and what to do, as a sentence; null when there is nothing to do. */
  readonly words: string | null;
}

/**
 * A migration as recorded in the database. Databases from before the first release have no hash, the first ones no
 * compatibility.
 */
interface Recorded {
  readonly number: number;
  readonly name: string;
  readonly hash: string | null;
  readonly compatibleWith: number | null;
}

/** The schema cannot be used or migrated; the message says what to do. */
export class SchemaError extends Error {}

const MIGRATE = "npm run cli -- migrate";

/** A migration's number as in its file name. */
export function fourDigits(number: number): string {
  return String(number).padStart(4, "0");
}

/** Whether this code may work with the schema. */
export function isUsable({ kind }: SchemaState): boolean {
  return kind === "current" || kind === "newer";
}

/**
 * The state of the schema.
 * @param newest migration in the database; 0: none.
 * @param needed the newest migration that code has to know to work with the schema, according to those that this code
 * does not know.
 * @param known newest migration of this code.
 */
export function stateOf(newest: number, needed: number, known: number): SchemaState {
  if (newest === known) return { kind: "current", words: null };
  if (newest === 0) {
    return { kind: "empty", words: `The database is empty. Create its schema first: ${MIGRATE}` };
  }
  const ours = `this version's (${fourDigits(known)})`;
  if (newest < known) {
    return {
      kind: "older",
      words: `The database's schema (${fourDigits(newest)}) is older than ${ours}. Migrate it first: ${MIGRATE}`,
    };
  }
  const newer = `The database's schema (${fourDigits(newest)}) is newer than ${ours}`;
  return needed <= known
    ? { kind: "newer", words: `${newer} and compatible with it.` }
    : {
        kind: "too_new",
        words: `${newer} and not compatible with it. Start a version that knows migration ${fourDigits(needed)}.`,
      };
}

const NEWEST = sql(
  "db.schema_state",
  // As JSON: the first databases do not have the column.
  `select coalesce(max(number), 0) as newest,
          coalesce(max(coalesce((to_jsonb(m) ->> 'compatible_with')::int, number))
                     filter (where number > :known::int), 0) as needed
     from schema_migrations m`,
).gives<{ newest: number; needed: number }>();

const UNDEFINED_TABLE = "42P01";

/**
 * The state for a running service, with a cheap query.
 * @throws when the database does not answer.
 */
export async function schemaState(db: Reader): Promise<SchemaState> {
  const known = await migrationCount();
  try {
    const [row] = await db.query(NEWEST, { known });
    return stateOf(row?.newest ?? 0, row?.needed ?? 0, known);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === UNDEFINED_TABLE)
      return stateOf(0, 0, known);
    throw error;
  }
}

/**
 * The state with the history behind it, for a start; changes nothing.
 * @throws Error when the migrations are not this version's.
 */
export function readSchemaState(url: string): Promise<SchemaState> {
  return withHistory(url, stateOfHistory);
}

async function withHistory<T>(
  url: string,
  use: (history: readonly Recorded[], known: readonly Migration[]) => T,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const known = await knownMigrations();
    return use(await readHistory(client, known), known);
  } finally {
    await client.end();
  }
}

/**
 * The missing migrations.
 * @throws Error when the database was created by other migrations.
 */
export function readMissing(url: string): Promise<readonly Migration[]> {
  return withHistory(url, (history, known) => known.slice(history.length));
}

/**
 * The recorded migrations; empty if the table does not exist.
 * @throws Error when the database was created by other migrations, with what to do.
 */
export async function readHistory(
  client: pg.Client,
  known: readonly Migration[],
): Promise<readonly Recorded[]> {
  const { rows: there } = await client.query(
    "select from pg_class where oid = to_regclass('schema_migrations')",
  );
  if (there.length === 0) return [];
  const { rows } = await client.query<Recorded>(
    `select number, name, to_jsonb(m) ->> 'sha256' as hash, (to_jsonb(m) ->> 'compatible_with')::int as "compatibleWith"
       from schema_migrations m order by number`,
  );
  for (const { number, name, hash } of rows) {
    const own = known[number - 1];
    if (own === undefined || (own.name === name && own.hash === hash)) continue;
    const difference =
      own.name === name
        ? "was applied with another text than this version's"
        : `is not this version's ${own.name}`;
    throw new SchemaError(
      `The database was made by other migrations: its ${name} ${difference}. ` +
        "This version cannot migrate it: name a new, empty database in DATABASE_URL, " +
        "or move the folder postgres in DATA_DIR away if the service brings its own server.",
    );
  }
  return rows;
}

export function stateOfHistory(history: readonly Recorded[], known: readonly Migration[]): SchemaState {
  const unknown = history.slice(known.length);
  const needed = Math.max(0, ...unknown.map(({ number, compatibleWith }) => compatibleWith ?? number));
  return stateOf(history.at(-1)?.number ?? 0, needed, known.length);
}
