/** Subscriptions as shown outside: the record of reconciliation, and management's additional fields. Pure. */
import type { Field, RecordRow } from "../payments/records.ts";

export const SUBSCRIPTION_STATUSES = ["ACTIVE", "PAST_DUE", "CANCELLED"] as const;

/** The subscription record (contract: Reconciliation records). `u` is the subscription. */
export const SUBSCRIPTION_FIELDS = [
  { name: "id", kind: "uuid", sql: "u.id" },
  { name: "status", kind: "text", sql: "u.status" },
  { name: "billing_amount", kind: "money", sql: "u.billing_amount" },
  { name: "currency", kind: "text", sql: "u.currency" },
  { name: "billing_frequency", kind: "text", nullable: true, sql: "u.billing_frequency" },
  { name: "start_date", kind: "time", sql: "u.start_date" },
  { name: "next_billing_date", kind: "date", nullable: true, sql: "u.next_billing_date" },
  { name: "last_billing_date", kind: "time", nullable: true, sql: "u.last_billing_date" },
  { name: "cancelled_at", kind: "time", nullable: true, sql: "u.cancelled_at" },
  { name: "trial_end_date", kind: "date", nullable: true, sql: "u.trial_end_date" },
  { name: "billing_anchor_date", kind: "date", nullable: true, sql: "u.billing_anchor_date" },
  { name: "successful_billing_count", kind: "integer", sql: "u.successful_billing_count" },
  { name: "failed_billing_count", kind: "integer", sql: "u.failed_billing_count" },
  { name: "total_revenue", kind: "money", sql: "u.total_revenue" },
  { name: "order_id", kind: "uuid", sql: "u.order_id" },
  { name: "lead_id", kind: "uuid", sql: "u.lead_id" },
  { name: "offer_id", kind: "uuid", nullable: true, sql: "u.offer_id" },
  { name: "payment_gateway_id", kind: "uuid", sql: "u.gateway_id" },
  { name: "created_at", kind: "time", sql: "u.created_at" },
  { name: "updated_at", kind: "time", sql: "u.updated_at" },
] as const satisfies readonly Field[];

export type SubscriptionRecord = RecordRow<typeof SUBSCRIPTION_FIELDS>;

/**
 * Inserts management's fields about a cancellation after its time.
 * @param of converts each field of the record.
 */
export function withCancellation<Shown>(
  of: (field: Field) => Shown,
  more: readonly Shown[],
): readonly Shown[] {
  return SUBSCRIPTION_FIELDS.flatMap((field) =>
    field.name === "cancelled_at" ? [of(field), ...more] : [of(field)],
  );
}
