/**
 * A case: an endpoint, a valid and then perhaps damaged request, and the records that it needs to pass the first
 * checks.
 */
import { withBody } from "./bodies.ts";
import type { Case, CaseParts } from "./case.ts";
import type { Operation } from "./document.ts";
import { credentials, extraHeaders } from "./headers.ts";
import { pathOf, queryOf } from "./path.ts";
import { prepared } from "./prepare.ts";
import type { Random } from "../random.ts";

/** Receivers are called with each payment, so they belong to the tenant without payments. */
const IN_WORKSHOP = /management\/(webhook-profiles|integrations)\//;
const DEEP = /payment-sessions|reconciliation|\/refunds\/|chargebacks|webhooks\/integrations|\/pay\//;

export async function runCase(parts: CaseParts, random: Random, index: number): Promise<void> {
  const { document, world } = parts;
  const operation = pickOperation(random, document.operations);
  const ofWorkshop =
    IN_WORKSHOP.test(operation.path) &&
    operation.method !== "GET" &&
    !/activities|test\//.test(operation.path);
  const tenant = ofWorkshop ? world.workshop : random.chance(0.85) ? world.shops[0] : world.shops[1];
  const isOperator = operation.security.includes("operatorKey");
  const key = isOperator ? world.operatorKey : random.pick(tenant.keys);
  const made: Case = { ...parts, random, index, tenant, operation, key };
  const fresh = await prepared(made);
  const path = pathOf(made, fresh) + queryOf(made);
  const { headers, as } = credentials(made, fresh);
  const outgoing = withBody(made, fresh, {
    method: methodOf(made),
    path,
    headers: { ...extraHeaders(made), ...headers },
    body: null,
  });
  await parts.send(operation, outgoing, as);
}

function pickOperation(random: Random, operations: readonly Operation[]): Operation {
  const operation = random.pick(operations);
  return random.chance(0.3) && !DEEP.test(operation.path) ? random.pick(operations) : operation;
}

function methodOf({ random, operation }: Case): string {
  if (!random.chance(0.03)) return operation.method;
  // Records shared by all cases must not be changed or archived.
  const changing = operation.path.includes("{id}") ? [] : ["PATCH", "DELETE"];
  return random.pick(["GET", "POST", "PUT", "HEAD", "OPTIONS", "TRACE", ...changing]);
}
