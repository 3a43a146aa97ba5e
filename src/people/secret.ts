/**
 * Secrets of sessions and links: the tenant's number (4 bytes) and 32 random bytes in base64url. They route themselves, and
 * only their SHA-256 is kept.
 */
import type { Ids } from "../lib/ids.ts";
import { sha256 } from "../lib/keyring.ts";

interface Secret {
  /** For the cookie or the link; kept nowhere. */
  readonly text: string;
  readonly hash: Buffer;
}

const TENANT_BYTES = 4;
const SECRET = /^[A-Za-z0-9_-]{48}$/;
/** What a PostgreSQL integer holds. */
const TENANT_MAX = 2 ** 31 - 1;

export function newSecret(ids: Ids, tenant: number): Secret {
  const bytes = Buffer.alloc(TENANT_BYTES);
  bytes.writeUInt32BE(tenant);
  const text = Buffer.concat([bytes, ids.secret(32)]).toString("base64url");
  return { text, hash: sha256(text) };
}

/** The tenant and the hash of a secret; null for what was never one. */
export function readSecret(text: string): { readonly tenant: number; readonly hash: Buffer } | null {
  if (!SECRET.test(text)) return null;
  const tenant = Buffer.from(text, "base64url").readUInt32BE(0);
  return tenant > TENANT_MAX ? null : { tenant, hash: sha256(text) };
}
