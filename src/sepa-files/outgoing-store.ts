/** The SQL of what goes to the bank: what is to go into a file, and how far the file is on its way. */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { MandateAmendmentRow, SepaFileRow } from "../db/rows.ts";
import type { SepaCollection } from "../gateways/sepa/store.ts";

const TAKE_RUN = sql(
  "sepa_files.take_run",
  `insert into sepa_accounts as a (tenant, gateway_id, last_run_on) values ($1, $2, $3)
       on conflict (tenant, gateway_id) do update set last_run_on = excluded.last_run_on
    where a.last_run_on is null or a.last_run_on < excluded.last_run_on
   returning last_number`,
);

/** Takes the day's run of an account and holds its row; null when it has been taken. */
export async function takeRun(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  day: string,
): Promise<number | null> {
  const rows = await tx.write<{ last_number: number }>(TAKE_RUN, [tenant, gatewayId, day]);
  return rows[0]?.last_number ?? null;
}

const COUNT_MESSAGES = sql(
  "sepa_files.count_messages",
  "update sepa_accounts set last_number = $3 where tenant = $1 and gateway_id = $2",
);

export async function countMessages(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  number: number,
): Promise<void> {
  await tx.write(COUNT_MESSAGES, [tenant, gatewayId, number]);
}

/** What waits, with what became of its mandate since. */
export interface WaitingRow extends Pick<
  SepaCollection,
  | "reference"
  | "refund_of"
  | "amount"
  | "mandate_reference"
  | "mandate_signed_on"
  | "debtor_name"
  | "debtor"
  | "remittance"
> {
  readonly sequence_type: "FRST" | "RCUR" | "OOFF";
  /** Null where the instruction is no payment's of ours. */
  readonly mandate_id: string | null;
  readonly mandate_ended: boolean;
  /** The account of the mandate today. */
  readonly iban_sealed: Buffer | null;
}

/** `$5` is FRST where the bank wants a series to begin with it. */
const WAITING = sql(
  "sepa_files.waiting",
  `select c.reference, c.refund_of, c.amount, coalesce(m.reference, c.mandate_reference) as mandate_reference, c.mandate_signed_on, c.debtor_name, c.debtor, c.remittance,
          case when not c.recurring then 'OOFF'
               when $5 = 'FRST' and not exists (
                 select 1 from sepa_collections p
                  where p.tenant = $1 and p.gateway_id = $2 and upper(p.mandate_reference) = upper(c.mandate_reference)
                    and p.state in ('batched', 'settled', 'returned')) then 'FRST'
               else 'RCUR' end as sequence_type,
          m.id as mandate_id, m.iban_sealed, coalesce(m.status in ('cancelled', 'expired'), false) as mandate_ended
     from sepa_collections c
     left join transactions t on t.tenant = $1 and t.merchant_transaction_id = c.reference
     left join mandates     m on m.tenant = $1 and m.id = t.mandate_id
    where c.tenant = $1 and c.gateway_id = $2 and c.state = 'accepted' and c.not_before <= $3::date
      and (c.refund_of is not null) = $4
    order by c.created_at, c.reference
    limit $6
      for update of c`,
);

/** Instructions that may be due on the day, oldest first, held until the transaction ends. */
export function findWaiting(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  given: {
    readonly due: string;
    readonly refunds: boolean;
    readonly firstSequenceType: "FRST" | "RCUR";
    readonly limit: number;
  },
): Promise<readonly WaitingRow[]> {
  const values = [tenant, gatewayId, given.due, given.refunds, given.firstSequenceType, given.limit];
  return tx.query<WaitingRow>(WAITING, values);
}

/** A change of a mandate that no file has announced yet. */
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
}

const AMENDMENTS = sql(
  "sepa_files.amendments",
  `select distinct on (mandate_id, kind) mandate_id, number, kind, original_reference, original_creditor_identifier,
          original_creditor_name, original_iban_sealed, same_bank
     from mandate_amendments
    where tenant = $1 and mandate_id = any ($2::uuid[]) and sent_at is null and kind <> 'holder'
    order by mandate_id, kind, number`,
);

/** What has changed on these mandates since they were last used at the bank: of several changes, what was before the first. */
export function findAmendments(
  tx: Tx,
  tenant: number,
  mandateIds: readonly string[],
): Promise<readonly AmendmentRow[]> {
  return tx.query<AmendmentRow>(AMENDMENTS, [tenant, mandateIds]);
}

