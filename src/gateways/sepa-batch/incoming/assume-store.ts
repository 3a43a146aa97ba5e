/** The SQL of instructions without an answer from the bank. */
import { sql, type Tx } from "../../../db/database.ts";
import { mayHaveFailed } from "../outgoing/stopped-store.ts";

/**
 * The bank's protocol says that an order of the file is not executed (`isRejected` in `transports/ebics/hac.ts`). A file
 * may have been sent again in another order: if that one is executed, the debits are collected.
 */
const IS_NOT_EXECUTED = `exists (
       select from ebics_events e
        where e.tenant = :tenant and e.file_id = f.id and e.action in ('ORDER_HAC_FINAL_NEG', 'VEU_CANCEL_ORDER')
          and not exists (select from ebics_events other
                           where other.tenant = :tenant and other.file_id = f.id
                             and other.action = 'ORDER_HAC_FINAL_POS' and other.order_id <> e.order_id))` as const;

const ASSUMABLE = sql(
  "sepa_files.assumable",
  `select c.reference, c.file_id, c.due_date, f.message_id || '/' || c.block_id || '/' || c.reference as gateway_reference
     from sepa_collections c
     join sepa_files f on f.tenant = :tenant and f.id = c.file_id
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.state = 'batched' and c.due_date <= :dueBy::date
      and f.status = 'sent' and not ${IS_NOT_EXECUTED} and not ${mayHaveFailed("c")}
    order by c.due_date, c.reference
    limit :limit
      for update of c`,
).gives<AssumableRow>();

interface AssumableRow {
  readonly reference: string;
  readonly file_id: string;
  readonly due_date: string;
  readonly gateway_reference: string;
}

/**
 * Instructions of sent files that were due by a given day and have no answer from the bank, neither to their order nor
 * one that waits for a person.
 */
export function findAssumable(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  dueBy: string,
  limit: number,
): Promise<readonly AssumableRow[]> {
  return tx.query(ASSUMABLE, { tenant, gatewayId, dueBy, limit });
}

const MARK_ASSUMED = sql(
  "sepa_files.mark_assumed",
  `update sepa_collections set assumed = true
    where tenant = :tenant and gateway_id = :gatewayId and reference = any (:references::text[])`,
);

export async function markAssumed(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  references: readonly string[],
): Promise<void> {
  await tx.write(MARK_ASSUMED, { tenant, gatewayId, references });
}
