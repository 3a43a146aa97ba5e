/** Processes a postback once more, with the integration's current keys. */
import type { Deps } from "../deps.ts";
import { must } from "../lib/assert.ts";
import { isUuid } from "../lib/ids.ts";
import { hasRun, writeEntry } from "../management/audit/audit.ts";
import type { Target } from "../management/resource-write.ts";
import { Refusal } from "../refusals.ts";
import { lockActivity, replayActivity, type ListedActivityRow } from "./management-store.ts";
import { activityRecord } from "./postback-record.ts";

/**
 * Replays in one transaction with the audit entry; repeating the operation changes nothing.
 * @param target the activity.
 * @throws Refusal not_found; record_in_use.
 */
export async function replayPostback(
  { clock, db }: Pick<Deps, "clock" | "db">,
  integrationId: string,
  { tenant, id, author, operationId }: Target,
): Promise<ListedActivityRow> {
  if (!isUuid(integrationId) || !isUuid(id)) throw new Refusal("not_found");
  return db.transaction(async (tx) => {
    const before = await lockActivity(tx, tenant, integrationId, id);
    if (before === null) throw new Refusal("not_found");
    const operation = { tenant, id: operationId, resource: "integration-activities", resourceId: id };
    if (await hasRun(tx, author, operation)) return before;
    if (before.archived) throw new Refusal("record_in_use", { detail: "This integration is archived." });
    if (!before.has_payload) {
      throw new Refusal("record_in_use", { detail: "The body of this postback is no longer stored." });
    }
    const now = clock.now();
    const after = must(await replayActivity(tx, tenant, id), "the locked activity");
    await writeEntry(tx, author, {
      tenant,
      id: operationId,
      at: now,
      action: "replay",
      resource: "integration-activities",
      resourceId: id,
      before: activityRecord(before),
      after: activityRecord(after),
    });
    return after;
  });
}
