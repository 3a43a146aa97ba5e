/** Builds the body of a webhook: the same bytes on every attempt (contract: Events). */
import { canonicalJson, type Canonical } from "../../lib/canonical-json.ts";

/** An event in the outbox, with the session token, which is not stored there. */
interface EventToRender {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly payload: Readonly<Record<string, Canonical>>;
  readonly sessionToken: string | null;
}

/** The profile's options. */
interface Rendering {
  /** Maps the receiver's keys to our fields; only for the events of payment sessions. */
  readonly payloadFields: Readonly<Record<string, string>>;
  readonly asciiEscape: boolean;
}

/**
 * The body that is signed and sent.
 * @throws TypeError when the payload has no canonical form.
 */
export function renderBody(event: EventToRender, { payloadFields, asciiEscape }: Rendering): string {
  const payload = isMapped(event.type) ? mapped(event, payloadFields) : whole(event);
  return canonicalJson(payload, { asciiEscape });
}

/** Whether events of this type use the field mapping and go to the session's own profile. */
function isMapped(type: string): boolean {
  return type.startsWith("payment_session.");
}

function mapped(event: EventToRender, fields: Readonly<Record<string, string>>): Canonical {
  const sources: Readonly<Record<string, Canonical>> = {
    ...event.payload,
    session_token: event.sessionToken,
  };
  // fromEntries makes `__proto__` a key like any other.
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, sources[field] ?? null]));
}

function whole({ id, type, createdAt, payload, sessionToken }: EventToRender): Canonical {
  return {
    event: type,
    event_id: id,
    created_at: createdAt.toISOString(),
    ...payload,
    ...(sessionToken === null ? {} : { session_token: sessionToken }),
  };
}

const SAMPLE_TOKEN = `ps_${"A".repeat(44)}`;
const SAMPLE_UUID = "00000000-0000-4000-8000-000000000000";

/** A sample event for testing a receiver; no order has its number. */
export function sampleEvent(id: string, type: string, at: Date): EventToRender {
  const mappedType = isMapped(type);
  return {
    id,
    type,
    createdAt: at,
    sessionToken: SAMPLE_TOKEN,
    payload: mappedType ? sampleFields(id, type, at) : sampleRecord(type),
  };
}

function sampleFields(id: string, type: string, at: Date): EventToRender["payload"] {
  return {
    ...(type === "payment_session.completed"
      ? { status: "COMPLETED", transaction_status: "approved", order_status: "COMPLETED" }
      : { status: "EXPIRED", order_status: "FAILED" }),
    order_number: "ORD-00000000",
    amount: "29.90",
    currency: "EUR",
    email: "jo@example.com",
    customer_name: "Jo Müller",
    first_name: "Jo",
    last_name: "Müller",
    country: "DE",
    tenant_reference_id: null,
    merchant_transaction_id: "TXN-20000101-00000000",
    transaction_id: SAMPLE_UUID,
    subscription_id: null,
    lead_id: SAMPLE_UUID,
    campaign_id: null,
    campaign_name: "Sample",
    offer_name: "Sample",
    billing_type: "ONE_OFF",
    metadata: { cart: "sample" },
    created_at: at.toISOString(),
    processed_at: at.toISOString(),
    livemode: false,
    event_id: id,
  };
}

function sampleRecord(type: string): EventToRender["payload"] {
  const around = {
    livemode: false,
    tenant_reference_id: null,
    order_number: "ORD-00000000",
    metadata: { cart: "sample" },
  };
  const money = { amount: "29.90", currency: "EUR" };
  if (type === "subscription.upcoming") {
    const day = "2000-01-31";
    const subscription = { id: SAMPLE_UUID, ...money, due_date: day, collection_date: day };
    return { ...around, subscription: { ...subscription, mandate_reference: "MND-0000000000000000" } };
  }
  if (type === "guard.triggered") {
    const until = "2000-01-31T00:00:00.000Z";
    const refund = { refund_id: SAMPLE_UUID, transaction_id: SAMPLE_UUID, ...money, until };
    return { ...around, guard: { kind: "refund_held", ...refund } };
  }
  if (type === "customer.acted") {
    const customer = { kind: "subscription_cancelled", lead_id: SAMPLE_UUID, subscription_id: SAMPLE_UUID };
    return { ...around, customer };
  }
  const charged = type === "chargeback.created";
  const record = {
    id: SAMPLE_UUID,
    merchant_transaction_id: "TXN-20000101-00000000",
    status: charged ? "charged_back" : "approved",
    type: charged ? "chargeback" : "sdd_sale",
    ...money,
  };
  return {
    ...around,
    ...(type === "transaction.status_changed" ? { previous_status: "pending" } : {}),
    [charged ? "chargeback" : "transaction"]: record,
  };
}
