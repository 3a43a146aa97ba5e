/** The SQL of suggestions for an unmatched entry: by its references, then its mandate, then its amount. */
import { sql, type Reader } from "../../../db/database.ts";
import { must } from "../../../lib/assert.ts";
import type { IsoDate } from "../../../lib/dates.ts";

/** What a suggestion is based on, most certain first; `rank` in the statement is an index into this list. */
const CLUES = ["reference", "mandate", "amount"] as const;

interface FoundRow {
  readonly transaction_id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: string;
  readonly due_date: IsoDate | null;
  readonly customer_name: string | null;
  /** Index of its clue in `CLUES`. */
  readonly rank: number;
}

export interface Candidate extends Omit<FoundRow, "rank"> {
  readonly clue: (typeof CLUES)[number];
}

const SUGGEST = sql(
  "sepa_unmatched.suggest",
  `with found as (
     select c.reference, 0 as rank
       from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = any (:references::text[])
      union all
     select c.reference, 0
       from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.refund_of = any (:references::text[])
        and c.reversible_until is not null
      union all
     select c.reference, 1
       from sepa_collections c
      where c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and upper(c.mandate_reference) = upper(:mandate::text)
      union all
     select c.reference, 2
       from sepa_files f
       join sepa_collections c on c.tenant = :tenant and c.file_id = f.id
      where f.tenant = :tenant and f.direction = 'out' and f.created_at >= :from::date and f.created_at < :before::date
        and c.gateway_id = any (:gatewayIds::uuid[]) and c.amount = :amount::numeric
   )
   select t.id as transaction_id, c.reference, c.amount::text as amount, c.currency, c.state, c.due_date,
          l.first_name || ' ' || l.last_name as customer_name,
          coalesce(min(found.rank), 2) as rank
     from found
     join sepa_collections c on c.tenant = :tenant and c.gateway_id = any (:gatewayIds::uuid[]) and c.reference = found.reference
     join transactions t on t.tenant = :tenant and t.merchant_transaction_id = c.reference
     left join leads l on l.tenant = :tenant and l.id = t.lead_id
    where ((c.refund_of is not null) = :refunds or c.reversible_until is not null)
    group by t.id, c.reference, c.amount, c.currency, c.state, c.due_date, l.first_name, l.last_name
    order by min(found.rank), abs(coalesce(c.due_date, :booked::date) - :booked::date), c.reference
    limit :limit`,
).gives<FoundRow>();

/**
 * Payments that an entry may be about, most likely first.
 * @param asked the contents of the entry.
 */
export async function findCandidates(
  db: Reader,
  tenant: number,
  gatewayIds: readonly string[],
  asked: {
    readonly references: readonly string[];
    readonly mandate: string | null;
    readonly amount: string | null;
    readonly booked: IsoDate;
    /** The first day whose files count for the clue `amount`. */
    readonly from: IsoDate;
    /** The first day whose files no longer count. */
    readonly before: IsoDate;
    /** True: refunds and reversals. False: debits and reversals. */
    readonly refunds: boolean;
    readonly limit: number;
  },
): Promise<readonly Candidate[]> {
  const rows = await db.query(SUGGEST, { tenant, gatewayIds, ...asked });
  return rows.map(({ rank, ...found }) => ({ ...found, clue: must(CLUES[rank], "a clue for each rank") }));
}
