/** The middle step of a payment: the gateway call, with no transaction open. */
import type { Deps } from "../deps.ts";
import type { Collection, Outcome } from "../gateways/gateway.ts";
import { must } from "../lib/assert.ts";
import { centsFromDatabase } from "../lib/money.ts";
import { addressOf, asked, type AskParts, gatewayOf, instruct } from "../gateways/calling.ts";
import { paymentUrl } from "../tenants/session-token.ts";
import type { OpenAttempt } from "./attempt-store.ts";

/** Sends the instruction of a claimed attempt. */
export function collect(
  deps: AskParts & Pick<Deps, "log" | "publicUrl">,
  tenant: number,
  attempt: OpenAttempt,
  iban: string,
): Promise<Outcome> {
  return instruct(deps, tenant, attempt, "collect", (gateway) => {
    const collection = collectionOf(deps, tenant, attempt, iban);
    return (signal) => gateway.collect(collection, signal);
  });
}

/** Asks what came of the verification of an attempt. */
export function verifyAtGateway(deps: AskParts, tenant: number, attempt: OpenAttempt): Promise<Outcome> {
  const verificationId = must(attempt.verification_id, "the verification of this attempt");
  return asked(deps, attempt, "verify", async (signal) =>
    gatewayOf(deps, tenant, attempt).verify(attempt.merchant_transaction_id, verificationId, signal),
  );
}

function collectionOf(
  deps: Pick<Deps, "keys" | "publicUrl">,
  tenant: number,
  attempt: OpenAttempt,
  iban: string,
): Collection {
  return {
    reference: attempt.merchant_transaction_id,
    amount: centsFromDatabase(attempt.transaction_amount),
    currency: attempt.currency,
    sequenceType: attempt.sequence_type ?? "FRST",
    recurring: attempt.billing_type !== "ONE_OFF",
    iban,
    bic: attempt.bic,
    holderName: attempt.holder_name,
    email: attempt.email,
    country: attempt.country,
    address: addressOf(attempt),
    customerIp: attempt.customer_ip,
    mandate: {
      reference: attempt.mandate_reference,
      signedAt: attempt.mandate_accepted_at,
      scheme: attempt.mandate_scheme,
      preNotificationDays: attempt.mandate_notice_days,
    },
    creditor: { name: attempt.creditor_name, identifier: attempt.creditor_identifier },
    returnUrl: paymentUrl(deps, attempt.token_key_id, tenant, attempt.session_id),
    descriptor: attempt.descriptor,
  };
}