const ANNOUNCE_AMENDMENTS = sql(
  "sepa_files.announce_amendments",
  `update mandate_amendments set sent_at = $3
    where tenant = $1 and mandate_id = any ($2::uuid[]) and sent_at is null and kind <> 'holder'`,
);

export async function announceAmendments(
  tx: Tx,
  tenant: number,
  mandateIds: readonly string[],
  now: Date,
): Promise<void> {
  await tx.write(ANNOUNCE_AMENDMENTS, [tenant, mandateIds, now]);
}

const MARK_BATCHED = sql(
  "sepa_files.mark_batched",
  `update sepa_collections c
      set state = 'batched', file_id = $3, block_id = b.block_id, due_date = $5, sequence_type = b.sequence_type, updated_at = $4
     from unnest($6::text[], $7::text[], $8::text[]) as b (reference, block_id, sequence_type)
    where c.tenant = $1 and c.gateway_id = $2 and c.reference = b.reference and c.state = 'accepted'
   returning 1`,
);

/** Puts instructions into a file. @throws Error when one of them does not wait any more: our bug. */
export async function markBatched(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  file: { readonly id: string; readonly dueDate: string },
  placed: readonly {
    readonly reference: string;
    readonly blockId: string;
    readonly sequenceType: string | null;
  }[],
  now: Date,
): Promise<void> {
  const rows = await tx.write(MARK_BATCHED, [
    tenant,
    gatewayId,
    file.id,
    now,
    file.dueDate,
    placed.map(({ reference }) => reference),
    placed.map(({ blockId }) => blockId),
    placed.map(({ sequenceType }) => sequenceType),
  ]);
  if (rows.length !== placed.length) throw new Error("An instruction was put into two files");
}

const CLAIM_UPLOAD = sql(
  "sepa_files.claim_upload",
  `with due as (
     select id from sepa_files
      where tenant = $1 and due_at <= $2 and (locked_until is null or locked_until <= $2)
      order by due_at
      limit 1
        for update skip locked
   )
   update sepa_files f
      set locked_until = $3, lease_no = f.lease_no + 1, attempts = f.attempts + 1, updated_at = $2
     from due
    where f.tenant = $1 and f.id = due.id
   returning f.*`,
);

/** Takes one file that is to be uploaded, until `leaseUntil`; the lease's number is checked by every later write. */
export async function claimUpload(
  db: Database,
  tenant: number,
  now: Date,
  leaseUntil: Date,
): Promise<SepaFileRow | null> {
  return (await db.commit<SepaFileRow>(CLAIM_UPLOAD, [tenant, now, leaseUntil]))[0] ?? null;
}

const TENANTS_TO_SEND = sql(
  "sepa_files.tenants_to_send",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from sepa_files where due_at <= $1 limit $2`,
);

export async function tenantsToSend(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS_TO_SEND, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

const MOVE_UPLOAD = sql(
  "sepa_files.move_upload",
  `update sepa_files
      set status = $4, error = $5, due_at = $6, updated_at = $7, locked_until = case when $8 then locked_until end,
          sent_at = case when $4 = 'sent' then coalesce(sent_at, $7) else sent_at end
    where tenant = $1 and id = $2 and lease_no = $3 and status in ('stored', 'uploading', 'renaming')
   returning 1`,
);

/** Writes how far an upload is. False when the lease is no longer ours: then nothing may be done any more. */
export async function moveUpload(
  db: Database,
  file: Pick<SepaFileRow, "tenant" | "id" | "lease_no">,
  to: {
    readonly status: SepaFileRow["status"];
    readonly error: string | null;
    readonly dueAt: Date | null;
    /** Whether the lease goes on. */
    readonly keep: boolean;
  },
  now: Date,
): Promise<boolean> {
  const { tenant, id, lease_no } = file;
  const values = [tenant, id, lease_no, to.status, to.error, to.dueAt, now, to.keep];
  return (await db.commit(MOVE_UPLOAD, values)).length === 1;
}

const PUT_OFF = sql(
  "sepa_files.put_off",
  `update sepa_files set error = $4, due_at = $5, locked_until = null, updated_at = $6
    where tenant = $1 and id = $2 and lease_no = $3 and status in ('stored', 'uploading', 'renaming')`,
);

/** An upload that did not work is tried again later, from the step at which it stands. */
export async function putOffUpload(
  db: Database,
  { tenant, id, lease_no }: Pick<SepaFileRow, "tenant" | "id" | "lease_no">,
  error: string,
  dueAt: Date,
  now: Date,
): Promise<void> {
  await db.commit(PUT_OFF, [tenant, id, lease_no, error, dueAt, now]);
}
