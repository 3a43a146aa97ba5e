/** Redelivers on request: one delivery, or all that match a filter. */
import { daysOf } from "../../db/days.ts";
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { isUuid } from "../../lib/ids.ts";
import { entryOfOperation, hasRun, writeEntry } from "../../management/audit/audit.ts";
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
 * Makes the delivery due now, once per operation, also if that is repeated after a crash.
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
    if (await hasRun(tx, target.author, operationOf(target, id)))
      return must(await findDelivery(tx, tenant, id), "a delivery that was sent again");
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

/**
 * Makes matching deliveries due and returns how many, once per operation. Without a status: failed and abandoned ones.
 */
export function redeliverAll(
  deps: Pick<Deps, "clock" | "db">,
  target: Omit<Target, "id">,
  filters: DeliveryFilters,
): Promise<number> {
  const now = deps.clock.now();
  const chosen = { id: null, filters, limit: DELIVERIES_MAX };
  return deps.db.transaction(async (tx) => {
    const before = await entryOfOperation(tx, target.author, operationOf(target, null));
    if (before !== null)
      return Number((before.after as { readonly redelivered?: unknown } | null)?.redelivered);
    const redelivered = await redeliver(tx, target.tenant, chosen, now);
    await writeReplay(tx, target, now, null, { ...filters, redelivered });
    return redelivered;
  });
}

const operationOf = ({ tenant, operationId }: Omit<Target, "id">, resourceId: string | null) =>
  ({ tenant, id: operationId, resource: "webhook-deliveries", resourceId }) as const;

function writeReplay(
  tx: Tx,
  target: Omit<Target, "id">,
  at: Date,
  resourceId: string | null,
  after: object | null,
): Promise<void> {
  const operation = operationOf(target, resourceId);
  return writeEntry(tx, target.author, { ...operation, at, action: "replay", before: null, after });
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
