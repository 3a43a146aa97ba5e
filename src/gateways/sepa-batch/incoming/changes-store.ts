/**
 * The SQL of what a bank file changes: locks and updates instructions, and writes their bookings, news and the file's
 * report.
 */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaBookingRow, SepaEntryRow, SepaFileRow, SepaWithdrawnRow } from "../../../db/rows.ts";
import type { SepaCollection } from "../books-store.ts";
import { utcDate } from "../../../lib/dates.ts";
import { UNAUTHORISED_REFUND_MONTHS } from "../../../sepa/windows.ts";
import { BANK_REFERENCE_MIN } from "./decide.ts";
import { namesOfMandate } from "../mandate-names.ts";
import { stopInstructions } from "../outgoing/stopped-store.ts";
import { mayBeAtBank } from "../outgoing/withdraw-store.ts";

const LOCK_COLLECTIONS = sql(
  "sepa_files.lock_collections",
  `select * from sepa_collections
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[] || array(
            select r.reference from sepa_collections r
             where r.tenant = :tenant and r.gateway_id = any (:gatewayIds::uuid[]) and r.refund_of = any (:reversed::text[])
               and r.reversible_until is not null))
    order by reference
      for update`,
).gives<SepaCollection>();

/**
 * Locks the instructions of these references until the transaction ends. A reference belongs to one gateway of a
 * tenant.
 * @param reversed references of debits whose reversals are locked with them.
 */
export function lockCollections(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
  reversed: readonly string[],
): Promise<readonly SepaCollection[]> {
  return tx.query(LOCK_COLLECTIONS, { tenant, gatewayIds, references, reversed });
}

const BY_MANDATE = sql(
  "sepa_files.by_mandate",
  `select * from sepa_collections
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and amount = :amount::numeric and currency = :currency and refund_of is null
      and upper(mandate_reference) in (
        ${namesOfMandate(":reference::text")})
      and state in ('batched', 'settled', 'returned', 'rejected') and due_date > :before::date - interval '${UNAUTHORISED_REFUND_MONTHS} months'
      and (:dueBy::date is null or due_date <= :dueBy::date)
    limit 2
      for update`,
).gives<SepaCollection>();

/**
 * The collection on a mandate, under any of its references, with this amount, within the months in which the bank can
 * return it; null when there is none or more than one.
 */
