/** Who holds a bearer key: the operator, or an API key of a tenant. */
import type { Deps } from "../deps.ts";
import type { Caller } from "../http/endpoint.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import { sameBytes, sha256 } from "../lib/keyring.ts";
import { KEY_PREFIX } from "./api-keys/secret.ts";
import { tenantNamedBy } from "./routed-secret.ts";
import { findHolder, touchKey, type KeyHolder } from "./api-keys/store.ts";

/** How often `last_used_at` of a key is written at most, and so how exact it is. */
const LAST_USED_EVERY_MS = MINUTE_MS;

/** Null for wrong, revoked, expired and archived keys alike. */
type Authenticate = (bearer: string) => Promise<Caller | null>;

export function createAuthenticator(
  { db, clock, log }: Pick<Deps, "db" | "clock" | "log">,
  operatorKey: string,
): Authenticate {
  const noteUse = useNotes({ db, clock, log });
  const operatorBytes = Buffer.from(operatorKey);

  return async (bearer) => {
    // In constant time, whatever is sent; an API key is found by its hash, which tells a guesser nothing either.
    if (sameBytes(Buffer.from(bearer), operatorBytes)) return { kind: "operator" };
    const tenant = tenantNamedBy(KEY_PREFIX, bearer);
    if (tenant === null) return null;
    const holder = await findHolder(db, tenant, sha256(bearer), clock.now());
    if (holder === null) return null;
    noteUse(tenant, holder);
    return { kind: "key", tenant, keyId: holder.id, name: holder.name, scopes: holder.scopes };
  };
}

/** Records the use of keys without delaying the request. */
function useNotes({ db, clock, log }: Pick<Deps, "db" | "clock" | "log">) {
  /** Keys whose use is being recorded: a burst of requests writes once. */
  const underWay = new Set<string>();

  return (tenant: number, { id, last_used_at: lastUsedAt }: KeyHolder): void => {
    const now = clock.now();
    const fresh = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < LAST_USED_EVERY_MS;
    if (fresh || underWay.has(id)) return;
    underWay.add(id);
    touchKey(db, tenant, id, now)
      .catch((error: unknown) =>
        log.error("the last use of an API key could not be recorded", error, { key: id }),
      )
      .finally(() => underWay.delete(id));
  };
}
