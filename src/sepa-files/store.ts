/** The SQL of bank files: what is to go into one, where it stands, and what one that came in changes. */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { SepaFileRow } from "../db/rows.ts";
import type { Window } from "../http/paging.ts";
import type { SepaCollection } from "../gateways/sepa/store.ts";

/** An account of the adapter, with what its settings say. */
export interface AccountRow {
  readonly tenant: number;
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly last_run_on: string | null;
  readonly polled_at: Date | null;
}

const ACCOUNTS = sql(
  "sepa_files.accounts",
  `-- every tenant when $1 is null: the jobs look at each account
   select g.tenant, g.id, g.settings, g.credentials, a.last_run_on, a.polled_at
     from gateways g
     left join sepa_accounts a on a.tenant = g.tenant and a.gateway_id = g.id
    where g.adapter = 'sepa_batch' and ($1::integer is null or g.tenant = $1) and ($2::uuid is null or g.id = $2)
    order by g.tenant, g.id`,
);

/** The accounts of one tenant or of all; archived ones too, as their money is still under way. */
export function findAccounts(
  db: Reader,
  tenant: number | null,
  gatewayId: string | null = null,
): Promise<readonly AccountRow[]> {
  return db.query<AccountRow>(ACCOUNTS, [tenant, gatewayId]);
}

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
export interface AmendmentRow {
  readonly mandate_id: string;
  readonly number: number;
  readonly kind: "reference" | "creditor" | "account";
  readonly original_reference: string | null;
  readonly original_creditor_identifier: string | null;
  readonly original_creditor_name: string | null;
  readonly original_iban_sealed: Buffer | null;
  readonly same_bank: boolean | null;
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

export interface NewFile {
  readonly id: string;
  readonly gatewayId: string;
  readonly direction: "out" | "in";
  readonly kind: string;
  readonly name: string;
  readonly messageId: string | null;
  readonly sha256: Buffer;
  /** Packed and sealed. */
  readonly content: Buffer;
  readonly size: number;
  readonly transactions: number;
  readonly amount: string;
  readonly dueDate: string | null;
  readonly status: SepaFileRow["status"];
  readonly error: string | null;
  readonly dueAt: Date | null;
}

const INSERT_FILE = sql(
  "sepa_files.insert",
  `insert into sepa_files
     (tenant, id, gateway_id, direction, kind, name, message_id, sha256, content, size, transactions, amount, due_date,
      status, error, due_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
);

export async function insertFile(tx: Tx, tenant: number, file: NewFile, now: Date): Promise<void> {
  await tx.write(INSERT_FILE, [
    tenant,
    file.id,
    file.gatewayId,
    file.direction,
    file.kind,
    file.name,
    file.messageId,
    file.sha256,
    file.content,
    file.size,
    file.transactions,
    file.amount,
    file.dueDate,
    file.status,
    file.error,
    file.dueAt,
    now,
  ]);
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

const FILE_COLUMNS = `
  f.id, f.gateway_id, f.direction, f.kind, f.name, f.message_id, encode(f.sha256, 'hex') as sha256, f.size, f.transactions,
  f.amount::text, f.due_date, f.status, f.error, f.report, f.attempts, f.sent_at, f.created_at, f.updated_at`;

/** A file as the management API shows it, without its content. */
export interface ShownFile {
  readonly id: string;
  readonly created_at: Date;
  readonly status: SepaFileRow["status"];
  readonly [field: string]: unknown;
}

const FIND_FILE = sql(
  "sepa_files.find",
  `select ${FILE_COLUMNS} from sepa_files f where f.tenant = $1 and f.id = $2`,
);

export async function findFile(db: Reader, tenant: number, id: string): Promise<ShownFile | null> {
  return (await db.query<ShownFile>(FIND_FILE, [tenant, id]))[0] ?? null;
}

const LISTED = `
  select ${FILE_COLUMNS} from sepa_files f
   where f.tenant = $1 and ($5::text is null or f.direction = $5) and ($6::text is null or f.status = $6)
     and ($7::uuid is null or f.gateway_id = $7)`;

const LIST = {
  older: sql(
    "sepa_files.list_older",
    `${LISTED} and (f.created_at, f.id) < ($2, $3::uuid) order by f.created_at desc, f.id desc limit $4`,
  ),
  newer: sql(
    "sepa_files.list_newer",
    `${LISTED} and (f.created_at, f.id) > ($2, $3::uuid) order by f.created_at, f.id limit $4`,
  ),
};

export interface FileFilters {
  readonly direction: string | null;
  readonly status: string | null;
  readonly gatewayId: string | null;
}

export function listFiles(
  db: Reader,
  tenant: number,
  { direction, status, gatewayId }: FileFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ShownFile[]> {
  return db.query<ShownFile>(LIST[towards], [tenant, at, id, limit, direction, status, gatewayId]);
}

const CONTENT = sql(
  "sepa_files.content",
  "select name, kind, direction, status, content from sepa_files where tenant = $1 and id = $2",
);

export async function findContent(
  db: Reader,
  tenant: number,
  id: string,
): Promise<Pick<SepaFileRow, "name" | "kind" | "direction" | "status" | "content"> | null> {
  const rows = await db.query<Pick<SepaFileRow, "name" | "kind" | "direction" | "status" | "content">>(
    CONTENT,
    [tenant, id],
  );
  return rows[0] ?? null;
}

const MARK_DOWNLOADED = sql(
  "sepa_files.mark_downloaded",
  `update sepa_files set status = 'sent', sent_at = $3, updated_at = $3
    where tenant = $1 and id = $2 and status = 'ready'
   returning 1`,
);

/** Whoever has downloaded a file may have given it to the bank. False when it was before. */
export async function markDownloaded(tx: Tx, tenant: number, id: string, now: Date): Promise<boolean> {
  return (await tx.write(MARK_DOWNLOADED, [tenant, id, now])).length === 1;
}

const DECIDE_UNCLEAR = sql(
  "sepa_files.decide_unclear",
  `update sepa_files
      set status = case when $3 then 'sent' else 'stored' end, sent_at = case when $3 then $4::timestamptz end,
          due_at = case when $3 then null else $4::timestamptz end, error = null, updated_at = $4
    where tenant = $1 and id = $2 and status = 'unclear'
   returning 1`,
);

/** A person has looked whether an upload arrived: it did, or it is to be sent again. False when nobody is asked. */
export async function decideUnclear(
  tx: Tx,
  tenant: number,
  id: string,
  arrived: boolean,
  now: Date,
): Promise<boolean> {
  return (await tx.write(DECIDE_UNCLEAR, [tenant, id, arrived, now])).length === 1;
}

const KNOWN_FILE = sql(
  "sepa_files.known",
  `select ${FILE_COLUMNS} from sepa_files f
    where f.tenant = $1 and f.gateway_id = $2 and f.sha256 = $3 and f.direction = 'in' and f.status = 'applied'`,
);

/** The file with the same bytes that was read before. */
export async function findRead(
  db: Reader,
  tenant: number,
  gatewayId: string,
  sha256: Buffer,
): Promise<ShownFile | null> {
  return (await db.query<ShownFile>(KNOWN_FILE, [tenant, gatewayId, sha256]))[0] ?? null;
}

const FINISH_READ = sql(
  "sepa_files.finish_read",
  `update sepa_files set kind = $3, message_id = $4, transactions = $5, report = $6, updated_at = $7
    where tenant = $1 and id = $2`,
);

export async function finishRead(
  tx: Tx,
  tenant: number,
  id: string,
  read: {
    readonly kind: string;
    readonly messageId: string | null;
    readonly entries: number;
    readonly report: object;
  },
  now: Date,
): Promise<void> {
  const values = [tenant, id, read.kind, read.messageId, read.entries, JSON.stringify(read.report), now];
  await tx.write(FINISH_READ, values);
}

const LOCK_COLLECTIONS = sql(
  "sepa_files.lock_collections",
  `select * from sepa_collections
    where tenant = $1 and gateway_id = $2 and reference = any ($3::text[])
    order by reference
      for update`,
);

/** The instructions of these references, held until the transaction ends. */
export function lockCollections(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  references: readonly string[],
): Promise<readonly SepaCollection[]> {
  return tx.query<SepaCollection>(LOCK_COLLECTIONS, [tenant, gatewayId, references]);
}

const BY_MANDATE = sql(
  "sepa_files.by_mandate",
  `select * from sepa_collections
    where tenant = $1 and gateway_id = $2 and upper(mandate_reference) = upper($3) and amount = $4::numeric
      and refund_of is null and state in ('batched', 'settled', 'returned', 'rejected') and due_date > $5::date - interval '13 months'
    limit 2
      for update`,
);

/** The one collection on a mandate with this amount in the thirteen months before; null when there is none, or more than one. */
export async function lockByMandate(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  mandate: { readonly reference: string; readonly amount: string; readonly before: string },
): Promise<SepaCollection | null> {
  const values = [tenant, gatewayId, mandate.reference, mandate.amount, mandate.before];
  const rows = await tx.query<SepaCollection>(BY_MANDATE, values);
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

/** One of our blocks, as a bank's collective booking or status report may name it. */
export interface BlockSums {
  readonly transactions: number;
  readonly batched: number;
  readonly settled: number;
  /** Without what was rejected. */
  readonly amount: string;
}

const BLOCK = sql(
  "sepa_files.block",
  `with held as (
     select c.state, c.amount from sepa_collections c
      where c.tenant = $1 and c.gateway_id = $2
        and (c.block_id = $3
             or ($4::text is not null and c.file_id = (select id from sepa_files f
                  where f.tenant = $1 and f.gateway_id = $2 and f.message_id = $4 and f.direction = 'out')))
      order by c.reference
        for update
   )
   select count(*)::integer as transactions, count(*) filter (where state = 'batched')::integer as batched,
          count(*) filter (where state in ('settled', 'returned'))::integer as settled,
          coalesce(sum(amount) filter (where state <> 'rejected'), 0)::numeric(14,2)::text as amount
     from held`,
);

/** Holds all of a block, or of a whole file by its message id, and adds it up. */
export async function lockBlock(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  { blockId, messageId }: BlockNames,
): Promise<BlockSums> {
  const rows = await tx.query<BlockSums>(BLOCK, [tenant, gatewayId, blockId, messageId]);
  return rows[0] ?? { transactions: 0, batched: 0, settled: 0, amount: "0.00" };
}

export interface BlockNames {
  readonly blockId: string | null;
  /** Null where the block is named. */
  readonly messageId: string | null;
}

const MOVE_BLOCK = sql(
  "sepa_files.move_block",
  `with moved as (
     update sepa_collections c
        set state = $5, updated_at = $6,
            settled_on = case when $5 = 'settled' then $7::date else c.settled_on end,
            returned_on = case when $5 = 'rejected' then $7::date else c.returned_on end,
            reason_code = $8,
            gateway_reference = case when $5 = 'settled' then coalesce($9 || ':' || c.reference,
              f.message_id || '/' || c.block_id || '/' || c.reference) else c.gateway_reference end
       from sepa_files f
      where c.tenant = $1 and c.gateway_id = $2 and f.tenant = $1 and f.id = c.file_id and c.state = 'batched'
        and (c.block_id = $3 or ($4::text is not null and f.message_id = $4))
     returning c.*
   ), told as (
     insert into sepa_news (tenant, gateway_id, reference, kind, at, gateway_reference, reason_code, reason_message, file_id)
     select $1, $2, reference, case $5 when 'settled' then 'settled' else 'returned' end, timezone('UTC', $7::date::timestamp), gateway_reference, $8, $10, $11
       from moved
      order by reference
         on conflict (tenant, gateway_id, reference, kind) do nothing
   )
   select count(*)::integer as moved from moved`,
);

/** Moves what is batched of a block to its end, with the news of each. Returns how many. */
export async function moveBlock(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  names: BlockNames,
  to: {
    readonly state: "settled" | "rejected";
    readonly on: string;
    readonly reasonCode: string | null;
    readonly reasonMessage: string | null;
    readonly bankReference: string | null;
    readonly fileId: string;
  },
  now: Date,
): Promise<number> {
  const rows = await tx.write<{ moved: number }>(MOVE_BLOCK, [
    tenant,
    gatewayId,
    names.blockId,
    names.messageId,
    to.state,
    now,
    to.on,
    to.reasonCode,
    to.bankReference,
    to.reasonMessage,
    to.fileId,
  ]);
  return rows[0]?.moved ?? 0;
}

/** What one entry changes. */
export interface Change {
  readonly reference: string;
  readonly state: "settled" | "rejected" | "returned";
  readonly on: string;
  readonly reason_code: string | null;
  readonly gateway_reference: string | null;
  readonly news: "settled" | "returned" | "charged_back";
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly bank_fee: string | null;
}

const CHANGE = sql(
  "sepa_files.change",
  `with given as (
     select * from jsonb_to_recordset($5::jsonb) as g (
       reference text, state text, "on" date, reason_code text, gateway_reference text, news text, reason_message text,
       report_type text, bank_fee numeric, position integer)
   ), newest as (
     select distinct on (reference) * from given order by reference, position desc
   ), moved as (
     update sepa_collections c
        set state = n.state, updated_at = $4,
            settled_on = coalesce((select g."on" from given g where g.reference = c.reference and g.state = 'settled'), c.settled_on),
            returned_on = case when n.state in ('returned', 'rejected') then n."on" else c.returned_on end,
            reason_code = coalesce(n.reason_code, c.reason_code),
            gateway_reference = coalesce((select g.gateway_reference from given g
              where g.reference = c.reference and g.state = 'settled'), c.gateway_reference)
       from newest n
      where c.tenant = $1 and c.gateway_id = $2 and c.reference = n.reference
   )
   insert into sepa_news (tenant, gateway_id, reference, kind, at, gateway_reference, reason_code, reason_message, report_type, bank_fee, file_id)
   select $1, $2, reference, news, timezone('UTC', "on"::timestamp), gateway_reference, reason_code, reason_message, report_type, bank_fee, $3
     from given
    order by position
       on conflict (tenant, gateway_id, reference, kind) do nothing`,
);

/** Writes what entries change, in their order, with their news. */
export async function writeChanges(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  fileId: string | null,
  changes: readonly Change[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  const given = changes.map((change, position) => ({ ...change, position }));
  await tx.write(CHANGE, [tenant, gatewayId, fileId, now, JSON.stringify(given)]);
}

/** One line of a file's report. */
export interface EntryLine {
  readonly number: number;
  readonly result: "settled" | "rejected" | "returned" | "known" | "ignored" | "unmatched";
  readonly reference: string | null;
  readonly amount: string | null;
  readonly reason_code: string | null;
  readonly detail: string;
}

const INSERT_ENTRIES = sql(
  "sepa_files.insert_entries",
  `insert into sepa_entries (tenant, file_id, number, result, reference, amount, reason_code, detail)
   select $1, $2, number, result, reference, amount, reason_code, detail
     from jsonb_to_recordset($3::jsonb) as e
       (number integer, result text, reference text, amount numeric, reason_code text, detail text)`,
);

export async function insertEntries(
  tx: Tx,
  tenant: number,
  fileId: string,
  lines: readonly EntryLine[],
): Promise<void> {
  if (lines.length > 0) await tx.write(INSERT_ENTRIES, [tenant, fileId, JSON.stringify(lines)]);
}

const LIST_ENTRIES = sql(
  "sepa_files.list_entries",
  `select number, result, reference, amount::text, reason_code, detail from sepa_entries
    where tenant = $1 and file_id = $2 and number > $3 and ($5::text is null or result = $5)
    order by number
    limit $4`,
);

/** The lines of a report after a number. */
export function listEntries(
  db: Reader,
  tenant: number,
  fileId: string,
  {
    after,
    limit,
    result,
  }: { readonly after: number; readonly limit: number; readonly result: string | null },
): Promise<readonly EntryLine[]> {
  return db.query<EntryLine>(LIST_ENTRIES, [tenant, fileId, after, limit, result]);
}

const ASSUMABLE = sql(
  "sepa_files.assumable",
  `select c.reference, c.file_id, c.due_date, f.message_id || '/' || c.block_id || '/' || c.reference as gateway_reference
     from sepa_collections c
     join sepa_files f on f.tenant = $1 and f.id = c.file_id
    where c.tenant = $1 and c.gateway_id = $2 and c.state = 'batched' and c.refund_of is null and c.due_date <= $3::date
      and f.status = 'sent'
    order by c.due_date, c.reference
    limit $4
      for update of c`,
);

export interface AssumableRow {
  readonly reference: string;
  readonly file_id: string;
  readonly due_date: string;
  readonly gateway_reference: string;
}

/** Collections of sent files that were due by a day and that the bank has said nothing about. */
export function findAssumable(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  dueBy: string,
  limit: number,
): Promise<readonly AssumableRow[]> {
  return tx.query<AssumableRow>(ASSUMABLE, [tenant, gatewayId, dueBy, limit]);
}

const MARK_ASSUMED = sql(
  "sepa_files.mark_assumed",
  `update sepa_collections set assumed = true
    where tenant = $1 and gateway_id = $2 and reference = any ($3::text[])`,
);

export async function markAssumed(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  references: readonly string[],
): Promise<void> {
  await tx.write(MARK_ASSUMED, [tenant, gatewayId, references]);
}

const TAKE_POLL = sql(
  "sepa_files.take_poll",
  `insert into sepa_accounts as a (tenant, gateway_id, locked_until, lease_no) values ($1, $2, $4, 1)
       on conflict (tenant, gateway_id) do update set locked_until = excluded.locked_until, lease_no = a.lease_no + 1
    where (a.locked_until is null or a.locked_until <= $3) and (a.polled_at is null or a.polled_at <= $5)
   returning lease_no`,
);

/** Takes the account's mailbox until `leaseUntil`, unless somebody has it or has looked since `since`. */
export async function takePoll(
  db: Database,
  tenant: number,
  gatewayId: string,
  now: Date,
  leaseUntil: Date,
  since: Date,
): Promise<boolean> {
  return (await db.commit(TAKE_POLL, [tenant, gatewayId, now, leaseUntil, since])).length === 1;
}

const END_POLL = sql(
  "sepa_files.end_poll",
  `update sepa_accounts set locked_until = null, polled_at = $3, poll_error = $4 where tenant = $1 and gateway_id = $2`,
);

export async function endPoll(
  db: Database,
  tenant: number,
  gatewayId: string,
  now: Date,
  error: string | null,
): Promise<void> {
  await db.commit(END_POLL, [tenant, gatewayId, now, error]);
}

const COUNT_WAITING = sql(
  "sepa_files.count_waiting",
  `-- every tenant: what waits, as four figures
   select (select count(*) from sepa_files where due_at is not null)::integer as to_send,
          (select count(*) from sepa_files where status = 'ready')::integer as to_download,
          (select count(*) from sepa_files where status = 'unclear')::integer as unclear,
          (select count(*) from sepa_unmatched where status = 'open')::integer as unmatched`,
);

/** How much waits for the bank or for people, over all tenants. */
export async function countWaiting(db: Reader): Promise<Readonly<Record<string, number>>> {
  const rows = await db.query<Record<string, number>>(COUNT_WAITING, []);
  return { ...rows[0] };
}
