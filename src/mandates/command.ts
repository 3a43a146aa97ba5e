/** A command about a mandate: its lock, and its entry in the audit log. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import type { MandateRow } from "../db/rows.ts";
import { hasRun, writeEntry, type Author } from "../management/audit/audit.ts";
import { Refusal } from "../refusals.ts";
import { lockMandate } from "./store.ts";

/** The mandate and the author. */
export interface MandateCommand {
  readonly tenant: number;
  readonly id: string;
  /** Drawn once per operation: the audit entry's id. */
  readonly operationId: string;
  readonly author: Author;
}

const RESOURCE = "mandates";

/**
 * Locks the mandate until the transaction ends.
 * @throws Refusal not_found.
 */
export async function heldMandate(
  tx: Tx,
  { tenant, id }: Pick<MandateCommand, "tenant" | "id">,
): Promise<MandateRow> {
  const row = await lockMandate(tx, tenant, id);
  if (row === null) throw new Refusal("not_found");
  return row;
}

/** Whether this operation has run before. */
export function hasRunBefore(tx: Tx, { tenant, id, operationId, author }: MandateCommand): Promise<boolean> {
  return hasRun(tx, author, { tenant, id: operationId, resource: RESOURCE, resourceId: id });
}

/** Writes the command's changes to the audit log. */
export function logChange(
  tx: Tx,
  { clock }: Pick<Deps, "clock">,
  { tenant, id, operationId, author }: MandateCommand,
  change: { readonly before: object; readonly after: object },
): Promise<void> {
  return writeEntry(tx, author, {
    tenant,
    id: operationId,
    at: clock.now(),
    action: "update",
    resource: RESOURCE,
    resourceId: id,
    ...change,
  });
}
