/**
 * Session tokens and other signed addresses: texts that name a record of a tenant and that only this service can make, so
 * they route themselves. A prefix and bytes in base64url = key id (1) · tenant (4) · id (16) · for one
 * whose time ends, the second of its end (6) · truncated HMAC (12). A forged one is refused without asking the database, and none is stored.
 */
import type { Deps } from "../deps.ts";
import { must } from "../lib/assert.ts";
import { sameBytes, type Keyring, type MacPurpose } from "../lib/keyring.ts";
import { Refusal } from "../refusals.ts";

interface Address {
  readonly tenant: number;
  readonly id: string;
}

/** An address that expires. */
interface ShortLived extends Address {
  readonly expiresAt: Date;
}

/** The prefix of a kind of address, and the purpose of its HMAC. */
export interface AddressKind {
  readonly prefix: string;
  readonly purpose: MacPurpose;
}

const SIGNED_BYTES = 21;
const SECOND_BYTES = 6;
const MAC_BYTES = 12;
const NAME = /^(?:[A-Za-z0-9_-]{4})+$/;

interface SessionAddress {
  readonly tenant: number;
  readonly sessionId: string;
}

/** Session tokens are the signed addresses of sessions (contract: Session tokens). */
const SESSION_TOKEN: AddressKind = { prefix: "ps_", purpose: "session-token" };

/**
 * The session that a token names; null for anything that this service did not issue. Called for a path by `admit`
 * (src/http/access.ts), for a bearer by src/sessions/bearer.ts, for a postback by src/integrations/process.ts, and for
 * cancel by `sessionOfTenant`; nowhere else.
 */
export function readSessionToken(keys: Keyring, token: string): SessionAddress | null {
  const address = readSignedAddress(keys, SESSION_TOKEN, token);
  return address && { tenant: address.tenant, sessionId: address.id };
}

/** The session of a token that this tenant holds; for cancel. @throws Refusal not_found for any other text. */
export function sessionOfTenant(deps: Pick<Deps, "keys">, tenant: number, token: string): string {
  const address = readSessionToken(deps.keys, token);
  if (address === null || address.tenant !== tenant) throw new Refusal("not_found");
  return address.sessionId;
}

/** Null for anything that this service did not issue. */
export function readSignedAddress(keys: Keyring, kind: AddressKind, text: string): Address | null {
  const bytes = verified(keys, kind, text, SIGNED_BYTES);
  return bytes && addressIn(bytes);
}

function verified(
  keys: Keyring,
  { prefix, purpose }: AddressKind,
  text: string,
  length: number,
): Buffer | null {
  const name = text.slice(prefix.length);
  // Whole groups of four: no two texts name the same address.
  if (!text.startsWith(prefix) || name.length !== ((length + MAC_BYTES) / 3) * 4 || !NAME.test(name))
    return null;
  const bytes = Buffer.from(name, "base64url");
  const body = bytes.subarray(0, length);
  const mac = keys.mac(body.readUInt8(0), purpose, body);
  return mac !== null && sameBytes(mac.subarray(0, MAC_BYTES), bytes.subarray(length)) ? body : null;
}

function addressIn(bytes: Buffer): Address {
  const hex = bytes.toString("hex", 5, SIGNED_BYTES);
  return {
    tenant: bytes.readUInt32BE(1),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  };
}

/** The page of a session, where the customer pays and to which a verification leads back. */
export function paymentUrl(
  deps: Pick<Deps, "keys" | "publicUrl">,
  tokenKeyId: number,
  tenant: number,
  sessionId: string,
): string {
  return paymentUrlOf(deps, sessionToken(deps.keys, tokenKeyId, { tenant, sessionId }));
}

/** The token of a session, under the key that was current when the session was made. */
export function sessionToken(keys: Keyring, keyId: number, { tenant, sessionId }: SessionAddress): string {
  // Nothing is left of a key that is lost for good (`keys forget`): such a session gets another token.
  const number = keys.keyIds.includes(keyId) ? keyId : keys.currentKeyId;
  return signedAddress(keys, SESSION_TOKEN, number, { tenant, id: sessionId });
}

/** @param keyId one that is held. */
export function signedAddress(keys: Keyring, kind: AddressKind, keyId: number, address: Address): string {
  return signed(keys, kind, bytesOf(keyId, address));
}

function bytesOf(keyId: number, { tenant, id }: Address): Buffer {
  const bytes = Buffer.alloc(SIGNED_BYTES);
  bytes.writeUInt8(keyId, 0);
  bytes.writeUInt32BE(tenant, 1);
  bytes.write(id.replaceAll("-", ""), 5, "hex");
  return bytes;
}

function signed(keys: Keyring, { prefix, purpose }: AddressKind, bytes: Buffer): string {
  const mac = must(keys.mac(bytes.readUInt8(0), purpose, bytes), "a key that is held");
  return prefix + Buffer.concat([bytes, mac.subarray(0, MAC_BYTES)]).toString("base64url");
}

/** The address of the payment page for a known token: making one costs a MAC. */
export function paymentUrlOf({ publicUrl }: Pick<Deps, "publicUrl">, token: string): string {
  return `${publicUrl}/pay/${token}/`;
}

/** An address that expires, to the second. */
export function shortLivedAddress(keys: Keyring, kind: AddressKind, address: ShortLived): string {
  const second = Buffer.alloc(SECOND_BYTES);
  second.writeUIntBE(Math.floor(address.expiresAt.getTime() / 1_000), 0, SECOND_BYTES);
  return signed(keys, kind, Buffer.concat([bytesOf(keys.currentKeyId, address), second]));
}

/** The record named by a short-lived address, even if it has expired; null for a forged one. */
export function readShortLivedAddress(keys: Keyring, kind: AddressKind, text: string): ShortLived | null {
  const bytes = verified(keys, kind, text, SIGNED_BYTES + SECOND_BYTES);
  if (bytes === null) return null;
  return {
    ...addressIn(bytes),
    expiresAt: new Date(bytes.readUIntBE(SIGNED_BYTES, SECOND_BYTES) * 1_000),
  };
}
