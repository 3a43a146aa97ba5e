/** The SQL that erases what partners have posted of a person. */
import { sql, type Tx } from "../db/database.ts";

const ERASE_ACTIVITIES = sql(
  "erase.activities",
  `update integration_activities set payload = null
    where tenant = :tenant and payload is not null
      and (lead_id = :leadId or session_id = any (:sessions::uuid[]))`,
);

/** Deletes the bodies of postbacks that are matched to the person; those matched later end without one (`recordEnd`). */
export async function eraseActivities(
  tx: Tx,
  tenant: number,
  leadId: string,
  sessions: readonly string[],
): Promise<void> {
  await tx.write(ERASE_ACTIVITIES, { tenant, leadId, sessions });
}
