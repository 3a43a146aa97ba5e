/** Tests a receiver: sends a sample event now and returns the result. Stores nothing. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { secretsOf } from "../delivery/attempt.ts";
import { renderBody, sampleEvent } from "../delivery/payload.ts";
import type { Sender, Sent } from "../delivery/send.ts";
import { signedHeaders } from "../delivery/signature.ts";
import { findProfileToTest } from "./store.ts";

interface Tried {
  readonly event: string;
  readonly eventId: string;
  readonly sent: Sent;
}

/**
 * Signed and rendered like real ones, marked with X-Service-Test.
 * @throws Refusal not_found.
 */
export async function tryReceiver(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys">,
  sender: Sender,
  tenant: number,
  profileId: string,
  event: string,
): Promise<Tried> {
  const profile = isUuid(profileId) ? await findProfileToTest(deps.db, tenant, profileId) : null;
  if (profile === null) throw new Refusal("not_found");
  const at = deps.clock.now();
  const eventId = deps.ids.uuid();
  const body = renderBody(sampleEvent(eventId, event, at), {
    payloadFields: profile.payload_fields,
    asciiEscape: profile.ascii_escape,
  });
  const message = { event, eventId, deliveryId: deps.ids.uuid(), attempt: 1, at, body };
  const headers = { ...signedHeaders(secretsOf(deps, tenant, profile), message), "X-Service-Test": "true" };
  return { event, eventId, sent: await sender.post(profile.url, headers, body) };
}
