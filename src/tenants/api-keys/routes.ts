/** API keys: made, shown once, rotated, revoked. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Router } from "../../http/endpoint.ts";
import { Refusal } from "../../refusals.ts";
import {
  existingRecordRoutes,
  IdInPath,
  MANAGEMENT,
  TAG,
  targetOf,
} from "../../management/resource-routes.ts";
import { readRecord } from "../../management/resource-write.ts";
import { tenantKind } from "../tenant.ts";
import { ApiKey, apiKeyKind, ApiKeyWithSecret, type ApiKeyFields } from "./api-key.ts";
import { issueKey, type IssuedKey } from "./issue.ts";
import { revokeKey, rotateKey } from "./rotate.ts";

const PATH = `${MANAGEMENT}api-keys/`;
/** A month is enough to replace a key everywhere. */
const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60;

const Rotate = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: "How long the old key keeps working. Default 0.",
      }),
    ),
  },
  { $id: "ApiKeyRotate" },
);

/** Declares the endpoints on the router. */
export function apiKeyRoutes(router: Router, deps: Deps): void {
  router.add("POST", PATH, {
    summary: "Create an API key",
    description: "The key is returned only in this response.",
    tag: TAG,
    access: "keys",
    schema: { body: apiKeyKind.schemas.create, response: { 201: ApiKeyWithSecret } },
    async handle(call) {
      const target = targetOf(call, "keys", call.operationId);
      return { status: 201, body: withKey(await issueKey(deps, target, call.body as ApiKeyFields)) };
    },
  });

  existingRecordRoutes(router, deps, apiKeyKind);

  router.add("POST", `${MANAGEMENT}tenants/{id}/api-keys/`, {
    summary: "Create an API key for a tenant",
    description:
      "Requires the operator key. For a tenant that has lost its keys, and for scopes that none of its keys can grant.",
    tag: TAG,
    access: "operator",
    schema: { params: IdInPath, body: apiKeyKind.schemas.create, response: { 201: ApiKeyWithSecret } },
    async handle(call) {
      const { tenant, archived_at } = await readRecord(deps, tenantKind, 0, call.params.id);
      if (archived_at !== null) throw new Refusal("record_in_use", { detail: "This tenant is archived." });
      const target = { ...targetOf(call, "operator", call.operationId), tenant };
      return { status: 201, body: withKey(await issueKey(deps, target, call.body as ApiKeyFields)) };
    },
  });

  router.add("POST", `${PATH}{id}/rotate/`, {
    summary: "Replace an API key",
    description: "The new key is returned only in this response; the id stays the same.",
    tag: TAG,
    access: "keys",
    schema: { params: IdInPath, body: Rotate, response: { 200: ApiKeyWithSecret } },
    async handle(call) {
      const target = targetOf(call, "keys", call.params.id);
      return { status: 200, body: withKey(await rotateKey(deps, target, call.body.overlap_seconds ?? 0)) };
    },
  });

  router.add("POST", `${PATH}{id}/revoke/`, {
    summary: "Revoke an API key",
    description: "It stops working at once. Repeating the request returns the same answer.",
    tag: TAG,
    access: "keys",
    schema: { params: IdInPath, response: { 200: ApiKey } },
    async handle(call) {
      const row = await revokeKey(deps, targetOf(call, "keys", call.params.id));
      return { status: 200, body: apiKeyKind.render(row) };
    },
  });
}

function withKey({ row, text }: IssuedKey): object {
  return { ...apiKeyKind.render(row), api_key: text };
}
