/** The books of accounts at a bank in SQL: what it is to collect, and what its files have said about it. */
import { sql, type Database, type Reader } from "../../db/database.ts";
import type { SepaCollectionRow, SepaNewRow } from "../../db/rows.ts";

export type SepaCollection = SepaCollectionRow;
export type SepaState = SepaCollection["state"];

/** Whose books: one account of one merchant. */
export interface SepaAccount {
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
      debtor_name, debtor, remittance, not_before, reason_code, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)
       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1
   returning *`,
);

/** Writes the first instruction under a reference; any later one gets what is there. */
export async function openInstruction(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  given: NewInstruction,
): Promise<SepaCollection> {
  const rows = await db.commit<SepaCollection>(OPEN, [
    tenant,
    gatewayId,
    given.reference,
    given.refundOf,
    given.state,
    given.amount,
    given.currency,
    given.recurring,
    given.mandateReference,
    given.mandateSignedOn,
    given.debtorName,
    given.debtor,
    given.remittance,
    given.notBefore,
    given.reasonCode,
    given.now,
  ]);
  return first(rows);
}

/**
 * The collection's row is held first, so that of any number of refunds at once each sees what is left. Only money that
 * is settled since `$6` can go back, to the account that it came from.
 */
const OPEN_REFUND = sql(
  "sepa.open_refund",
  `with collected as (
     select * from sepa_collections
      where tenant = $1 and gateway_id = $2 and reference = $4 and refund_of is null
        for update
   ), answer as (
     select case when c.reference is null or c.currency <> $7 then 'NOOR'
                 when c.state <> 'settled' then 'ARDT'
                 when c.settled_on > $6::date then 'DT01'
                 when c.amount - c.refunded < $5::numeric then 'AM02'
            end as code
       from (select 1) one left join collected c on true
   ), r as (
     insert into sepa_collections
       (tenant, gateway_id, reference, refund_of, state, amount, currency, recurring, mandate_reference, debtor_name, debtor,
        remittance, not_before, reason_code, created_at, updated_at, collected_on)
     select $1, $2, $3, $4, case when a.code is null then 'accepted' else 'refused' end, $5, $7, false,
            coalesce(c.mandate_reference, ''), coalesce(c.debtor_name, ''), c.debtor, $8, $9::date, a.code, $10, $10, c.settled_on
       from answer a left join collected c on true
         on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count + 1
     returning *
   ), counted as (
     update sepa_collections c
        set refunded = c.refunded + r.amount, updated_at = $10
       from r
      where c.tenant = $1 and c.gateway_id = $2 and c.reference = $4 and r.state = 'accepted' and r.asked_count = 1
   )
   select * from r`,
);

/** Takes up a refund once under a reference, if the collection allows it; any later one gets what is there. */
export async function openRefund(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  given: {
    readonly reference: string;
    readonly refundOf: string;
    readonly amount: string;
    readonly currency: string;
    readonly remittance: string;
    /** The latest day of settlement that may be given back today. */
    readonly settledBy: string;
    readonly notBefore: string;
    readonly now: Date;
  },
): Promise<SepaCollection> {
  const { reference, refundOf, amount, settledBy, currency, remittance, notBefore, now } = given;
  const values = [
    tenant,
    gatewayId,
    reference,
    refundOf,
    amount,
    settledBy,
    currency,
    remittance,
    notBefore,
    now,
  ];
  return first(await db.commit<SepaCollection>(OPEN_REFUND, values));
}

const FENCE = sql(
  "sepa.fence",
  `insert into sepa_collections
     (tenant, gateway_id, reference, state, amount, currency, recurring, mandate_reference, debtor_name, remittance,
      asked_count, created_at, updated_at)
   values ($1, $2, $3, 'fenced', 0, '', false, '', '', '', 0, $4, $4)
       on conflict (tenant, gateway_id, reference) do update set asked_count = sepa_collections.asked_count
   returning *`,
);

/** The last word on a reference: what was not accepted by now never will be. */
export async function fenceReference(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  reference: string,
  now: Date,
): Promise<SepaCollection> {
  return first(await db.commit<SepaCollection>(FENCE, [tenant, gatewayId, reference, now]));
}

const OPEN_NEWS = sql(
  "sepa.open_news",
  `select * from sepa_news
    where tenant = $1 and gateway_id = $2 and acknowledged_at is null
    order by number
    limit $3`,
);

/** What the files said and the payments do not have yet, in the files' order. */
export function openNews(
  db: Reader,
  { tenant, gatewayId }: SepaAccount,
  limit: number,
): Promise<readonly SepaNewRow[]> {
  return db.query<SepaNewRow>(OPEN_NEWS, [tenant, gatewayId, limit]);
}

const ACKNOWLEDGE = sql(
  "sepa.acknowledge",
  `update sepa_news set acknowledged_at = $5
    where tenant = $1 and gateway_id = $2 and reference = $3 and kind = $4 and acknowledged_at is null`,
);

export async function acknowledgeNews(
  db: Database,
  { tenant, gatewayId }: SepaAccount,
  { reference, kind }: Pick<SepaNewRow, "reference" | "kind">,
  now: Date,
): Promise<void> {
  await db.commit(ACKNOWLEDGE, [tenant, gatewayId, reference, kind, now]);
}

function first(rows: readonly SepaCollection[]): SepaCollection {
  const row = rows[0];
  if (row === undefined) throw new Error("The books of a bank account could not be written");
  return row;
}
