/** The session endpoints: create, retrieve, pay, verify, cancel (contract: Sessions). */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router, type SessionInPath } from "../http/endpoint.ts";
import { must } from "../lib/assert.ts";
import { cancel } from "./cancel.ts";
import { create, missingInDirectMode } from "./create.ts";
import { pay } from "./pay.ts";
import { retrieve } from "./retrieve.ts";
import {
  Cancelled,
  CreateBody,
  Created,
  NotCreated,
  PayBody,
  Result,
  Retrieved,
  RetrievedLater,
  VerifyBody,
} from "./schemas.ts";
import { verify } from "./verify.ts";
import { sessionOfTenant } from "../tenants/signed-address.ts";

const SESSIONS = "/api/v1/payment-sessions/";
const Token = Type.Object({ token: Type.String({ description: "The session token." }) });
const tag = "Payment sessions";
/** Server-to-server: the merchant shows the mandate in its own form and is responsible for its acceptance. */
export const MERCHANT_FORM = {
  source: "api_submission",
  device: null,
  acceptanceMode: "IMPLICIT",
  textVersion: "merchant",
  mandateReference: null,
  creditorShown: null,
} as const;

/** Declares the endpoints on the router. */
export function sessionRoutes(router: Router, deps: Deps): void {
  router.add("POST", SESSIONS, {
    summary: "Create a payment session",
    description:
      "With campaign_id: priced by the campaign's offer. Without: gateway_id, amount, currency and billing_type are required.",
    tag,
    access: "payments",
    limit: "create",
    schema: { body: CreateBody, response: { 201: Created, 409: NotCreated } },
    bodyProblems: ({ given }) => missingInDirectMode(given),
    handle: async (call) => ({
      status: 201,
      body: await create(deps, { tenant: tenantOf(call), id: call.operationId, body: call.body }),
    }),
  });

  router.add("GET", `${SESSIONS}{token}/`, {
    summary: "Retrieve a payment session",
    tag,
    access: "session_in_path",
    limit: "retrieve",
    schema: { params: Token, response: { 200: Type.Union([Retrieved, RetrievedLater]) } },
    handle: async (call) => ({ status: 200, body: await retrieve(deps, sessionOf(call)) }),
  });

  router.add("POST", `${SESSIONS}{token}/pay/`, {
    summary: "Submit a payment",
    description: "Returns 200 with the outcome: check status first, then error_details.code.",
    tag,
    access: "session_in_path",
    limit: "pay",
    schema: { params: Token, body: PayBody, response: { 200: Result } },
    handle: async (call) => {
      const { iban, iban_holder_name: holderName, tenant_reference_id: reference } = call.body;
      const confirmsDuplicate = call.body.confirm_duplicate ?? false;
      const { clientIp, userAgent } = call;
      const asker = { clientIp, userAgent, confirmsDuplicate };
      const attempt = { ...asker, attemptId: call.operationId, iban, holderName };
      const input = { ...sessionOf(call), ...MERCHANT_FORM, ...attempt };
      return { status: 200, body: await pay(deps, { ...input, tenantReferenceId: reference ?? null }) };
    },
  });

  router.add("POST", `${SESSIONS}{token}/verify/`, {
    summary: "Finish a mandate verification",
    tag,
    access: "session_in_path",
    limit: "verify",
    schema: { params: Token, body: VerifyBody, response: { 200: Result } },
    handle: async (call) => {
      const verificationId = call.body.verification_id ?? null;
      return { status: 200, body: await verify(deps, { ...sessionOf(call), verificationId }) };
    },
  });

  router.add("POST", `${SESSIONS}{token}/cancel/`, {
    summary: "Cancel a payment session",
    description: "Ends an unpaid session. Repeating the request returns the same answer.",
    tag,
    access: "payments",
    limit: "cancel",
    schema: { params: Token, response: { 200: Cancelled } },
    handle: async (call) => {
      const tenant = tenantOf(call);
      const sessionId = sessionOfTenant(deps, tenant, call.params.token);
      await cancel(deps, { tenant, sessionId });
      return { status: 200, body: { session_token: call.params.token, status: "EXPIRED" } };
    },
  });
}

function sessionOf(call: { readonly session: SessionInPath | null }): SessionInPath {
  return must(call.session, "the session in the path");
}
