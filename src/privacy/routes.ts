/** `management/customers/{id}/erase/`. */
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { Time, Uuid } from "../http/response-fields.ts";
import { isUuid } from "../lib/ids.ts";
import { Type } from "../lib/schema.ts";
import { IdInPath, MANAGEMENT } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import { eraseCustomer } from "./erase.ts";

const Given = Type.Object({
  give_up_evidence: Type.Optional(
    Type.Boolean({
      description:
        "Erases although a mandate may still have to be shown to the customer's bank: a debit that the customer disputes is then lost.",
    }),
  ),
});
const Erased = Type.Object({ id: Uuid, erased_at: Time }, { $id: "ErasedCustomer" });

/** Declares the endpoint. */
export function eraseRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}customers/{id}/erase/`, {
    summary: "Erase a customer",
    description:
      "Removes the person's data from every record, event, bank file and audit entry, for good; amounts, dates, states and references stay, and active mandates are cancelled. Another call takes out what has come since. 409 `customer_in_use` while something is under way, `evidence_kept` while a mandate may still be disputed.",
    tag: "Customers",
    access: "billing",
    schema: { params: IdInPath, body: Given, response: { 200: Erased } },
    async handle(call) {
      const { id } = call.params;
      if (!isUuid(id)) throw new Refusal("not_found");
      const command = {
        tenant: tenantOf(call),
        id,
        operationId: call.operationId,
        author: call,
        giveUpEvidence: call.body.give_up_evidence ?? false,
      };
      const at = await eraseCustomer(deps, command);
      return { status: 200, body: { id: id.toLowerCase(), erased_at: at.toISOString() } };
    },
  });
}
