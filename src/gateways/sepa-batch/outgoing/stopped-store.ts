/** The SQL of waiting instructions that must no longer be sent to the bank; every run applies the same rule. */
import { sql, type Database, type Tx } from "../../../db/database.ts";
import { HAS_ENDED, paidByOtherAttempt } from "../../../subscriptions/writes.ts";
import { namesOfMandate } from "../mandate-names.ts";

/** c instruction; t its transaction, m the mandate; o the debit that a refund is of, p that one's transaction. */
export const INSTRUCTION_JOINS = `
     left join transactions     t on t.tenant = :tenant and t.merchant_transaction_id = c.reference
     left join mandates         m on m.tenant = :tenant and m.id = t.mandate_id
     left join sepa_collections o on o.tenant = :tenant and o.gateway_id = :gatewayId and o.reference = c.refund_of
     left join transactions     p on p.tenant = :tenant and p.merchant_transaction_id = c.refund_of`;

/**
 * Why an instruction must not be sent; null if it may be. `over`: its payment ended in another way, such as a
 * chargeback entered by hand. `mandate`: its mandate allows no debit. `back`: the customer already has the debit's
 * money.
 */
export const WHY_STOPPED = `case
       when t.status in ('approved', 'declined', 'refunded', 'charged_back') then 'over'
       when c.refund_of is null and m.status in ('rejected', 'cancelled', 'expired') then 'mandate'
       when c.refund_of is not null and (o.state is distinct from 'settled' or p.status = 'charged_back') then 'back'
     end`;

/** A retry of a cycle that another attempt has paid; it stays out of files until it is withdrawn. */
export const IS_NOT_OWED =
  `(c.refund_of is null and t.cycle is not null and exists (${paidByOtherAttempt({ renewal: "t" })}))` as const;

/**
 * A renewal of a cancelled subscription. One that is in a file is collected; once its file is taken back it goes into
 * no other, until it is withdrawn within the hour (`subscriptions/withdraw.ts`).
 */
export const IS_CANCELLED = `(c.refund_of is null and t.cycle is not null and exists (
       select from subscriptions u where u.tenant = :tenant and u.id = t.subscription_id and ${HAS_ENDED}))` as const;

/** SQL: an id in the entry `u` is a collection of ours; instruction and transaction id may also be the bank's own. */
const NAMES_COLLECTION = `exists (
                           select from sepa_collections named
                            where named.tenant = :tenant and named.gateway_id = :gatewayId
                              and named.reference in (select jsonb_array_elements_text(u.facts -> 'ids' -> 'references')))` as const;

/**
 * SQL: the bank has reported a return or a refusal that waits for a person, and it may be about an instruction. An entry that names
 * the mandate, but neither an end-to-end id nor another collection, may be about each debit of the mandate, and names it by any
 * reference that it has had; a refusal of a whole block or file is about each instruction in it.
 */
export const mayHaveFailed = <Instruction extends string>(instruction: Instruction) =>
  `exists (
       select from sepa_unmatched u
        where u.tenant = :tenant and u.status in ('open', 'part')
          and (u.kind in ('return', 'reject')
               and (u.facts -> 'ids' -> 'references' ? ${instruction}.reference
                    or (u.facts -> 'ids' ->> 'endToEndId' is null and not ${NAMES_COLLECTION} and upper(${instruction}.mandate_reference) in (
                          ${namesOfMandate("(u.facts -> 'ids' ->> 'mandateReference')")})))
               or u.facts ->> 'kind' = 'block_reject'
               and coalesce(u.facts -> 'block' ->> 'blockId', u.facts -> 'block' ->> 'messageId')
                   in (${instruction}.block_id, regexp_replace(${instruction}.block_id, '-[0-9]+$', ''))))` as const;

/**
 * A refund of a debit that may have failed: it stays out of files until a person has decided, as the customer may have the money
 * already.
 */
export const IS_IN_DOUBT = `(c.refund_of is not null and ${mayHaveFailed("o")})` as const;

/** A payment that has already ended gets no news. */
const STOP = sql(
  "sepa_files.stop",
  `with stopped as (
     select c.reference, coalesce(${WHY_STOPPED}, case when :takesReversals then 'late' else 'off' end) as why
       from sepa_collections c ${INSTRUCTION_JOINS}
      where c.tenant = :tenant and c.gateway_id = :gatewayId and c.state = 'accepted' and (c.refund_of is not null) = :refunds
        and c.not_before <= :due::date and (${WHY_STOPPED} is not null or c.reversible_until < :on::date or (c.reversible_until is not null and not :takesReversals))
      order by c.reference
        for update of c
   ), reasons (why, code, words) as (values
     ('over', 'NARR', 'The payment ended before the instruction went to the bank.'),
     ('mandate', 'MD01', 'The mandate ended before the collection went to the bank.'),
     ('back', 'ARDT', 'The debit came back before the refund went to the bank: the customer has the money already.'),
     ('off', 'AG02', 'The account sends no reversals any more: refund the payment by transfer.'),
     ('late', 'DT01', 'The reversal did not go to the bank in the time in which it takes one: refund the payment by transfer.')
   ), moved as (
     update sepa_collections c
        set state = 'rejected', returned_on = :on::date, reason_code = r.code, updated_at = :now
       from stopped s join reasons r on r.why = s.why
      where c.tenant = :tenant and c.gateway_id = :gatewayId and c.reference = s.reference and c.state = 'accepted'
     returning c.reference, r.*
   ), reported as (
     insert into sepa_news (tenant, gateway_id, reference, kind, at, reason_code, reason_message)
     select :tenant, :gatewayId, reference, 'returned', timezone('UTC', :on::date::timestamp), code, words from moved where why <> 'over'
         on conflict (tenant, gateway_id, reference, kind, round) do nothing
   )
   select count(*)::integer as stopped from moved`,
).gives<{ stopped: number }>();

/**
 * Stops waiting instructions that must no longer be sent and writes their news. This includes reversals after their
 * last day, and those of an account that no longer sends any.
 * @param which refunds or debits, limited to those that may be due by a day.
 * @param which.on the day of the news.
 * @param which.takesReversals whether the account's current settings allow them.
 * @returns how many.
 */
export async function stopInstructions(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  which: {
    readonly refunds: boolean;
    readonly due: string;
    readonly on: string;
    readonly takesReversals: boolean;
  },
  now: Date,
): Promise<number> {
  const values = { tenant, gatewayId, ...which, now };
  return (await tx.write(STOP, values))[0]?.stopped ?? 0;
}

/**
 * Stops the waiting refunds that must no longer be sent and may be due by a day, in one round trip.
 * @returns how many.
 */
export async function stopRefunds(
  db: Pick<Database, "commit">,
  tenant: number,
  gatewayId: string,
  { on, takesReversals }: { readonly on: string; readonly takesReversals: boolean },
  now: Date,
): Promise<number> {
  const values = { tenant, gatewayId, refunds: true, due: on, on, takesReversals, now };
  return (await db.commit(STOP, values))[0]?.stopped ?? 0;
}
