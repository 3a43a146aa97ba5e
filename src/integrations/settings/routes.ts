/** Integrations and the rotation of their URLs. */
import type { Deps } from "../../deps.ts";
import type { Router } from "../../http/endpoint.ts";
import {
  answerOf,
  IdInPath,
  MANAGEMENT,
  recordRoutes,
  TAG,
  targetOf,
} from "../../management/resource-routes.ts";
import { Integration, integrationKind } from "./integration.ts";
import { rotateToken } from "./rotate-token.ts";

/** Declares the endpoints on the router. */
export function integrationRecordRoutes(router: Router, deps: Deps): void {
  recordRoutes(router, deps, integrationKind);

  router.add("POST", `${MANAGEMENT}integrations/{id}/rotate-token/`, {
    summary: "Replace a postback URL",
    description: "The old URL answers 404 at once.",
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, response: { 200: Integration } },
    async handle(call) {
      const row = await rotateToken(deps, targetOf(call, "settings", call.params.id));
      return { status: 200, body: answerOf(deps, integrationKind, row) };
    },
  });
}
