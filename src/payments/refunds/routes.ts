/** Refunds of a transaction (contract: Refunds). */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { amount, nullable, oneOf, text } from "../../http/fields.ts";
import { NullableText, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { must } from "../../lib/assert.ts";
import { isUuid } from "../../lib/ids.ts";
import { parseAmount } from "../../lib/money.ts";
import { Refusal } from "../../refusals.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { TRANSACTION_RECORD } from "../schemas.ts";
import { cancelHeldRefund, releaseRefund } from "./held.ts";
import { refund } from "./refund.ts";
import { refundRecord } from "./refund-record.ts";
import { findRefundable, listRefunds } from "./store.ts";

const PATH = `${MANAGEMENT}transactions/{id}/refunds/`;
const tag = "Money after the payment";

const RefundInPath = Type.Object({ ...IdInPath.properties, refund_id: Type.String() });

const REFUND_WAYS = ["transfer", "reversal"] as const;

const RefundBody = Type.Object({
  amount: Type.Optional(nullable(amount({ description: "Default: the remaining amount." }))),
  reason: Type.Optional(nullable(text(500))),
  way: Type.Optional(
    oneOf(REFUND_WAYS, {
      description:
        "`reversal`: the debit is reversed, in full and within days (accounts with `reversal_days`). Default: transfer.",
    }),
  ),
});

const RefundRecord = Type.Object(
  {
    ...TRANSACTION_RECORD,
    original_transaction_id: Uuid,
    reason: NullableText,
    way: Type.Enum([...REFUND_WAYS], {
      description: "How the money goes back; `transfer` also at other gateways.",
    }),
    held_until: nullable(
      Type.String({
        format: "date-time",
        description:
          "The payment may still come back: the refund is sent then, or when it is released. Null: it is not held.",
      }),
    ),
    notice: nullable(
      Type.String({
        description: "A warning from the gateway, such as that the customer can still reclaim the debit.",
      }),
    ),
    error_details: nullable(
      Type.Object({
        code: Type.String(),
        message: NullableText,
        gateway_code: NullableText,
        gateway_message: NullableText,
      }),
    ),
  },
  { $id: "Refund" },
);

/** Declares the endpoints on the router. */
export function refundRoutes(router: Router, deps: Deps): void {
  router.add("POST", PATH, {
    summary: "Refund a transaction",
    description:
      "In full or in part. Returns the refund's transaction; check its status: `pending` is in progress or not yet known, `declined` refunded nothing.",
    tag,
    access: "refunds",
    schema: { params: IdInPath, body: RefundBody, response: { 201: RefundRecord } },
    async handle(call) {
      const { amount: given = null, reason = null, way } = call.body;
      const row = await refund(deps, {
        tenant: tenantOf(call),
        transactionId: call.params.id,
        id: call.operationId,
        amount: given === null ? null : must(parseAmount(given), "an amount that the schema has read"),
        reason,
        way: way === "reversal" ? way : null,
        author: call,
      });
      return { status: 201, body: refundRecord(row) };
    },
  });

  for (const [verb, summary, decide] of [
    ["release", "Send a held refund now", releaseRefund],
    ["cancel", "End a held refund unsent", cancelHeldRefund],
  ] as const) {
    router.add("POST", `${PATH}{refund_id}/${verb}/`, {
      summary,
      description:
        "Only while it is held (`refund_hold_days` of the tenant); 409 `refund_not_held` afterwards.",
      tag,
      access: "refunds",
      schema: { params: RefundInPath, response: { 200: RefundRecord } },
      async handle(call) {
        const { id: transactionId, refund_id: refundId } = call.params;
        const decision = {
          tenant: tenantOf(call),
          transactionId,
          refundId,
          id: call.operationId,
          author: call,
        };
        return { status: 200, body: refundRecord(await decide(deps, decision)) };
      },
    });
  }

  router.add("GET", PATH, {
    summary: "List the refunds of a transaction, newest first",
    tag,
    access: "read",
    schema: { params: IdInPath, query: Type.Object(PAGE_QUERY), response: { 200: pageSchema(RefundRecord) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      if (!isUuid(id) || (await findRefundable(deps.db, tenant, id)) === null) throw new Refusal("not_found");
      const path = PATH.replace("{id}", id.toLowerCase());
      const page = await pageOf(
        deps,
        { tenant, path, query: call.query },
        (window) => listRefunds(deps.db, tenant, id, window),
        ({ created_at: at, id: refundId }) => ({ at, id: refundId }),
      );
      return { status: 200, body: { ...page, results: page.results.map(refundRecord) } };
    },
  });
}
