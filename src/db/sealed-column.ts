/** A sealed column: counts its values by key, and reseals them under another key. */
import { KEY_NUMBER_AT, type Keyring } from "../lib/keyring.ts";
import { sql, type Database, type Reader, type Statement } from "./database.ts";

/** The possible types of primary key columns, with a value that sorts before all others. */
const BEFORE_ALL = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: -1,
} as const;

type KeyPart = keyof typeof BEFORE_ALL;
type KeyValues = Readonly<Record<string, string | number>>;
type SealedRow = Readonly<Record<string, string | number | Buffer>> & { readonly sealed: Buffer };

/** The number of values that a key has sealed. */
interface SealedCount {
  readonly number: number;
  readonly count: number;
}

/** The result of a batch. */
interface Resealed {
  readonly resealed: number;
  /** Changed by the service in the meantime, which sealed them itself. */
  readonly changed: number;
  /** No available key opens them. */
  readonly unreadable: number;
  /** Where to continue; null: this was the last batch. */
  readonly next: KeyValues | null;
}

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The context with which a row's value is sealed. */
  contextOf(row: Readonly<Record<string, unknown>>): string;
  countByKey(reader: Reader): Promise<readonly SealedCount[]>;
  /** Reseals the next `limit` values of a tenant that were sealed by another than the current key. */
  reseal(
    db: Database,
    keys: Keyring,
    tenant: number,
    after: KeyValues | null,
    limit: number,
  ): Promise<Resealed>;
}

/** Another column computed from the sealed value under the same key. */
interface Alongside {
  readonly column: string;
  make(keys: Keyring, tenant: number, plain: Buffer): Buffer;
}

/**
 * Called by the folder that owns the table.
 * @param key the primary key without the tenant, in order.
 * @param contextOf the sealing context, from the columns of `key` and `more`.
 * @param more further columns for the context.
 */
export function sealedColumn<
  const Key extends Readonly<Record<string, KeyPart>>,
  const More extends string = never,
>(
  table: string,
  column: string,
  key: Key,
  contextOf: (
    row: { readonly [Part in keyof Key]: Key[Part] extends "integer" ? number : string } & Readonly<
      Record<More, string>
    >,
  ) => string,
  {
    alongside = null,
    more = [],
  }: { readonly alongside?: Alongside | null; readonly more?: readonly More[] } = {},
): SealedColumn {
  const parts = Object.entries(key);
  const names = parts.map(([name]) => name);
  const number = `get_byte(substring(${column} from 1 for ${KEY_NUMBER_AT + 1}), ${KEY_NUMBER_AT})`;

  const COUNT: Statement<string, SealedCount> = sql(
    `keys.count.${table}.${column}`,
    `-- every tenant: the operator asks which keys are in use
     select ${number} as number, count(*)::int as count
       from ${table}
      where ${column} is not null
      group by 1`,
  );
  const read = [...names, ...more];
  const FIND: Statement<string, SealedRow> = sql(
    `keys.find.${table}.${column}`,
    `select ${read.join(", ")}, ${column} as sealed
       from ${table}
      where tenant = :tenant and ${column} is not null and ${number} <> :keyNumber
        and (${names.join(", ")}) > (${parts.map(([name, type]) => `:${name}::${type}`).join(", ")})
      order by ${names.join(", ")}
      limit :limit`,
  );
  // A value that has changed since it was read is skipped: the service has resealed it.
  const REPLACE = sql(
    `keys.replace.${table}.${column}`,
    `update ${table} t
        set ${column} = v.sealed${alongside === null ? "" : `, ${alongside.column} = v.alongside`}
       from unnest(${parts.map(([name, type]) => `:${name}::${type}[]`).join(", ")}, :was::bytea[], :sealed::bytea[], :alongside::bytea[])
         as v(${names.join(", ")}, was, sealed, alongside)
      where t.tenant = :tenant and ${names.map((name) => `t.${name} = v.${name}`).join(" and ")} and t.${column} = v.was
     returning 1`,
  );

  return {
    table,
    column,
    contextOf: (row) => contextOf(row as never),
    countByKey: (reader) => reader.query(COUNT, {}),
    async reseal(db, keys, tenant, after, limit) {
      const start = after ?? Object.fromEntries(parts.map(([name, type]) => [name, BEFORE_ALL[type]]));
      const rows = await db.query(FIND, { tenant, keyNumber: keys.currentKeyId, limit, ...start });
      const found = rows.map((row) => {
        const plain = opened(keys, tenant, contextOf(row as never), row.sealed);
        return plain === null ? null : { row, plain };
      });
      const fresh = found.flatMap((one) => {
        if (one === null) return [];
        const { row, plain } = one;
        const sealed = keys.seal(tenant, contextOf(row as never), plain);
        return [{ row, sealed, alongside: alongside?.make(keys, tenant, plain) ?? null }];
      });
      const written =
        fresh.length === 0
          ? []
          : await db.transaction((tx) =>
              tx.write(REPLACE, {
                tenant,
                ...Object.fromEntries(names.map((name) => [name, fresh.map(({ row }) => row[name] ?? null)])),
                was: fresh.map(({ row }) => row.sealed),
                sealed: fresh.map(({ sealed }) => sealed),
                alongside: fresh.map((one) => one.alongside),
              }),
            );
      const last = rows.length < limit ? undefined : rows.at(-1);
      return {
        resealed: written.length,
        changed: fresh.length - written.length,
        unreadable: rows.length - fresh.length,
        next:
          last === undefined
            ? null
            : (Object.fromEntries(names.map((name) => [name, last[name]])) as KeyValues),
      };
    },
  };
}

function opened(keys: Keyring, tenant: number, context: string, sealed: Buffer): Buffer | null {
  try {
    return keys.open(tenant, context, sealed);
  } catch {
    return null;
  }
}
