/** The SQL of outgoing files: the instructions of a file and the file's delivery state. */
import { sql, type Database, type Reader, type Tx } from "../../../db/database.ts";
import { isFree, leaseEnd } from "../../../db/lease.ts";
import type { MandateAmendmentRow, SepaFileRow } from "../../../db/rows.ts";
import { type SepaCollection } from "../books-store.ts";
import { must } from "../../../lib/assert.ts";
import { AMENDMENT_IN_FILE, AMENDMENT_REPORTED, IS_PROVEN_BY_USE } from "../../../mandates/amendments.ts";
import { SENT_AT } from "../files-store.ts";
import { INSTRUCTION_JOINS, IS_CANCELLED, IS_IN_DOUBT, IS_NOT_OWED, WHY_STOPPED } from "./stopped-store.ts";

const TAKE_RUN = sql(
  "sepa_files.lock_for_run",
  `insert into sepa_accounts as a (tenant, gateway_id, last_run_on, last_run_at)
   values (:tenant, :gatewayId, case when :last then :day::date end, case when :last then :now::timestamptz end)
       on conflict (tenant, gateway_id) do update
      set last_run_on = coalesce(excluded.last_run_on, a.last_run_on), last_run_at = coalesce(excluded.last_run_at, a.last_run_at)
    where a.last_run_on is null or a.last_run_on < :day::date
   returning last_number`,
).gives<{ last_number: number }>();

/**
 * Locks an account for a run.
 * @param run.isFinal whether it is the day's last run, after the cut-off.
 * @returns the number of the account's last message; null if the day's last run is over.
 */
export async function lockForRun(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  run: { readonly day: string; readonly isFinal: boolean },
  now: Date,
): Promise<number | null> {
  const values = { tenant, gatewayId, day: run.day, last: run.isFinal, now };
  const rows = await tx.write(TAKE_RUN, values);
  return rows[0]?.last_number ?? null;
}

/** SQL: the debtor's bank has confirmed the mandate `m` of instruction `c` in time, or does not need to. */
const IS_CONFIRMED =
  `(:confirmedBy::date is null or c.refund_of is not null or coalesce(c.scheme, m.scheme) is distinct from 'B2B'
           or coalesce(m.bank_confirmed_on <= :confirmedBy::date or ${IS_PROVEN_BY_USE}, false))` as const;

/** Instructions that wait for a later run. */
export interface WaitsRow {
  /** The earliest possible due date of one of them. */
  readonly due: string | null;
  /** Number of debits whose mandates the debtor's bank has not confirmed; they are not in `due`. */
  readonly unconfirmed: number;
}

const FIND_WAITS = sql(
  "sepa_files.find_waits",
  `select min(c.not_before) filter (where ${IS_CONFIRMED})::text as due,
          count(*) filter (where not ${IS_CONFIRMED})::integer as unconfirmed
     from sepa_collections c ${INSTRUCTION_JOINS}
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.state = 'accepted'`,
).gives<WaitsRow>();

export async function findWaits(
  tx: Reader,
  tenant: number,
  gatewayId: string,
  confirmedBy: string | null,
): Promise<WaitsRow> {
  return must((await tx.query(FIND_WAITS, { tenant, gatewayId, confirmedBy }))[0], "a count");
}

const SET_LAST_NUMBER = sql(
  "sepa_files.set_last_number",
  "update sepa_accounts set last_number = :number where tenant = :tenant and gateway_id = :gatewayId",
);

export async function setLastNumber(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  number: number,
): Promise<void> {
  await tx.write(SET_LAST_NUMBER, { tenant, gatewayId, number });
}

/** More messages than an account writes between two backups. */
const SKIPPED = 10_000;

const SKIP_MESSAGES = sql(
  "sepa_files.skip_messages",
  `-- every tenant: a restore brings all of them back
   update sepa_accounts set last_number = last_number + :count`,
);

/**
 * Skips message numbers after a restore: some that the backup does not contain may be at the bank and must not be
 * reused.
 */
export async function skipMessageNumbers(tx: Tx): Promise<void> {
  await tx.write(SKIP_MESSAGES, { count: SKIPPED });
}

/** A waiting instruction that may be sent, with its mandate's current data. */
export interface WaitingRow extends Pick<
  SepaCollection,
  | "reference"
  | "refund_of"
  | "reversible_until"
  | "amount"
  | "recurring"
  | "mandate_reference"
  | "mandate_signed_on"
  | "debtor_name"
  | "debtor"
  | "remittance"
