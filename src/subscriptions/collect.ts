/** The middle step of a renewal: the gateway call, with no transaction open. */
import type { Deps } from "../deps.ts";
import { askGateway } from "../gateways/calling.ts";
import { connect } from "../gateways/connect.ts";
import type { Collection, Gateway, Outcome } from "../gateways/gateway.ts";
import { must } from "../lib/assert.ts";
import { centsFromDatabase } from "../lib/money.ts";
import { addressOf } from "../payments/address.ts";
import type { RebillRow } from "./renewal-store.ts";

/** Outcomes of a renewal: without the customer nothing can be verified. */
export type RebillOutcome = Exclude<Outcome, { readonly kind: "verification_required" }>;

/** Sends the instruction of a cycle. An account that cannot even be opened has certainly charged nothing. */
export async function collectRebill(deps: Deps, tenant: number, row: RebillRow): Promise<RebillOutcome> {
  let gateway: Gateway;
  try {
    gateway = gatewayOf(deps, tenant, row);
  } catch (error) {
    deps.log.error("a gateway account cannot be opened", error, { gateway_id: row.gateway_id });
    return { kind: "unreachable", gatewayMessage: null };
  }
  const collection = collectionOf(deps, tenant, row);
  const outcome = await askGateway((signal) => gateway.collect(collection, signal));
  return outcome.kind === "verification_required" ? resolveRebill(deps, tenant, row) : outcome;
}

/** Asks for the last word on an attempt; what was not charged by now never will be under its reference. */
export async function resolveRebill(deps: Deps, tenant: number, row: RebillRow): Promise<RebillOutcome> {
  const outcome = await askGateway(async (signal) =>
    gatewayOf(deps, tenant, row).resolve(row.merchant_transaction_id, signal),
  );
  switch (outcome.kind) {
    case "unreachable":
      return { kind: "unresolved", gatewayMessage: outcome.gatewayMessage };
    case "verification_required":
      return { kind: "unresolved", gatewayMessage: "The gateway requested verification of a renewal." };
    default:
      return outcome;
  }
}

/** @throws Error when the account cannot be opened. */
export function gatewayOf(
  deps: Deps,
  tenant: number,
  {
    gateway_id: id,
    adapter,
    settings,
    credentials,
  }: Pick<RebillRow, "gateway_id" | "adapter" | "settings" | "credentials">,
): Gateway {
  return connect(deps.adapters, deps.keys, { tenant, id, adapter, settings, credentials });
}

function collectionOf(deps: Deps, tenant: number, row: RebillRow): Collection {
  const iban = deps.keys.open(tenant, `mandates.iban:${row.mandate_id}`, row.iban_sealed).toString();
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
    address: addressOf({ ...row, country: must(row.country, "the lead of a subscription") }),
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
