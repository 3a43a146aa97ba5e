/** Records a chargeback from any source, with its transaction, its order and its events. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import { chargebackCreatedEvent, statusChangedEvent } from "../../webhooks/events.ts";
import {
  returnRuleEvents,
  knownStatus,
  moveOf,
  recordFacts,
  recordOf,
  shownStatus,
  type StoredTransaction,
} from "../transaction.ts";
import { chargebackRecord, transactionRecord } from "../records.ts";
import { chargebackRow, type NewChargeback, writeChargeback } from "./store.ts";

/**
 * Charges a payment back: the transaction becomes `charged_back`, its order CHARGEDBACK, and the events are written,
 * all in one statement (`CHARGE_BACK` in store.ts). What happens to the mandate and the subscription follows the
 * tenant's rules for the reason code (docs/guards.md, Return codes). The rule of when it is allowed is `moveOf`
 * (docs/states.md) and, for people and files, `whyNotChargeable`. Amounts are decimal texts.
 * @param row locked, and in a status that can be charged back.
 */
export async function chargeBack(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  row: StoredTransaction,
  chargeback: NewChargeback,
): Promise<void> {
  const now = deps.time.now(tenant);
  const { email, country } = row;
  const known = { ...chargeback, email, country, at: now };
  const transaction = recordOf(row, row.status, now);
  const record = chargebackRecord(known, transaction);
  const changed = transactionRecord(recordOf(row, "charged_back", now));
  const facts = recordFacts(deps, row);
  await writeChargeback(tx, tenant, row, now, chargeback, chargebackRow(known, transaction), [
    chargebackCreatedEvent(deps.ids.uuid(), facts, record),
    statusChangedEvent(deps.ids.uuid(), facts, changed, row.status),
    ...returnRuleEvents(deps, row, chargeback.reasonCode),
  ]);
}

/**
 * Why a person or a file cannot charge a transaction back; null if they can. An instruction that was sent to a gateway
 * and has not settled cannot be charged back by hand: the debit would go to the bank all the same. The gateway itself
 * may report a chargeback for it.
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
    return `Only a collected payment can be charged back; this one is ${shownStatus(status)}.`;
  }
  if (centsFromDatabase(amount) === 0) return "This transaction collected nothing.";
  return known === "pending" && source !== "csv_import"
    ? "This payment has not settled, so there is nothing to charge back. A return is recorded when the gateway reports it; to stop a debit that was not sent yet, cancel it."
    : null;
}
