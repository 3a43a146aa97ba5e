/** Tells receivers of renewals before they happen, once each (SDD rulebook, pre-notification). */
import type { Deps } from "../deps.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { tenantsDue } from "../merchants/clock/time.ts";
import { utcDate } from "../lib/dates.ts";
import { targetDayFrom } from "../banking/target.ts";
import { upcomingEvent } from "../webhooks/events.ts";
import { findUpcoming, tenantsWithUpcoming, writeAnnounced, type UpcomingRow } from "./announce-store.ts";

export function announceJob(deps: Deps): Job {
  return {
    name: "announce-renewals",
    everyMs: MINUTE_MS,
    batch: 200,
    runOnce: (batch) => announceUpcoming(deps, batch),
  };
}

/** One pass over every tenant with a renewal that is near. Returns how many were announced. */
async function announceUpcoming(deps: Deps, batch: number): Promise<number> {
  let announced = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithUpcoming)) {
    const now = deps.time.now(tenant);
    for (const row of await findUpcoming(deps.db, tenant, utcDate(now), batch)) {
      const event = upcomingEvent(deps.ids.uuid(), factsOf(deps, row), recordOf(row));
      if (await writeAnnounced(deps.db, tenant, row, now, event)) announced += 1;
    }
  }
  if (announced > 0) deps.announce();
  return announced;
}

function factsOf(deps: Deps, row: UpcomingRow) {
  const livemode = deps.environment === "production" && !row.test_mode;
  return { livemode, tenantReferenceId: null, orderNumber: row.order_number };
}

function recordOf(row: UpcomingRow) {
  return {
    id: row.id,
    amount: row.billing_amount,
    currency: row.currency,
    due_date: row.next_billing_date,
    collection_date: targetDayFrom(row.next_billing_date),
    billing_frequency: row.billing_frequency,
    mandate_reference: row.mandate_reference,
    creditor_name: row.creditor_name,
    creditor_identifier: row.creditor_identifier,
    iban_last4: row.iban_last4,
    lead_id: row.lead_id,
    email: row.email,
    customer_name: `${row.first_name} ${row.last_name}`,
  };
}
