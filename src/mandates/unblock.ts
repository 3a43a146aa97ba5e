/** A person lifts the block of an account (docs/guards.md, Return codes): mandates that have ended stay so. */
import type { Deps } from "../deps.ts";
import { writeEntry } from "../management/audit/audit.ts";
import { findEntry } from "../management/audit/store.ts";
import { Refusal } from "../refusals.ts";
import { unblockAccount } from "./blocked-store.ts";
import { RESOURCE, type MandateCommand } from "./cancel.ts";
import { lockMandate } from "./store.ts";

/** An account that is not blocked stays as it is. @throws Refusal not_found. */
export async function unblockMandateAccount(
  deps: Pick<Deps, "clock" | "db" | "time">,
  { tenant, id, operationId, author }: MandateCommand,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await lockMandate(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    if ((await findEntry(tx, tenant, operationId)) !== null) return;
    if (!(await unblockAccount(tx, tenant, id, deps.time.now(tenant)))) return;
    await writeEntry(tx, author, {
      tenant,
      id: operationId,
      at: deps.clock.now(),
      action: "update",
      resource: RESOURCE,
      resourceId: id,
      before: { is_account_blocked: true },
      after: { is_account_blocked: false },
    });
  });
}
