/** The SQL of an instruction that a person cancels before it is in a file. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { TransactionRow } from "../../../db/rows.ts";
import { CANCELLED } from "../../../sepa/reasons.ts";
import type { SepaCollection } from "../books-store.ts";

const FIND = sql(
  "sepa.find_to_cancel",
  `select t.id, t.status, t.gateway_id, t.merchant_transaction_id as reference, c.state, c.reason_code
     from transactions t
     left join sepa_collections c on c.tenant = :tenant and c.gateway_id = t.gateway_id and c.reference = t.merchant_transaction_id
    where t.tenant = :tenant and t.id = :id`,
).gives<ToCancel>();

/** A transaction with its instruction, whose fields are null for gateways that send at once. */
export interface ToCancel extends Pick<TransactionRow, "id" | "status"> {
  readonly gateway_id: string | null;
  readonly reference: string;
  readonly state: SepaCollection["state"] | null;
  readonly reason_code: string | null;
}

export async function findToCancel(db: Reader, tenant: number, id: string): Promise<ToCancel | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

/** A run that writes the instruction locks its row; afterwards it is in a file and is left alone. */
const CANCEL = sql(
  "sepa.cancel",
  `with stopped as (
     update sepa_collections
        set state = 'rejected', returned_on = :on::date, reason_code = '${CANCELLED}', updated_at = :now
      where tenant = :tenant and gateway_id = :gatewayId and reference = :reference and state = 'accepted'
     returning reference
   ), reported as (
     insert into sepa_news (tenant, gateway_id, reference, kind, at, reason_code, reason_message)
     select :tenant, :gatewayId, reference, 'returned', :now, '${CANCELLED}', :words from stopped
         on conflict (tenant, gateway_id, reference, kind, round) do nothing
   )
   select reference from stopped`,
).gives<{ reference: string }>();

/** Cancels a waiting instruction for good and writes its news. Returns false when it no longer waits. */
export async function cancelInstruction(
  tx: Tx,
  tenant: number,
  {
    gatewayId,
    reference,
    words,
    on,
  }: { readonly gatewayId: string; readonly reference: string; readonly words: string; readonly on: string },
  now: Date,
): Promise<boolean> {
  return (await tx.write(CANCEL, { tenant, gatewayId, reference, words, on, now })).length === 1;
}
