/** `management/transactions/{id}/cancel/`: cancels what the bank does not have yet. */
import type { Deps } from "../../../deps.ts";
import { tenantOf, type Router } from "../../../http/endpoint.ts";
import { Uuid } from "../../../http/response-fields.ts";
import { Type } from "../../../lib/schema.ts";
import { IdInPath, MANAGEMENT } from "../../../management/resource-routes.ts";
import { cancelTransaction } from "./cancel.ts";

const Cancelled = Type.Object(
  {
    id: Uuid,
    status: Type.String({
      description: "`declined`; `pending` for the moment until its events are written.",
    }),
  },
  { $id: "CancelledTransaction" },
);

/** Declares the endpoint. */
export function cancelRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}transactions/{id}/cancel/`, {
    summary: "Stop a debit or refund that is not in a file for the bank yet",
    description:
      "Only for transactions of a `sepa_batch` gateway that are `pending` and wait for the cut-off. The debit of a renewal ends its cycle as `withdrawn`: the subscription goes on with the next one. A first payment ends the subscription that it would have begun.",
    tag: "Money after the payment",
    access: "refunds",
    schema: { params: IdInPath, response: { 200: Cancelled } },
    async handle(call) {
      const { id, status } = await cancelTransaction(deps, {
        tenant: tenantOf(call),
        transactionId: call.params.id,
        operationId: call.operationId,
        author: call,
      });
      return { status: 200, body: { id, status } };
    },
  });
}
