/** The SQL of invitations and resets. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { PersonLinkRow } from "../db/rows.ts";

const INSERT = sql(
  "person_links.insert",
  `insert into person_links (tenant, hash, person, purpose, expires_at, created_at)
   values (:tenant, :hash, :person, :purpose, :expiresAt, :now)`,
);

export async function insertLink(
  tx: Tx,
  given: Pick<PersonLinkRow, "tenant" | "hash" | "person" | "purpose"> & {
    readonly expiresAt: Date;
    readonly now: Date;
  },
): Promise<void> {
  await tx.write(INSERT, { ...given });
}

const FIND_GIVEN = sql(
  "person_links.find_given",
  `select hash, expires_at from person_links where tenant = :tenant and hash = any(:hashes::bytea[])`,
).gives<Pick<PersonLinkRow, "hash" | "expires_at">>();

/** The link with one of these hashes, also if it is used, replaced or expired. */
export async function findGivenLink(
  tx: Tx,
  tenant: number,
  hashes: readonly Buffer[],
): Promise<Pick<PersonLinkRow, "hash" | "expires_at"> | null> {
  return (await tx.query(FIND_GIVEN, { tenant, hashes }))[0] ?? null;
}

const END = sql(
  "person_links.end",
  `update person_links set used_at = :now where tenant = :tenant and person = :person and used_at is null`,
);

/** Ends all open links of a person. */
export async function endLinks(tx: Tx, tenant: number, person: string, now: Date): Promise<void> {
  await tx.write(END, { tenant, person, now });
}

const FIND = sql(
  "person_links.find",
  `select person, purpose from person_links
    where tenant = :tenant and hash = :hash and used_at is null and expires_at > :now`,
).gives<Pick<PersonLinkRow, "person" | "purpose">>();

interface Named {
  readonly tenant: number;
  readonly hash: Buffer;
  readonly now: Date;
}

/** The link, if it is valid at that time. */
export async function findLink(
  reader: Reader,
  given: Named,
): Promise<Pick<PersonLinkRow, "person" | "purpose"> | null> {
  return (await reader.query(FIND, { ...given }))[0] ?? null;
}

const USE = sql(
  "person_links.use",
  `update person_links set used_at = :now
    where tenant = :tenant and hash = :hash and used_at is null and expires_at > :now
   returning person, purpose`,
).gives<Pick<PersonLinkRow, "person" | "purpose">>();

/** Null when it was used or has expired: of two concurrent uses one succeeds. */
export async function useLink(
  tx: Tx,
  given: Named,
): Promise<Pick<PersonLinkRow, "person" | "purpose"> | null> {
  return (await tx.write(USE, { ...given }))[0] ?? null;
}
