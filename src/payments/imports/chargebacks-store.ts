/** The SQL of imported chargebacks: their transactions, and chargebacks that wait for one. */
import { sql, type Tx } from "../../db/database.ts";
import type { ChargebackRow } from "../../db/rows.ts";
import { utcDate } from "../../lib/dates.ts";
import { TRANSACTION_JOINS, TRANSACTION_COLUMNS } from "../store.ts";
import type { StoredTransaction } from "../transaction.ts";
import type { ImportedChargeback } from "./rows.ts";
import { chargebackInserted } from "../chargebacks/store.ts";

/**
 * In this order (contract: Chargebacks): the gateway's id, our own, and the end-to-end id, which is also our own. One
 * query per index: the planner finds no plan for all at once, and cannot derive "is not null" from a non-empty array.
 */
const LOCK_ORIGINAL = sql(
  "imports.lock_original",
  `select ${TRANSACTION_COLUMNS}
     from transactions t
     ${TRANSACTION_JOINS}
    where t.tenant = :tenant and t.type <> 'sdd_refund'
      and t.id in (
        select id from transactions
         where tenant = :tenant and gateway_id = :gatewayId and gateway_reference = any (:theirs::text[]) and gateway_reference is not null
         union all
        select id from transactions
         where tenant = :tenant and gateway_id = :gatewayId and adapter_unique_id = any (:theirs::text[]) and adapter_unique_id is not null
         union all
        select id from transactions where tenant = :tenant and merchant_transaction_id = any (:ours::text[])
      )
    order by (t.gateway_id = :gatewayId and (t.gateway_reference = any (:theirs::text[]) or t.adapter_unique_id = any (:theirs::text[]))) desc,
             array_position(:ours::text[], t.merchant_transaction_id)
    limit 1
      for update of t`,
).gives<StoredTransaction>();

/** Locks the transaction of a chargeback until the transaction ends; null when it is unknown. */
export async function lockOriginal(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  row: Pick<ImportedChargeback, "transaction_id" | "merchant_transaction_id" | "end_to_end_id">,
): Promise<StoredTransaction | null> {
  const present = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);
  const theirs = present([row.transaction_id]);
  const ours = present([row.merchant_transaction_id, row.end_to_end_id]);
  const rows = await tx.query(LOCK_ORIGINAL, { tenant, gatewayId, theirs, ours });
  return rows[0] ?? null;
}

const INSERT_UNLINKED = sql(
  "imports.insert_unlinked_chargeback",
  `${chargebackInserted({ only: "", campaign: "null::uuid" })}
   returning id`,
);

/** Inserts a chargeback whose transaction is unknown; returns false when it exists. */
export async function insertUnlinked(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  made: { readonly id: string; readonly merchantTransactionId: string; readonly row: ImportedChargeback },
  at: Date,
): Promise<boolean> {
  const { merchant_transaction_id, end_to_end_id, transaction_id, ...told } = made.row;
  const chargeback = {
    ...told,
    id: made.id,
    gateway_id: gatewayId,
    merchant_transaction_id: made.merchantTransactionId,
    original_reference: merchant_transaction_id,
    original_end_to_end_id: end_to_end_id,
    original_transaction_id: transaction_id,
    status: "charged_back",
    type: "chargeback",
    source: "csv_import",
    created_at: at,
    updated_at: at,
  };
  const values = { tenant, chargeback: JSON.stringify(chargeback) };
  return (await tx.write(INSERT_UNLINKED, values)).length === 1;
}

type WithdrawnChargeback = Pick<ChargebackRow, "withdrawn_on"> & { readonly is_same: boolean };

