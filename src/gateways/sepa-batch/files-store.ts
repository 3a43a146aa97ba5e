/** The SQL of bank accounts and their files as records: stored, listed, delivered by hand. */
import { sql, type Database, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { SepaFilePieceRow, SepaFileRow } from "../../db/rows.ts";
import type { Creditor } from "../../mandates/creditor.ts";
import { isFreeFor, leaseEnd } from "../../db/lease.ts";
import { must } from "../../lib/assert.ts";
import type { Window } from "../../lib/window.ts";
import { CREDITOR, CREDITOR_IBAN } from "../records/creditor-store.ts";
import { isFileHeld } from "./outgoing/withdraw-store.ts";

/**
 * The longest delay between two attempts to send a file. A file that the bank has refused waits longer, for a person.
 */
export const RETRY_HOURS_MAX = 1;

/** SQL: when a file is sent. With a staging clock that runs ahead, a file may have been written later than now. */
export const SENT_AT = "greatest(:now::timestamptz, created_at)";

/** An account of the adapter, with what its settings say. */
export interface AccountRow {
  readonly tenant: number;
  readonly id: string;
  readonly test_mode: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly last_run_on: string | null;
  readonly last_run_at: Date | null;
  readonly polled_at: Date | null;
  /** The creditor that collects through it today. */
  readonly creditor: Creditor;
}

const ACCOUNT_COLUMNS =
  `g.tenant, g.id, g.test_mode, g.settings, g.credentials, a.last_run_on, a.last_run_at, a.polled_at, ${CREDITOR} as creditor` as const;

const ACCOUNTS = sql(
  "sepa_files.accounts",
  `-- every tenant when :tenant is null: the jobs look at each account
   select ${ACCOUNT_COLUMNS}
     from gateways g
     join tenants n on n.tenant = g.tenant
     left join sepa_accounts a on a.tenant = g.tenant and a.gateway_id = g.id
    where g.adapter = 'sepa_batch' and (:tenant::integer is null or g.tenant = :tenant) and (:gatewayId::uuid is null or g.id = :gatewayId)
    order by g.tenant, g.id`,
).gives<AccountRow>();

/** The accounts of one tenant or of all, archived ones included: their money may still be in transit. */
export function findAccounts(
  db: Reader,
  tenant: number | null,
  gatewayId: string | null = null,
): Promise<readonly AccountRow[]> {
  return db.query(ACCOUNTS, { tenant, gatewayId });
}

const LOCK_SETTINGS = sql(
  "sepa_files.lock_settings",
  `select ${ACCOUNT_COLUMNS}
     from gateways g
     join tenants n on n.tenant = :tenant
     left join sepa_accounts a on a.tenant = :tenant and a.gateway_id = g.id
    where g.tenant = :tenant and g.id = :gatewayId and g.adapter = 'sepa_batch'
      for share of g`,
).gives<AccountRow>();

/** Reads an account whose settings stay as they are until the transaction ends: who changes them waits. */
export async function lockSettings(tx: Tx, tenant: number, gatewayId: string): Promise<AccountRow> {
  return must(
    (await tx.query(LOCK_SETTINGS, { tenant, gatewayId }))[0],
    "an account, which is never deleted",
  );
}

/** What waits for the next file of an account. */
export interface WaitingSum {
  readonly gateway_id: string;
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

const WAITING = sql(
  "sepa_files.sum_waiting",
  `select gateway_id, currency, count(*)::integer as count, sum(amount)::text as amount
     from sepa_collections
    where tenant = :tenant and state = 'accepted'
    group by gateway_id, currency
    order by gateway_id, currency`,
).gives<WaitingSum>();

export function sumWaiting(db: Reader, tenant: number): Promise<readonly WaitingSum[]> {
  return db.query(WAITING, { tenant });
}

const TAKE_POLL = sql(
  "sepa_files.lease_mailbox",
  `insert into sepa_accounts as a (tenant, gateway_id, locked_until, lease_no) values (:tenant, :gatewayId, ${leaseEnd(":leaseMs")}, 1)
       on conflict (tenant, gateway_id) do update set locked_until = excluded.locked_until, lease_no = a.lease_no + 1
    where ${isFreeFor("a.locked_until", "excluded.locked_until", ":leaseMs")} and (a.polled_at is null or a.polled_at <= :since)
   returning lease_no`,
).gives<{ lease_no: string }>();

/**
 * Leases the account's mailbox for `leaseMs`, unless it is leased or was read since `since`; returns the number of the
 * lease.
 */
export async function leaseMailbox(
  db: Database,
  tenant: number,
  gatewayId: string,
  leaseMs: number,
  since: Date,
): Promise<string | null> {
  const rows = await db.commit(TAKE_POLL, { tenant, gatewayId, leaseMs, since });
  return rows[0]?.lease_no ?? null;
}

const LOCK_READING = sql(
  "sepa_files.lock_reading",
  "select pg_advisory_xact_lock(hashtextextended('sepa reading', :tenant)) -- a tenant = :tenant has its own number",
);

/** Serialises reading per tenant, so that each file sees the changes of the file before it. */
export async function lockReading(tx: Tx, tenant: number): Promise<void> {
  await tx.query(LOCK_READING, { tenant });
}

const TRY_READING = sql(
  "sepa_files.try_reading",
  "select pg_try_advisory_xact_lock_shared(hashtextextended('sepa reading', :tenant)) as locked -- a tenant = :tenant has its own number",
).gives<{ locked: boolean | null }>();

/**
 * Keeps the tenant's files from being read, together with others that do. It does not wait: it returns false while one
 * is being read.
 */
export async function tryLockReading(tx: Tx, tenant: number): Promise<boolean> {
  return (await tx.query(TRY_READING, { tenant }))[0]?.locked === true;
}

/** The accounts that a bank file may be about, and the gateways whose instructions it may answer. */
export interface FileScope {
  /** The gateway's current account and those named in its files so far. */
  readonly ibans: readonly string[];
  /** The gateway and the tenant's other gateways with one of these accounts. */
  readonly gatewayIds: readonly string[];
}

const REACH = sql(
  "sepa_files.file_scope",
  `with held as (
     select g.id, ${CREDITOR_IBAN} as iban
       from gateways g where g.tenant = :tenant and g.adapter = 'sepa_batch'
      union
     select gateway_id, iban from sepa_creditor_accounts where tenant = :tenant
   ), own as (
     select iban from held where id = :gatewayId
   )
   select array(select iban from own order by iban) as ibans,
          array(select distinct id from held where iban in (select iban from own) order by id) as gateway_ids`,
).gives<{ ibans: string[]; gateway_ids: string[] }>();

/** One statement of an account concerns every gateway that collects to it (docs/sepa.md, Several gateways on one account, and former accounts). */
export async function findFileScope(db: Reader, tenant: number, gatewayId: string): Promise<FileScope> {
  const rows = await db.query(REACH, { tenant, gatewayId });
  return { ibans: rows[0]?.ibans ?? [], gatewayIds: rows[0]?.gateway_ids ?? [] };
}

const FILE_COLUMNS = `
  f.id, f.gateway_id, f.direction, f.kind, f.name, f.message_id, encode(f.sha256, 'hex') as sha256, f.size, f.transactions,
  f.amount::text, f.due_date, f.status, f.error, f.report, f.attempts, f.sent_at, f.created_at, f.updated_at,
  f.approvals_required,
  array(select a.actor_name from sepa_file_approvals a
         where a.tenant = :tenant and a.file_id = f.id order by a.approved_at, a.approver) as approved_by,
  (select count(*) from sepa_news n where n.tenant = :tenant and n.file_id = f.id and n.acknowledged_at is null)::integer as following,
  (select count(*) from sepa_collections c where c.tenant = :tenant and c.file_id = f.id and c.state = 'batched')::integer as unanswered`;

/** A file as the management API shows it, without its content. */
export interface ShownFile extends Pick<
  SepaFileRow,
  | "id"
  | "gateway_id"
  | "direction"
  | "kind"
  | "name"
  | "message_id"
  | "size"
  | "transactions"
  | "amount"
  | "due_date"
  | "status"
  | "error"
  | "report"
  | "approvals_required"
  | "attempts"
  | "sent_at"
  | "created_at"
  | "updated_at"
> {
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Names of the approvers, in order. */
  readonly approved_by: readonly string[];
  /** Number of news items from the file that payments have not applied yet. */
  readonly following: number;
  /** Number of instructions without an answer from the bank. */
  readonly unanswered: number;
}

const KNOWN_FILE = sql(
  "sepa_files.known",
  `select ${FILE_COLUMNS} from sepa_files f
    where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.sha256 = :sha256 and f.direction = 'in' and f.status = 'applied'
    order by f.created_at, f.id
    limit 1`,
).gives<ShownFile>();

/** Finds the file with the same bytes that was read before for any of these gateways. */
export async function findRead(
  db: Reader,
  tenant: number,
  gatewayIds: readonly string[],
  sha256: Buffer,
): Promise<ShownFile | null> {
  return (await db.query(KNOWN_FILE, { tenant, gatewayIds, sha256 }))[0] ?? null;
}

const REMEMBER_ACCOUNT = sql(
  "sepa_files.remember_account",
  `insert into sepa_creditor_accounts as a (tenant, gateway_id, iban, first_used_at, last_used_at)
   values (:tenant, :id, :iban, :now, :now)
       on conflict (tenant, gateway_id, iban) do update
      set first_used_at = least(a.first_used_at, excluded.first_used_at),
          last_used_at = greatest(a.last_used_at, excluded.last_used_at)`,
);

/** Records that a file names this account: its answers concern that account even if the gateway's settings change. */
export async function rememberAccount(
  tx: Tx,
  { tenant, id }: Pick<AccountRow, "tenant" | "id">,
  iban: string,
  now: Date,
): Promise<void> {
  await tx.write(REMEMBER_ACCOUNT, { tenant, id, iban, now });
}

interface NewFile {
  readonly id: string;
  readonly gatewayId: string;
  readonly direction: "out" | "in";
  readonly kind: string;
  readonly name: string;
  readonly messageId: string | null;
  readonly sha256: Buffer;
  /** The first piece, packed and sealed. */
  readonly content: Buffer;
  readonly size: number;
  readonly transactions: number;
  readonly amount: string;
  readonly dueDate: string | null;
  readonly status: SepaFileRow["status"];
  readonly error: string | null;
  readonly dueAt: Date | null;
  /** For outgoing files. */
  readonly approvalsRequired?: number;
}

/** The record of a file from the bank before it has been read. */
export function incomingFile(
  { id: gatewayId }: Pick<AccountRow, "id">,
  file: Pick<NewFile, "id" | "name" | "kind" | "sha256" | "size">,
): Omit<NewFile, "content"> {
  const { id, name, kind, sha256, size } = file;
  return {
    id,
    gatewayId,
    direction: "in",
    kind,
    name: name.slice(-255),
    messageId: null,
    sha256,
    size,
    transactions: 0,
    amount: "0.00",
    dueDate: null,
    status: "applied",
    error: null,
    dueAt: null,
  };
}

const INSERT_PIECE = sql(
  "sepa_files.insert_piece",
  "insert into sepa_file_pieces (tenant, file_id, number, content) values (:tenant, :id, :number, :content)",
);

/**
 * Stores a file with its content.
 * @param pieces packed and sealed, in order.
 */
export async function insertPacked(
  tx: Tx,
  tenant: number,
  file: Omit<NewFile, "content">,
  pieces: AsyncIterable<Buffer>,
  now: Date,
): Promise<void> {
  let number = 0;
  for await (const content of pieces) {
    if (number === 0) await insertFile(tx, tenant, { ...file, content }, now);
    else await tx.write(INSERT_PIECE, { tenant, id: file.id, number, content });
    number += 1;
  }
}

const INSERT_FILE = sql(
  "sepa_files.insert",
  `insert into sepa_files
     (tenant, id, gateway_id, direction, kind, name, message_id, sha256, content, size, transactions, amount, due_date,
      status, error, due_at, approvals_required, created_at, updated_at)
   values (:tenant, :id, :gatewayId, :direction, :kind, :name, :messageId, :sha256, :content, :size, :transactions, :amount, :dueDate, :status, :error, :dueAt, :approvalsRequired, :now, :now)`,
);

async function insertFile(tx: Tx, tenant: number, file: NewFile, now: Date): Promise<void> {
  await tx.write(INSERT_FILE, {
    tenant,
    id: file.id,
    gatewayId: file.gatewayId,
    direction: file.direction,
    kind: file.kind,
    name: file.name,
    messageId: file.messageId,
    sha256: file.sha256,
    content: file.content,
    size: file.size,
    transactions: file.transactions,
    amount: file.amount,
    dueDate: file.dueDate,
    status: file.status,
    error: file.error,
    dueAt: file.dueAt,
    approvalsRequired: file.approvalsRequired ?? 0,
    now,
  });
}

const FINISH_READ = sql(
  "sepa_files.finish_read",
  `update sepa_files set kind = :kind, message_id = :messageId, transactions = :entries, report = :report, updated_at = :now
    where tenant = :tenant and id = :id`,
);

export async function finishFileRead(
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
  const values = {
    tenant,
    id,
    kind: read.kind,
    messageId: read.messageId,
    entries: read.entries,
    report: JSON.stringify(read.report),
    now,
  };
  await tx.write(FINISH_READ, values);
}

const FIND_PIECE = sql(
  "sepa_files.piece",
  "select content from sepa_file_pieces where tenant = :tenant and file_id = :id and number = :number",
).gives<Pick<SepaFilePieceRow, "content">>();

/**
 * Reads a file's stored content, one piece in memory at a time.
 * @param first the piece that was read with the file.
 */
export async function* contentOf(
  db: Reader,
  tenant: number,
  id: string,
  first: Buffer,
): AsyncGenerator<Buffer> {
  yield first;
  for (let number = 1; ; number += 1) {
    const [piece] = await db.query(FIND_PIECE, { tenant, id, number });
    if (piece === undefined) return;
    yield piece.content;
  }
}

const FIND_FILE = sql(
  "sepa_files.find",
  `select ${FILE_COLUMNS} from sepa_files f where f.tenant = :tenant and f.id = :id`,
).gives<ShownFile>();

export async function findFile(db: Reader, tenant: number, id: string): Promise<ShownFile | null> {
  return (await db.query(FIND_FILE, { tenant, id }))[0] ?? null;
}

const END_POLL = sql(
  "sepa_files.release_mailbox",
  `update sepa_accounts set locked_until = null, polled_at = :now, poll_error = :error
    where tenant = :tenant and gateway_id = :gatewayId and lease_no = :leaseNo`,
);

/** Releases the mailbox if this process still holds the lease. */
export async function releaseMailbox(
  db: Database,
  tenant: number,
  gatewayId: string,
  leaseNo: string,
  now: Date,
  error: string | null,
): Promise<void> {
  await db.commit(END_POLL, { tenant, gatewayId, leaseNo, now, error });
}

const POLL_SOON = sql(
  "sepa_files.poll_soon",
  "update sepa_accounts set polled_at = null where tenant = :tenant and gateway_id = :gatewayId",
);

/** Has the next pass visit the account's bank. */
export async function pollSoon(tx: Tx, tenant: number, gatewayId: string): Promise<void> {
  await tx.write(POLL_SOON, { tenant, gatewayId });
}

/** Four attempts take seven minutes; by then a short outage at the bank is over. */
const TRIES_BEFORE_A_PERSON = 4;

/**
 * SQL: whether a file could not be sent and waits for a person, because the bank has refused it or several attempts
 * have failed. A file whose order may be at the bank does not count: the bank's protocol decides, or the file becomes
 * `unclear`.
 */
export const isNotTaken = <Name extends string, Tenant extends string>(file: Name, tenant: Tenant) =>
  `(${file}.due_at is not null and ${file}.error is not null and ${file}.status in ('stored', 'uploading', 'renaming')
    and (${file}.attempts >= ${TRIES_BEFORE_A_PERSON} or ${file}.due_at > ${file}.updated_at + interval '${RETRY_HOURS_MAX} hours')
    and not (${file}.status = 'renaming' and exists (
          select from ebics_orders o where o.tenant = ${tenant} and o.file_id = ${file}.id)))` as const;

const LISTED = `
  select ${FILE_COLUMNS} from sepa_files f
   where f.tenant = :tenant and (:direction::text is null or f.direction = :direction) and (:status::text is null or f.status = :status)
     and (:gatewayId::uuid is null or f.gateway_id = :gatewayId)
     and (:held::boolean is null or ${isFileHeld("f", ":tenant")} = :held)
     and (:notTaken::boolean is null or ${isNotTaken("f", ":tenant")} = :notTaken)
     and (:unansweredSince::date is null or (f.due_date <= :unansweredSince and exists (
       select from sepa_collections c where c.tenant = :tenant and c.file_id = f.id and c.state = 'batched')))` as const;

const LIST = listed("sepa_files.list", LISTED, ["f.created_at", "f.id"], {
  plannedByValues: true,
}).gives<ShownFile>();

interface FileFilters {
  readonly direction: string | null;
  readonly status: string | null;
  readonly gatewayId: string | null;
  /** Whether it is held back because the bank has answered to instructions in it; null for both. */
  readonly held: boolean | null;
  /** Whether it could not be sent and waits for a person; null for both. */
  readonly notTaken: boolean | null;
  /** Only files that were due by this day and contain instructions without an answer. */
  readonly unansweredSince: string | null;
}

export function listFiles(
  db: Reader,
  tenant: number,
  { direction, status, gatewayId, held, notTaken, unansweredSince }: FileFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ShownFile[]> {
  return db.query(LIST[towards], {
    tenant,
    at,
    id,
    limit,
    direction,
    status,
    gatewayId,
    held,
    notTaken,
    unansweredSince,
  });
}

const CONTENT = sql(
  "sepa_files.content",
  "select name, kind, direction, status, content from sepa_files where tenant = :tenant and id = :id",
).gives<Pick<SepaFileRow, "name" | "kind" | "direction" | "status" | "content">>();

export async function findContent(
  db: Reader,
  tenant: number,
  id: string,
): Promise<Pick<SepaFileRow, "name" | "kind" | "direction" | "status" | "content"> | null> {
  const rows = await db.query(CONTENT, { tenant, id });
  return rows[0] ?? null;
}

const MARK_SENT = sql(
  "sepa_files.mark_sent",
  `update sepa_files set status = 'sent', sent_at = ${SENT_AT}, updated_at = :now
    where tenant = :tenant and id = :id and status = 'ready' and not ${isFileHeld("sepa_files", ":tenant")}
   returning 1`,
);

/** Records that the file was given to the bank by hand. Returns false when it was not waiting for that. */
export async function markSent(tx: Tx, tenant: number, id: string, now: Date): Promise<boolean> {
  return (await tx.write(MARK_SENT, { tenant, id, now })).length === 1;
}

const LOCK_FILE = sql(
  "sepa_files.lock",
  "select status, attempts from sepa_files where tenant = :tenant and id = :id for update",
).gives<Pick<SepaFileRow, "status" | "attempts">>();

/** Locks a file until the transaction ends; null if there is none. */
export async function lockFile(
  tx: Tx,
  tenant: number,
  id: string,
): Promise<Pick<SepaFileRow, "status" | "attempts"> | null> {
  return (await tx.query(LOCK_FILE, { tenant, id }))[0] ?? null;
}

const DECIDE_UNCLEAR = sql(
  "sepa_files.decide_unclear",
  `update sepa_files
      set status = case when :arrived then 'sent' else 'stored' end, sent_at = case when :arrived then ${SENT_AT} end,
          due_at = case when :arrived then null else :now::timestamptz end, error = null, updated_at = :now
    where tenant = :tenant and id = :id and status = 'unclear'
   returning 1`,
);

/**
 * Records whether an unclear upload arrived or has to be sent again. Returns false when the file is not awaiting
 * confirmation.
 */
export async function decideUnclear(
  tx: Tx,
  tenant: number,
  id: string,
  arrived: boolean,
  now: Date,
): Promise<boolean> {
  return (await tx.write(DECIDE_UNCLEAR, { tenant, id, arrived, now })).length === 1;
}

const FIND_UNEXPECTED = sql(
  "sepa_files.find_unexpected",
  `select id, gateway_id, message_id, status from sepa_files
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and message_id = any (:messageIds::text[]) and direction = 'out'
      and status in ('unclear', 'withdrawn')
    order by message_id`,
).gives<Pick<SepaFileRow, "id" | "gateway_id" | "message_id" | "status">>();

/** Those of the files with these message ids that the bank does not have, or may not have, according to the books. */
export async function findUnexpected(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  messageIds: readonly string[],
): Promise<readonly Pick<SepaFileRow, "id" | "gateway_id" | "message_id" | "status">[]> {
  return messageIds.length === 0 ? [] : tx.query(FIND_UNEXPECTED, { tenant, gatewayIds, messageIds });
}

/**
 * SQL: whether a file was taken back because its date passed without approval, and no later file of its account was
 * sent.
 */
export const isNotApproved = <Name extends string, Tenant extends string = `${Name}.tenant`>(
  file: Name,
  tenant: Tenant = `${file}.tenant` as Tenant,
) =>
  `${file}.missed_approval and not exists (
            select from sepa_files l
             where l.tenant = ${tenant} and l.gateway_id = ${file}.gateway_id and l.direction = 'out'
               and l.created_at > ${file}.created_at and l.status = 'sent')` as const;

const COUNT_WAITING = sql(
  "sepa_files.count_waiting",
  `-- every tenant: what waits, as figures
   select (select count(*) from sepa_files where due_at is not null)::integer as to_send,
          (select count(*) from sepa_files where status = 'to_approve')::integer as to_approve,
          (select count(*) from sepa_files f where ${isNotApproved("f")})::integer as not_approved,
          (select count(*) from ebics_users where state = 'stopped')::integer as stopped_users,
          (select count(*) from sepa_files where status = 'ready')::integer as to_download,
          (select count(*) from sepa_files where status = 'unclear')::integer as unclear,
          (select count(*) from sepa_unmatched where status in ('open', 'part'))::integer as unmatched,
          (select count(distinct (tenant, file_id)) from sepa_collections
            where state = 'batched' and due_date < current_date - 7)::integer as overdue,
          (select count(*) from sepa_statements where gap is not null)::integer as statement_gaps`,
).gives<WaitingCounts>();

/** Counts of what waits for the bank or for people, over all tenants. */
type WaitingCounts = Readonly<
  Record<
    | "to_send"
    | "to_approve"
    | "not_approved"
    | "stopped_users"
    | "to_download"
    | "unclear"
    | "unmatched"
    | "overdue"
    | "statement_gaps",
    number
  >
>;

/** Reads the counts. */
export async function countWaiting(db: Reader): Promise<WaitingCounts> {
  return must((await db.query(COUNT_WAITING, {}))[0], "the one row of figures");
}
