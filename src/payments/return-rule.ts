/** What is told of a return or a refusal that the tenant's own choice has decided about, not the default (docs/guards.md, Return codes). */
import type { Deps } from "../deps.ts";
import { ownChoice } from "../sepa/return-rules.ts";
import { guardEvent, type NewEvent } from "../webhooks/events.ts";
import { recordFacts, type StoredTransaction } from "./transaction.ts";

/** @param code of the bank. */
export function ruleEvents(
  deps: Pick<Deps, "environment" | "ids">,
  row: StoredTransaction,
  code: string | null,
): readonly NewEvent[] {
  const action = ownChoice(code, row.return_rules);
  if (action === null) return [];
  const guard = { kind: "return_rule", transaction_id: row.id, code, action } as const;
  return [guardEvent(deps.ids.uuid(), recordFacts(deps, row), guard)];
}
