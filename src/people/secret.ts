/** Secrets of sessions and links: routed secrets without a prefix. */
import type { Ids } from "../lib/ids.ts";
import { sha256 } from "../lib/keyring.ts";
import { routedSecret, tenantNamedBy } from "../tenants/routed-secret.ts";

interface Secret {
  /** For the cookie or the link; stored nowhere. */
  readonly text: string;
  readonly hash: Buffer;
}

export function newSecret(ids: Ids, tenant: number): Secret {
  return secretOf(tenant, ids.secret(32));
}

/** @param secret of 32 bytes. */
export function secretOf(tenant: number, secret: Buffer): Secret {
  const text = routedSecret("", tenant, secret);
  return { text, hash: sha256(text) };
}

/** The tenant and the hash of a secret; null for a malformed one. */
export function readSecret(text: string): { readonly tenant: number; readonly hash: Buffer } | null {
  const tenant = tenantNamedBy("", text);
  return tenant === null ? null : { tenant, hash: sha256(text) };
}
