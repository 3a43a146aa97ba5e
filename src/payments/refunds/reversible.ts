/** Until when a payment can be given back by reversal, for the page where a person chooses how. */
import type { Deps } from "../../deps.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { reversibleUntilOf } from "../../gateways/debits.ts";
import { findUntouched } from "./store.ts";

/** The last day; null where it cannot be reversed, or not any more. @param id of a payment. */
export async function reversibleUntil(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log">,
  tenant: number,
  id: string,
): Promise<IsoDate | null> {
  const row = await findUntouched(deps.db, tenant, id);
  return row === null ? null : reversibleUntilOf(deps, tenant, row, row.reference);
}
