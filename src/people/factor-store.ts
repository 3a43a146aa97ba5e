/** The SQL of second factors: passkeys and recovery codes. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { PersonPasskeyRow } from "../db/rows.ts";

export type PasskeyRow = Omit<PersonPasskeyRow, "removed_at">;

const COLUMNS =
  "tenant, id, person, credential, public_key, counter, transports, name, last_used_at, created_at";

const LIST = sql(
  "person_passkeys.list",
  `select ${COLUMNS} from person_passkeys
    where tenant = :tenant and person = :person and removed_at is null
    order by created_at, id`,
).gives<PasskeyRow>();

export function listPasskeys(reader: Reader, tenant: number, person: string): Promise<readonly PasskeyRow[]> {
  return reader.query(LIST, { tenant, person });
}

const INSERT = sql(
  "person_passkeys.insert",
  `insert into person_passkeys (tenant, id, person, credential, public_key, counter, transports, name, created_at)
   values (:tenant, :id, :person, :credential, :publicKey, :counter, :transports, :name, :now)
       on conflict do nothing
   returning id`,
).gives<{ id: string }>();

/** Returns false when the credential is already known, or its challenge was answered before. */
export async function insertPasskey(
  tx: Tx,
  given: {
    readonly tenant: number;
    readonly id: string;
    readonly person: string;
    readonly credential: Buffer;
    readonly publicKey: Buffer;
    readonly counter: number;
    readonly transports: readonly string[];
    readonly name: string;
    readonly now: Date;
  },
): Promise<boolean> {
  return (await tx.write(INSERT, { ...given })).length === 1;
}

const USE = sql(
  "person_passkeys.use",
  `update person_passkeys set counter = :counter, last_used_at = :now
    where tenant = :tenant and id = :id and removed_at is null and (counter < :counter or (counter = 0 and :counter = 0))
   returning id`,
).gives<{ id: string }>();

/** Returns false when it was removed, or its counter has not grown: another device answers with a copy. */
export async function usePasskey(
  tx: Tx,
  given: { readonly tenant: number; readonly id: string; readonly counter: number; readonly now: Date },
): Promise<boolean> {
  return (await tx.write(USE, { ...given })).length === 1;
}

const REMOVE = sql(
  "person_passkeys.remove",
  `update person_passkeys set removed_at = :now
    where tenant = :tenant and person = :person and removed_at is null and (:id::uuid is null or id = :id)
   returning id`,
).gives<{ id: string }>();

/** Removes one, or all; returns how many. */
export async function removePasskeys(
  tx: Tx,
  given: { readonly tenant: number; readonly person: string; readonly id: string | null; readonly now: Date },
): Promise<number> {
  return (await tx.write(REMOVE, { ...given })).length;
}

const END_CODES = sql(
  "person_recovery_codes.end",
  `update person_recovery_codes set used_at = :now
    where tenant = :tenant and person = :person and used_at is null`,
);
const INSERT_CODES = sql(
  "person_recovery_codes.insert",
  `insert into person_recovery_codes (tenant, person, hash, created_at)
   select :tenant, :person, given.hash, :now from unnest(:hashes::bytea[]) as given (hash)`,
);

/** Replaces the codes. */
export async function replaceCodes(
  tx: Tx,
  given: {
    readonly tenant: number;
    readonly person: string;
    readonly hashes: readonly Buffer[];
    readonly now: Date;
  },
): Promise<void> {
  const { tenant, person, hashes, now } = given;
  await tx.write(END_CODES, { tenant, person, now });
  if (hashes.length > 0) await tx.write(INSERT_CODES, { tenant, person, hashes, now });
}

const USE_CODE = sql(
  "person_recovery_codes.use",
  `update person_recovery_codes set used_at = :now
    where tenant = :tenant and person = :person and hash = :hash and used_at is null
   returning hash`,
).gives<{ hash: Buffer }>();

/** Returns false when there is no such code, or it was used: of two concurrent uses one succeeds. */
export async function useCode(
  tx: Tx,
  given: { readonly tenant: number; readonly person: string; readonly hash: Buffer; readonly now: Date },
): Promise<boolean> {
  return (await tx.write(USE_CODE, { ...given })).length === 1;
}

const COUNT_CODES = sql(
  "person_recovery_codes.count",
  `select count(*)::integer as count from person_recovery_codes
    where tenant = :tenant and person = :person and used_at is null`,
).gives<{ count: number }>();

export async function countCodes(reader: Reader, tenant: number, person: string): Promise<number> {
  return (await reader.query(COUNT_CODES, { tenant, person }))[0]?.count ?? 0;
}
