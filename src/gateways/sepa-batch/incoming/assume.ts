/**
 * Settles collections some days after their due date if the bank has not answered, where the merchant has enabled it.
 */
import { addTargetDays, isTargetDay } from "../../../sepa/target.ts";
import type { Deps } from "../../../deps.ts";
import { sepaSettings } from "../settings.ts";
import { HOUR_MS } from "../../../lib/clock.ts";
import { utcDate } from "../../../lib/dates.ts";
import type { Job } from "../../../lib/job.ts";
import { findAccounts, type AccountRow } from "../files-store.ts";
import { findAssumable, markAssumed } from "./assume-store.ts";
import { writeChanges } from "./changes-store.ts";

const BATCH = 500;

/**
 * Returns the job.
 * @param tenant limits it to this tenant's accounts; null for all tenants.
 */
export function assumeJob(deps: Deps, tenant: number | null): Job {
  return {
    name: "sepa-assume",
    everyMs: HOUR_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      let assumed = 0;
      for (const account of await findAccounts(deps.db, tenant))
        assumed += await assumeSettled(deps, account);
      return assumed;
    },
  };
}

/** Settles what was due long enough ago and marks the collections as assumed. Returns how many. */
async function assumeSettled(
  deps: Pick<Deps, "db" | "newsReady" | "time">,
  { tenant, id, settings }: AccountRow,
): Promise<number> {
  const { assumeSettledAfter } = sepaSettings(settings);
  if (assumeSettledAfter === null) return 0;
  const now = deps.time.now(tenant);
  const today = utcDate(now);
  // On a Saturday the last day that counts is Friday.
  const dueBy = addTargetDays(today, -assumeSettledAfter - (isTargetDay(today) ? 0 : 1));
  let assumed = 0;
  for (let found = BATCH; found === BATCH; assumed += found) {
    found = await deps.db.transaction(async (tx) => {
      const rows = await findAssumable(tx, tenant, id, dueBy, BATCH);
      await writeChanges(
        tx,
        tenant,
        [id],
        null,
        rows.map(({ reference, due_date, gateway_reference }) => ({
          ...NOTHING_TOLD,
          reference,
          gateway_reference,
          on: due_date,
        })),
        now,
      );
      await markAssumed(
        tx,
        tenant,
        id,
        rows.map(({ reference }) => reference),
      );
      return rows.length;
    });
  }
  if (assumed > 0) await deps.newsReady(tenant);
  return assumed;
}

const NOTHING_TOLD = {
  state: "settled",
  news: "settled",
  reason_code: null,
  reason_message: null,
  report_type: null,
  bank_fee: null,
  amount: null,
} as const;
