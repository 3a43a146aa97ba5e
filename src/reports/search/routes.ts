/** `management/search/`: one box for everything that a person may know about a payment. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { oneOf, text } from "../../http/fields.ts";
import { NullableText, Time, Uuid } from "../../http/response-fields.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { search } from "./search.ts";

const Body = Type.Object(
  {
    text: text(255, {
      description:
        "An e-mail address or its beginning, a name, an order number, your own reference, a merchant_transaction_id, the bank's or the gateway's reference, a mandate's reference, a whole IBAN, the last four characters of one, an amount, or an id.",
    }),
  },
  { $id: "Search" },
);

const Found = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        kind: oneOf(["transaction", "customer", "mandate", "subscription", "session"]),
        id: Uuid,
        title: Type.String(),
        about: NullableText,
        status: NullableText,
        amount: NullableText,
        currency: NullableText,
        at: Time,
      }),
    ),
  },
  { $id: "SearchResults" },
);

/** Declares the endpoint. */
export function searchRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}search/`, {
    summary: "Search payments, customers, mandates and subscriptions",
    description:
      "A POST that changes nothing: what is searched for may be an IBAN, which belongs in no address and no log. At most ten results for each meaning of the text, exact ones first.",
    tag: "Customers",
    access: "read",
    schema: { body: Body, response: { 200: Found } },
    async handle(call) {
      const results = await search({ ...deps, db: deps.reports }, tenantOf(call), call.body.text);
      return { status: 200, body: { results: results.map(timesAsText) } };
    },
  });
}
