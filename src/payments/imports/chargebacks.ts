/**
 * Imports chargebacks from a processor's file. They may be imported before or after their transactions, and are linked
 * once both exist.
 */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import { chargeBack, whyNotChargeable } from "../chargebacks/charge-back.ts";
import { findChargebackOf } from "../chargebacks/store.ts";
import type { StoredTransaction } from "../transaction.ts";
import {
  completeLinked,
  findUnlinked,
  findWithdrawnChargeback,
  insertUnlinked,
  lockOriginal,
  deleteUnlinked,
  type UnlinkedChargeback,
} from "./chargebacks-store.ts";
import type { ImportedChargeback, ImportedTransaction } from "./rows.ts";

type ChargebackOutcome =
  | { readonly isNew: boolean; readonly isLinked: boolean }
  | { readonly reason: string };

/**
 * Records a row once: linked to its transaction, or unlinked until that is imported. One from before the bank took the
 * payment's chargeback back is known, or a person has to say that it is another one.
 */
export async function importChargeback(
  deps: Pick<Deps, "clock" | "environment" | "ids" | "time">,
  tx: Tx,
  { tenant, gatewayId }: { readonly tenant: number; readonly gatewayId: string },
  row: ImportedChargeback,
): Promise<ChargebackOutcome> {
  const original = await lockOriginal(tx, tenant, gatewayId, row);
  if (original === null) {
    const merchantTransactionId =
      row.merchant_transaction_id ??
      row.end_to_end_id ??
      row.transaction_id ??
      must(row.adapter_unique_id, "an id");
    const made = { id: deps.ids.uuid(), merchantTransactionId, row };
    const isNew = await insertUnlinked(tx, tenant, gatewayId, made, deps.clock.now());
    return { isNew, isLinked: false };
  }
  const { merchant_transaction_id: reference } = original;
  if ((await findChargebackOf(tx, tenant, reference)) !== null) return { isNew: false, isLinked: false };
  const withdrawn = await findWithdrawnChargeback(tx, tenant, reference, row);
  if (withdrawn?.is_same === true) return { isNew: false, isLinked: false };
  const reason = whyNot(original, row);
  if (reason !== null) return { reason };
  if (withdrawn !== null) {
    const day = must(withdrawn.withdrawn_on, "the day of the withdrawal");
    return {
      reason: `The bank took a chargeback of ${reference} back on ${day}. If this is another one, enter it by hand.`,
    };
  }
  for (const waiting of await findUnlinked(tx, tenant, original.gateway_id, idsOf([original]))) {
    // It is linked with its own data.
    if (await fits(tx, tenant, original, waiting)) {
      await linkOne(deps, tx, tenant, waiting, original);
      return { isNew: false, isLinked: true };
    }
  }
  await link(deps, tx, tenant, original, row, { id: deps.ids.uuid(), created_at: null });
  return { isNew: true, isLinked: true };
}

/**
 * Links the stored chargebacks of these transactions. One that does not fit its transaction, or is from before the bank
 * took the transaction's chargeback back, stays unlinked, for a person.
 */
export async function linkChargebacks(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  gatewayId: string,
  rows: readonly ImportedTransaction[],
): Promise<void> {
  const ids = rows.map((row) => ({ ...row, gateway_reference: row.transaction_id }));
  for (const unlinked of await findUnlinked(tx, tenant, gatewayId, idsOf(ids))) {
    const original = await lockOriginal(tx, tenant, unlinked.gateway_id, {
      transaction_id: unlinked.original_transaction_id,
      merchant_transaction_id: unlinked.original_reference,
      end_to_end_id: unlinked.original_end_to_end_id,
    });
    if (original === null) continue;
    const recorded = await findChargebackOf(tx, tenant, original.merchant_transaction_id);
    if (recorded === null && (await fits(tx, tenant, original, unlinked)))
      await linkOne(deps, tx, tenant, unlinked, original);
  }
}

/** Whether a stored chargeback is of this payment, and not from before the bank took the payment's chargeback back. */
async function fits(
  tx: Tx,
  tenant: number,
  original: StoredTransaction,
  unlinked: UnlinkedChargeback,
): Promise<boolean> {
  if (whyNot(original, unlinked) !== null) return false;
  const { merchant_transaction_id: reference } = original;
  return (await findWithdrawnChargeback(tx, tenant, reference, unlinked)) === null;
}

async function linkOne(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  unlinked: UnlinkedChargeback,
  original: StoredTransaction,
): Promise<void> {
  await deleteUnlinked(tx, tenant, unlinked.id);
  const reportDate = unlinked.report_date.toISOString();
  await link(deps, tx, tenant, original, { ...unlinked, report_date: reportDate }, unlinked);
}

type Linkable = Pick<
  ImportedChargeback,
  | "adapter_unique_id"
  | "amount"
  | "report_date"
  | "reason_code"
  | "reason_message"
  | "report_type"
  | "report_message"
  | "report_info"
  | "arn"
  | "cb_bank_fee"
>;

/** Makes the same changes as any other chargeback: transaction, order, subscription, events. */
async function link(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  original: StoredTransaction,
  row: Linkable,
  { id, created_at: createdAt }: { readonly id: string; readonly created_at: Date | null },
): Promise<void> {
  await chargeBack(deps, tx, tenant, original, {
    id,
    reportDate: new Date(row.report_date),
    reasonCode: row.reason_code,
    reasonMessage: row.reason_message,
    source: "csv_import",
    amount: row.amount,
    bankFee: row.cb_bank_fee,
    reportType: row.report_type,
  });
  await completeLinked(tx, tenant, id, row, createdAt);
}

/** Why a chargeback cannot belong to this transaction, for the import's report. */
function whyNot(
  original: StoredTransaction,
  { amount, currency }: Pick<ImportedChargeback, "amount" | "currency">,
): string | null {
  const { merchant_transaction_id: reference } = original;
  const why = whyNotChargeable(original);
  if (why !== null) return `${reference}: ${why}`;
  if (currency !== original.currency) {
    return `The chargeback is in ${currency}, but ${reference} was collected in ${original.currency}: give the amount debited in ${original.currency}.`;
  }
  return centsFromDatabase(amount) > centsFromDatabase(original.amount)
    ? `No more than ${original.amount} was collected.`
    : null;
}

function idsOf(
  transactions: readonly Pick<
    StoredTransaction,
    "merchant_transaction_id" | "gateway_reference" | "adapter_unique_id"
  >[],
) {
  return {
    ours: transactions.map((row) => row.merchant_transaction_id),
    theirs: transactions
      .flatMap((row) => [row.gateway_reference, row.adapter_unique_id])
      .filter((id) => id !== null),
  };
}
