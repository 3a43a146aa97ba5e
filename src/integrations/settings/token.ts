/** The token in a postback URL: `pb_` and, in base64url, the tenant's number (4 bytes) and 32 random bytes. It is found by its SHA-256. */
import type { Ids } from "../../lib/ids.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { sha256 } from "../../lib/keyring.ts";

interface NewToken {
  readonly hash: Buffer;
  /** The URL is shown again, so the token is kept: sealed. */
  readonly sealed: Buffer;
}

/** Where a token leads: it has yet to be found there. */
interface TokenAddress {
  readonly tenant: number;
  readonly hash: Buffer;
}

const TENANT_BYTES = 4;
const SECRET_BYTES = 32;
const TOKEN = /^pb_[A-Za-z0-9_-]{48}$/;
/** What a PostgreSQL integer holds. */
const TENANT_MAX = 2 ** 31 - 1;
/** Tenants are numbered from 1. */
const NO_TENANT = 0;

/** Draws a token. */
export function newToken(
  { ids, keys }: { readonly ids: Ids; readonly keys: Keyring },
  tenant: number,
  integrationId: string,
): NewToken {
  const bytes = Buffer.alloc(TENANT_BYTES);
  bytes.writeUInt32BE(tenant);
  const text = `pb_${Buffer.concat([bytes, ids.secret(SECRET_BYTES)]).toString("base64url")}`;
  return { hash: sha256(text), sealed: keys.seal(tenant, tokenContext(integrationId), text) };
}

/** The token's text. */
export function openToken(keys: Keyring, tenant: number, integrationId: string, sealed: Buffer): string {
  return keys.open(tenant, tokenContext(integrationId), sealed).toString();
}

/**
 * Where to look a token up. A malformed token leads to an empty place and is looked up all the same, so that malformed,
 * unknown and rotated tokens take the same work and the same time.
 */
export function tokenAddress(text: string): TokenAddress {
  const named = TOKEN.test(text) ? Buffer.from(text.slice(3), "base64url").readUInt32BE() : NO_TENANT;
  return { tenant: named <= TENANT_MAX ? named : NO_TENANT, hash: sha256(text) };
}

/** What a token is sealed to. */
export function tokenContext(integrationId: string): string {
  return `integrations.token:${integrationId}`;
}
