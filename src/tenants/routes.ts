/** Tenants, managed by the operator, and the tenant of the calling key. */
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import {
  existingRecordRoutes,
  MANAGEMENT,
  problemsIn,
  TAG,
  targetOf,
} from "../management/resource-routes.ts";
import { patchRecord } from "../management/resource-write.ts";
import { createTenant } from "./create.ts";
import { findOwnTenant } from "./store.ts";
import { tenantKind, TenantWithKey, type TenantFields } from "./tenant.ts";

const OWN = `${MANAGEMENT}tenant/`;

/** Declares the endpoints on the router. */
export function tenantRoutes(router: Router, deps: Deps): void {
  router.add("POST", `${MANAGEMENT}tenants/`, {
    summary: "Create a tenant",
    description: "Requires the operator key. The tenant's first API key is returned only in this response.",
    tag: TAG,
    access: "operator",
    schema: { body: tenantKind.schemas.create, response: { 201: TenantWithKey } },
    bodyProblems: problemsIn(deps, tenantKind),
    async handle(call) {
      const target = targetOf(call, "operator", call.operationId);
      const { row, apiKey } = await createTenant(deps, target, call.body as TenantFields);
      return { status: 201, body: { ...tenantKind.render(row), api_key: apiKey } };
    },
  });

  existingRecordRoutes(router, deps, tenantKind);
  ownTenantRoutes(router, deps);
}

function ownTenantRoutes(router: Router, deps: Deps): void {
  router.add("GET", OWN, {
    summary: "Read the key's own tenant",
    tag: TAG,
    access: "read",
    schema: { response: { 200: tenantKind.schemas.record } },
    async handle(call) {
      return { status: 200, body: tenantKind.render(await findOwnTenant(deps.db, tenantOf(call))) };
    },
  });

  router.add("PATCH", OWN, {
    summary: "Change the key's own tenant",
    description: "Changes the given fields only; null clears an optional field.",
    tag: TAG,
    access: "settings",
    schema: { body: tenantKind.schemas.patch, response: { 200: tenantKind.schemas.record } },
    bodyProblems: problemsIn(deps, tenantKind),
    async handle(call) {
      const { id } = await findOwnTenant(deps.db, tenantOf(call));
      const target = targetOf(call, "settings", id);
      const row = await patchRecord(deps, tenantKind, target, call.body as TenantFields);
      return { status: 200, body: tenantKind.render(row) };
    },
  });
}
