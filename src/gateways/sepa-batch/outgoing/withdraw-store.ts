/** The SQL of files that were not sent yet: whether they may still be sent, and their withdrawal. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { must } from "../../../lib/assert.ts";
import { INSTRUCTION_JOINS, IS_IN_DOUBT, IS_NOT_OWED, WHY_STOPPED } from "./stopped-store.ts";

/** The bank cannot see a file before it is renamed. */
const UNSENT = "('to_approve', 'ready', 'stored', 'uploading')" as const;

/** The facts that decide until when a file may be sent. */
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
  "sepa_files.lock_unsent",
  `select f.id, f.gateway_id, f.name, f.kind, f.status, f.due_date, g.settings
     from sepa_files f
     join gateways g on g.tenant = :tenant and g.id = f.gateway_id
    where f.tenant = :tenant and f.id = :id and f.direction = 'out' and f.status in ${UNSENT}
      for update of f`,
).gives<UnsentFile>();

/** Locks a file that has not gone to the bank until the transaction ends; null for any other. */
export async function lockUnsent(tx: Tx, tenant: number, id: string): Promise<UnsentFile | null> {
  return (await tx.query(HOLD_UNSENT, { tenant, id }))[0] ?? null;
}

export interface UnsentState {
  /** Whether the bank has answered to something in it, from this file or an earlier one. */
  readonly answered: boolean;
  /** Whether it was downloaded; it may have been given to the bank then. */
  readonly downloaded: boolean;
  /** Whether it contains a refund of a debit that was returned. */
  readonly stopped: boolean;
  /** Whether it contains a retry of a renewal that an earlier attempt has paid. */
  readonly not_owed: boolean;
}

/** SQL: the file of `w` was taken back before this was known, as was every later file with the same instruction. */
const isNews = <At extends string, Tenant extends string>(at: At, tenant: Tenant) =>
  `not exists (select from sepa_withdrawn later
                                  where later.tenant = ${tenant} and later.gateway_id = w.gateway_id
                                    and later.reference = w.reference and later.number > w.number
                                    and later.withdrawn_at > ${at})` as const;

/**
 * SQL: the bank has answered to something in a file that was not sent: to one of its instructions, or to one in an
 * earlier file from which one of its instructions was withdrawn. The rest of that earlier file may wait in another one
 * since; instructions in a file that was sent prove nothing about it. An instruction that a person withdrew again after
 * asking the bank is not affected by earlier answers.
 */
const isAnswered = <Name extends string, Tenant extends string>(file: Name, tenant: Tenant) =>
  `(exists (select from sepa_collections c where c.tenant = ${tenant} and c.file_id = ${file}.id and c.state <> 'batched')
            or exists (
              select from sepa_withdrawn w
                join sepa_collections c on c.tenant = ${tenant} and c.gateway_id = w.gateway_id and c.reference = w.reference
                 and c.file_id = ${file}.id
               where w.tenant = ${tenant}
                 and (exists (select from sepa_withdrawn other
                                join sepa_collections x on x.tenant = ${tenant} and x.gateway_id = other.gateway_id
                                 and x.reference = other.reference and x.state in ('settled', 'returned')
                               where other.tenant = ${tenant} and other.file_id = w.file_id
                                 and not exists (select from sepa_files sent
                                                  where sent.tenant = ${tenant} and sent.id = x.file_id and sent.status = 'sent')
                                 and ${isNews("x.updated_at", tenant)})
                      or exists (select from sepa_unmatched u
                                   join sepa_files withdrawn_file on withdrawn_file.tenant = ${tenant} and withdrawn_file.id = w.file_id
                                  where u.tenant = ${tenant} and u.status in ('open', 'part') and u.facts ->> 'kind' <> 'block_reject'
                                    and (u.facts -> 'block' ->> 'messageId' = withdrawn_file.message_id
                                         or exists (select from sepa_withdrawn named
                                                     where named.tenant = ${tenant} and named.gateway_id = w.gateway_id
                                                       and named.file_id = w.file_id
                                                       and named.block_id = u.facts -> 'block' ->> 'blockId'))
                                    and ${isNews("u.created_at", tenant)}))))` as const;

