/** The token in a postback URL: a routed secret that begins with `pb_`, found by its SHA-256. */
import type { Ids } from "../../lib/ids.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { sha256 } from "../../lib/keyring.ts";
import { routedSecret, tenantNamedBy } from "../../tenants/routed-secret.ts";

interface NewToken {
  readonly hash: Buffer;
  /** The URL is shown again, so the token is stored, sealed. */
  readonly sealed: Buffer;
}

/** The tenant and hash by which a token is looked up; it may be unknown. */
interface TokenAddress {
  readonly tenant: number;
  readonly hash: Buffer;
}

const PREFIX = "pb_";
const SECRET_BYTES = 32;
/** Tenants are numbered from 1. */
const NO_TENANT = 0;

/** Creates a token. */
export function newToken(
  { ids, keys }: { readonly ids: Ids; readonly keys: Keyring },
  tenant: number,
  integrationId: string,
): NewToken {
  const text = routedSecret(PREFIX, tenant, ids.secret(SECRET_BYTES));
  return { hash: sha256(text), sealed: keys.seal(tenant, tokenContext(integrationId), text) };
}

/** The token's text. */
export function openToken(keys: Keyring, tenant: number, integrationId: string, sealed: Buffer): string {
  return keys.open(tenant, tokenContext(integrationId), sealed).toString();
}

/**
 * Where to look up a token. A malformed token leads to an empty place and is looked up all the same, so that malformed,
 * unknown and rotated tokens take the same time.
 */
export function tokenAddress(text: string): TokenAddress {
  return { tenant: tenantNamedBy(PREFIX, text) ?? NO_TENANT, hash: sha256(text) };
}

/** The context with which a token is sealed. */
export function tokenContext(integrationId: string): string {
  return `integrations.token:${integrationId}`;
}
