/** Sessions as the merchant's staff reads them: with attempts, order, lead and timeline (management API, read only). */
import { daysOf } from "../db/days.ts";
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { CREATED_ON, nullable, oneOf, uuid } from "../http/fields.ts";
import { NullableText, NullableTime, NullableUuid, Time, Uuid } from "../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../http/paging.ts";
import { isUuid } from "../lib/ids.ts";
import { shownStatus } from "../payments/transaction.ts";
import { Refusal } from "../refusals.ts";
import { leadKey } from "./leads.ts";
import {
  findDetail,
  listSessions,
  type SessionDetailRow,
  type ListedSessionRow,
  type SessionFilters,
} from "./management-store.ts";
import { lifetimeOver } from "./session.ts";
import { paymentUrl } from "../tenants/signed-address.ts";

const PATH = "/api/v1/management/payment-sessions/";
const STATUSES = ["PENDING", "AWAITING_VERIFICATION", "COMPLETED", "EXPIRED"] as const;
const tag = "Payment sessions";

const Listed = Type.Object(
  {
    id: Uuid,
    status: Type.Enum([...STATUSES]),
    amount: Type.String(),
    currency: Type.String(),
    billing_type: Type.String(),
    attempts_used: Type.Integer(),
    max_payment_attempts: Type.Integer(),
    order_number: Type.String(),
    order_status: Type.String(),
    email: Type.String(),
    campaign_id: NullableUuid,
    gateway_id: Uuid,
    created_at: Time,
    expires_at: Time,
    closed_at: NullableTime,
    opened_at: nullable({
      ...Time,
      description: "When a browser first showed the payment page, which its script says.",
    }),
  },
  { $id: "ManagedSession" },
);

const Detail = Type.Object(
  {
    ...Listed.properties,
    payment_url: Type.String(),
    tenant_reference_id: NullableText,
    metadata: nullable(Type.Record(Type.String(), Type.String())),
    lead: Type.Object({
      id: Uuid,
      first_name: Type.String(),
      last_name: Type.String(),
      email: Type.String(),
      country: Type.String(),
      address: NullableText,
      city: NullableText,
      postal_code: NullableText,
      phone: NullableText,
    }),
    order: Type.Object({ id: Uuid, order_number: Type.String(), status: Type.String() }),
    attempts: Type.Array(
      Type.Object({
        id: Uuid,
        merchant_transaction_id: Type.String(),
        gateway_reference: NullableText,
        tenant_reference_id: NullableText,
        status: Type.String(),
        type: Type.String(),
        amount: Type.String(),
        mandate_reference: NullableText,
        iban_last4: NullableText,
        error_code: NullableText,
        error_message: NullableText,
        gateway_code: NullableText,
        created_at: Time,
        processed_at: NullableTime,
      }),
    ),
    timeline: Type.Array(
      Type.Object({
        at: Time,
        from: NullableText,
        to: Type.String(),
        cause: Type.String(),
        transaction_id: NullableUuid,
      }),
    ),
  },
  { $id: "ManagedSessionDetail" },
);

const Query = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(oneOf(STATUSES)),
  email: Type.Optional(Type.String({ maxLength: 320 })),
  order_number: Type.Optional(Type.String({ maxLength: 255 })),
  tenant_reference_id: Type.Optional(Type.String({ maxLength: 255 })),
  payment_link_id: Type.Optional(uuid()),
  ...CREATED_ON,
});

/** Declares the list and the detail. */
export function sessionManagementRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List payment sessions",
    tag,
    access: "read",
    schema: { query: Query, response: { 200: pageSchema(Listed) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const now = deps.time.now(tenant);
      const filters = filtersOf(call.query, now);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listSessions(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map((row) => listed(row, now)) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a payment session",
    tag,
    access: "read",
    schema: { params: Type.Object({ id: Type.String() }), response: { 200: Detail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const row = isUuid(call.params.id) ? await findDetail(deps.db, tenant, call.params.id) : null;
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: detail(deps, tenant, row) };
    },
  });
}

function filtersOf(query: Partial<Record<string, unknown>>, now: Date): SessionFilters {
  const text = (name: string) => (typeof query[name] === "string" ? query[name] : null);
  const email = text("email");
  return {
    now,
    status: text("status"),
    emailKey: email === null ? null : leadKey(email),
    orderNumber: text("order_number"),
    tenantReferenceId: text("tenant_reference_id"),
    paymentLinkId: text("payment_link_id"),
    ...daysOf(text("from"), text("to")),
  };
}

/** An entry of the list. */
function listed(row: ListedSessionRow, now: Date): object {
  return {
    id: row.id,
    status: lifetimeOver({ ...row, status: row.session_status }, now) ? "EXPIRED" : row.session_status,
    amount: row.amount,
    currency: row.currency,
    billing_type: row.billing_type,
    attempts_used: row.attempts_used,
    max_payment_attempts: row.attempts_max,
    order_number: row.order_number,
    order_status: row.order_status,
    email: row.email,
    campaign_id: row.campaign_id,
    gateway_id: row.gateway_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    opened_at: row.opened_at?.toISOString() ?? null,
  };
}

function detail(
  deps: Pick<Deps, "keys" | "publicUrl" | "time">,
  tenant: number,
  row: SessionDetailRow,
): object {
  const { first_name, last_name, email, country, address, city, postal_code, phone } = row;
  return {
    ...listed(row, deps.time.now(tenant)),
    payment_url: paymentUrl(deps, row.token_key_id, tenant, row.id),
    tenant_reference_id: row.tenant_reference_id,
    metadata: row.metadata,
    lead: { id: row.lead_id, first_name, last_name, email, country, address, city, postal_code, phone },
    order: { id: row.order_id, order_number: row.order_number, status: row.order_status },
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      status: shownStatus(attempt.status),
    })),
    timeline: row.timeline,
  };
}
