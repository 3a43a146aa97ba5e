/** The management API of what a merchant sets up (contract: Management). */
import type { Deps } from "../deps.ts";
import type { Router } from "../http/endpoint.ts";
import { apiKeyRoutes } from "./api-keys/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { campaignKind } from "./campaigns/campaign.ts";
import { adapterRoutes } from "./gateways/adapters-routes.ts";
import { gatewayKind } from "./gateways/gateway-record.ts";
import { hostedPageKind } from "./hosted-pages/hosted-page.ts";
import { integrationRecordRoutes } from "./integrations/routes.ts";
import { offerKind } from "./offers/offer.ts";
import { recordRoutes } from "./records/routes.ts";
import { tenantRoutes } from "./tenants/routes.ts";
import { webhookProfileRoutes } from "./webhook-profiles/routes.ts";

/** Declares the endpoints on the router. */
export function managementRoutes(router: Router, deps: Deps): void {
  tenantRoutes(router, deps);
  apiKeyRoutes(router, deps);
  recordRoutes(router, deps, gatewayKind);
  adapterRoutes(router, deps);
  webhookProfileRoutes(router, deps);
  recordRoutes(router, deps, hostedPageKind);
  recordRoutes(router, deps, offerKind);
  recordRoutes(router, deps, campaignKind);
  integrationRecordRoutes(router, deps);
  auditRoutes(router, deps);
}
