/** The SQL of the figures on waiting events and deliveries. */
import { must } from "../../lib/assert.ts";
import { sql, type Reader } from "../../db/database.ts";
import type { WebhookFigures } from "../../http/metrics.ts";

/** Counting stops here: beyond it the exact number does not matter. */
const COUNTED_MAX = 10_000;

const WAITING = sql(
  "webhooks.figures",
  `-- every tenant: what waits to be sent, as figures
   select (select count(*) from (select 1 as one from events where fanned_out_at is null limit ${COUNTED_MAX}) e)::integer as events,
          d.deliveries, d.oldest_seconds, f.failing, f.late_seconds
     from (select count(*)::integer as deliveries,
                  coalesce(extract(epoch from statement_timestamp() - min(created_at)), 0)::integer as oldest_seconds
             from (select created_at from webhook_deliveries where status in ('pending', 'failing') limit ${COUNTED_MAX}) w) d,
          (select count(*) filter (where r.failures_in_a_row > 0)::integer as failing,
                  greatest(coalesce(extract(epoch from statement_timestamp() - min(r.next_at)
                    filter (where r.paused_until is null or r.paused_until <= statement_timestamp())), 0), 0)::integer as late_seconds
             from webhook_receivers r
             join webhook_profiles p on p.tenant = r.tenant and p.id = r.profile_id and p.active and p.archived_at is null
            where r.next_at is not null) f`,
).gives<WebhookFigures>();

export async function webhookFigures(db: Reader): Promise<WebhookFigures> {
  return must((await db.query(WAITING, {}))[0], "the one row of figures");
}
