/** SQL of the imported bank registries. Reference data: the only table that belongs to no tenant. */
import { sql, type Reader, type Tx } from "../db/database.ts";

export interface ImportedBank {
  readonly country: string;
  readonly bankCode: string;
  readonly bic: string | null;
  readonly name: string;
}

const BANKS_READ = sql(
  "banks_read",
  `select country, bank_code as "bankCode", bic, name
     from banks`,
).gives<ImportedBank>();

/** Every imported bank. */
export function readBanks(db: Reader): Promise<readonly ImportedBank[]> {
  return db.query(BANKS_READ, {});
}

const BANKS_VERSION = sql(
  "banks_version",
  `select country, count(*)::int as banks, max(imported_at)::text as imported_at
     from banks
    group by country
    order by country`,
);

/** A text that changes with every import. */
export async function readBanksVersion(db: Reader): Promise<string> {
  return JSON.stringify(await db.query(BANKS_VERSION, {}));
}

const BANKS_LOCK = sql("banks_lock", `select pg_advisory_xact_lock(hashtext('banks import'))`);

/** Lets one import run at a time, until the end of the transaction. */
export async function lockBanks(tx: Tx): Promise<void> {
  await tx.write(BANKS_LOCK, {});
}

const BANKS_DELETE = sql(
  "banks_delete",
  `delete from banks
    where country = :country`,
);

const BANKS_INSERT = sql(
  "banks_insert",
  `insert into banks (country, bank_code, bic, name, source, imported_at)
   select :country, imported.bank_code, imported.bic, imported.name, :source, :importedAt
     from unnest(:codes::text[], :bics::text[], :names::text[]) as imported (bank_code, bic, name)`,
);

interface Origin {
  readonly source: string;
  readonly importedAt: Date;
}

/** Replaces all banks of the country. */
export async function replaceBanks(
  tx: Tx,
  country: string,
  banks: readonly ImportedBank[],
  origin: Origin,
): Promise<void> {
  await tx.write(BANKS_DELETE, { country });
  await tx.write(BANKS_INSERT, {
    country,
    codes: banks.map(({ bankCode }) => bankCode),
    bics: banks.map(({ bic }) => bic),
    names: banks.map(({ name }) => name),
    source: origin.source,
    importedAt: origin.importedAt,
  });
}
