/** The SQL that writes the event of a guard, where no statement writes it with its fact. */
import { sql, type Tx } from "../db/database.ts";
import type { NewEvent } from "./events.ts";
import { insertEvents } from "./outbox.ts";

const TELL = sql(
  "webhooks.tell_guard",
  `with t as (
     select :transactionId::uuid as id, :sessionId::uuid as session_id
   ), heard as materialized (${insertEvents({ from: "t", events: ":events", now: ":now::timestamptz" })}
   )
   select id from heard`,
);

/** Writes an event about a transaction or a session in the transaction that has stopped it. */
export async function tellGuard(
  tx: Tx,
  tenant: number,
  now: Date,
  about: { readonly transactionId: string | null; readonly sessionId: string | null },
  event: NewEvent,
): Promise<void> {
  await tx.write(TELL, { tenant, now, ...about, events: JSON.stringify([event]) });
}
