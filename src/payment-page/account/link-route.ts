/** The endpoint with which a merchant's server creates the link to a customer's account page. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { later, MINUTE_MS } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { entryOfOperation, writeEntry } from "../../management/audit/audit.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { Refusal } from "../../refusals.ts";
import { accountUrl } from "./link.ts";
import { findAccount } from "./store.ts";

const LinkBody = Type.Object({
  valid_minutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 10_080, description: "How long the link works. Default 60." }),
  ),
});
const Link = Type.Object(
  { url: Type.String(), expires_at: Type.String({ format: "date-time" }) },
  { $id: "CustomerAccountLink" },
);
const VALID_MINUTES = 60;

/** Declares the endpoint. */
export function accountLinkRoute(
  router: Router,
  deps: Pick<Deps, "clock" | "db" | "keys" | "publicUrl">,
): void {
  router.add("POST", `${MANAGEMENT}customers/{id}/account-link/`, {
    summary: "Make a link to a customer's account page",
    description:
      "The page shows the customer's subscriptions, mandates and payments, and lets them change the account of a mandate, cancel subscriptions and pay what failed. The link is a credential: give it to the customer alone.",
    tag: "Customers",
    access: "billing",
    schema: { params: IdInPath, body: LinkBody, response: { 201: Link } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      if (!isUuid(id) || (await findAccount(deps.db, tenant, id)) === null) throw new Refusal("not_found");
      const at = deps.clock.now();
      const end = later(at, (call.body.valid_minutes ?? VALID_MINUTES) * MINUTE_MS).toISOString();
      const operation = { tenant, id: call.operationId, resource: "account-links", resourceId: id };
      const after = await deps.db.transaction(async (tx) => {
        // A repeated operation makes the link that it has made, which is in the audit log, and none that works longer.
        const made = await entryOfOperation(tx, call, operation);
        if (made !== null) return made.after as { readonly expires_at: string };
        const given = { expires_at: end };
        await writeEntry(tx, call, { ...operation, action: "create", before: null, at, after: given });
        return given;
      });
      const expiresAt = new Date(after.expires_at);
      const url = accountUrl(deps, { tenant, id, expiresAt });
      return { status: 201, body: { url, expires_at: expiresAt.toISOString() } };
    },
  });
}
