/** The SQL that finds the first booking of a movement, and which references in a file are ours. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import type { SepaBookingRow } from "../../../db/rows.ts";
import type { BlockNames } from "./changes-store.ts";

/** A movement of an instruction as the bank has booked it. */
export interface Booking {
  readonly reference: string;
  readonly movement: "credit" | "debit" | "fee";
  readonly booked_on: string;
  /** AcctSvcrRef. */
  readonly bank_reference: string | null;
}

const FIND = sql(
  "sepa_bookings.find",
  `select reference, movement, booked_on, bank_reference, file_id from sepa_bookings
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[])`,
);

/** What the bank has booked under these references. Read after they are locked: a booking is written under that lock. */
export function findBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<readonly Omit<SepaBookingRow, "tenant" | "gateway_id">[]> {
  return tx.query(FIND, { tenant, gatewayIds, references });
}

const INSERT = sql(
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

/** Keeps the first booking of each movement. */
export async function insertBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  fileId: string,
  bookings: readonly Booking[],
): Promise<void> {
  if (bookings.length > 0)
    await tx.write(INSERT, { tenant, gatewayIds, fileId, bookings: JSON.stringify(bookings) });
}

const FORGET_RETURNS = sql(
  "sepa_bookings.forget_returns",
  `delete from sepa_bookings
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and reference = any (:references::text[]) and movement in ('debit', 'fee')`,
);

/** Of what is there after all: the next return is another movement. */
export async function forgetReturns(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  references: readonly string[],
): Promise<void> {
  if (references.length > 0) await tx.write(FORGET_RETURNS, { tenant, gatewayIds, references });
}

/** Of a block or of a whole file, as in the statements that move blocks. */
const IN_BLOCK = `c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.state in ('settled', 'returned')
      and (c.block_id = :blockId or (:messageId::text is not null and c.file_id in (select id from sepa_files f
            where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.message_id = :messageId and f.direction = 'out')))`;

const COUNT_OTHERS = sql(
  "sepa_bookings.count_others",
  `select count(*)::integer as others
     from sepa_collections c
     join sepa_bookings b on b.tenant = :tenant and b.gateway_id = c.gateway_id and b.reference = c.reference and b.movement = :movement
    where ${IN_BLOCK}
      and (b.file_id = :fileId::uuid or (b.booked_on <> :on::date and coalesce(b.bank_reference <> :bankReference, true)))`,
).gives<{ others: number }>();

/** How many of a block's instructions the bank has booked by another entry than this one. */
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
  },
): Promise<number> {
  const { movement, fileId, on, bankReference } = booked;
  const values = { tenant, gatewayIds, blockId, messageId, movement, fileId, on, bankReference };
  return (await tx.query(COUNT_OTHERS, values))[0]?.others ?? 0;
}

const INSERT_BLOCK = sql(
  "sepa_bookings.insert_block",
  `with booked as (
     insert into sepa_bookings (tenant, gateway_id, reference, movement, booked_on, bank_reference, file_id)
     select :tenant, c.gateway_id, c.reference, :movement, :on, :bankReference, :fileId
       from sepa_collections c
      where ${IN_BLOCK}
         on conflict do nothing
   )
   select 1`,
);

/** Keeps one booking for all of a block. */
export async function insertBlockBookings(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  { blockId, messageId }: BlockNames,
  booked: Parameters<typeof countBookedOtherwise>[4],
): Promise<void> {
  const { movement, fileId, on, bankReference } = booked;
  await tx.write(INSERT_BLOCK, {
    tenant,
    gatewayIds,
    blockId,
    messageId,
    movement,
    fileId,
    on,
    bankReference,
  });
}

/** A shorter reference of a bank's is a number of the day, which means something else tomorrow. */
const BANK_REFERENCE_MIN = 6;

const OURS = sql(
  "sepa_bookings.ours",
  `select n.name
     from unnest(:names::text[]) as n (name)
    where exists (select 1 from sepa_collections c where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = n.name)
       or exists (select 1 from sepa_collections c where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.block_id = n.name)
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
 * Those of the names that are ours: end-to-end and instruction ids, blocks, files, mandates by any reference that they
 * have had, and the bank's references of what it has booked for us. In whichever place of a file a bank puts them.
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
