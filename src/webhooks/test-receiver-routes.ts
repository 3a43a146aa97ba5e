/** A test receiver, in staging only: it is down for a while, so that a merchant sees retries succeed. */
import { createHash } from "node:crypto";
import type { Deps } from "../deps.ts";
import type { Router } from "../http/endpoint.ts";
import { NEWEST_FIRST } from "../http/paging.ts";
import { later, SECOND_MS } from "../lib/clock.ts";
import { uuidOf } from "../lib/ids.ts";
import { Type } from "../lib/schema.ts";
import { createRecord, patchRecord, type Target } from "../management/resource-write.ts";
import type { RecordDeps } from "../management/resource.ts";
import { webhookProfileKind } from "./profiles/profile.ts";

const PATH = "/sandbox/receiver/";
/** By then a delivery has failed twice (delivery/schedule.ts); the third request, after a minute, arrives. */
const DOWN_MS = 30 * SECOND_MS;
const NAME = "Test receiver";
const PROFILES_MAX = 100;

/** Declares the receiver. The time until which it is down is in its address; nothing is stored. */
export function testReceiverRoutes(router: Router, { clock }: Pick<Deps, "clock">): void {
  router.add("POST", PATH, {
    summary: "The test mode's receiver",
    tag: "Sandbox",
    access: "anyone",
    hidden: true,
    body: "raw",
    schema: {
      query: Type.Object({ down_until: Type.String({ maxLength: 40 }) }),
      body: Type.Unknown(),
      response: { 200: Type.Object({ detail: Type.String() }) },
    },
    async handle({ query }) {
      const isDown = clock.now().getTime() < Date.parse(query.down_until);
      return isDown
        ? { status: 503, body: { detail: "The test receiver is down." } }
        : { status: 200, body: { detail: "The test receiver accepted it." } };
    },
  });
}

/**
 * Takes the tenant's test receiver down from now on, after creating the first one.
 * @param target the author.
 * @throws FieldErrors where nothing may be sent to the service's own address.
 */
export async function takeTestReceiverDown(deps: RecordDeps, target: Omit<Target, "id">): Promise<void> {
  const address = `${deps.publicUrl}${PATH}?down_until=`;
  const url = address + later(deps.clock.now(), DOWN_MS).toISOString();
  const window = { ...NEWEST_FIRST, limit: PROFILES_MAX };
  const all = await webhookProfileKind.store.list(deps.db, target.tenant, true, window);
  const made = all.filter((profile) => profile.url.startsWith(address));
  const known = made.find((profile) => profile.archived_at === null);
  const id = known?.id ?? idOf(target.tenant, made.length);
  // Of two concurrent first clicks both have this id, and one creates the profile.
  if (known === undefined)
    await createRecord(deps, webhookProfileKind, { ...target, id }, { name: NAME, url });
  else await patchRecord(deps, webhookProfileKind, { ...target, id }, { url, active: true });
}

/**
 * The id of a test receiver.
 * @param before how many the tenant has had.
 */
function idOf(tenant: number, before: number): string {
  return uuidOf(createHash("sha256").update(`test receiver ${before} of tenant ${tenant}`).digest());
}
