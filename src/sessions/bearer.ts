/** Authenticates calls from the customer's browser with a session token (contract: Authentication). */
import type { Deps } from "../deps.ts";
import type { Caller } from "../http/endpoint.ts";
import { readSessionToken } from "../tenants/signed-address.ts";
import { detailsOver } from "./session.ts";
import { findSessionWithPage } from "./store.ts";

/** The session of a token; null for a forged token, and for a session that ended without a payment or long ago. */
export function sessionBearer(
  deps: Pick<Deps, "db" | "keys" | "time">,
): (token: string) => Promise<Caller | null> {
  return async (token) => {
    const address = readSessionToken(deps.keys, token);
    if (address === null) return null;
    const session = await findSessionWithPage(deps.db, address.tenant, address.sessionId);
    if (session === null || session.status === "EXPIRED") return null;
    const now = deps.time.now(address.tenant);
    return detailsOver(session.closed_at, session.token_detail_days, now)
      ? null
      : { kind: "session", ...address };
  };
}