/** SQL: a person has downloaded the file. */
const isDownloaded = <Id extends string, Tenant extends string>(id: Id, tenant: Tenant) =>
  `exists (select from audit_log a
                   where a.tenant = ${tenant} and a.resource = 'sepa-files' and a.resource_id = ${id} and a.action = 'export')` as const;

/** SQL: a person has downloaded the file, and may have given it to the bank. */
const mayBeCarried = <Name extends string, Tenant extends string>(file: Name, tenant: Tenant) =>
  `(${file}.status = 'ready' and ${isDownloaded(`${file}.id`, tenant)})` as const;

/** SQL: the bank has the file, or may have it by the time at which the next one is sent. */
export const mayBeAtBank = <Name extends string, Tenant extends string>(file: Name, tenant: Tenant) =>
  `(${file}.status in ('uploading', 'renaming', 'unclear', 'sent') or ${mayBeCarried(file, tenant)})` as const;

/**
 * SQL: a file that is not sent because the bank has answered to what is in it. If it was downloaded, it may be at the
 * bank.
 */
export const isFileHeld = <Name extends string, Tenant extends string>(file: Name, tenant: Tenant) =>
  `(${file}.direction = 'out' and ${file}.status in ${UNSENT} and ${isAnswered(file, tenant)}
    and not ${mayBeCarried(file, tenant)})` as const;

const LOOK = sql(
  "sepa_files.unsent_state",
  `select exists (select 1 from sepa_files f where f.tenant = :tenant and f.id = :id and ${isAnswered("f", ":tenant")}) as answered,
          ${isDownloaded(":id", ":tenant")} as downloaded,
          exists (select 1 from sepa_collections c ${INSTRUCTION_JOINS}
                   where c.tenant = :tenant and c.gateway_id = :gatewayId and c.file_id = :id and c.refund_of is not null
                     and (${WHY_STOPPED} is not null or ${IS_IN_DOUBT})) as stopped,
          exists (select 1 from sepa_collections c ${INSTRUCTION_JOINS}
                   where c.tenant = :tenant and c.gateway_id = :gatewayId and c.file_id = :id and ${IS_NOT_OWED}) as not_owed`,
).gives<UnsentState>();

/** Reads the state of a locked file, which does not change until the transaction ends. */
export async function readUnsentState(
  tx: Reader,
  tenant: number,
  { id, gateway_id }: Pick<UnsentFile, "id" | "gateway_id">,
): Promise<UnsentState> {
  const [state] = await tx.query(LOOK, { tenant, gatewayId: gateway_id, id });
  return must(state, "the state of a file");
}

/** Stops a concurrent upload, which only continues while the file is to be sent. */
const TAKE_BACK = sql(
  "sepa_files.withdraw",
  `with kept as (
     insert into sepa_withdrawn (tenant, gateway_id, reference, number, file_id, block_id, withdrawn_at)
     select :tenant, c.gateway_id, c.reference,
            1 + (select count(*) from sepa_withdrawn w
                  where w.tenant = :tenant and w.gateway_id = c.gateway_id and w.reference = c.reference),
            :id, c.block_id, :now
       from sepa_collections c
      where c.tenant = :tenant and c.file_id = :id and c.state = 'batched'
   ), waiting as (
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
 * Takes a file back; its instructions wait for another one.
 * @param why the reason, for people.
 * @param missedApproval whether its date passed before it was approved.
 * @param now the tenant's time, as for the bank's answers.
 */
export async function writeWithdrawal(
  tx: Tx,
  tenant: number,
  id: string,
  { why, missedApproval }: { readonly why: string; readonly missedApproval: boolean },
  now: Date,
): Promise<void> {
  await tx.write(TAKE_BACK, { tenant, id, why, missedApproval, now });
}