/** Without the `coalesce` the planner uses the index of all of a tenant's withdrawn chargebacks. */
const FIND_WITHDRAWN = sql(
  "imports.find_withdrawn_chargeback",
  `select withdrawn_on,
          (adapter_unique_id = :adapterUniqueId or arn = :arn or (report_date at time zone 'UTC')::date = :reportDay::date) is true as is_same
     from chargebacks
    where tenant = :tenant and merchant_transaction_id = :merchantTransactionId and coalesce(withdrawn_on >= :reportDay::date, false)
    order by is_same desc, withdrawn_on desc
    limit 1`,
).gives<WithdrawnChargeback>();

/**
 * A chargeback of this payment that the bank took back on the row's report day or later: the row may be that one.
 * @returns the row's own (`is_same`: its id, its ARN or its day), else the last one taken back; null if there is none.
 */
export async function findWithdrawnChargeback(
  tx: Tx,
  tenant: number,
  merchantTransactionId: string,
  row: Pick<ImportedChargeback, "adapter_unique_id" | "arn"> & { readonly report_date: string | Date },
): Promise<WithdrawnChargeback | null> {
  const rows = await tx.query(FIND_WITHDRAWN, {
    tenant,
    merchantTransactionId,
    adapterUniqueId: row.adapter_unique_id,
    arn: row.arn,
    reportDay: utcDate(new Date(row.report_date)),
  });
  return rows[0] ?? null;
}

const COMPLETE_LINKED = sql(
  "imports.complete_linked_chargeback",
  `update chargebacks
      set adapter_unique_id = coalesce(:adapterUniqueId, adapter_unique_id), report_type = :reportType, report_message = :reportMessage, report_info = :reportInfo,
          arn = :arn, created_at = coalesce(:createdAt, created_at)
    where tenant = :tenant and id = :id`,
);

/**
 * Stores the data that only a processor's file contains.
 * @param createdAt of a chargeback that was stored unlinked; null: now.
 */
export async function completeLinked(
  tx: Tx,
  tenant: number,
  id: string,
  row: Pick<
    ImportedChargeback,
    "adapter_unique_id" | "report_type" | "report_message" | "report_info" | "arn"
  >,
  createdAt: Date | null,
): Promise<void> {
  await tx.write(COMPLETE_LINKED, {
    tenant,
    id,
    adapterUniqueId: row.adapter_unique_id,
    reportType: row.report_type,
    reportMessage: row.report_message,
    reportInfo: row.report_info,
    arn: row.arn,
    createdAt,
  });
}

export type UnlinkedChargeback = ChargebackRow & { readonly amount: string };

/** With an array the planner uses the primary key; with a set it might scan all of the tenant's chargebacks. */
const FIND_HELD = sql(
  "imports.find_unlinked_chargebacks",
  `select * from chargebacks
    where tenant = :tenant and id = any (array(
        select id from chargebacks where tenant = :tenant and transaction_id is null and original_reference = any (:ours::text[])
         union all
        select id from chargebacks where tenant = :tenant and transaction_id is null and original_end_to_end_id = any (:ours::text[])
         union all
        select id from chargebacks
         where tenant = :tenant and transaction_id is null and gateway_id = :gatewayId and original_transaction_id = any (:theirs::text[])
      ))
    order by created_at, id
      for update`,
).gives<UnlinkedChargeback>();

/** Locks the chargebacks that wait for these transactions, by the ids of the merchant and of the processor. */
export function findUnlinked(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  ids: { readonly ours: readonly string[]; readonly theirs: readonly string[] },
): Promise<readonly UnlinkedChargeback[]> {
  return tx.query(FIND_HELD, { tenant, gatewayId, ours: ids.ours, theirs: ids.theirs });
}

const TAKE_HELD = sql(
  "imports.delete_unlinked_chargeback",
  "delete from chargebacks where tenant = :tenant and id = :id",
);

/**
 * Deletes an unlinked chargeback. The caller inserts the linked record under the same id in the same transaction.
 * @param id of one that `findUnlinked` locked in this transaction.
 */
export async function deleteUnlinked(tx: Tx, tenant: number, id: string): Promise<void> {
  await tx.write(TAKE_HELD, { tenant, id });
}
