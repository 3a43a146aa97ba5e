/**
 * Session tokens route themselves: `ps_` and 33 bytes in base64url = key id (1) · tenant (4) · session id (16) · truncated HMAC (12).
 * A forged one is refused without asking the database, and none is stored (contract: Session tokens).
 */
import type { Deps } from "../deps.ts";
import { sameBytes, type Keyring } from "../lib/keyring.ts";
import { must } from "../lib/assert.ts";
import { Refusal } from "../refusals.ts";

interface SessionAddress {
  readonly tenant: number;
  readonly sessionId: string;
}

const PREFIX = "ps_";
const SIGNED_BYTES = 21;
const MAC_BYTES = 12;
const TOKEN = /^ps_[A-Za-z0-9_-]{44}$/;

/** The token of a session, under the key that was current when the session was made. */
export function sessionToken(keys: Keyring, keyId: number, { tenant, sessionId }: SessionAddress): string {
  // Of a key that is lost for good (`keys forget`) there is nothing left: such a session gets another token.
  const number = keys.keyIds.includes(keyId) ? keyId : keys.currentKeyId;
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed.writeUInt8(number, 0);
  signed.writeUInt32BE(tenant, 1);
  signed.write(sessionId.replaceAll("-", ""), 5, "hex");
  const mac = must(keys.mac(number, "session-token", signed), "a key that is held");
  return PREFIX + Buffer.concat([signed, mac.subarray(0, MAC_BYTES)]).toString("base64url");
}

/** The session that a token names; null for anything that this service did not issue. */
export function readSessionToken(keys: Keyring, token: string): SessionAddress | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = keys.mac(signed.readUInt8(0), "session-token", signed);
  if (mac === null || !sameBytes(mac.subarray(0, MAC_BYTES), bytes.subarray(SIGNED_BYTES))) return null;
  const hex = signed.toString("hex", 5);
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { tenant: signed.readUInt32BE(1), sessionId };
}

/** The page of a session: where the customer pays, and where a verification leads back to. */
export function paymentUrl(
  deps: Pick<Deps, "keys" | "publicUrl">,
  tokenKeyId: number,
  tenant: number,
  sessionId: string,
): string {
  return paymentUrlOf(deps, sessionToken(deps.keys, tokenKeyId, { tenant, sessionId }));
}

/** The same where the token is known: making one costs a MAC. */
export function paymentUrlOf({ publicUrl }: Pick<Deps, "publicUrl">, token: string): string {
  return `${publicUrl}/pay/${token}/`;
}

/** The session of a token that this tenant holds. @throws Refusal not_found for any other text. */
export function sessionOfTenant(deps: Pick<Deps, "keys">, tenant: number, token: string): string {
  const address = readSessionToken(deps.keys, token);
  if (address === null || address.tenant !== tenant) throw new Refusal("not_found");
  return address.sessionId;
}
