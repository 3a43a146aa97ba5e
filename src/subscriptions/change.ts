/** Changes the amount, day or gateway of a subscription's later cycles. */
import type { Tx } from "../db/database.ts";
import type { GatewayRow } from "../db/rows.ts";
import type { Deps } from "../deps.ts";
import { identifierOfTenant } from "../gateways/records/creditor-store.ts";
import { gatewayKind } from "../gateways/records/gateway-record.ts";
import { whyNotCollects } from "../gateways/records/may-collect.ts";
import { NEWEST_FIRST } from "../http/paging.ts";
import { addDays, utcDate, type IsoDate } from "../lib/dates.ts";
import type { Window } from "../lib/window.ts";
import { formatAmount, type Cents } from "../lib/money.ts";
import { hasRun, writeEntry } from "../management/audit/audit.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { nextCycle } from "./cycle.ts";
import { hold, type BillingRow } from "./due-store.ts";
import { SUBSCRIPTION_RESOURCE, type SubscriptionCommand } from "./manage.ts";
import { findCollected, writeTerms, type CollectedRow, type SubscriptionTerms } from "./store.ts";

/** Absent fields stay unchanged. */
export interface SubscriptionChange {
  readonly amount?: Cents | undefined;
  /** When the next cycle is due; later ones are counted from it. */
  readonly nextBillingDate?: IsoDate | undefined;
  readonly gatewayId?: string | undefined;
}

/** The latest possible next cycle; anything later would be a pause. */
const AHEAD_DAYS_MAX = 366;

/**
 * Changes a subscription. Collections in progress and cycles to be retried keep their amount; the next cycle is
 * announced again. Repeating the operation changes nothing.
 * @throws Refusal not_found, subscription_ended; FieldErrors on amount, next_billing_date, gateway_id.
 */
export async function changeSubscription(
  deps: Pick<Deps, "adapters" | "clock" | "db" | "time">,
  { tenant, id, operationId, author }: SubscriptionCommand,
  change: SubscriptionChange,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = deps.time.now(tenant);
    const row = await hold(tx, tenant, id, utcDate(now));
    if (row === null) throw new Refusal("not_found");
    const operation = { tenant, id: operationId, resource: SUBSCRIPTION_RESOURCE, resourceId: id };
    if (await hasRun(tx, author, operation)) return;
    if (row.status === "CANCELLED" || row.cancel_at_period_end) throw new Refusal("subscription_ended");
    const before = termsOf(row);
    const after = {
      ...before,
      ...(change.amount === undefined ? {} : { amount: formatAmount(change.amount) }),
      ...(change.nextBillingDate === undefined ? {} : onDay(row, change.nextBillingDate, utcDate(now))),
      ...(change.gatewayId === undefined
        ? {}
        : { gatewayId: await usableGateway(deps, tx, tenant, row, change.gatewayId) }),
    };
    if (JSON.stringify(after) !== JSON.stringify(before)) await writeTerms(tx, tenant, id, after, now);
    // Recorded even without a change: the same operation must not change anything later, after others have.
    const at = deps.clock.now();
    const entry = {
      ...operation,
      at,
      action: "update",
      before: audited(before),
      after: audited(after),
    } as const;
    await writeEntry(tx, author, entry);
  });
}

function termsOf(row: BillingRow): SubscriptionTerms {
  return {
    amount: row.billing_amount,
    nextBillingDate: row.next_billing_date,
    anchorDate: row.billing_anchor_date,
    anchorCycle: row.billing_anchor_cycle,
    billingDay: row.billing_day,
    gatewayId: row.gateway_id,
  };
}

function audited({ amount, nextBillingDate, gatewayId }: SubscriptionTerms): object {
  return { billing_amount: amount, next_billing_date: nextBillingDate, payment_gateway_id: gatewayId };
}

/**
 * Sets the day of the next cycle, from which later ones are counted.
 * @throws FieldErrors.
 */
