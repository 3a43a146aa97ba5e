/** The SQL of the figures on waiting messages. */
import { sql, type Reader } from "../db/database.ts";
import type { MessageFigures } from "../http/metrics.ts";
import { must } from "../lib/assert.ts";

/** Counting stops here: beyond it the exact number does not matter. */
const COUNTED_MAX = 10_000;

const WAITING = sql(
  "messages.figures",
  `-- every tenant: what waits to be sent, as figures; the partial index has nothing else
   select count(*)::integer as waiting,
          greatest(coalesce(extract(epoch from statement_timestamp() - min(created_at)), 0), 0)::integer as oldest_seconds
     from (select created_at from messages where state = 'waiting' limit ${COUNTED_MAX}) w`,
).gives<MessageFigures>();

export async function messageFigures(db: Reader): Promise<MessageFigures> {
  return must((await db.query(WAITING, {}))[0], "the one row of figures");
}
