/** What a gateway is told of a refund. */
import type { Deps } from "../../deps.ts";
import type { RefundOutcome } from "../../gateways/gateway.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import type { RefundRow } from "./store.ts";
import { instruct, type AskParts } from "../../gateways/calling.ts";

/** Sends a claimed refund. */
export function refundAtGateway(
  deps: AskParts & Pick<Deps, "log">,
  tenant: number,
  refund: RefundRow,
): Promise<RefundOutcome> {
  const instruction = {
    reference: refund.merchant_transaction_id,
    original: {
      reference: refund.original_merchant_transaction_id,
      gatewayReference: refund.original_transaction_id,
    },
    amount: centsFromDatabase(refund.amount),
    currency: refund.currency,
    reason: refund.reason,
  };
  return instruct(
    deps,
    tenant,
    refund,
    "refund",
    (gateway) => (signal) => gateway.refund(instruction, signal),
  );
}
