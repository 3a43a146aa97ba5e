/**
 * Secrets that contain their tenant: a prefix and, in base64url, the tenant's number (4 bytes) and 32 secret bytes.
 * Only the SHA-256 is stored.
 */

const TENANT_BYTES = 4;
const NAME = /^[A-Za-z0-9_-]{48}$/;
/** The largest PostgreSQL integer. */
export const TENANT_MAX = 2 ** 31 - 1;

/** @param secret of 32 bytes. */
export function routedSecret(prefix: string, tenant: number, secret: Buffer): string {
  const bytes = Buffer.alloc(TENANT_BYTES);
  bytes.writeUInt32BE(tenant);
  return prefix + Buffer.concat([bytes, secret]).toString("base64url");
}

/** The tenant named in a secret, not authenticated yet; null for a malformed one. */
export function tenantNamedBy(prefix: string, text: string): number | null {
  const name = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !NAME.test(name)) return null;
  const tenant = Buffer.from(name, "base64url").readUInt32BE();
  return tenant <= TENANT_MAX ? tenant : null;
}
