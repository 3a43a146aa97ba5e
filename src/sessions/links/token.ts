/**
 * The token in a link's address: `pl_` and 20 bytes in base64url = tenant (4) · id (16). It is not a credential, as links
 * are meant to be shared, and depends on no key: a printed link has to work for years.
 */
import { isUuid } from "../../lib/ids.ts";
import type { Deps } from "../../deps.ts";
import { TENANT_MAX } from "../../tenants/routed-secret.ts";

interface LinkAddress {
  readonly tenant: number;
  readonly id: string;
}

const PREFIX = "pl_";
const TOKEN = /^pl_[A-Za-z0-9_-]{27}$/;

function linkToken({ tenant, id }: LinkAddress): string {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt32BE(tenant, 0);
  bytes.write(id.replaceAll("-", ""), 4, "hex");
  return PREFIX + bytes.toString("base64url");
}

/** The link that a token names; null for any other text. */
export function readLinkToken(token: string): LinkAddress | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
  const tenant = bytes.readUInt32BE(0);
  const id = bytes.toString("hex", 4).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  // Two texts that only differ in the unused bits of base64url would name the same link.
  const isOurs = tenant <= TENANT_MAX && isUuid(id) && linkToken({ tenant, id }) === token;
  return isOurs ? { tenant, id } : null;
}

/** The public page of the link. */
export function linkUrl({ publicUrl }: Pick<Deps, "publicUrl">, address: LinkAddress): string {
  return `${publicUrl}/pay/link/${linkToken(address)}/`;
}
