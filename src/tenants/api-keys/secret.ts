/** An API key's text: `rk_` and, in base64url, the tenant's number (4 bytes) and 32 secret bytes. Only its SHA-256 is kept. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import { sha256, type Keyring } from "../../lib/keyring.ts";

interface NewKey {
  /** Shown once, kept nowhere. */
  readonly text: string;
  readonly hash: Buffer;
  /** What a list shows, to tell keys apart. */
  readonly prefix: string;
}

const TENANT_BYTES = 4;
const PREFIX_LENGTH = 10;
const KEY = /^rk_[A-Za-z0-9_-]{48}$/;
/** What a PostgreSQL integer holds. */
const TENANT_MAX = 2 ** 31 - 1;

/**
 * The key that an operation gives: the same one however often it runs, so that a run whose answer was lost and one that
 * repeats it show the same, and neither ends what the other has shown.
 * @param operationId drawn once per operation; without the master key it says nothing about the key.
 */
export function keyOf(
  keys: Keyring,
  tenant: number,
  operationId: string,
  masterKeyId: number = keys.currentKeyId,
): NewKey {
  const secret = must(
    keys.mac(masterKeyId, "api-key", `${tenant}:${operationId}`),
    "a master key that is held",
  );
  const bytes = Buffer.alloc(TENANT_BYTES);
  bytes.writeUInt32BE(tenant);
  const text = `rk_${Buffer.concat([bytes, secret]).toString("base64url")}`;
  return { text, hash: sha256(text), prefix: text.slice(0, PREFIX_LENGTH) };
}

/**
 * The text to show for an operation that has run before: made under the master key of that time, which may be the
 * previous one by now.
 * @param row the key's record; where it has been rotated since, the text is what it is and opens nothing.
 */
export function textGiven(
  keys: Keyring,
  tenant: number,
  operationId: string,
  row: Pick<ApiKeyRow, "hash" | "previous_hash">,
): string {
  const given = keys.keyIds
    .map((masterKeyId) => keyOf(keys, tenant, operationId, masterKeyId))
    .find(({ hash }) => hash.equals(row.hash) || row.previous_hash?.equals(hash) === true);
  return (given ?? keyOf(keys, tenant, operationId)).text;
}

/** The tenant that a key names, not yet authenticated; null for a malformed key. */
export function tenantNamedBy(text: string): number | null {
  if (!KEY.test(text)) return null;
  const tenant = Buffer.from(text.slice(3), "base64url").readUInt32BE();
  return tenant <= TENANT_MAX ? tenant : null;
}
