/** The signed, expiring address of a preview: it contains the tenant of the page and the expiry. Pure. */
import { sameBytes, type Keyring } from "../../lib/keyring.ts";
import { must } from "../../lib/assert.ts";

interface PreviewLink {
  readonly tenant: number;
  readonly expiresAt: Date;
}

const SIGNED_BYTES = 9;
const MAC_BYTES = 16;
const LINK = /^[A-Za-z0-9_-]{34}$/;

/** Key id (1) · tenant (4) · expiry in seconds (4) · truncated HMAC over them and the page's id (16). */
export function previewLink(keys: Keyring, pageId: string, { tenant, expiresAt }: PreviewLink): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed.writeUInt8(keys.currentKeyId, 0);
  signed.writeUInt32BE(tenant, 1);
  signed.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000), 5);
  return Buffer.concat([signed, must(macOf(keys, signed, pageId), "the current key")]).toString("base64url");
}

/** The preview that a link allows; null if this service did not issue the link for the page, or if it has expired. */
export function readPreviewLink(keys: Keyring, pageId: string, link: string, now: Date): PreviewLink | null {
  if (!LINK.test(link)) return null;
  const bytes = Buffer.from(link, "base64url");
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = macOf(keys, signed, pageId);
  if (mac === null || !sameBytes(mac, bytes.subarray(SIGNED_BYTES))) return null;
  const expiresAt = new Date(signed.readUInt32BE(5) * 1_000);
  return expiresAt > now ? { tenant: signed.readUInt32BE(1), expiresAt } : null;
}

function macOf(keys: Keyring, signed: Buffer, pageId: string): Buffer | null {
  const message = Buffer.concat([signed, Buffer.from(pageId.toLowerCase())]);
  return keys.mac(signed.readUInt8(0), "preview-link", message)?.subarray(0, MAC_BYTES) ?? null;
}
