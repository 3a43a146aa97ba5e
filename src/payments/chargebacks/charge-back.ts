/** A chargeback is written down, wherever it was heard of: with its transaction, its order and what receivers are told. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import { chargebackCreatedEvent, statusChangedEvent } from "../../webhooks/events.ts";
import { knownStatus, moveOf } from "../news/moves.ts";
import { chargebackRecord, transactionRecord } from "../records.ts";
import { factsOf, recordFacts, shownStatus, type StoredTransaction } from "../transaction.ts";
import { writeChargeback, type NewChargeback } from "./store.ts";

/** @param row locked, and one that can be charged back. */
export async function chargeBack(
  deps: Deps,
  tx: Tx,
  tenant: number,
  row: StoredTransaction,
  chargeback: NewChargeback,
): Promise<void> {
  const now = deps.time.now(tenant);
  const { email, country } = row;
  const record = chargebackRecord({ ...chargeback, email, country, at: now }, factsOf(row, row.status, now));
  const changed = transactionRecord(factsOf(row, "charged_back", now));
  const facts = recordFacts(deps, row);
  await writeChargeback(tx, tenant, row, now, chargeback, [
    chargebackCreatedEvent(deps.ids.uuid(), facts, record),
    statusChangedEvent(deps.ids.uuid(), facts, changed, row.status),
  ]);
}

/**
 * Why a person or a file cannot charge a transaction back, in words; null when it can be. What was sent to a gateway and
 * has not settled is not charged back by hand: the debit would go to the bank all the same. The gateway itself may say so.
 */
export function whyNotChargeable({
  type,
  status,
  amount,
  source,
}: Pick<StoredTransaction, "type" | "status" | "amount" | "source">): string | null {
  if (type === "sdd_refund") return "A refund cannot be charged back.";
  const known = knownStatus(status);
  if (known === null || moveOf(type, known, "charged_back") !== "charge_back") {
    return `Only money that was collected can be charged back; this one is ${shownStatus(status)}.`;
  }
  if (centsFromDatabase(amount) === 0) return "Nothing was collected with this transaction.";
  return known === "pending" && source !== "csv_import"
    ? "This payment has not settled: there is no money yet that could be charged back. Its return is recorded when the gateway tells of it; cancelling its mandate keeps a debit that still waits from the bank."
    : null;
}
