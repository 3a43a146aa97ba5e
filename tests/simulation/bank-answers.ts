/** The bank's responses about a reference. */
import type { Outcome, RefundOutcome } from "../../src/gateways/gateway.ts";
import { reasonOf } from "../../src/sepa/reasons.ts";
import type { Entry } from "./bank.ts";

/** The bank never received the request, and will refuse it from now on. */
export const DECLINED = (processedAt: Date) =>
  ({
    kind: "declined",
    code: "gateway_unavailable",
    gatewayCode: null,
    gatewayMessage: null,
    gatewayReference: null,
    processedAt,
  }) as const;

/**
 * The bank's response about a collection. A collection that it accepted is reported as accepted whenever it is asked
 * again, even after a return or chargeback (`resolve` in src/gateways/gateway.ts).
 */
export function outcomeOf(entry: Entry): Outcome {
  if (entry.state === "returned") return refundOutcomeOf({ ...entry, state: "pending" });
  if (entry.state !== "awaiting") return refundOutcomeOf(entry);
  return {
    kind: "verification_required",
    gatewayReference: `B-${entry.reference}`,
    verificationId: `V-${entry.reference}`,
    url: "https://bank.example.test/confirm",
  };
}

/** The bank's response about a refund, or about a collection that the customer does not have to confirm. */
export function refundOutcomeOf({ reference, state, at: processedAt, reasonCode }: Entry): RefundOutcome {
  const gatewayReference = `B-${reference}`;
  switch (state) {
    case "charged":
    case "settled":
    case "charged_back":
    case "given":
      return { kind: "approved", gatewayReference, processedAt };
    case "pending":
      return { kind: "pending", gatewayReference, processedAt };
    case "withdrawn":
      return DECLINED(processedAt);
    case "refused":
    case "returned": {
      const { code, message: gatewayMessage } = reasonOf(reasonCode);
      return {
        kind: "declined",
        code,
        gatewayCode: reasonCode,
        gatewayMessage,
        gatewayReference,
        processedAt,
      };
    }
    case "fenced":
    case "awaiting":
      return DECLINED(processedAt);
  }
}
