/** The middle step of a renewal: the gateway call, with no transaction open. */
import type { Deps } from "../deps.ts";
import type { Collection } from "../gateways/gateway.ts";
import { must } from "../lib/assert.ts";
import { centsFromDatabase } from "../lib/money.ts";
import { openIban } from "../mandates/account.ts";
import type { RenewalRow } from "./renewal-store.ts";
import {
  customerAddress,
  type CallParts,
  instruct,
  finalOutcomeUnattended,
  type UnattendedOutcome,
} from "../gateways/calling.ts";

/** Sends the instruction of a cycle. A gateway that requires a verification is asked for the final outcome instead. */
export async function collectRenewal(
  deps: CallParts & Pick<Deps, "log" | "publicUrl">,
  tenant: number,
  row: RenewalRow,
): Promise<UnattendedOutcome> {
  const outcome = await instruct(deps, tenant, row, "collect", (gateway) => {
    const collection = collectionOf(deps, tenant, row);
    return (signal) => gateway.collect(collection, signal);
  });
  return outcome.kind === "verification_required" ? finalOutcomeUnattended(deps, tenant, row) : outcome;
}

function collectionOf(deps: Pick<Deps, "keys" | "publicUrl">, tenant: number, row: RenewalRow): Collection {
  const iban = openIban(deps, { tenant, id: row.mandate_id, iban_sealed: row.iban_sealed });
  return {
    reference: row.merchant_transaction_id,
    amount: centsFromDatabase(row.amount),
    currency: row.currency,
    sequenceType: "RCUR",
    recurring: true,
    iban,
    bic: row.bic,
    holderName: row.holder_name,
    email: must(row.email, "the lead of a subscription"),
    country: must(row.country, "the lead of a subscription"),
    address: customerAddress({ ...row, country: must(row.country, "the lead of a subscription") }),
    customerIp: null,
    mandate: {
      reference: must(row.mandate_reference, "the mandate of a subscription"),
      signedAt: must(row.mandate_accepted_at, "the mandate of a subscription"),
      scheme: row.mandate_scheme,
      preNotificationDays: row.mandate_notice_days,
    },
    creditor: { name: row.creditor_name, identifier: row.creditor_identifier },
    returnUrl: deps.publicUrl,
    descriptor: row.descriptor,
  };
}
