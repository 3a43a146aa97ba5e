/** The SQL of authentication: who holds a key, and that it was used. */
import { sql, type Database, type Reader } from "../../db/database.ts";
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

const FIND = sql(
  "api_keys.find_rights",
  `select id, scopes, expires_at from api_keys where tenant = :tenant and id = :id`,
).gives<Pick<ApiKeyRow, "id" | "scopes" | "expires_at">>();

/** What a key may do and until when. */
export async function findKey(
  reader: Reader,
  tenant: number,
  id: string,
): Promise<Pick<ApiKeyRow, "id" | "scopes" | "expires_at"> | null> {
  const rows = await reader.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

const TOUCH = sql(
  "api_keys.touch",
  `update api_keys set last_used_at = :now
    where tenant = :tenant and id = :id and (last_used_at is null or last_used_at < :now)`,
);

export async function touchKey(db: Database, tenant: number, id: string, now: Date): Promise<void> {
  await db.commit(TOUCH, { tenant, id, now });
}
