/** The SQL that writes an event in the transaction of its fact, where no single statement writes both. */
import { sql, type Tx } from "../db/database.ts";
import type { NewEvent } from "./events.ts";
import { insertEvents } from "./outbox.ts";

const RECORD_EVENT = sql(
  "webhooks.record_event",
  `with t as (
     select :transactionId::uuid as id, :sessionId::uuid as session_id
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now::timestamptz" })}
   )
   select id from new_events`,
);

/** Inserts an event about a transaction or session, in the transaction of the fact that it reports. */
export async function recordEvent(
  tx: Tx,
  tenant: number,
  now: Date,
  about: { readonly transactionId: string | null; readonly sessionId: string | null },
  event: NewEvent,
): Promise<void> {
  await tx.write(RECORD_EVENT, { tenant, now, ...about, events: JSON.stringify([event]) });
}
