/** A chargeback is written down, wherever it was heard of: with its transaction, its order and what receivers are told. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { chargebackCreatedEvent, statusChangedEvent } from "../../webhooks/events.ts";
import { chargebackRecord, transactionRecord } from "../record.ts";
import { factsOf, recordFacts, type StoredTransaction } from "../transaction.ts";
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
