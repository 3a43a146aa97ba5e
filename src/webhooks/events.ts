/**
 * The rows of the outbox: one per fact, with every field that a webhook profile may select (contract: Field mapping).
 */
import { formatAmount, type Cents } from "../lib/money.ts";
import type { MessageKind } from "../messages/outbox.ts";

/** (contract: Events) */
export const EVENT_TYPES = [
  "payment_session.completed",
  "payment_session.expired",
  "transaction.created",
  "transaction.status_changed",
  "chargeback.created",
  "subscription.upcoming",
  "guard.triggered",
  "customer.acted",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Only strings, booleans and null, which have one canonical form. The session token is added when the event is sent.
 */
type EventPayload = Readonly<Record<string, string | boolean | null | EventRecord>>;
type EventRecord = Readonly<Record<string, string | null>>;

/** A row for the outbox, inserted by the statement that writes the fact. */
export interface NewEvent {
  readonly id: string;
  readonly type: EventType;
  readonly payload: EventPayload;
  /** The messages to the customer that are written with it. */
  readonly messages?: readonly MessageKind[];
}

/** Messages to the customer without an event for receivers. */
export interface MessagesOnly {
  readonly messages: readonly MessageKind[];
}

/** The fields of transaction events besides the record (contract: Events). */
export interface RecordFacts {
  readonly livemode: boolean;
  readonly tenantReferenceId: string | null;
  readonly orderNumber: string | null;
  /** Of the session that the payment, or its subscription, began with. */
  readonly metadata: EventRecord | null;
}

/** Money was collected, or an instruction to collect it was accepted. */
export function transactionCreatedEvent(
  id: string,
  facts: RecordFacts,
  transaction: EventRecord,
  messages: readonly MessageKind[],
): NewEvent {
  return { id, type: "transaction.created", payload: { ...recordFields(facts), transaction }, messages };
}

export function chargebackCreatedEvent(id: string, facts: RecordFacts, chargeback: EventRecord): NewEvent {
  const payload = { ...recordFields(facts), chargeback };
  return { id, type: "chargeback.created", payload, messages: ["payment_returned"] };
}

function recordFields({ livemode, tenantReferenceId, orderNumber, metadata }: RecordFacts): EventPayload {
  return { livemode, tenant_reference_id: tenantReferenceId, order_number: orderNumber, metadata };
}

/** A transaction with an earlier event has changed its status. */
export function statusChangedEvent(
  id: string,
  facts: RecordFacts,
  transaction: EventRecord,
  previousStatus: string,
  messages: readonly MessageKind[] = [],
): NewEvent {
  const payload = { ...recordFields(facts), transaction, previous_status: previousStatus };
  return { id, type: "transaction.status_changed", payload, messages };
}

/** A renewal is due soon: the merchant can notify its customer, as the scheme requires. */
export function upcomingEvent(id: string, facts: RecordFacts, subscription: EventRecord): NewEvent {
  return { id, type: "subscription.upcoming", payload: { ...recordFields(facts), subscription } };
}

/** A guard has held or stopped something, until a person decides or time has passed. */
export function guardEvent(id: string, facts: RecordFacts, guard: EventRecord & GuardFields): NewEvent {
  return { id, type: "guard.triggered", payload: { ...recordFields(facts), guard } };
}

interface GuardFields {
  readonly kind:
    | "refund_held"
    | "held_refund_declined"
    | "accounts_tried"
    | "campaign_stopped"
    | "duplicate_payment"
    | "return_rule";
}

/** A customer has changed something on their account page. */
export function customerEvent(id: string, facts: RecordFacts, act: EventRecord & CustomerAct): NewEvent {
  return { id, type: "customer.acted", payload: { ...recordFields(facts), customer: act } };
}

interface CustomerAct {
  readonly kind: "account_changed" | "subscription_cancelled";
  readonly lead_id: string;
}

/** A session's data at its end. */
export interface SessionFacts {
  readonly orderNumber: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly country: string;
  readonly leadId: string;
  readonly campaignId: string | null;
  readonly campaignName: string;
  readonly offerName: string;
  readonly billingType: string;
  readonly metadata: EventRecord | null;
  readonly livemode: boolean;
}

interface PaymentFacts {
  /** The transaction's and the order's statuses, as written with the event. */
  readonly transactionStatus: string;
  readonly orderStatus: string;
  readonly tenantReferenceId: string | null;
  readonly merchantTransactionId: string;
  readonly transactionId: string;
  readonly subscriptionId: string | null;
  readonly createdAt: Date;
  readonly processedAt: Date | null;
}

/** The authoritative signal to fulfil an order (contract: Events). */
export function completedEvent(id: string, session: SessionFacts, payment: PaymentFacts): NewEvent {
  return {
    id,
    type: "payment_session.completed",
    payload: {
      ...sessionFields(session),
      status: "COMPLETED",
      transaction_status: payment.transactionStatus,
      order_status: payment.orderStatus,
      tenant_reference_id: payment.tenantReferenceId,
      merchant_transaction_id: payment.merchantTransactionId,
      transaction_id: payment.transactionId,
      subscription_id: payment.subscriptionId,
      created_at: payment.createdAt.toISOString(),
      processed_at: payment.processedAt?.toISOString() ?? null,
      event_id: id,
    },
  };
}

/** A session expired before anything was paid (contract: Session lifetime). */
export function expiredEvent(id: string, session: SessionFacts, at: Date): NewEvent {
  return {
    id,
    type: "payment_session.expired",
    payload: {
      ...sessionFields(session),
      status: "EXPIRED",
      order_status: "FAILED",
      created_at: at.toISOString(),
      event_id: id,
    },
  };
}

function sessionFields(session: SessionFacts): EventPayload {
  return {
    order_number: session.orderNumber,
    amount: formatAmount(session.amount),
    currency: session.currency,
    email: session.email,
    customer_name: `${session.firstName} ${session.lastName}`,
    first_name: session.firstName,
    last_name: session.lastName,
    country: session.country,
    lead_id: session.leadId,
    campaign_id: session.campaignId,
    campaign_name: session.campaignName,
    offer_name: session.offerName,
    billing_type: session.billingType,
    metadata: session.metadata,
    livemode: session.livemode,
  };
}
