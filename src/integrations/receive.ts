/** Receives a postback: finds the integration, checks the secret, and stores the body before it responds. */
import type { Deps } from "../deps.ts";
import { DAY_MS, later } from "../lib/clock.ts";
import { sameBytes } from "../lib/keyring.ts";
import { openSecret } from "./settings/integration.ts";
import { tokenAddress } from "./settings/token.ts";
import { Refusal } from "../refusals.ts";
import { readPostback } from "./postback.ts";
import { findReceiver, insertActivity, insertSkipped, type IntegrationReceiver } from "./store.ts";

/** What the partner sends besides its body. */
export interface Credentials {
  /** From the URL. */
  readonly token: string;
  /** From the header X-Service-Secret. */
  readonly secret: string | undefined;
}

interface Kept {
  /** The activity of the first postback with this content. */
  readonly activityId: string;
  readonly isNew: boolean;
}

/** The same content counts as a repetition for this long (contract: Repeated postbacks). */
const REPEATED_FOR_MS = 30 * DAY_MS;

/**
 * The integration of the token.
 * @throws Refusal not_found, the same for every invalid token; unauthorized.
 */
export async function authenticatePostback(
  deps: Pick<Deps, "db" | "keys">,
  { token, secret }: Credentials,
): Promise<IntegrationReceiver> {
  const address = tokenAddress(token);
  const receiver = await findReceiver(deps.db, address.tenant, address.hash);
  if (receiver === null) throw new Refusal("not_found");
  const { tenant, id, postback_secret: sealed } = receiver;
  const expected = openSecret(deps, tenant, id, "postback_secret", sealed);
  if (expected !== null && !sameBytes(Buffer.from(expected), Buffer.from(secret ?? ""))) {
    throw new Refusal("unauthorized");
  }
  return receiver;
}

/** Why the integration currently accepts nothing; null if it does. */
export function inactiveReason({
  active,
  provider_active,
}: Pick<IntegrationReceiver, "active" | "provider_active">): string | null {
  if (!active) return "integration_inactive";
  return provider_active ? null : "provider_inactive";
}

/** Records that a postback arrived while the record was inactive; its body is not read. */
export function skipPostback(
  deps: Pick<Deps, "clock" | "db" | "ids">,
  receiver: IntegrationReceiver,
  reason: string,
): Promise<void> {
  return insertSkipped(deps.db, receiver, { id: deps.ids.uuid(), reason, at: deps.clock.now() });
}

/**
 * Stores the whole body once, sealed.
 * @throws Refusal malformed_json unless it is a JSON object.
 */
export async function storePostback(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "reached">,
  receiver: Pick<IntegrationReceiver, "tenant" | "id" | "provider" | "key_mapping">,
  body: Buffer,
  recovered: boolean,
): Promise<Kept> {
  const { values, sameness } = readPostback(body, receiver);
  const id = deps.ids.uuid();
  const at = deps.clock.now();
  deps.reached("postback.before_insert");
  const activityId = await insertActivity(deps.db, receiver, {
    id,
    at,
    recovered,
    until: later(at, REPEATED_FOR_MS),
    fingerprints: deps.keys.fingerprints(receiver.tenant, `postback:${receiver.id}:${sameness}`),
    requestUuid: values.request_uuid,
    payload: deps.keys.seal(receiver.tenant, payloadContext(id), body),
  });
  deps.reached("postback.before_answer");
  return { activityId, isNew: activityId === id };
}

/** The body; null when it is no longer stored, or its master key is missing. */
export function openPayload(
  { keys }: Pick<Deps, "keys">,
  tenant: number,
  { id, payload }: { readonly id: string; readonly payload: Buffer | null },
): Buffer | null {
  if (payload === null) return null;
  try {
    return keys.open(tenant, payloadContext(id), payload);
  } catch {
    return null;
  }
}

/** The context with which a body is sealed. */
export function payloadContext(activityId: string): string {
  return `integration_activities.payload:${activityId}`;
}
