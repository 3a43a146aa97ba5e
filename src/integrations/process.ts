/** Processing: each postback is matched to a lead of its tenant, once, and its activity records the result. */
import type { Deps } from "../deps.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { isUuid } from "../lib/ids.ts";
import type { Job } from "../lib/job.ts";
import { readSessionToken } from "../tenants/signed-address.ts";
import { readPostback, type Postback } from "./postback.ts";
import { openPayload } from "./receive.ts";
import type { OnActivity } from "./routes.ts";
import {
  claimDueActivities,
  findMatch,
  recordEnd,
  tenantsWithDueActivities,
  type DueRow,
  type ActivityEnd,
  type References,
} from "./store.ts";

const TENANTS_PER_PASS = 50;
/** Bodies have up to 1 MiB each, and all of a claim are in memory at once. */
const CLAIMED_MAX = 16;
/** Matching takes moments; after a crash or an outage of the database the rest waits no longer than this. */
const LEASE_MS = 30 * SECOND_MS;
/** After this many internal failures an activity waits for a manual replay. */
const TRIES_MAX = 5;

export function processJob(deps: Deps, onActivity: OnActivity): Job {
  return {
    name: "process-postbacks",
    everyMs: SECOND_MS,
    batch: CLAIMED_MAX,
    runOnce: (batch) => processDue(deps, batch, onActivity),
  };
}

/** One pass over every tenant with something to process. Returns how many activities were taken. */
export async function processDue(
  deps: Pick<Deps, "clock" | "db" | "keys" | "log" | "reached">,
  batch: number,
  onActivity: OnActivity,
): Promise<number> {
  let taken = 0;
  for (const tenant of await tenantsWithDueActivities(deps.db, TENANTS_PER_PASS)) {
    const due = await claimDueActivities(deps.db, tenant, LEASE_MS, batch);
    if (due.length > 0) deps.reached("postback.claimed");
    await Promise.all(due.map((row) => processOne(deps, tenant, row, onActivity)));
    taken += due.length;
  }
  return taken;
}

async function processOne(
  deps: Pick<Deps, "clock" | "db" | "keys" | "log" | "reached">,
  tenant: number,
  row: DueRow,
  onActivity: OnActivity,
): Promise<void> {
  try {
    const ended = await endOf(deps, tenant, row);
    deps.reached("postback.matched");
    const recorded = await recordEnd(deps.db, tenant, row, ended, deps.clock.now());
    deps.reached("postback.recorded");
    if (recorded) onActivity(ended.status);
  } catch (error) {
    // It is retried when its lease expires.
    deps.log.error("a postback could not be processed", error, { activity_id: row.id, tries: row.tries });
    if (row.tries < TRIES_MAX) return;
    await recordEnd(deps.db, tenant, row, failed("internal_error"), deps.clock.now());
    onActivity("failed");
  }
}

async function endOf(deps: Pick<Deps, "db" | "keys">, tenant: number, row: DueRow): Promise<ActivityEnd> {
  const body = openPayload(deps, tenant, row);
  if (body === null) return failed("payload_unreadable");
  const postback = readPostback(body, row);
  const wrong = postback.notText.find((meaning) => meaning === "lead_id" || meaning === "our_ref");
  if (wrong !== undefined) return failed(`${wrong}_is_no_text`);
  const { lead_id: leadId, our_ref: ourRef } = postback.values;
  if (leadId === null && ourRef === null) return unmatched("no_reference");
  const match = await findMatch(deps.db, tenant, referencesOf(deps, tenant, postback));
  if (match === null) return unmatched("unknown_reference");
  return {
    status: "matched",
    reason: match.matched_by,
    leadId: match.lead_id,
    orderId: match.order_id,
    sessionId: match.session_id,
  };
}

/** (contract: Matching postbacks) */
function referencesOf({ keys }: Pick<Deps, "keys">, tenant: number, { values }: Postback): References {
  const leadId = values.lead_id?.trim() ?? "";
  const ourRef = values.our_ref?.trim() ?? "";
  const session = readSessionToken(keys, ourRef);
  return {
    leadId: isUuid(leadId) ? leadId : null,
    ourLeadId: isUuid(ourRef) ? ourRef : null,
    orderNumber: ourRef.toUpperCase(),
    sessionId: session?.tenant === tenant ? session.sessionId : null,
    // The only reference that is compared unchanged, with its spaces (contract: Tenant reference).
    tenantReferenceId: values.our_ref,
  };
}

function unmatched(reason: string): ActivityEnd {
  return { status: "unmatched", reason, leadId: null, orderId: null, sessionId: null };
}

function failed(reason: string): ActivityEnd {
  return { status: "failed", reason, leadId: null, orderId: null, sessionId: null };
}
