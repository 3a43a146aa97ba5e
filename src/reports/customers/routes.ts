/** `management/customers/`: customers with the sums of their payments. A customer is a lead of payment sessions. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { country, email } from "../../http/fields.ts";
import { NullableText, NullableTime, Time, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { isUuid } from "../../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { Refusal } from "../../refusals.ts";
import { leadKey } from "../../sessions/leads.ts";
import { findCustomer, listCustomers } from "./store.ts";

const PATH = `${MANAGEMENT}customers/`;
const tag = "Customers";

export const CustomerQuery = Type.Object({
  ...PAGE_QUERY,
  email: Type.Optional(email({ description: "In any case." })),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "How the first or last name begins, in any case.",
    }),
  ),
  country: Type.Optional(country()),
});

const Listed = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    country: Type.String(),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "Customer" },
);

const Detail = Type.Object(
  {
    ...Listed.properties,
    address: NullableText,
    postal_code: NullableText,
    city: NullableText,
    phone: NullableText,
    erased_at: NullableTime,
    totals: Type.Array(
      Type.Object({
        currency: Type.String(),
        payments: Type.Integer(),
        collected: Type.String({ description: "Payments less refunds and chargebacks." }),
        pending: Type.String(),
        refunded: Type.String(),
        charged_back: Type.String(),
      }),
      { description: "One of each currency." },
    ),
    mandates: Type.Array(
      Type.Object({
        id: Uuid,
        reference: Type.String(),
        status: Type.String(),
        iban_country: Type.String(),
        iban_last4: Type.String(),
      }),
    ),
    subscriptions: Type.Array(
      Type.Object({
        id: Uuid,
        status: Type.String(),
        amount: Type.String(),
        currency: Type.String(),
        billing_frequency: NullableText,
        next_billing_date: NullableText,
      }),
    ),
  },
  { $id: "CustomerDetail" },
);

/** Declares the list and the detail. */
export function customerRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List customers, newest first",
    tag,
    access: "read",
    schema: { query: CustomerQuery, response: { 200: pageSchema(Listed) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { email: address, name, country: land = null } = call.query;
      const filters = {
        emailKey: address === undefined ? null : leadKey(address),
        nameStart: name ?? null,
        country: land,
      };
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listCustomers(deps.reports, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(timesAsText) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a customer with totals, mandates and subscriptions",
    description: "Payments: management/transactions/?lead_id=…",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Detail } },
    async handle(call) {
      const { id } = call.params;
      const row = isUuid(id) ? await findCustomer(deps.db, tenantOf(call), id) : null;
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: timesAsText(row) };
    },
  });
}
