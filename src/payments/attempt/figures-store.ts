/** The SQL of the figures on attempts with an unknown outcome. */
import { must } from "../../lib/assert.ts";
import { sql, type Reader } from "../../db/database.ts";
import type { AttemptFigures } from "../../http/metrics.ts";
import { isHeld } from "../refunds/held-store.ts";
import { RESOLVABLE_IN_SQL } from "../transaction.ts";

/** Counting stops here: beyond it the exact number does not matter. */
const COUNTED_MAX = 10_000;

const OPEN = sql(
  "attempts.figures",
  `-- every tenant: open attempts, as figures; the partial indexes have no others
   select (select count(*) from (select 1 as one from transactions h where ${isHeld("h")} limit ${COUNTED_MAX}) held)::integer as held,
          count(*) filter (where status = 'unresolved')::integer as unresolved,
          count(*) filter (where status in ('submitted', 'verifying'))::integer as under_way,
          count(*) filter (where status = 'awaiting_verification')::integer as awaiting_verification,
          coalesce(extract(epoch from statement_timestamp() - min(created_at)
            filter (where status in ${RESOLVABLE_IN_SQL})), 0)::integer as oldest_seconds
     from (select t.status, t.created_at from transactions t
            where t.resolve_at is not null and (${isHeld("t")}) is not true limit ${COUNTED_MAX}) open`,
).gives<AttemptFigures>();

export async function attemptFigures(db: Reader): Promise<AttemptFigures> {
  return must((await db.query(OPEN, {}))[0], "the one row of figures");
}
