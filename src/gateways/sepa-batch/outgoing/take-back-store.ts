/** The SQL of files that were not sent yet: whether they still may be, and their withdrawal. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { AROUND_INSTRUCTION, IS_NOT_OWED, WHY_STOPPED } from "./stopped-store.ts";

/** Until the renaming the bank cannot see a file. */
const UNSENT = "('to_approve', 'ready', 'stored', 'uploading')";

/** What tells until when a file may be sent. */
interface UnsentDue extends Pick<SepaFileRow, "id" | "gateway_id" | "kind" | "status"> {
  readonly due_date: string;
}

const FIND_UNSENT = sql(
  "sepa_files.find_unsent",
  `select id, gateway_id, kind, status, due_date from sepa_files
    where tenant = :tenant and gateway_id = :gatewayId and direction = 'out' and status in ${UNSENT} order by created_at`,
).gives<UnsentDue>();

/** The files of an account that have not gone to the bank. */
export function findUnsent(db: Reader, tenant: number, gatewayId: string): Promise<readonly UnsentDue[]> {
  return db.query(FIND_UNSENT, { tenant, gatewayId });
}

export interface UnsentFile extends UnsentDue, Pick<SepaFileRow, "name"> {
  readonly settings: Readonly<Record<string, unknown>>;
}

const HOLD_UNSENT = sql(
  "sepa_files.hold_unsent",
  `select f.id, f.gateway_id, f.name, f.kind, f.status, f.due_date, g.settings
     from sepa_files f
     join gateways g on g.tenant = :tenant and g.id = f.gateway_id
    where f.tenant = :tenant and f.id = :id and f.direction = 'out' and f.status in ${UNSENT}
      for update of f`,
).gives<UnsentFile>();

/** Holds a file that has not gone to the bank until the transaction ends; null for any other. */
export async function holdUnsent(tx: Tx, tenant: number, id: string): Promise<UnsentFile | null> {
  return (await tx.query(HOLD_UNSENT, { tenant, id }))[0] ?? null;
}

export interface UnsentState {
  /** The bank has said something of what is in it: from this file, whatever we think, or from an earlier one. */
  readonly answered: boolean;
  /** A downloaded file may have been given to the bank. */
  readonly downloaded: boolean;
  /** It holds a refund of a debit that has come back. */
  readonly stopped: boolean;
  /** It holds a retry of a renewal that an earlier attempt has paid. */
  readonly not_owed: boolean;
}

const LOOK = sql(
  "sepa_files.look_at_unsent",
  `select exists (select 1 from sepa_collections c where c.tenant = :tenant and c.file_id = :id and c.state <> 'batched') as answered,
          exists (select 1 from audit_log a
                   where a.tenant = :tenant and a.resource = 'sepa-files' and a.resource_id = :id and a.action = 'export') as downloaded,
          exists (select 1 from sepa_collections c ${AROUND_INSTRUCTION}
                   where c.tenant = :tenant and c.gateway_id = :gatewayId and c.file_id = :id and c.refund_of is not null
                     and ${WHY_STOPPED} is not null) as stopped,
          exists (select 1 from sepa_collections c ${AROUND_INSTRUCTION}
                   where c.tenant = :tenant and c.gateway_id = :gatewayId and c.file_id = :id and ${IS_NOT_OWED}) as not_owed`,
).gives<UnsentState>();

/** What is read of a file that is held stays true until the transaction ends. */
export async function lookAt(
  tx: Reader,
  tenant: number,
  { id, gateway_id }: Pick<UnsentFile, "id" | "gateway_id">,
): Promise<UnsentState> {
  const [state] = await tx.query(LOOK, { tenant, gatewayId: gateway_id, id });
  return state ?? { answered: true, downloaded: true, stopped: false, not_owed: false };
}

/** Stops a concurrent upload, which requires a file that is still to be sent. */
const TAKE_BACK = sql(
  "sepa_files.take_back",
  `with waiting as (
     update sepa_collections
        set state = 'accepted', file_id = null, block_id = null, due_date = null, sequence_type = null,
            amended_up_to = null, updated_at = :now
      where tenant = :tenant and file_id = :id and state = 'batched'
   )
   update sepa_files
      set status = 'withdrawn', error = :why, missed_approval = :missedApproval, due_at = null, locked_until = null, updated_at = :now
    where tenant = :tenant and id = :id`,
);

/**
 * What was in the file waits again, for another one.
 * @param why in words, for people.
 * @param missedApproval whether its day has passed before it was approved.
 */
export async function takeFileBack(
  tx: Tx,
  tenant: number,
  id: string,
  { why, missedApproval }: { readonly why: string; readonly missedApproval: boolean },
  now: Date,
): Promise<void> {
  await tx.write(TAKE_BACK, { tenant, id, why, missedApproval, now });
}
