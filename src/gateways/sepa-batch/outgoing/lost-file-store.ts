/** The SQL of a file that was sent after the backup from which the database was restored. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import type { SepaCollection } from "../books-store.ts";
import { SENT_AT } from "../files-store.ts";
import { INSTRUCTION_JOINS } from "./stopped-store.ts";

const FIND = sql(
  "sepa_files.find_by_message",
  `select id, kind, name, status from sepa_files
    where tenant = :tenant and gateway_id = :gatewayId and message_id = :messageId and direction = 'out'
      for update`,
).gives<KnownFile>();

export type KnownFile = Pick<SepaFileRow, "id" | "kind" | "name" | "status">;

/** Locks the file with this message id until the transaction ends; null if it is unknown. */
export async function lockByMessage(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  messageId: string,
): Promise<KnownFile | null> {
  return (await tx.query(FIND, { tenant, gatewayId, messageId }))[0] ?? null;
}

const MARK = sql(
  "sepa_files.mark_arrived",
  `update sepa_files
      set status = 'sent', sent_at = coalesce(sent_at, ${SENT_AT}), error = :error, due_at = null, locked_until = null,
          transactions = coalesce(:transactions, transactions), amount = coalesce(:amount, amount),
          lease_no = lease_no + 1, updated_at = :now
    where tenant = :tenant and id = :id and direction = 'out'`,
);

/**
 * Records that the bank has the file, whatever its status; an upload in progress loses its lease.
 * @param found.transactions the number of its transactions in the books, with their sum; null leaves the recorded
 * values.
 * @param found.error what a person has to check.
 */
export async function markArrived(
  tx: Tx,
  tenant: number,
  id: string,
  found: {
    readonly transactions: number | null;
    readonly amount: string | null;
    readonly error: string | null;
  },
  now: Date,
): Promise<void> {
  const { transactions, amount, error } = found;
  await tx.write(MARK, { tenant, id, transactions, amount, error, now });
}

/** An instruction named in a file, as the books have it. */
export interface NamedRow extends Pick<
  SepaCollection,
  "reference" | "state" | "amount" | "file_id" | "mandate_reference" | "debtor_name" | "reversible_until"
> {
  readonly is_refund: boolean;
  readonly mandate_id: string | null;
  /** The mandate's. */
  readonly creditor_name: string | null;
}

const NAMED = sql(
  "sepa_files.named_instructions",
  `select c.reference, c.state, c.amount, c.file_id, c.mandate_reference, c.debtor_name,
          c.refund_of is not null as is_refund, c.reversible_until, m.id as mandate_id,
          m.creditor_name
     from sepa_collections c ${INSTRUCTION_JOINS}
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.reference = any (:references::text[])
    order by c.reference
      for update of c`,
).gives<NamedRow>();

/** Locks the instructions that a file names until the transaction ends. */
export function lockNamed(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  references: readonly string[],
): Promise<readonly NamedRow[]> {
  return tx.query(NAMED, { tenant, gatewayId, references });
}

const FILES = sql(
  "sepa_files.named_files",
  "select id, kind, name, status from sepa_files where tenant = :tenant and id = any (:ids::uuid[])",
).gives<KnownFile>();

/** The files of locked instructions. Call it after locking: a run may have put them there in the meantime. */
export function findFiles(tx: Reader, tenant: number, ids: readonly string[]): Promise<readonly KnownFile[]> {
  return tx.query(FILES, { tenant, ids });
}
