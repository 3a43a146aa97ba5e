/** Webhook profiles and the rotation of their signing secrets. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Router } from "../../http/endpoint.ts";
import { IdInPath, MANAGEMENT, recordRoutes, TAG, targetOf } from "../../management/resource-routes.ts";
import { changeRecord } from "../../management/resource-write.ts";
import {
  generatedSecret,
  openSigningSecret,
  replacedSecret,
  SigningSecret,
  webhookProfileKind,
  WebhookProfileWithSecret,
} from "./profile.ts";

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
      const row = await changeRecord(deps, webhookProfileKind, target, "rotate_secret", (write, before) => {
        const secret = call.body.signing_secret ?? generatedSecret(deps);
        const replaced = replacedSecret(write, secret, before);
        // Run again, it replaces the secret that was never shown, and the one in use keeps its day.
        const { previous_signing_secret, previous_signing_secret_until } = write.repeated ? before : replaced;
        const after = { ...before, ...replaced, previous_signing_secret, previous_signing_secret_until };
        return webhookProfileKind.store.update(write.tx, after, write.now);
      });
      const shown = webhookProfileKind.render(row);
      return { status: 200, body: { ...shown, signing_secret: openSigningSecret(deps, row) } };
    },
  });
}
