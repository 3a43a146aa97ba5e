/** The SQL of approvals: records them, and releases a file that has all of them. */
import { sql, type Tx } from "../../../db/database.ts";

const INSERT = sql(
  "sepa_files.insert_approval",
  `insert into sepa_file_approvals (tenant, file_id, approver, actor_name, approved_at)
   values (:tenant, :id, :approver, :name, :now)
       on conflict (tenant, file_id, approver) do nothing
   returning 1`,
);

/** The only statement that releases a file from `to_approve`. */
const COUNT = sql(
  "sepa_files.count_approval",
  `update sepa_files
      set approvals = approvals + 1, updated_at = :now,
          status = case when approvals + 1 < approvals_required then status when :manual then 'ready' else 'stored' end,
          due_at = case when approvals + 1 >= approvals_required and not :manual then :now::timestamptz end
    where tenant = :tenant and id = :id and status = 'to_approve'`,
);

/**
 * Counts one approval of a locked file that waits for it. Returns false when the approver has approved it already.
 * @param manual whether a person carries the file to the bank once it is approved.
 */
export async function writeApproval(
  tx: Tx,
  tenant: number,
  id: string,
  { approver, name, manual }: { readonly approver: string; readonly name: string; readonly manual: boolean },
  now: Date,
): Promise<boolean> {
  const isNew = (await tx.write(INSERT, { tenant, id, approver, name, now })).length === 1;
  if (isNew) await tx.write(COUNT, { tenant, id, manual, now });
  return isNew;
}
