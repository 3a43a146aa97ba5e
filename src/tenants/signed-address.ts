/**
 * Texts that name a record of a tenant and that only this service can make: a prefix and 33 bytes in base64url = key id (1) ·
 * tenant (4) · id (16) · truncated HMAC (12). A forged one is refused without asking the database, and none is stored.
 */
import { sameBytes, type Keyring, type MacPurpose } from "../lib/keyring.ts";
import { must } from "../lib/assert.ts";

interface Address {
  readonly tenant: number;
  readonly id: string;
}

/** What a kind of address begins with, and what its HMAC is for. */
export interface AddressKind {
  readonly prefix: string;
  readonly purpose: MacPurpose;
}

const SIGNED_BYTES = 21;
const MAC_BYTES = 12;
const NAME = /^[A-Za-z0-9_-]{44}$/;

/** @param keyId one that is held. */
export function signedAddress(
  keys: Keyring,
  { prefix, purpose }: AddressKind,
  keyId: number,
  { tenant, id }: Address,
): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed.writeUInt8(keyId, 0);
  signed.writeUInt32BE(tenant, 1);
  signed.write(id.replaceAll("-", ""), 5, "hex");
  const mac = must(keys.mac(keyId, purpose, signed), "a key that is held");
  return prefix + Buffer.concat([signed, mac.subarray(0, MAC_BYTES)]).toString("base64url");
}

/** Null for anything that this service did not issue. */
export function readSignedAddress(
  keys: Keyring,
  { prefix, purpose }: AddressKind,
  text: string,
): Address | null {
  if (!text.startsWith(prefix) || !NAME.test(text.slice(prefix.length))) return null;
  const bytes = Buffer.from(text.slice(prefix.length), "base64url");
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = keys.mac(signed.readUInt8(0), purpose, signed);
  if (mac === null || !sameBytes(mac.subarray(0, MAC_BYTES), bytes.subarray(SIGNED_BYTES))) return null;
  const id = signed.toString("hex", 5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { tenant: signed.readUInt32BE(1), id };
}
