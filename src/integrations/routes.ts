/** The endpoint for partners' postbacks, with its checks in order (contract: Postback answers). */
import type { Deps } from "../deps.ts";
import type { Answer, EarlyCall, EndpointSchema, Failure, Router } from "../http/endpoint.ts";
import { Refusal, type RefusalKind } from "../refusals.ts";
import { activityRoutes } from "./management.ts";
import { POSTBACK_BYTES_MAX } from "./postback.ts";
import {
  authenticatePostback,
  storePostback,
  skipPostback,
  inactiveReason,
  type Credentials,
} from "./receive.ts";
import { PostbackBody, PostbackError, PostbackAccepted, TokenInPath } from "./schemas.ts";

/** Called with the results of postbacks, for the metrics. */
export type OnActivity = (outcome: string) => void;

/** Declares the endpoints on the router. */
export function integrationRoutes(router: Router, deps: Deps, onActivity: OnActivity): void {
  postbackRoute(router, deps, onActivity);
  activityRoutes(router, deps);
}

function postbackRoute(router: Router, deps: Deps, onActivity: OnActivity): void {
  const admitted = async (call: EarlyCall<typeof SCHEMA>) => {
    const receiver = await authenticatePostback(deps, credentialsOf(call));
    const off = inactiveReason(receiver);
    if (off === null) return { receiver, answer: null };
    await skipPostback(deps, receiver, off);
    onActivity("skipped");
    return { receiver, answer: { status: 200, body: { status: "skipped" } } };
  };

  router.add("POST", "/webhooks/integrations/{token}/", {
    summary: "Receive a partner's postback",
    description:
      "The token in the URL identifies the integration. If it has a postback secret, the header X-Service-Secret " +
      "must contain it. Checked in this order: rate (429), token (404), secret (401), inactive (200 skipped), size " +
      "(413), JSON object (400). Any content type is accepted. The same request_uuid, else the same body, within 30 days " +
      "is answered with the first activity_id and not processed again.",
    tag: "Integrations",
    access: "anyone",
    limit: "postback",
    body: "raw",
    bodyLimit: POSTBACK_BYTES_MAX,
    schema: SCHEMA,
    renderError,
    beforeBody: async (call) => (await admitted(call)).answer,
    async handle(call) {
      // Checked again: the token may have been rotated, or the integration deactivated, while the body arrived.
      const { receiver, answer } = await admitted(call);
      if (answer !== null) return answer;
      const { activityId, isNew } = await storePostback(deps, receiver, call.rawBody, false);
      onActivity(isNew ? "received" : "repeated");
      return { status: 200, body: { status: "accepted", activity_id: activityId } };
    },
  });
}

const SCHEMA = {
  params: TokenInPath,
  body: PostbackBody,
  response: {
    200: PostbackAccepted,
    400: PostbackError,
    401: PostbackError,
    404: PostbackError,
    413: PostbackError,
  },
} as const satisfies EndpointSchema;

function credentialsOf({ params, headers }: EarlyCall<typeof SCHEMA>): Credentials {
  const secret = headers["x-service-secret"];
  return { token: params.token, secret: Array.isArray(secret) ? secret.join() : secret };
}

const INVALID_PAYLOAD = [400, "invalid_payload", "Invalid payload."] as const;

/** Other refusals have the common form (contract: Postback answers). */
const WORDS: Partial<Record<RefusalKind, readonly [status: number, code: string, message: string]>> = {
  malformed_json: INVALID_PAYLOAD,
  unreadable_request: INVALID_PAYLOAD,
  unsupported_media_type: INVALID_PAYLOAD,
  unauthorized: [401, "unauthorized", "Unauthorized."],
  not_found: [404, "not_found", "Not found."],
  payload_too_large: [413, "payload_too_large", "Payload too large."],
};

function renderError({ error }: Failure): Answer | null {
  const words = error instanceof Refusal ? WORDS[error.kind] : undefined;
  if (words === undefined) return null;
  const [status, code, message] = words;
  return { status, body: { code, message, details: null } };
}
