/** The middle step of a refund: the gateway call, with no transaction open. */
import type { Deps } from "../../deps.ts";
import { askGateway } from "../../gateways/calling.ts";
import { connect } from "../../gateways/connect.ts";
import type { Gateway, RefundOutcome } from "../../gateways/gateway.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import type { RefundRow } from "./store.ts";

/** Sends a claimed refund. An account that cannot even be opened has certainly given nothing back. */
export async function refundAtGateway(deps: Deps, tenant: number, refund: RefundRow): Promise<RefundOutcome> {
  let gateway: Gateway;
  try {
    gateway = gatewayOf(deps, tenant, refund);
  } catch (error) {
    deps.log.error("a gateway account cannot be opened", error, { gateway_id: refund.gateway_id });
    return { kind: "unreachable", gatewayMessage: null };
  }
  const instruction = {
    reference: refund.merchant_transaction_id,
    original: {
      reference: refund.original_merchant_transaction_id,
      gatewayReference: refund.original_gateway_reference,
    },
    amount: centsFromDatabase(refund.amount),
    currency: refund.currency,
    reason: refund.reason,
  };
  return askGateway((signal) => gateway.refund(instruction, signal));
}

/** Asks for the last word on a refund; what was not given back by now never will be under its reference. */
export async function resolveRefund(deps: Deps, tenant: number, refund: RefundRow): Promise<RefundOutcome> {
  const outcome = await askGateway(async (signal) =>
    gatewayOf(deps, tenant, refund).resolve(refund.merchant_transaction_id, signal),
  );
  switch (outcome.kind) {
    // Not reaching the gateway with a question says nothing about the refund that it is about.
    case "unreachable":
      return { kind: "unresolved", gatewayMessage: outcome.gatewayMessage };
    case "verification_required":
      return { kind: "unresolved", gatewayMessage: "The gateway requested verification of a refund." };
    default:
      return outcome;
  }
}

function gatewayOf(deps: Deps, tenant: number, refund: RefundRow): Gateway {
  const { gateway_id: id, adapter, settings, credentials } = refund;
  return connect(deps.adapters, deps.keys, { tenant, id, adapter, settings, credentials });
}
