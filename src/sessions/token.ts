/** Puts a session's token into URLs, and reads it back for the calling tenant. */
import type { Deps } from "../deps.ts";
import { readSessionToken, sessionToken } from "../tenants/session-token.ts";
import { Refusal } from "../refusals.ts";

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
