/** Records that the debtor's bank has confirmed a B2B mandate; it pays nothing before that. */
import type { Deps } from "../deps.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { hasRunBefore, heldMandate, logChange, type MandateCommand } from "./command.ts";
import { isProvenByUse, writeConfirmed } from "./store.ts";

const PROVEN =
  "The mandate was debited before its import, so it counts as confirmed. Cancel it when its bank does not pay on it.";

/**
 * Records or removes the confirmation.
 * @param on the day; undefined for today, null removes it.
 * @throws Refusal not_found, mandate_not_active, mandate_not_b2b; FieldErrors for a future day, or when removing what
 * was proven by use before the import.
 */
export async function confirmMandate(
  deps: Pick<Deps, "clock" | "db" | "time">,
  command: MandateCommand,
  on: IsoDate | null | undefined,
): Promise<void> {
  const { tenant, id } = command;
  await deps.db.transaction(async (tx) => {
    const row = await heldMandate(tx, command);
    if (await hasRunBefore(tx, command)) return;
    if (row.scheme !== "B2B") throw new Refusal("mandate_not_b2b");
    if (row.status !== "active") throw new Refusal("mandate_not_active");
    const now = deps.time.now(tenant);
    const day = on === undefined ? utcDate(now) : on;
    if (day !== null && day > utcDate(now))
      throw new FieldErrors({ confirmed_on: ["Must not be in the future."] });
    if (day === null && (await isProvenByUse(tx, tenant, id)))
      throw new FieldErrors({ confirmed_on: [PROVEN] });
    if (day !== row.bank_confirmed_on) await writeConfirmed(tx, tenant, id, day, now);
    // Recorded even without a change: the same operation must not change anything later, after others have.
    await logChange(tx, deps, command, {
      before: { bank_confirmed_on: row.bank_confirmed_on },
      after: { bank_confirmed_on: day },
    });
  });
}
