/**
 * Deletes receivers' responses after a while: they may quote a customer and are only for debugging. Ended deliveries
 * are deleted as a whole where a setting says after how long.
 */
import { sql } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { DAY_MS, HOUR_MS, later } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { TENANTS_MAX, tenantTurns } from "../../lib/turns.ts";

/**
 * The job.
 * @param keptDays how long a response is kept after it arrived.
 */
export function forgetReceiverAnswersJob({ db, clock }: Pick<Deps, "db" | "clock">, keptDays: number): Job {
  const turns = tenantTurns(clock);
  return {
    name: "forget-webhook-answers",
    everyMs: HOUR_MS,
    batch: 1_000,
    async runOnce(limit, stop) {
      const before = later(clock.now(), -keptDays * DAY_MS);
      const found = await db.query(TENANTS_WITH_ANSWERS, { before, limit: TENANTS_MAX });
      const tenants = found.map(({ tenant }) => tenant);
      let forgotten = 0;
      for (const tenant of turns(tenants, stop))
        forgotten += (await db.commit(FORGET_ANSWERS, { tenant, before, limit })).length;
      return forgotten;
    },
  };
}

const TENANTS_WITH_ANSWERS = sql(
  "webhooks.tenants_with_old_answers",
  `select distinct tenant
     from webhook_attempts -- every tenant: the first of a job's two steps finds who has work
    where at < :before and response_body is not null
    limit :limit`,
).gives<{ tenant: number }>();

/** Code, duration and error of the attempt stay. */
const FORGET_ANSWERS = sql(
  "webhooks.forget_answers",
  `with old as (
     select delivery_id, number
       from webhook_attempts
      where tenant = :tenant and at < :before and response_body is not null
      order by at
      limit :limit
        for update skip locked
   )
   update webhook_attempts a
      set response_body = null
     from old
    where a.tenant = :tenant and a.delivery_id = old.delivery_id and a.number = old.number
   returning a.number`,
);

/**
 * The job.
 * @param keptDays how long a delivery is kept after its last request.
 */
export function forgetDeliveriesJob({ db, clock }: Pick<Deps, "db" | "clock">, keptDays: number): Job {
  return {
    name: "forget-webhook-deliveries",
    everyMs: HOUR_MS,
    batch: 1_000,
    async runOnce(limit) {
      const before = later(clock.now(), -keptDays * DAY_MS);
      let forgotten = 0;
      for (const { tenant } of await db.query(TENANTS, {}))
        forgotten += (await db.commit(FORGET_DELIVERIES, { tenant, before, limit })).length;
      return forgotten;
    },
  };
}

/** All tenants: an index shows quickly that one has nothing old, but there is none to find those that have. */
const TENANTS = sql(
  "webhooks.tenants",
  `select tenant
     from tenants -- every tenant: the clean-up goes from one to the next
    order by tenant`,
).gives<{ tenant: number }>();

/**
 * With their attempts. The event stays: it is history, and is not announced a second time. Announcements of renewals
 * stay with their attempts: they prove that the merchant was notified (messages/notice-conditions.ts).
 */
const FORGET_DELIVERIES = sql(
  "webhooks.forget_deliveries",
  `with old as (
     select id
       from webhook_deliveries
      where tenant = :tenant and created_at < :before and due_at is null and locked_until is null
        and event_type <> 'subscription.upcoming'
      order by created_at
      limit :limit
        for update skip locked
   ), attempts as (
     delete from webhook_attempts a using old where a.tenant = :tenant and a.delivery_id = old.id
   )
   delete from webhook_deliveries d using old where d.tenant = :tenant and d.id = old.id
   returning d.id`,
).gives<{ id: string }>();
