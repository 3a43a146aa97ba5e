/** Redelivers on request: one delivery, or all that match a filter. */
import { daysOf } from "../../db/days.ts";
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { writeEntry } from "../../management/audit/audit.ts";
import type { Target } from "../../management/resource-write.ts";
import { Refusal } from "../../refusals.ts";
import {
  findDelivery,
  redeliver,
  type DeliveryDetailRow,
  type DeliveryFilters,
  type DeliveryStatus,
} from "./store.ts";

/** The most deliveries that one call makes due; a larger filter needs several calls. */
const DELIVERIES_MAX = 10_000;
const NO_FILTER: DeliveryFilters = { profile: null, status: null, event: null, from: null, before: null };

/**
 * Makes the delivery due now.
 * @throws Refusal not_found; record_in_use when its profile is archived.
 */
export async function redeliverOne(
  deps: Pick<Deps, "clock" | "db">,
  target: Target,
): Promise<DeliveryDetailRow> {
  const { tenant, id } = target;
  if (!isUuid(id)) throw new Refusal("not_found");
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    const chosen = { id, filters: NO_FILTER, limit: 1 };
    const redelivered = await redeliver(tx, tenant, chosen, now);
    const row = await findDelivery(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    if (redelivered === 0) {
      throw new Refusal("record_in_use", { detail: "The webhook profile of this delivery is archived." });
    }
    await writeReplay(tx, target, now, id, null);
    return row;
  });
}

/** Makes matching deliveries due and returns how many. Without a status: failed and abandoned ones. */
export function redeliverAll(
  deps: Pick<Deps, "clock" | "db">,
  target: Omit<Target, "id">,
  filters: DeliveryFilters,
): Promise<number> {
  const now = deps.clock.now();
  const chosen = { id: null, filters, limit: DELIVERIES_MAX };
  return deps.db.transaction(async (tx) => {
    const redelivered = await redeliver(tx, target.tenant, chosen, now);
    await writeReplay(tx, target, now, null, { ...filters, redelivered });
    return redelivered;
  });
}

function writeReplay(
  tx: Tx,
  { tenant, operationId, author }: Omit<Target, "id">,
  at: Date,
  resourceId: string | null,
  after: object | null,
): Promise<void> {
  const change = { tenant, id: operationId, at, action: "replay", resource: "webhook-deliveries" } as const;
  return writeEntry(tx, author, { ...change, resourceId, before: null, after });
}

interface FilterFields {
  readonly profile?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Filters; the days of a request are inclusive (contract: Times). */
export function deliveryFilters({ profile, status, event, from, to }: FilterFields): DeliveryFilters {
  return {
    profile: profile ?? null,
    status: status ?? null,
    event: event ?? null,
    ...daysOf(from, to),
  };
}
