/** When a payment is debited, as its gateway says; nothing is shown of an account that cannot be opened. */
import type { Deps } from "../deps.ts";
import type { IsoDate } from "../lib/dates.ts";
import { gatewayOf, type GatewayAccountRow } from "./calling.ts";
import type { Debit, Gateway } from "./gateway.ts";

type Parts = Pick<Deps, "adapters" | "keys" | "log">;

/** A payment's debit; null where the gateway says nothing of it. */
export async function debitOf(
  deps: Parts,
  tenant: number,
  row: GatewayAccountRow,
  reference: string,
): Promise<Debit | null> {
  return (await opened(deps, tenant, row)?.debit?.(reference)) ?? null;
}

/** The day of a debit that is accepted at this time; null where the gateway does not say. */
export function debitDayAt(
  deps: Parts,
  tenant: number,
  row: GatewayAccountRow,
  { at, notice }: { readonly at: Date; readonly notice: number | null },
): IsoDate | null {
  return opened(deps, tenant, row)?.debitDay?.(at, notice) ?? null;
}

function opened(deps: Parts, tenant: number, row: GatewayAccountRow): Gateway | null {
  try {
    return gatewayOf(deps, tenant, row);
  } catch (error) {
    deps.log.error("a gateway account cannot be opened", error, { gateway_id: row.gateway_id });
    return null;
  }
}