> {
  /** Null where the instruction does not belong to a payment. */
  readonly mandate_id: string | null;
  /** Whether the mandate has never been debited, here or before its import. */
  readonly mandate_unused: boolean;
  /** The number of the mandate's last amendment; 0 without one. */
  readonly last_amendment: number;
  /** The mandate's current account and account holder. */
  readonly iban_sealed: Buffer | null;
  readonly holder_name: string | null;
  /** The mandate's creditor and scheme; null without a mandate, or where they are unknown. */
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  readonly scheme: "CORE" | "B2B" | null;
  /** For a refund: the file of the debit. */
  readonly debit_file: string | null;
}

const WAITING = sql(
  "sepa_files.waiting",
  `select c.reference, c.refund_of, c.reversible_until, c.amount, c.recurring, coalesce(m.reference, c.mandate_reference) as mandate_reference,
          c.mandate_signed_on, c.debtor_name, c.debtor, c.remittance, m.id as mandate_id, m.iban_sealed, m.holder_name,
          m.creditor_name, m.creditor_identifier, coalesce(c.scheme, m.scheme) as scheme,
          m.id is not null and not m.used_elsewhere and not exists (
            select 1 from sepa_collections u
             where u.tenant = :tenant and u.mandate_id = m.id and u.state in ('batched', 'settled', 'returned')) as mandate_unused,
          coalesce((select max(a.number) from mandate_amendments a
                     where a.tenant = :tenant and a.mandate_id = m.id), 0) as last_amendment, o.file_id as debit_file
     from sepa_collections c ${INSTRUCTION_JOINS}
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.state = 'accepted' and c.not_before <= :due::date
      and (c.refund_of is not null) = :refunds and ${WHY_STOPPED} is null and not ${IS_NOT_OWED}
      and not ${IS_CANCELLED} and not ${IS_IN_DOUBT} and ${IS_CONFIRMED}
    order by c.created_at, c.reference
    limit :limit
      for update of c`,
).gives<WaitingRow>();

/** Locks the instructions that may be due on the day until the transaction ends, oldest first. */
export function findWaiting(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  given: {
    readonly due: string;
    readonly refunds: boolean;
    readonly limit: number;
    /** The last day on which the debtor's bank may have confirmed a B2B mandate; null: no confirmation is needed. */
    readonly confirmedBy: string | null;
  },
): Promise<readonly WaitingRow[]> {
  return tx.query(WAITING, { tenant, gatewayId, ...given });
}

/** A mandate amendment that the bank does not know yet. */
export interface AmendmentRow extends Pick<
  MandateAmendmentRow,
  | "mandate_id"
  | "number"
  | "original_reference"
  | "original_creditor_identifier"
  | "original_creditor_name"
  | "original_iban_sealed"
  | "same_bank"
> {
  readonly kind: Exclude<MandateAmendmentRow["kind"], "holder">;
  /** Whether a file without an answer has the values from after it. */
  readonly in_file: boolean;
}

const AMENDMENTS = sql(
  "sepa_files.amendments",
  `select a.mandate_id, a.number, a.kind, a.original_reference, a.original_creditor_identifier, a.original_creditor_name,
          a.original_iban_sealed, a.same_bank, ${AMENDMENT_IN_FILE} as in_file
     from mandate_amendments a
    where a.tenant = :tenant and a.mandate_id = any (:mandateIds::uuid[]) and a.kind <> 'holder' and not ${AMENDMENT_REPORTED}
    order by a.mandate_id, a.number`,
).gives<AmendmentRow>();

/** The changes of these mandates since the bank last received a collection on them, oldest first. */
export function findAmendments(
  tx: Tx,
  tenant: number,
  mandateIds: readonly string[],
): Promise<readonly AmendmentRow[]> {
  return tx.query(AMENDMENTS, { tenant, mandateIds });
}

const MARK_BATCHED = sql(
  "sepa_files.mark_batched",
  `update sepa_collections c
      set state = 'batched', file_id = :id, due_date = :dueDate, updated_at = :now, block_id = b.block_id,
          sequence_type = b.sequence_type, mandate_id = b.mandate_id, mandate_reference = b.mandate_reference,
          amended_up_to = b.amended_up_to, debtor_name = b.debtor_name, debtor = coalesce(b.debtor, c.debtor),
          scheme = coalesce(b.scheme, c.scheme), creditor_name = b.creditor_name, creditor_identifier = b.creditor_identifier
     from jsonb_to_recordset(:placed::jsonb) as b (reference text, block_id text, sequence_type text, mandate_id uuid,
            mandate_reference text, amended_up_to integer, debtor_name text, debtor bytea, scheme text, creditor_name text, creditor_identifier text)
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.reference = b.reference and c.state = 'accepted'
   returning 1`,
);

/** An instruction as it was written into a file: what the bank knows about it from then on. */
export type Placed = Pick<
  SepaCollection,
  | "reference"
  | "block_id"
  | "sequence_type"
  | "mandate_id"
  | "mandate_reference"
  | "amended_up_to"
  | "debtor_name"
  | "scheme"
  | "creditor_name"
  | "creditor_identifier"
