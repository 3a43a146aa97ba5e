/** The SQL of the books of bank accounts: what the bank is asked to collect, and what its files reported. */
import { sql, type Database, type Reader } from "../../db/database.ts";
import type { SepaCollectionRow, SepaNewsRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import type { News } from "../gateway.ts";

export type SepaCollection = SepaCollectionRow;

/** The account that the books belong to. */
interface SepaAccount {
  readonly tenant: number;
  readonly gatewayId: string;
}

export interface NewInstruction {
  readonly reference: string;
  readonly refundOf: string | null;
  readonly state: "mandate_only" | "accepted" | "refused";
  /** With two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly recurring: boolean;
  readonly scheme: "CORE" | "B2B";
  readonly mandateReference: string;
  readonly mandateSignedOn: string | null;
  readonly debtorName: string;
  /** Sealed. */
  readonly debtor: Buffer | null;
  readonly remittance: string;
  readonly notBefore: string | null;
  readonly reasonCode: string | null;
  readonly now: Date;
}

const OPEN = sql(
  "sepa.open",
  `insert into sepa_collections
     (tenant, gateway_id, reference, refund_of, state, amount, currency, recurring, mandate_reference, mandate_signed_on,
      debtor_name, debtor, remittance, not_before, reason_code, created_at, updated_at, scheme)
   values (:tenant, :gatewayId, :reference, :refundOf, :state, :amount, :currency, :recurring, :mandateReference, :mandateSignedOn, :debtorName, :debtor, :remittance, :notBefore, :reasonCode, :now, :now, :scheme)
       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1
   returning *`,
).gives<SepaCollection>();

/** Inserts the instruction unless one with this reference exists. Returns the row of that reference. */
export async function openInstruction(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  given: NewInstruction,
): Promise<SepaCollection> {
  const rows = await db.commit(OPEN, {
    tenant,
    gatewayId,
    reference: given.reference,
    refundOf: given.refundOf,
    state: given.state,
    amount: given.amount,
    currency: given.currency,
    recurring: given.recurring,
    mandateReference: given.mandateReference,
    mandateSignedOn: given.mandateSignedOn,
    debtorName: given.debtorName,
    debtor: given.debtor,
    remittance: given.remittance,
    notBefore: given.notBefore,
    reasonCode: given.reasonCode,
    now: given.now,
    scheme: given.scheme,
  });
  return first(rows);
}

const FIND_INSTRUCTION = sql(
  "sepa.find_instruction",
  "select * from sepa_collections where tenant = :tenant and gateway_id = :gatewayId and reference = :reference",
).gives<SepaCollection>();

export async function findInstruction(
  db: Reader,
  { tenant, gatewayId }: SepaAccount,
  reference: string,
): Promise<SepaCollection | null> {
  return (await db.query(FIND_INSTRUCTION, { tenant, gatewayId, reference }))[0] ?? null;
}

const HOLD_COLLECTED = sql(
  "sepa.lock_collected",
  "select 1 from sepa_collections where tenant = :tenant and gateway_id = :gatewayId and reference = :refundOf for update",
);

/**
 * Finds what can be refunded: money that settled by `:settledBy` and was not refunded. A refund goes to the account
 * that was debited. A reversal needs the file of its debit; one that the bank has collected from a withdrawn file is in none.
 */
const OPEN_REFUND = sql(
  "sepa.open_refund",
  `with collected as (
     select c.*, (select coalesce(sum(r.amount), 0) from sepa_collections r
                   where r.tenant = :tenant and r.gateway_id = :gatewayId and r.refund_of = :refundOf
                     and r.state in ('accepted', 'batched', 'settled')) as refunded
       from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = :gatewayId and c.reference = :refundOf and c.refund_of is null
   ), answer as (
     select case when c.reference is null or c.currency <> :currency then 'NOOR'
                 when c.state <> 'settled' or (:reversibleUntil::date is not null and c.assumed) then 'ARDT'
                 when :reversibleUntil::date is not null and c.file_id is null then 'AG02'
                 when :reversibleUntil::date is null and c.settled_on > :settledBy::date then 'DT01'
                 when c.amount - c.refunded < :amount::numeric then 'AM02'
                 when :reversibleUntil::date is not null and c.amount <> :amount::numeric then 'AM09'
            end as code
       from (select 1) one left join collected c on true
   ), recorded as (
     insert into sepa_collections
       (tenant, gateway_id, reference, refund_of, state, amount, currency, recurring, mandate_reference, debtor_name, debtor,
        remittance, not_before, reason_code, created_at, updated_at, collected_on, scheme, reversible_until)
     select :tenant, :gatewayId, :reference, :refundOf, case when a.code is null then 'accepted' else 'refused' end, :amount, :currency, false,
            coalesce(c.mandate_reference, ''), coalesce(c.debtor_name, ''), c.debtor, :remittance, :notBefore::date, a.code, :now, :now, c.settled_on, c.scheme, :reversibleUntil::date
       from answer a left join collected c on true
         on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1
     returning *
   )
   select * from recorded`,
).gives<SepaCollection>();

/**
 * Records a refund once per reference, if the collection allows it; a repeated call returns the recorded result. Locks
 * the collection's row first, so that concurrent refunds see each other and no refund coincides with a return.
 */
export async function openRefund(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  given: {
    readonly reference: string;
    readonly refundOf: string;
    readonly amount: string;
    readonly currency: string;
    readonly remittance: string;
    /** The latest settlement day that may be refunded today. */
    readonly settledBy: string;
    /**
     * For a reversal: the last day on which the bank accepts it; the debit is reversed in full. Null: the refund is a
     * transfer.
     */
    readonly reversibleUntil: string | null;
    readonly notBefore: string;
    readonly now: Date;
  },
): Promise<SepaCollection> {
  return db.transaction(async (tx) => {
    await tx.query(HOLD_COLLECTED, { tenant, gatewayId, refundOf: given.refundOf });
    return first(await tx.write(OPEN_REFUND, { ...given, tenant, gatewayId }));
  });
}

const FENCE = sql(
  "sepa.fence",
  `insert into sepa_collections
     (tenant, gateway_id, reference, state, amount, currency, recurring, mandate_reference, debtor_name, remittance,
      asked_count, created_at, updated_at)
   values (:tenant, :gatewayId, :reference, 'fenced', 0, '', false, '', '', '', 0, :now, :now)
       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count
   returning *`,
).gives<SepaCollection>();

/** The final outcome of a reference. If it has not been accepted by now, it never will be. */
export async function fenceReference(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  reference: string,
  now: Date,
): Promise<SepaCollection> {
  return first(await db.commit(FENCE, { tenant, gatewayId, reference, now }));
}

const WITHDRAW = sql(
  "sepa.withdraw",
  `update sepa_collections set state = 'fenced', updated_at = :now
    where tenant = :tenant and gateway_id = :gatewayId and reference = :reference and state = any (array['accepted', 'fenced'])
   returning reference`,
);

/**
 * Withdraws an instruction that is not in a file yet, after waiting for a run in progress. Returns false when it is in
 * a file.
 */
export async function withdrawInstruction(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  reference: string,
  now: Date,
): Promise<boolean> {
  return (await db.commit(WITHDRAW, { tenant, gatewayId, reference, now })).length === 1;
}

const OPEN_NEWS = sql(
  "sepa.open_news",
  `select * from sepa_news
    where tenant = :tenant and gateway_id = :gatewayId and acknowledged_at is null
    order by number
    limit :limit offset :skip`,
).gives<SepaNewsRow>();

/** News from files that payments have not applied yet, in the order of the files, without the first `skip`. */
export function openNews(
  db: Reader,
  { tenant, gatewayId }: SepaAccount,
  limit: number,
  skip: number,
): Promise<readonly SepaNewsRow[]> {
  return db.query(OPEN_NEWS, { tenant, gatewayId, limit, skip });
}

const ACKNOWLEDGE = sql(
  "sepa.acknowledge",
  `update sepa_news set acknowledged_at = :now
    where tenant = :tenant and gateway_id = :gatewayId and number = :id and acknowledged_at is null
      and (kind <> 'fee' or bank_fee = :fee::numeric)`,
);

/** Acknowledges news. A fee that has grown since it was read is reported again. */
export async function acknowledgeNews(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  news: Pick<News, "id"> & { readonly bankFee?: string | null },
  now: Date,
): Promise<void> {
  await db.commit(ACKNOWLEDGE, {
    tenant,
    gatewayId,
    id: must(news.id, "the number of a notice"),
    fee: news.bankFee ?? null,
    now,
  });
}

function first(rows: readonly SepaCollection[]): SepaCollection {
  const row = rows[0];
  if (row === undefined) throw new Error("The books of a bank account could not be written");
  return row;
}
