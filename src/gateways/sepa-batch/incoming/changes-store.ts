/** The SQL of what a bank file changes: finds, locks and updates instructions, and writes their news and the report. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaEntryRow } from "../../../db/rows.ts";
import type { SepaCollection } from "../books-store.ts";
import { utcDate } from "../../../lib/dates.ts";
import { UNAUTHORISED_REFUND_MONTHS } from "../../../sepa/windows.ts";
import { stopWaiting } from "../outgoing/stopped-store.ts";

const LOCK_COLLECTIONS = sql(
  "sepa_files.lock_collections",
  `select * from sepa_collections
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[])
    order by reference
      for update`,
).gives<SepaCollection>();

/** The instructions of these references, held until the transaction ends. A reference belongs to one gateway of a tenant. */
export function lockCollections(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<readonly SepaCollection[]> {
  return tx.query(LOCK_COLLECTIONS, { tenant, gatewayIds, references });
}

const BY_MANDATE = sql(
  "sepa_files.by_mandate",
  `select * from sepa_collections
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and amount = :amount::numeric and currency = :currency and refund_of is null
      and upper(mandate_reference) in (
        select upper(:reference::text)
         union all
        select upper(r.reference)
          from (select id as mandate_id from mandates where tenant = :tenant and upper(reference collate "C") = upper(:reference collate "C")
                 union
                select mandate_id from mandate_amendments
                 where tenant = :tenant and upper(original_reference collate "C") = upper(:reference collate "C")) named
          join lateral (select reference from mandates m where m.tenant = :tenant and m.id = named.mandate_id
                         union all
                        select original_reference from mandate_amendments a
                         where a.tenant = :tenant and a.mandate_id = named.mandate_id and a.kind = 'reference') r on true)
      and state in ('batched', 'settled', 'returned', 'rejected') and due_date > :before::date - interval '${UNAUTHORISED_REFUND_MONTHS} months'
    limit 2
      for update`,
).gives<SepaCollection>();

/**
 * The one collection on a mandate, by any reference that it has had, with this amount in the months before in which the bank can take it back;
 * null when there is none, or more than one.
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
  },
): Promise<SepaCollection | null> {
  const { reference, amount, currency, before } = mandate;
  const values = { tenant, gatewayIds, reference, amount, before, currency };
  const rows = await tx.query(BY_MANDATE, values);
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

/** One of our blocks, as a bank's collective booking or status report may name it. */
export interface BlockSums {
  readonly transactions: number;
  readonly batched: number;
  readonly settled: number;
  readonly refunds: number;
  /** Without what was rejected. */
  readonly amount: string;
  /** Null where they are not all in one. */
  readonly currency: string | null;
}

const BLOCK = sql(
  "sepa_files.block",
  `with held as (
     select c.state, c.amount, c.currency, c.refund_of from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[])
        and (c.block_id = :blockId
             or (:messageId::text is not null and c.file_id in (select id from sepa_files f
                  where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.message_id = :messageId and f.direction = 'out')))
      order by c.reference
        for update
   )
   select count(*)::integer as transactions, count(*) filter (where state = 'batched')::integer as batched,
          count(*) filter (where state in ('settled', 'returned'))::integer as settled,
          count(refund_of)::integer as refunds,
          coalesce(sum(amount) filter (where state <> 'rejected'), 0)::numeric(14,2)::text as amount,
          case when count(distinct currency) = 1 then min(currency) end as currency
     from held`,
).gives<BlockSums>();

/** Holds all of a block, or of a whole file by its message id, and adds it up. */
export async function lockBlock(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
): Promise<BlockSums> {
  const rows = await tx.query(BLOCK, { tenant, gatewayIds, blockId, messageId });
  return rows[0] ?? { transactions: 0, batched: 0, settled: 0, refunds: 0, amount: "0.00", currency: null };
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
        set state = :state, updated_at = :now,
            settled_on = case when :state = 'settled' then :on::date else c.settled_on end,
            returned_on = case when :state = 'rejected' then :on::date else c.returned_on end,
            reason_code = :reasonCode,
            gateway_reference = case when :state = 'settled' then coalesce(:bankReference || ':' || c.reference,
              f.message_id || '/' || c.block_id || '/' || c.reference) else c.gateway_reference end
       from sepa_files f
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and f.tenant = :tenant and f.id = c.file_id and c.state = 'batched'
        and (c.block_id = :blockId or (:messageId::text is not null and f.message_id = :messageId))
     returning c.*
   ), reported as (
     insert into sepa_news (tenant, gateway_id, reference, kind, round, at, gateway_reference, reason_code, reason_message, file_id)
     select :tenant, gateway_id, reference, case when :state = 'settled' then 'settled' else 'returned' end, round, timezone('UTC', :on::date::timestamp), gateway_reference, :reasonCode, :reasonMessage, :fileId
       from moved
      order by reference
         on conflict (tenant, gateway_id, reference, kind, round) do nothing
   )
   select count(*)::integer as moved from moved`,
).gives<{ moved: number }>();

/** Moves what is batched of a block to its end, with the news of each. Returns how many. */
export async function moveBlock(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
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
  const rows = await tx.write(MOVE_BLOCK, {
    tenant,
    gatewayIds,
    blockId: names.blockId,
    messageId: names.messageId,
    state: to.state,
    now,
    on: to.on,
    reasonCode: to.reasonCode,
    bankReference: to.bankReference,
    reasonMessage: to.reasonMessage,
    fileId: to.fileId,
  });
  return rows[0]?.moved ?? 0;
}

/** What one entry changes. */
export interface CollectionChange {
  readonly reference: string;
  readonly state: "settled" | "rejected" | "returned";
  readonly on: string;
  readonly reason_code: string | null;
  readonly gateway_reference: string | null;
  /** A fee moves nothing: it is added to the chargeback. */
  readonly news: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly bank_fee: string | null;
  /** Of a return of a part; null for the whole. */
  readonly amount?: string | null;
}

const CHANGE = sql(
  "sepa_files.change",
  `with given as (
     select * from jsonb_to_recordset(:given::jsonb) as g (
       reference text, state text, "on" date, reason_code text, gateway_reference text, news text, reason_message text,
       report_type text, bank_fee numeric, amount numeric, position integer)
   ), newest as (
     select distinct on (reference) * from given where news <> 'fee' order by reference, position desc
   ), held as materialized (
     select gateway_id, reference, round from sepa_collections
      where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference in (select reference from given)
   ), moved as (
     update sepa_collections c
        set state = n.state, updated_at = :now,
            settled_on = coalesce((select g."on" from given g where g.reference = c.reference and g.news = 'settled'), c.settled_on,
              case when n.news = 'reinstated' then n."on" end),
            reinstated_on = case when n.news = 'reinstated' then n."on" else c.reinstated_on end,
            round = c.round + (n.news = 'reinstated')::integer,
            returned_on = case when n.state in ('returned', 'rejected') then n."on" else c.returned_on end,
            reason_code = coalesce(n.reason_code, c.reason_code),
            gateway_reference = coalesce((select g.gateway_reference from given g
              where g.reference = c.reference and g.state = 'settled'), c.gateway_reference)
       from newest n
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = n.reference
   ), told as materialized (
     select c.gateway_id, g.reference, g.news, c.round + (g.news = 'reinstated')::integer as round,
            timezone('UTC', g."on"::timestamp) as at,
            g.gateway_reference, g.reason_code, g.reason_message, g.report_type,
            -- A fee that comes later is reported as the fee in all.
            g.bank_fee + case when g.news <> 'fee' then 0 else coalesce(
              (select n.bank_fee from sepa_news n
                where n.tenant = :tenant and n.gateway_id = c.gateway_id and n.reference = g.reference and n.kind = 'charged_back'
                  and n.round = c.round),
              (select b.bank_fee from given b where b.reference = g.reference and b.news = 'charged_back'), 0) end as bank_fee,
            g.amount, g.position
       from given g
       join held c on c.reference = g.reference
   ), written as (
     -- From a branch without tables: on Citus the coordinator then numbers all news, in the order in which they happen.
     insert into sepa_news
       (tenant, gateway_id, reference, kind, round, at, gateway_reference, reason_code, reason_message, report_type, bank_fee, amount, file_id)
     select :tenant, gateway_id, reference, news, round, at, gateway_reference, reason_code, reason_message, report_type, bank_fee,
            amount, :fileId
       from told
      order by position
         on conflict (tenant, gateway_id, reference, kind, round) do nothing
   )
   select 1`,
);

/** Writes what entries change, in their order, with their news; refunds of debits that came back are taken out. */
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
  // A customer who reclaimed the debit from their bank is not refunded again.
  const on = utcDate(now);
  for (const gatewayId of gatewayIds) {
    await stopWaiting(tx, tenant, gatewayId, { refunds: true, due: on, on }, now);
  }
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

/** A line as it is listed; what went out and has no answer is `unanswered`. */
type ListedLine = Omit<EntryLine, "result"> & { readonly result: string };

const LIST_ENTRIES = sql(
  "sepa_files.list_entries",
  `select number, result, reference, amount::text, reason_code, detail from sepa_entries
    where tenant = :tenant and file_id = :fileId and number > :after and (:result::text is null or result = :result)
    order by number
    limit :limit`,
).gives<EntryLine>();

/** The lines of a report after a number. */
export function listReportLines(
  db: Reader,
  tenant: number,
  fileId: string,
  {
    after,
    limit,
    result,
  }: { readonly after: number; readonly limit: number; readonly result: string | null },
): Promise<readonly EntryLine[]> {
  return db.query(LIST_ENTRIES, { tenant, fileId, after, limit, result });
}

const LIST_INSTRUCTIONS = sql(
  "sepa_files.list_instructions",
  `select number, result, reference, amount::text, reason_code, '' as detail
     from (select row_number() over (order by reference)::integer as number,
                  case state when 'batched' then 'unanswered' else state end as result, reference, amount, reason_code
             from sepa_collections where tenant = :tenant and file_id = :fileId) i
    where number > :after and (:result::text is null or result = :result)
    order by number
    limit :limit`,
).gives<ListedLine>();

/** The instructions of a file that went out, and the answer to each, after a number. */
export function listInstructions(
  db: Reader,
  tenant: number,
  fileId: string,
  { after, limit, result }: Parameters<typeof listReportLines>[3],
): Promise<readonly ListedLine[]> {
  return db.query(LIST_INSTRUCTIONS, { tenant, fileId, after, limit, result });
}

const ASSUMABLE = sql(
  "sepa_files.assumable",
  `select c.reference, c.file_id, c.due_date, f.message_id || '/' || c.block_id || '/' || c.reference as gateway_reference
     from sepa_collections c
     join sepa_files f on f.tenant = :tenant and f.id = c.file_id
    where c.tenant = :tenant and c.gateway_id = :gatewayId and c.state = 'batched' and c.due_date <= :dueBy::date
      and f.status = 'sent'
    order by c.due_date, c.reference
    limit :limit
      for update of c`,
).gives<AssumableRow>();

interface AssumableRow {
  readonly reference: string;
  readonly file_id: string;
  readonly due_date: string;
  readonly gateway_reference: string;
}

/** Instructions of sent files that were due by a day and that the bank has said nothing about. */
export function findAssumable(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  dueBy: string,
  limit: number,
): Promise<readonly AssumableRow[]> {
  return tx.query(ASSUMABLE, { tenant, gatewayId, dueBy, limit });
}

const MARK_ASSUMED = sql(
  "sepa_files.mark_assumed",
  `update sepa_collections set assumed = true
    where tenant = :tenant and gateway_id = :gatewayId and reference = any (:references::text[])`,
);

export async function markAssumed(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  references: readonly string[],
): Promise<void> {
  await tx.write(MARK_ASSUMED, { tenant, gatewayId, references });
}
