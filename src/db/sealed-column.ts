/** A column of sealed values: how many there are under which key, and sealing them under another one. */
import { KEY_NUMBER_AT, type Keyring } from "../lib/keyring.ts";
import { sql, type Database, type Reader, type Statement } from "./database.ts";

/** What a part of a primary key can be, with a value that comes before all others. */
const BEFORE_ALL = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: -1,
} as const;

type KeyPart = keyof typeof BEFORE_ALL;
type KeyValues = Readonly<Record<string, string | number>>;
type SealedRow = Readonly<Record<string, string | number | Buffer>> & { readonly sealed: Buffer };

/** How many values a key has sealed. */
interface SealedCount {
  readonly number: number;
  readonly count: number;
}

/** The result of a batch. */
interface Resealed {
  readonly resealed: number;
  /** Changed by the service meanwhile: it sealed them itself. */
  readonly changed: number;
  /** No key that is held opens them. */
  readonly unreadable: number;
  /** Where to go on; null: this was the last batch. */
  readonly next: KeyValues | null;
}

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** What a row's value is sealed to. */
  contextOf(row: Readonly<Record<string, unknown>>): string;
  countByKey(reader: Reader): Promise<readonly SealedCount[]>;
  /** Seals the next `limit` values of a tenant that another than the current key has sealed. */
  reseal(
    db: Database,
    keys: Keyring,
    tenant: number,
    after: KeyValues | null,
    limit: number,
  ): Promise<Resealed>;
}

/** Another column that is made of the sealed value under the same key. */
interface Alongside {
  readonly column: string;
  make(keys: Keyring, tenant: number, plain: Buffer): Buffer;
}

/**
 * Called by the folder that owns the table.
 * @param key the primary key without the tenant, in its order.
 * @param contextOf what a value is sealed to, by the columns of `key` and what `more` names.
 * @param more further columns that the context is made of.
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
  // A value that has changed since it was read is left as it is: the service has sealed it anew.
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
