/** The SQL of authentication: who holds a key, and that it was used. */
import { sql, type Database, type Tx } from "../../db/database.ts";
import { readsTogether } from "../../db/together.ts";
import type { ApiKeyRow } from "../../db/rows.ts";

export type KeyHolder = Pick<ApiKeyRow, "id" | "name" | "scopes" | "last_used_at">;

const FIND_HOLDER = readsTogether(
  "api_keys.find_holder",
  { hash: "bytea", now: "timestamptz" },
  `select k.id, k.name, k.scopes, k.last_used_at
     from api_keys k
     join tenants n on n.tenant = :tenant and n.archived_at is null
    where k.tenant = :tenant
      and (k.hash = v.hash or (k.previous_hash = v.hash and k.previous_expires_at > v.now))
      and k.archived_at is null
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > v.now)`,
).gives<KeyHolder>();

/** The key with this hash, if it works at that time. */
export async function findHolder(
  db: Database,
  tenant: number,
  hash: Buffer,
  now: Date,
): Promise<KeyHolder | null> {
  const rows = await db.together(FIND_HOLDER, tenant, { hash, now });
  return rows[0] ?? null;
}

const HOLD = sql(
  "api_keys.hold",
  `select id, scopes, expires_at
     from api_keys
    where tenant = :tenant and id = :id and archived_at is null and revoked_at is null
      and (expires_at is null or expires_at > :now)
      for share`,
).gives<Pick<ApiKeyRow, "id" | "scopes" | "expires_at">>();

/**
 * What a key may do and until when; null if it does not work any more. Revoking it waits for this transaction, and sees
 * what it has created.
 */
export async function holdKey(
  tx: Tx,
  tenant: number,
  id: string,
  now: Date,
): Promise<Pick<ApiKeyRow, "id" | "scopes" | "expires_at"> | null> {
  return (await tx.query(HOLD, { tenant, id, now }))[0] ?? null;
}

const TOUCH = sql(
  "api_keys.touch",
  `update api_keys set last_used_at = :now
    where tenant = :tenant and id = :id and (last_used_at is null or last_used_at < :now)`,
);

export async function touchKey(db: Database, tenant: number, id: string, now: Date): Promise<void> {
  await db.commit(TOUCH, { tenant, id, now });
}
