/**
 * The SQL of a bank's answer about a whole block or file: locks its instructions, sums them, updates them and writes
 * their bookings.
 */
import { sql, type Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { mayBeAtBank } from "../outgoing/withdraw-store.ts";
import { uniqueReference } from "./decide.ts";
import type { StatementPages } from "./statements/pages.ts";

/** One of our blocks, as a bank's collective booking or status report may name it. */
export interface BlockSums {
  readonly transactions: number;
  readonly batched: number;
  readonly settled: number;
  readonly refunds: number;
  /** Without rejected and cancelled instructions: a person decides whether the bank's sum includes them. */
  readonly amount: string;
  /** Null if they differ. */
  readonly currency: string | null;
}

/** SQL: our files with the named id; empty if a block is named. */
const NAMED_FILES = `(select f.id from sepa_files f
                where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.message_id = :messageId and f.direction = 'out')`;
/** SQL: whether the instruction `c` is in the named block or file. */
const IS_IN_IT = `c.block_id = :blockId or c.file_id in ${NAMED_FILES}`;
/** SQL: whether it was, before it was withdrawn: a bank that has the file can book it. */
const WAS_IN_IT = `c.reference in (
                select w.reference from sepa_withdrawn w
                 where w.tenant = :tenant and w.gateway_id = any (:gatewayIds::uuid[])
                   and (w.block_id = :blockId or w.file_id in ${NAMED_FILES}))`;
/**
 * SQL: the instructions of the named block; for a booking also those withdrawn from it. A status report is only about
 * those sent last.
 */
const IS_NAMED = `(${IS_IN_IT} or (:booked and ${WAS_IN_IT}))`;
/** SQL: the bank has not answered it yet. */
const IS_OPEN = "(c.state = 'batched' or (:booked and c.state = 'accepted'))";

const BLOCK = sql(
  "sepa_files.block",
  `with held as (
     select c.state, c.amount, c.currency, c.refund_of from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[])
        and ${IS_NAMED}
      order by c.reference
        for update
   )
   select count(*)::integer as transactions, count(*) filter (where ${IS_OPEN})::integer as batched,
          count(*) filter (where state in ('settled', 'returned'))::integer as settled,
          count(refund_of)::integer as refunds,
          coalesce(sum(amount) filter (where state not in ('rejected', 'fenced')), 0)::numeric(14,2)::text as amount,
          case when count(distinct currency) = 1 then min(currency) end as currency
     from held c`,
).gives<BlockSums>();

/**
 * Locks and sums a block, or a whole file by its message id.
 * @param booked whether the bank has booked it; instructions that were withdrawn from it count then, too.
 */
export async function lockBlock(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
  booked: boolean,
): Promise<BlockSums> {
  const rows = await tx.query(BLOCK, { tenant, gatewayIds, blockId, messageId, booked });
  return rows[0] ?? { transactions: 0, batched: 0, settled: 0, refunds: 0, amount: "0.00", currency: null };
}

interface BlockNames {
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
              (select f.message_id || '/' || c.block_id || '/' || c.reference from sepa_files f
                where f.tenant = :tenant and f.id = c.file_id),
              coalesce(:blockId, :messageId) || '/' || c.reference) else c.gateway_reference end
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and ${IS_OPEN} and ${IS_NAMED}
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

/** Moves a block's batched instructions to their final state and writes the news of each. Returns how many. */
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
    booked: to.state === "settled",
    now,
    on: to.on,
    reasonCode: to.reasonCode,
    bankReference: to.bankReference,
    reasonMessage: to.reasonMessage,
    fileId: to.fileId,
  });
  return rows[0]?.moved ?? 0;
}

/** SQL: the settled instructions of the named block or file. */
const IN_BLOCK = `c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.state in ('settled', 'returned')
      and (${IS_IN_IT} or ${WAS_IN_IT})`;

const COUNT_OTHERS = sql(
  "sepa_bookings.count_others",
  `select count(*)::integer as others
     from sepa_collections c
     join sepa_bookings b on b.tenant = :tenant and b.gateway_id = c.gateway_id and b.reference = c.reference and b.movement = :movement
    where ${IN_BLOCK}
      and (b.file_id = :fileId::uuid or b.named_file <> :namedFile or (b.booked_on <> :on::date and coalesce(b.bank_reference <> :bankReference, true))
           or exists (select 1 from sepa_page_entries p
                       where p.tenant = :tenant and p.statement = :statement::text and p.name = :movement || ' ' || c.reference
                         and p.page <> all (:here::integer[])))`,
).gives<{ others: number }>();

/**
 * How many of a block's instructions the bank has booked by another entry.
 * @param pages of the current statement; an entry on another page is another entry.
 */
export async function countBookedOtherwise(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
  booked: {
    readonly movement: "credit" | "debit";
    readonly fileId: string;
    readonly on: string;
    readonly bankReference: string | null;
    /** The message id of the file that the entry names, as a whole or by a block. */
    readonly namedFile: string;
  },
  pages: StatementPages["statement"] = null,
): Promise<number> {
  const { movement, fileId, on, bankReference, namedFile } = booked;
  const values = {
    tenant,
    gatewayIds,
    blockId,
    messageId,
    movement,
    fileId,
    on,
    bankReference: uniqueReference(bankReference),
    namedFile,
    statement: pages?.statement ?? null,
    here: pages?.here ?? [],
  };
  return (await tx.query(COUNT_OTHERS, values))[0]?.others ?? 0;
}

const INSERT_BLOCK = sql(
  "sepa_bookings.insert_block",
  `with booked as (
     insert into sepa_bookings (tenant, gateway_id, reference, movement, booked_on, bank_reference, file_id, named_file)
     select :tenant, c.gateway_id, c.reference, :movement, :on, :bankReference, :fileId, :namedFile
       from sepa_collections c
      where ${IN_BLOCK}
         on conflict do nothing
   )
   select 1`,
);

/** Writes one booking for each instruction of a block. */
export async function insertBlockBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
  booked: Parameters<typeof countBookedOtherwise>[4],
): Promise<void> {
  const { movement, fileId, on, bankReference, namedFile } = booked;
  await tx.write(INSERT_BLOCK, {
    tenant,
    gatewayIds,
    blockId,
    messageId,
    movement,
    fileId,
    on,
    bankReference,
    namedFile,
  });
}

const FIND_SENT_AGAIN = sql(
  "sepa_withdrawn.find_block_sent_again",
  `select f.message_id
     from sepa_withdrawn w
     join sepa_files f on f.tenant = :tenant and f.id = w.file_id and f.status = 'withdrawn'
     join sepa_collections c on c.tenant = :tenant and c.gateway_id = w.gateway_id and c.reference = w.reference
     join sepa_files sent on sent.tenant = :tenant and sent.id = c.file_id and ${mayBeAtBank("sent", ":tenant")}
    where w.tenant = :tenant and w.gateway_id = any (:gatewayIds::uuid[]) and (w.block_id = :blockId or f.message_id = :messageId)
    limit 1`,
).gives<Pick<SepaFileRow, "message_id">>();

/**
 * The withdrawn file named by the entry, or containing the named block, if any of it has been sent again since, or is
 * being sent; otherwise null.
 */
export async function findBlockSentAgain(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
): Promise<Pick<SepaFileRow, "message_id"> | null> {
  return (await tx.query(FIND_SENT_AGAIN, { tenant, gatewayIds, blockId, messageId }))[0] ?? null;
}