export async function lockByMandate(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  mandate: {
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
    readonly before: string;
    /** The last possible due date; null for any. */
    readonly dueBy: string | null;
  },
): Promise<SepaCollection | null> {
  const rows = await tx.query(BY_MANDATE, { tenant, gatewayIds, ...mandate });
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

/** A movement of an instruction as the bank has booked it. */
export interface Booking {
  readonly reference: string;
  readonly movement: "credit" | "debit" | "fee";
  readonly booked_on: string;
  /** AcctSvcrRef. */
  readonly bank_reference: string | null;
}

const FIND_BOOKINGS = sql(
  "sepa_bookings.find",
  `select reference, movement, booked_on, bank_reference, file_id from sepa_bookings
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[])`,
);

/**
 * What the bank has booked under these references. Call it after locking them: bookings are written under that lock.
 */
export function findBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<readonly Omit<SepaBookingRow, "tenant" | "gateway_id">[]> {
  return tx.query(FIND_BOOKINGS, { tenant, gatewayIds, references });
}

const FIND_WITHDRAWN = sql(
  "sepa_withdrawn.find",
  `select distinct reference, block_id from sepa_withdrawn
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[])`,
).gives<Pick<SepaWithdrawnRow, "reference" | "block_id">>();

/** The blocks in withdrawn files that these instructions were in, by reference: the bank may have them all the same. */
export async function findWithdrawnBlocks(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (references.length === 0) return new Map();
  const found = await tx.query(FIND_WITHDRAWN, { tenant, gatewayIds, references });
  const byReference = Map.groupBy(found, ({ reference }) => reference);
  return new Map([...byReference].map(([reference, rows]) => [reference, rows.map((row) => row.block_id)]));
}

/** States of instructions in no file: they wait for one, or have ended. */
const IN_NO_FILE: ReadonlySet<SepaCollection["state"]> = new Set(["accepted", "rejected", "fenced"]);

/** Whether an instruction in this state is in no file. */
export function isInNoFile({ state }: Pick<SepaCollection, "state">): boolean {
  return IN_NO_FILE.has(state);
}

/** The references of those that are in no file now and were in one that was withdrawn. */
export async function findWithdrawn(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  rows: readonly Pick<SepaCollection, "reference" | "state">[],
): Promise<ReadonlySet<string>> {
  const references = rows.filter(isInNoFile).map(({ reference }) => reference);
  return new Set((await findWithdrawnBlocks(tx, tenant, gatewayIds, references)).keys());
}

/** A withdrawn file and the block in it, by the ids that a bank which has it uses. */
export type WithdrawnFrom = Pick<SepaWithdrawnRow, "block_id"> & Pick<SepaFileRow, "message_id">;

const FIND_SENT_AGAIN = sql(
  "sepa_withdrawn.find_sent_again",
  `select w.reference, w.block_id, f.message_id
     from sepa_withdrawn w
     join sepa_collections c on c.tenant = :tenant and c.gateway_id = w.gateway_id and c.reference = w.reference
     join sepa_files sent on sent.tenant = :tenant and sent.id = c.file_id and ${mayBeAtBank("sent", ":tenant")}
     join sepa_files f on f.tenant = :tenant and f.id = w.file_id and f.status = 'withdrawn'
    where w.tenant = :tenant and w.gateway_id = any (:gatewayIds::uuid[]) and w.reference = any (:references::text[])`,
).gives<WithdrawnFrom & Pick<SepaWithdrawnRow, "reference">>();

/**
 * For instructions in a file that was sent, or is being sent: the withdrawn files that they were in before, by reference.
 */
export async function findSentAgain(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  rows: readonly Pick<SepaCollection, "reference" | "state">[],
): Promise<ReadonlyMap<string, readonly WithdrawnFrom[]>> {
  const references = rows.filter((row) => !isInNoFile(row)).map(({ reference }) => reference);
  if (references.length === 0) return new Map();
  const found = await tx.query(FIND_SENT_AGAIN, { tenant, gatewayIds, references });
  return Map.groupBy(found, ({ reference }) => reference);
}

/** The changes of one entry. */
export interface CollectionChange {
  readonly reference: string;
  readonly state: "settled" | "rejected" | "returned";
  readonly on: string;
  readonly reason_code: string | null;
  readonly gateway_reference: string | null;
  /** A fee changes no state; it is added to the chargeback. */
  readonly news: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly bank_fee: string | null;
  /** Of a partial return; null for the full amount. */
  readonly amount?: string | null;
}

const CHANGE = sql(
  "sepa_files.change",
  `with given as (
     select * from jsonb_to_recordset(:given::jsonb) as g (
       reference text, state text, "on" date, reason_code text, gateway_reference text, news text, reason_message text,
       report_type text, bank_fee numeric, amount numeric, position integer)
   ), fees as (
     -- Several fees of one instruction are one notice, with the first one's day.
     select min(position) as position, sum(bank_fee) as own_fee,
            sum(sum(bank_fee)) over (partition by reference order by min(position)) as so_far,
            sum(sum(bank_fee)) over (partition by reference) as in_all,
            row_number() over (partition by reference order by min(position)) as day
       from given
      where news = 'fee'
      group by reference, "on"
   ), newest as (
     select distinct on (reference) * from given where news <> 'fee' order by reference, position desc
   ), credited as (
     -- Once for all: looked up for each instruction it would read all that is given again.
     select reference, max("on") filter (where news = 'settled') as settled_on,
            max(gateway_reference) as gateway_reference
       from given group by reference
   ), held as materialized (
     select gateway_id, reference, round from sepa_collections
      where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference in (select reference from given)
   ), moved as (
     update sepa_collections c
        set state = n.state, updated_at = :now,
            settled_on = coalesce(p.settled_on, c.settled_on,
              case when n.news = 'reinstated' then n."on" end),
            reinstated_on = case when n.news = 'reinstated' then n."on" else c.reinstated_on end,
            round = c.round + (n.news = 'reinstated')::integer,
            returned_on = case when n.state in ('returned', 'rejected') then n."on" else c.returned_on end,
            reason_code = coalesce(n.reason_code, c.reason_code),
            gateway_reference = coalesce(p.gateway_reference, c.gateway_reference)
       from newest n join credited p on p.reference = n.reference
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = n.reference
   ), reported as materialized (
     select c.gateway_id, g.reference, g.news, c.round + (g.news = 'reinstated')::integer as round,
            timezone('UTC', g."on"::timestamp) as at,
            g.gateway_reference, g.reason_code, g.reason_message, g.report_type,
            -- A fee that comes later is reported as the fee in all.
            case when g.news <> 'fee' then g.bank_fee else f.in_all + e.bank_fee end as bank_fee, g.amount, g.position,
            f.own_fee, case when g.news = 'fee' then f.so_far + e.bank_fee end as so_far, f.day, g."on",
            case when g.news = 'fee' then f.day > 1 or exists (
              select from sepa_news n
               where n.tenant = :tenant and n.gateway_id = c.gateway_id and n.reference = g.reference
                 and n.kind = 'fee' and n.round = c.round) end as is_later_fee
       from given g
       join held c on c.reference = g.reference
       left join fees f on f.position = g.position
      cross join lateral (
        select coalesce(
          (select max(n.bank_fee) from sepa_news n
            where n.tenant = :tenant and n.gateway_id = c.gateway_id and n.reference = g.reference
              and n.kind in ('charged_back', 'fee') and n.round = c.round),
          (select b.bank_fee from given b where b.reference = g.reference and b.news = 'charged_back'), 0) as bank_fee
      ) e
      where g.news <> 'fee' or f.day is not null
   ), written as (
     -- From a branch without tables: on Citus the coordinator then numbers all news, in the order in which they happen.
     insert into sepa_news
       (tenant, gateway_id, reference, kind, round, at, gateway_reference, reason_code, reason_message, report_type, bank_fee, amount, file_id)
     select :tenant, gateway_id, reference, news, round, at, gateway_reference, reason_code, reason_message, report_type, bank_fee,
            amount, :fileId
       from reported
      where news <> 'fee' or day = 1
      order by position
         on conflict (tenant, gateway_id, reference, kind, round) do update
        set bank_fee = excluded.bank_fee, acknowledged_at = null
      where sepa_news.kind = 'fee'
   ), later as (
     insert into sepa_later_fees (tenant, gateway_id, reference, round, so_far, amount, booked_on)
     select :tenant, gateway_id, reference, round, so_far, own_fee, "on" from reported where is_later_fee and own_fee > 0
   )
   select 1`,
);

/**
 * Writes the changes of entries in order, with their news, and stops waiting refunds of debits that were returned. The
 * news in `sepa_news` is read by `openNews` (books-store.ts), through the adapter's `news`, for `fetchNews`
 * (src/payments/news/fetch.ts).
 */
export async function writeChanges(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  fileId: string | null,
  changes: readonly CollectionChange[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  const given = changes.map((change, position) => ({ ...change, position }));
  await tx.write(CHANGE, { tenant, gatewayIds, fileId, now, given: JSON.stringify(given) });
  if (changes.every(({ state }) => state !== "returned")) return;
  // A customer whose bank returned the debit must not be refunded again.
  const on = utcDate(now);
  for (const gatewayId of gatewayIds) {
    // Whether the account still sends reversals is checked by its own runs.
    await stopInstructions(tx, tenant, gatewayId, { refunds: true, due: on, on, takesReversals: true }, now);
  }
}

const INSERT_BOOKINGS = sql(
  "sepa_bookings.insert",
  `with booked as (
     insert into sepa_bookings (tenant, gateway_id, reference, movement, booked_on, bank_reference, file_id)
     select :tenant, c.gateway_id, b.reference, b.movement, b.booked_on, b.bank_reference, :fileId
       from jsonb_to_recordset(:bookings::jsonb) as b (reference text, movement text, booked_on date, bank_reference text)
       join sepa_collections c on c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = b.reference
         on conflict do nothing
   )
   select 1`,
);

/** Inserts bookings; the first booking of each movement is kept. */
export async function insertBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  fileId: string,
  bookings: readonly Booking[],
): Promise<void> {
  if (bookings.length > 0)
    await tx.write(INSERT_BOOKINGS, { tenant, gatewayIds, fileId, bookings: JSON.stringify(bookings) });
}

const FORGET_RETURNS = sql(
  "sepa_bookings.forget_returns",
  `delete from sepa_bookings
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[]) and movement in ('debit', 'fee')`,
);

/** Deletes the returns of reinstated collections, so that the next return counts as another movement. */
export async function forgetReturns(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<void> {
  if (references.length > 0) await tx.write(FORGET_RETURNS, { tenant, gatewayIds, references });
}

const OURS = sql(
  "sepa_bookings.ours",
  `select n.name
     from unnest(:names::text[]) as n (name)
    where exists (select 1 from sepa_collections c where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = n.name)
       or exists (select 1 from sepa_collections c where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.block_id = n.name)
       or exists (select 1 from sepa_withdrawn w where w.tenant = :tenant and w.gateway_id = any (:gatewayIds::uuid[]) and w.block_id = n.name)
       or exists (select 1 from sepa_collections c
                   where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and upper(c.mandate_reference) = upper(n.name))
       or exists (select 1 from sepa_files f
                   where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.direction = 'out' and f.message_id = n.name)
       or exists (select 1 from mandates m
                   where m.tenant = :tenant and upper(m.reference collate "C") = upper(n.name collate "C"))
       or exists (select 1 from mandate_amendments a
                   where a.tenant = :tenant and upper(a.original_reference collate "C") = upper(n.name collate "C"))
       or (char_length(n.name) >= ${BANK_REFERENCE_MIN}
           and exists (select 1 from sepa_bookings b
                        where b.tenant = :tenant and b.gateway_id = any (:gatewayIds::uuid[]) and b.bank_reference = n.name))`,
).gives<{ name: string }>();

/**
 * Those of the names that are ours: end-to-end and instruction ids, blocks, files, mandates under any of their
 * references, and the bank's references of what it has booked for us, wherever in a file a bank puts them.
 */
export async function findOurs(
  db: Reader,
  tenant: number,
  gatewayIds: readonly string[],
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.query(OURS, { tenant, gatewayIds, names });
  return new Set(rows.map(({ name }) => name));
}

/** One line of a file's report. */
export type EntryLine = Omit<SepaEntryRow, "tenant" | "file_id">;

const INSERT_ENTRIES = sql(
  "sepa_files.insert_entries",
  `insert into sepa_entries (tenant, file_id, number, result, reference, amount, reason_code, detail)
   select :tenant, :fileId, number, result, reference, amount, reason_code, detail
     from jsonb_to_recordset(:lines::jsonb) as e
       (number integer, result text, reference text, amount numeric, reason_code text, detail text)`,
);

export async function insertEntries(
  tx: Tx,
  tenant: number,
  fileId: string,
  lines: readonly EntryLine[],
): Promise<void> {
  if (lines.length > 0) await tx.write(INSERT_ENTRIES, { tenant, fileId, lines: JSON.stringify(lines) });
}
