/** The dates of a payment's debit according to its gateway; null for an account that cannot be opened. */
import type { Deps } from "../deps.ts";
import type { IsoDate } from "../lib/dates.ts";
import { openedGateway, type GatewayAccountRow } from "./calling.ts";
import type { Debit, LastDay } from "./gateway.ts";

type Parts = Pick<Deps, "adapters" | "keys" | "log">;

/** A payment's debit; null where the gateway does not report it. */
export async function debitOf(
  deps: Parts,
  tenant: number,
  row: GatewayAccountRow,
  reference: string,
): Promise<Debit | null> {
  return (await openedGateway(deps, tenant, row)?.debit?.(reference)) ?? null;
}

/** The last day on which a payment's debit can be reversed; null where it cannot be. */
export async function reversibleUntilOf(
  deps: Parts,
  tenant: number,
  row: GatewayAccountRow,
  reference: string,
): Promise<LastDay | null> {
  return (await openedGateway(deps, tenant, row)?.reversibleUntil?.(reference)) ?? null;
}

/** The date on which a debit accepted at this time is due; null where the gateway does not report it. */
export function debitDayAt(
  deps: Parts,
  tenant: number,
  row: GatewayAccountRow,
  { at, notice }: { readonly at: Date; readonly notice: number | null },
): IsoDate | null {
  return openedGateway(deps, tenant, row)?.debitDay?.(at, notice) ?? null;
}
