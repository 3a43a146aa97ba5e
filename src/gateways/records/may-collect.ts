/** Which gateway may collect under a mandate given for another one: the rule, in one place. */
import type { GatewayRow } from "../../db/rows.ts";
import { schemeOf, type Scheme } from "../../mandates/creditor.ts";
import type { Adapters } from "../gateway.ts";

/** A collection, and the terms of its mandate. */
interface Collected {
  readonly currency: string;
  /** Of the gateway that collects now. */
  readonly testMode: boolean;
  readonly scheme: Scheme;
  /** The mandate's; null if it has none. */
  readonly creditorIdentifier: string | null;
}

/**
 * Why a gateway may not collect; null if it may. A mandate names its creditor and scheme for good, so the gateway's
 * have to be the same, and money is not moved from a live account to a test account.
 * @param tenantsIdentifier the tenant's, for a gateway without its own creditor identifier.
 */
export function whyNotCollects(
  adapters: Adapters,
  gateway: GatewayRow | null,
  collected: Collected,
  tenantsIdentifier: string | null,
): string | null {
  const { currency, testMode, scheme, creditorIdentifier } = collected;
  if (gateway === null || !gateway.active || gateway.archived_at !== null) return "No such gateway.";
  if (gateway.test_mode !== testMode)
    return "A subscription of a live gateway stays live, and one in test mode stays there.";
  if (!(adapters.get(gateway.adapter)?.capabilities.currencies.includes(currency) ?? false))
    return `This gateway does not collect ${currency}.`;
  const settings = gateway.settings as Readonly<Record<string, unknown>> & {
    readonly creditor_identifier?: string;
  };
  const other = schemeOf(settings);
  if (other !== scheme)
    return `This gateway collects under ${other} mandates; this one is a ${scheme} mandate, and its scheme cannot be changed: the customer has to sign a new one.`;
  const creditor = settings.creditor_identifier ?? tenantsIdentifier;
  return creditorIdentifier !== null && creditor !== null && creditor !== creditorIdentifier
    ? `This gateway collects for the creditor ${creditor}; the mandate names ${creditorIdentifier}. Amend the mandate first.`
    : null;
}
