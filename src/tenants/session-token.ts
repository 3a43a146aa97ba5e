/** Session tokens route themselves: signed addresses (signed-address.ts) that begin with `ps_` (contract: Session tokens). */
import type { Deps } from "../deps.ts";
import type { Keyring } from "../lib/keyring.ts";
import { Refusal } from "../refusals.ts";
import { readSignedAddress, signedAddress, type AddressKind } from "./signed-address.ts";

interface SessionAddress {
  readonly tenant: number;
  readonly sessionId: string;
}

const KIND: AddressKind = { prefix: "ps_", purpose: "session-token" };

/** The token of a session, under the key that was current when the session was made. */
export function sessionToken(keys: Keyring, keyId: number, { tenant, sessionId }: SessionAddress): string {
  // Of a key that is lost for good (`keys forget`) there is nothing left: such a session gets another token.
  const number = keys.keyIds.includes(keyId) ? keyId : keys.currentKeyId;
  return signedAddress(keys, KIND, number, { tenant, id: sessionId });
}

/** The session that a token names; null for anything that this service did not issue. */
export function readSessionToken(keys: Keyring, token: string): SessionAddress | null {
  const address = readSignedAddress(keys, KIND, token);
  return address && { tenant: address.tenant, sessionId: address.id };
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
