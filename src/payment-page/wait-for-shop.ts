/** Keeps customers who have just paid on the receipt until the shop has acknowledged the payment. */
import type { Deps } from "../deps.ts";
import { later, SECOND_MS } from "../lib/clock.ts";
import { isCompletionAwaited } from "../webhooks/acknowledged.ts";
import { storedUrl } from "./redirect.ts";
import { REDIRECT_WAIT_SECONDS } from "./settings.ts";
import type { PageRow } from "./store.ts";

/** Whether the customer must wait; meanwhile the page reloads until the way back is open. */
export async function waitsForShop(
  deps: Pick<Deps, "db">,
  tenant: number,
  row: PageRow,
  now: Date,
): Promise<boolean> {
  if (row.status !== "COMPLETED" || row.closed_at === null) return false;
  if (storedUrl(row, "success_redirect_url") === null) return false;
  const seconds = row.page?.redirect_wait_seconds ?? REDIRECT_WAIT_SECONDS;
  if (now >= later(row.closed_at, seconds * SECOND_MS)) return false;
  return isCompletionAwaited(deps.db, tenant, row.session_id);
}