> & {
  /** The sealed account, in PostgreSQL's text format for bytes; null: unchanged since the instruction was accepted. */
  readonly debtor: string | null;
};

/**
 * Records instructions as part of a file.
 * @throws Error when one of them no longer waits, which is a bug.
 */
export async function markBatched(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  file: { readonly id: string; readonly dueDate: string },
  placed: readonly Placed[],
  now: Date,
): Promise<void> {
  const values = {
    tenant,
    gatewayId,
    id: file.id,
    now,
    dueDate: file.dueDate,
    placed: JSON.stringify(placed),
  };
  const rows = await tx.write(MARK_BATCHED, values);
  if (rows.length !== placed.length)
    throw new Error("An instruction that was written into a file did not wait any more");
}

const CLAIM_UPLOAD = sql(
  "sepa_files.claim_upload",
  `with due as (
     select id from sepa_files
      where tenant = :tenant and due_at <= :now and ${isFree("locked_until")}
      order by due_at
      limit 1
        for update skip locked
   )
   update sepa_files f
      set locked_until = ${leaseEnd(":leaseMs")}, lease_no = f.lease_no + 1, attempts = f.attempts + 1, updated_at = :now
     from due
    where f.tenant = :tenant and f.id = due.id
   returning f.*`,
).gives<SepaFileRow>();

/** Claims one file to be uploaded, for `leaseMs`. Every later write checks the number of the lease. */
export async function claimUpload(
  db: Database,
  tenant: number,
  now: Date,
  leaseMs: number,
): Promise<SepaFileRow | null> {
  return (await db.commit(CLAIM_UPLOAD, { tenant, now, leaseMs }))[0] ?? null;
}

const TENANTS_TO_SEND = sql(
  "sepa_files.tenants_to_send",
  `-- every tenant: the first of a job's two steps finds who has work
   select tenant from sepa_files
    where due_at <= :now and ${isFree("locked_until")}
    group by tenant
    order by min(due_at)
    limit :limit`,
).gives<{ tenant: number }>();

/** Tenants with a file that is due and not being sent, the one that waits longest first. */
export async function tenantsToSend(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_TO_SEND, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const MOVE_UPLOAD = sql(
  "sepa_files.move_upload",
  `update sepa_files
      set status = :status, error = :error, due_at = :dueAt, updated_at = :now, locked_until = case when :keep then locked_until end,
          sent_at = case when :status = 'sent' then coalesce(sent_at, ${SENT_AT}) else sent_at end
    where tenant = :tenant and id = :id and lease_no = :leaseNo and status in ('stored', 'uploading', 'renaming')
   returning 1`,
);

type Leased = Pick<SepaFileRow, "tenant" | "id" | "lease_no">;

/** An upload's progress. */
interface UploadStep {
  readonly status: SepaFileRow["status"];
  readonly error: string | null;
  readonly dueAt: Date | null;
  /** Whether the lease continues. */
  readonly keep: boolean;
}

/** Records an upload's progress. Returns false when the lease is lost: the upload must stop then. */
export async function moveUpload(db: Database, file: Leased, to: UploadStep, now: Date): Promise<boolean> {
  return (await db.commit(MOVE_UPLOAD, stepValues(file, to, now))).length === 1;
}

/** The same in a transaction. */
export async function moveUploadIn(tx: Tx, file: Leased, to: UploadStep, now: Date): Promise<boolean> {
  return (await tx.write(MOVE_UPLOAD, stepValues(file, to, now))).length === 1;
}

function stepValues({ tenant, id, lease_no: leaseNo }: Leased, to: UploadStep, now: Date) {
  return { tenant, id, leaseNo, ...to, now };
}

const PUT_OFF = sql(
  "sepa_files.postpone",
  `update sepa_files set error = :error, due_at = :dueAt, locked_until = null, updated_at = :now
    where tenant = :tenant and id = :id and lease_no = :leaseNo and status in ('stored', 'uploading', 'renaming')`,
);

/** Schedules a failed upload for later, from its last recorded step. */
export async function postponeUpload(
  db: Database,
  { tenant, id, lease_no }: Leased,
  error: string,
  dueAt: Date,
  now: Date,
): Promise<void> {
  await db.commit(PUT_OFF, { tenant, id, leaseNo: lease_no, error, dueAt, now });
}

const SCHEME = sql(
  "sepa_files.scheme",
  "select scheme from sepa_collections where tenant = :tenant and file_id = :id and scheme is not null limit 1",
).gives<Pick<SepaCollection, "scheme">>();

/** The scheme of a file's debits, which all have the same; null where they do not specify it. */
export async function findScheme(db: Reader, tenant: number, id: string): Promise<"CORE" | "B2B" | null> {
  return (await db.query(SCHEME, { tenant, id }))[0]?.scheme ?? null;
}
