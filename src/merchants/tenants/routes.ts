/** Tenants, which the operator manages. */
import type { Deps } from "../../deps.ts";
import type { Router } from "../../http/endpoint.ts";
import { existingRecordRoutes, MANAGEMENT, TAG, targetOf } from "../records/routes.ts";
import { createTenant } from "./create.ts";
import { tenantKind, TenantWithKey, type TenantFields } from "./tenant.ts";

/** Declares the endpoints on the router. */
export function tenantRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}tenants/`, {
    summary: "Create a tenant",
    description:
      "Takes the operator key. The tenant's first API key is in this answer and never shown again.",
    tag: TAG,
    access: "operator",
    schema: { body: tenantKind.schemas.create, response: { 201: TenantWithKey } },
    async handle(call) {
      const target = targetOf(call, "operator", call.operationId);
      const { row, apiKey } = await createTenant(deps, target, call.body as TenantFields);
      return { status: 201, body: { ...tenantKind.render(row), api_key: apiKey } };
    },
  });

  existingRecordRoutes(router, deps, tenantKind);
}
