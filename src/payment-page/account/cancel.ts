/** Cancels a customer's own subscription at the end of the paid period. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { livemode } from "../../payments/transaction.ts";
import { Refusal } from "../../refusals.ts";
import { cancelSubscription, type SubscriptionCommand } from "../../subscriptions/manage.ts";
import { customerEvent } from "../../webhooks/events.ts";
import { recordEvent } from "../../webhooks/record-event-store.ts";
import { findOwnSubscription } from "./store.ts";

const REASON = "cancelled by the customer";

/**
 * Cancels the subscription; one that is already ending stays unchanged.
 * @throws Refusal not_found, also for another customer's subscription.
 */
export async function cancelOwn(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  leadId: string,
  command: SubscriptionCommand,
): Promise<void> {
  const { tenant, id } = command;
  const own = isUuid(id) ? await findOwnSubscription(deps.db, tenant, leadId, id) : null;
  if (own === null) throw new Refusal("not_found");
  await cancelSubscription(deps, command, { reason: REASON, atPeriodEnd: true }, (tx) => {
    const { order_number: orderNumber, metadata, session_id: sessionId } = own;
    const facts = { livemode: livemode(deps, own), tenantReferenceId: null, orderNumber, metadata };
    const act = { kind: "subscription_cancelled", lead_id: leadId, subscription_id: id } as const;
    const event = customerEvent(deps.ids.uuid(), facts, act);
    return recordEvent(tx, tenant, deps.time.now(tenant), { transactionId: null, sessionId }, event);
  });
  deps.announce();
}