function onDay(row: BillingRow, day: IsoDate, today: IsoDate): Partial<SubscriptionTerms> {
  if (day === row.next_billing_date) return {};
  const problem = dayProblem(row, day, today);
  if (problem !== null) throw new FieldErrors({ next_billing_date: [problem] });
  const hasTrial = row.trial_end_date !== null;
  return {
    nextBillingDate: day,
    anchorDate: day,
    anchorCycle: nextCycle({ hasTrial, lastCycle: row.last_cycle }),
    billingDay: row.billing_day === "last" && addDays(day, 1).endsWith("-01") ? "last" : null,
  };
}

function dayProblem(row: BillingRow, day: IsoDate, today: IsoDate): string | null {
  if (row.billing_frequency === null || row.next_billing_date === null)
    return "This subscription has no due dates: it is collected when you ask for it.";
  if (row.last_cycle === null && row.trial_end_date !== null && day < row.trial_end_date)
    return `Must not be before the end of the trial, ${row.trial_end_date}.`;
  if (day <= today) return "Must be after today.";
  if (row.last_due_date !== null && day <= row.last_due_date)
    return `Must be after the newest cycle, which was due on ${row.last_due_date}.`;
  return day > addDays(today, AHEAD_DAYS_MAX) ? "Must be within a year." : null;
}

/**
 * Finds the gateway.
 * @throws FieldErrors for one that may not collect under the subscription's mandate.
 */
async function usableGateway(
  { adapters }: Pick<Deps, "adapters">,
  tx: Tx,
  tenant: number,
  row: BillingRow,
  id: string,
): Promise<string> {
  if (id === row.gateway_id) return id;
  const from = await gatewayKind.store.find(tx, tenant, row.gateway_id);
  const to = await gatewayKind.store.find(tx, tenant, id);
  const why = whyNotCollects(adapters, to, collectedOf(row, from), await identifierOfTenant(tx, tenant));
  if (why !== null) throw new FieldErrors({ gateway_id: [why] });
  return id;
}

function collectedOf(row: CollectedRow, from: GatewayRow | null) {
  return {
    currency: row.currency,
    testMode: from?.test_mode ?? true,
    scheme: row.mandate_scheme,
    creditorIdentifier: row.creditor_identifier,
  };
}

const GATEWAYS_AT_ONCE = 200;

/** The gateways that a subscription can be changed to, the current one first; empty for an unknown subscription. */
export async function gatewaysToChoose(
  { adapters, db }: Pick<Deps, "adapters" | "db">,
  tenant: number,
  id: string,
): Promise<readonly Pick<GatewayRow, "id" | "name">[]> {
  const row = await findCollected(db, tenant, id);
  if (row === null) return [];
  const [now, all, tenantsIdentifier] = await Promise.all([
    gatewayKind.store.find(db, tenant, row.gateway_id),
    allGateways(db, tenant),
    identifierOfTenant(db, tenant),
  ]);
  const collected = collectedOf(row, now);
  const others = all.filter(
    (one) => one.id !== now?.id && whyNotCollects(adapters, one, collected, tenantsIdentifier) === null,
  );
  return [...(now === null ? [] : [now]), ...others.toSorted((a, b) => a.name.localeCompare(b.name))];
}

/** All gateways that are not archived; which of them may collect is decided in code. */
async function allGateways(db: Deps["db"], tenant: number): Promise<readonly GatewayRow[]> {
  const all: GatewayRow[] = [];
  for (let window: Window = { ...NEWEST_FIRST, limit: GATEWAYS_AT_ONCE }; ;) {
    const some = await gatewayKind.store.list(db, tenant, false, window);
    all.push(...some);
    const last = some.at(-1);
    if (last === undefined || some.length < GATEWAYS_AT_ONCE) return all;
    window = { ...window, at: last.created_at, id: last.id };
  }
}
