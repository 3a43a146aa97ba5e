/** The management API of what a merchant sets up (contract: Management). */
import type { Deps } from "./deps.ts";
import type { Router } from "./http/endpoint.ts";
import { apiKeyRoutes } from "./tenants/api-keys/routes.ts";
import { auditRoutes } from "./management/audit/routes.ts";
import { campaignRoutes } from "./sessions/campaigns/routes.ts";
import { adapterRoutes } from "./gateways/records/adapters-routes.ts";
import { gatewayKind } from "./gateways/records/gateway-record.ts";
import { peopleRoutes } from "./people/routes.ts";
import { hostedPageKind } from "./payment-page/settings.ts";
import { integrationRecordRoutes } from "./integrations/settings/routes.ts";
import { paymentLinkRoutes } from "./sessions/links/routes.ts";
import { offerKind } from "./sessions/offers/offer.ts";
import { recordRoutes } from "./management/resource-routes.ts";
import { requestRoutes } from "./management/request-log/routes.ts";
import { tenantRoutes } from "./tenants/routes.ts";
import { webhookProfileRoutes } from "./webhooks/profiles/routes.ts";

/** Declares the endpoints on the router. */
export function managementRoutes(router: Router, deps: Deps): void {
  tenantRoutes(router, deps);
  apiKeyRoutes(router, deps);
  recordRoutes(router, deps, gatewayKind);
  adapterRoutes(router, deps);
  webhookProfileRoutes(router, deps);
  recordRoutes(router, deps, hostedPageKind);
  recordRoutes(router, deps, offerKind);
  campaignRoutes(router, deps);
  paymentLinkRoutes(router, deps);
  integrationRecordRoutes(router, deps);
  auditRoutes(router, deps);
  requestRoutes(router, deps);
  peopleRoutes(router, deps);
}
