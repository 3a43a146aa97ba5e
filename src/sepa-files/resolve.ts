/** A person decides what a file's entry was about: it is applied to the transaction that they name, or dismissed. */
import type { Deps } from "../deps.ts";
import { SEPA_ADAPTER } from "../gateways/sepa/adapter.ts";
import { utcDate } from "../lib/dates.ts";
import { writeEntry, type Author } from "../merchants/audit/audit.ts";
import { takeNews } from "../payments/news.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { decide, type About } from "./decide.ts";
import type { Item } from "./interpret.ts";
import { lockCollections, writeChanges } from "./changes-store.ts";
import { findReference, lockUnmatched, writeResolution, type UnmatchedRow } from "./unmatched-store.ts";

export interface ResolveInput {
  readonly tenant: number;
  readonly id: string;
  readonly operationId: string;
  readonly author: Author;
  /** The transaction that it was about; null dismisses it. */
  readonly transactionId: string | null;
  readonly note: string | null;
}

/** @throws Refusal not_found, unmatched_resolved, unmatched_not_applicable; FieldErrors on transaction_id. */
export async function resolveUnmatched(deps: Deps, input: ResolveInput): Promise<void> {
  const { tenant, id, author } = input;
  const now = deps.time.now(tenant);
  await deps.db.transaction(async (tx) => {
    const row = await lockUnmatched(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    if (row.status !== "open") throw new Refusal("unmatched_resolved");
    let reference: string | null = null;
    if (input.transactionId !== null) {
      const named = await findReference(tx, tenant, input.transactionId);
      if (named === null || named.gateway_id !== row.gateway_id) {
        throw new FieldErrors({ transaction_id: ["There is no such transaction at this gateway."] });
      }
      reference = named.merchant_transaction_id;
      const [standing] = await lockCollections(tx, tenant, row.gateway_id, [reference]);
      const item = itemOf(row);
      const decision = standing === undefined || item === null ? null : decide(standing, item, utcDate(now));
      if (decision?.kind !== "change") throw new Refusal("unmatched_not_applicable", whyNot(decision));
      await writeChanges(tx, tenant, row.gateway_id, row.file_id, decision.changes, now);
    }
    const status = input.transactionId === null ? "dismissed" : "applied";
    await writeResolution(tx, tenant, id, { status, reference, note: input.note }, now);
    const change = {
      tenant,
      id: input.operationId,
      at: deps.clock.now(),
      action: "update",
      resource: "unmatched",
    } as const;
    const after = { status, transaction_id: input.transactionId, note: input.note };
    await writeEntry(tx, author, { ...change, resourceId: id, before: { status: row.status }, after });
  });
  await takeNews(deps, tenant, [SEPA_ADAPTER]);
}

/** What the entry says, without its amount: whoever names the transaction has looked at it. */
function itemOf({ facts }: UnmatchedRow): About | null {
  const item = facts as Item;
  switch (item.kind) {
    case "credit":
    case "return":
    case "reject":
    case "transfer_out":
    case "transfer_back":
      return { ...item, amount: null };
    default:
      return null;
  }
}

function whyNot(decision: ReturnType<typeof decide> | null): { readonly detail?: string } {
  if (decision?.kind === "known")
    return { detail: "This is known of the transaction already: dismiss the entry." };
  return decision?.kind === "unmatched"
    ? { detail: `It cannot be applied to this transaction: ${decision.why}.` }
    : {};
}
