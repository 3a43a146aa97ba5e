/** Announces renewals before they are collected, once each (SDD rulebook, pre-notification). */
import type { Deps } from "../deps.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { tenantTurns, type TenantTurns } from "../lib/turns.ts";
import { tenantsDue } from "../tenants/clock/time.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { debitOfNext, noticeDaysToWait } from "./debit-day.ts";
import { upcomingEvent } from "../webhooks/events.ts";
import {
  announceUnnotifiedAgain,
  findUpcoming,
  recordStillAnnounced,
  tenantsWithUpcoming,
  writeAnnounced,
  type NewNotice,
  type UpcomingRow,
} from "./announce-store.ts";
import { noticeDays } from "./notice-days.ts";
import { recordFacts } from "../payments/transaction.ts";
import { gatewayOf } from "../gateways/calling.ts";

export function announceJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "announce-renewals",
    everyMs: MINUTE_MS,
    batch: 200,
    runOnce: (batch, stop) => announceUpcoming(deps, batch, turns, stop),
  };
}

/** One pass over every tenant with an upcoming renewal. Returns how many were announced. */
async function announceUpcoming(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  batch: number,
  turns: TenantTurns,
  stop: AbortSignal | undefined,
): Promise<number> {
  let announced = 0;
  for (const tenant of turns(await tenantsDue(deps, tenantsWithUpcoming), stop)) {
    const now = deps.time.now(tenant);
    const today = utcDate(now);
    await announceUnnotifiedAgain(deps.db, tenant, today);
    for (const row of await findUpcoming(deps.db, tenant, today, batch)) {
      if (await announceAlone(deps, tenant, row, now)) announced += 1;
    }
  }
  if (announced > 0) deps.announce();
  return announced;
}

/** A renewal whose gateway cannot be opened is announced once it can be, so that no wrong date is announced. */
async function announceAlone(
  deps: Pick<Deps, "adapters" | "db" | "environment" | "ids" | "keys" | "log">,
  tenant: number,
  row: UpcomingRow,
  now: Date,
): Promise<boolean> {
  try {
    const debit = debitOf(deps, tenant, row, now);
    if (debit.day === row.announced_day) {
      await recordStillAnnounced(deps.db, tenant, row, now);
      return false;
    }
    const event = upcomingEvent(deps.ids.uuid(), factsOf(deps, row), recordOf(row, debit.day));
    const notice = noticeOf(deps.ids.uuid(), row, debit, event.id);
    return await writeAnnounced(deps.db, tenant, row, now, { event, notice, messageId: deps.ids.uuid() });
  } catch (error) {
    deps.log.error("a renewal could not be announced", error, { subscription_id: row.id });
    return false;
  }
}

function debitOf(
  deps: Pick<Deps, "adapters" | "keys">,
  tenant: number,
  row: UpcomingRow,
  now: Date,
): ReturnType<typeof debitOfNext> {
  return debitOfNext(gatewayOf(deps, tenant, row), {
    terms: row,
    dueDate: row.next_billing_date,
    noticeDays: row.mandate_notice_days,
    now,
    noSoonerThanDays: noticeDaysToWait(row),
  });
}

function noticeDaysOf(row: UpcomingRow): number {
  return noticeDays(row.mandate_notice_days, row.mandate_text_version);
}

function factsOf(deps: Pick<Deps, "environment">, row: UpcomingRow) {
  return recordFacts(deps, { ...row, tenant_reference_id: null });
}

function recordOf(row: UpcomingRow, debitDay: IsoDate) {
  return {
    id: row.id,
    amount: row.billing_amount,
    currency: row.currency,
    due_date: row.next_billing_date,
    collection_date: debitDay,
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

function noticeOf(
  id: string,
  row: UpcomingRow,
  debit: ReturnType<typeof debitOfNext>,
  eventId: string,
): NewNotice {
  return {
    id,
    mandate_id: row.mandate_id,
    due_date: row.next_billing_date,
    collection_date: debit.day,
    lead_days: debit.leadDays,
    amount: row.billing_amount,
    currency: row.currency,
    billing_frequency: row.billing_frequency,
    mandate_reference: row.mandate_reference,
    creditor_name: row.creditor_name,
    creditor_identifier: row.creditor_identifier,
    iban_last4: row.iban_last4,
    notice_days: noticeDaysOf(row),
    event_id: eventId,
  };
}
