/** Deletes receivers' responses after a month: they may quote a customer and serve only for debugging. */
import { sql, type Database } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { DAY_MS, HOUR_MS, later } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";

const ANSWERS_KEPT_MS = 30 * DAY_MS;

export function forgetAnswersJob({ db, clock }: Pick<Deps, "db" | "clock">): Job {
  return {
    name: "forget-webhook-answers",
    everyMs: HOUR_MS,
    batch: 1_000,
    runOnce: (batch) => forgetAnswers(db, later(clock.now(), -ANSWERS_KEPT_MS), batch),
  };
}

const FORGET_ANSWERS = sql(
  "webhooks.forget_answers",
  `-- every tenant: what is too old is too old
   with old as (
     select tenant, delivery_id, number
       from webhook_attempts
      where at < :before and response_body is not null
      order by at
      limit :limit
        for update skip locked
   )
   update webhook_attempts a
      set response_body = null
     from old
    where a.tenant = old.tenant and a.delivery_id = old.delivery_id and a.number = old.number
   returning a.number`,
);

/** Code, duration and error of the attempt stay. Returns how many answers were forgotten. */
async function forgetAnswers(db: Database, before: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_ANSWERS, { before, limit })).length;
}
