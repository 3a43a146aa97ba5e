/** The SQL of accounts at banks and of their files, as records: kept, listed, carried by hand. */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { SepaFileRow } from "../db/rows.ts";
import type { Window } from "../http/paging.ts";

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
