/** Webhook profiles and the rotation of their signing secrets. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Router } from "../../http/endpoint.ts";
import { IdInPath, MANAGEMENT, recordRoutes, TAG, targetOf } from "../../management/resource-routes.ts";
import { SigningSecret, webhookProfileKind, WebhookProfileWithSecret } from "./profile.ts";
import { rotateSecret } from "./rotate-secret.ts";

const RotateSecret = Type.Object(
  { signing_secret: Type.Optional(SigningSecret) },
  { $id: "WebhookProfileRotateSecret" },
);

/** Declares the endpoints on the router. */
export function webhookProfileRoutes(router: Router, deps: Deps): void {
  recordRoutes(router, deps, webhookProfileKind);

  router.add("POST", `${MANAGEMENT}webhook-profiles/{id}/rotate-secret/`, {
    summary: "Replace a signing secret",
    description:
      "The new secret signs at once. For 24 hours the old one also signs, in X-Service-Signature-Previous.",
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, body: RotateSecret, response: { 200: WebhookProfileWithSecret } },
    async handle(call) {
      const target = targetOf(call, "settings", call.params.id);
      const { row, secret } = await rotateSecret(deps, target, call.body.signing_secret ?? null);
      return { status: 200, body: { ...webhookProfileKind.render(row), signing_secret: secret } };
    },
  });
}
