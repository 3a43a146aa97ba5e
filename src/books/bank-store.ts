/** The rules of the books check about accounts at a bank: what the bank's files made of instructions, money in against money out, what nobody has taken. */
import { rule } from "./rule-store.ts";

/** Statuses of ours whose end is open. */
const OPEN = "('submitted', 'unresolved', 'awaiting_verification', 'verifying')";

/** What an instruction and its transaction may be at one time, once every notice of it is taken. */
const AGREED = `(values
  ('debit', 'none', 'declined'), ('debit', 'refused', 'declined'), ('debit', 'fenced', 'declined'),
  ('debit', 'fenced', 'none'), ('refund', 'fenced', 'none'), ('debit', 'mandate_only', 'approved'),
  ('debit', 'accepted', 'pending'), ('debit', 'accepted', 'charged_back'),
  ('debit', 'batched', 'pending'), ('debit', 'batched', 'charged_back'),
  ('debit', 'settled', 'approved'), ('debit', 'settled', 'refunded'), ('debit', 'settled', 'charged_back'),
  ('debit', 'returned', 'charged_back'), ('debit', 'rejected', 'declined'), ('debit', 'rejected', 'charged_back'),
  ('refund', 'none', 'declined'), ('refund', 'refused', 'declined'), ('refund', 'fenced', 'declined'),
  ('refund', 'accepted', 'pending'), ('refund', 'batched', 'pending'), ('refund', 'settled', 'approved'),
  ('refund', 'rejected', 'declined')
) as agreed (kind, bank, ours)`;

/** A chargeback entered by hand may be of a debit that waits or is with the bank. A notice on its way is told of below. */
export const BANK = rule(
  "bank",
  `with pairs as (
     select coalesce(c.tenant, t.tenant) as tenant, coalesce(c.reference, t.merchant_transaction_id) as reference,
            case when c.refund_of is not null or t.type = 'sdd_refund' then 'refund' else 'debit' end as kind,
            coalesce(c.state, 'none') as bank, coalesce(t.status, 'none') as ours,
            c.amount as bank_amount, c.currency as bank_currency, t.amount, t.currency, c.refund_of,
            p.merchant_transaction_id as original,
            exists (select 1 from sepa_news n
                     where n.tenant = c.tenant and n.gateway_id = c.gateway_id and n.reference = c.reference
                       and n.acknowledged_at is null) as on_its_way
       from sepa_collections c
       full join (select t.* from transactions t
                    join gateways g on g.tenant = t.tenant and g.id = t.gateway_id and g.adapter = 'sepa_batch'
                   where t.source <> 'csv_import') t
         on t.tenant = c.tenant and t.gateway_id = c.gateway_id and t.merchant_transaction_id = c.reference
       left join transactions p on p.tenant = t.tenant and p.id = t.original_id
   )
   select tenant, 'MONEY-2' as invariant, format('%s is %s in the bank''s books, and %s here.', reference,
                         case bank when 'none' then 'unknown' else bank end,
                         case ours when 'none' then 'unknown' else ours end) as words
     from pairs
    where ours not in ${OPEN} and not on_its_way
      and not exists (select 1 from ${AGREED} where (agreed.kind, agreed.bank, agreed.ours) = (pairs.kind, pairs.bank, pairs.ours))
    union all
   select tenant, 'MONEY-3', format('%s is %s %s in the bank''s books, and %s %s here.', reference, bank_amount, bank_currency, amount, currency)
     from pairs
    where bank not in ('none', 'fenced') and ours <> 'none' and (bank_amount, bank_currency) <> (amount, currency)
    union all
   select tenant, 'MONEY-6', format('%s gives back %s in the bank''s books, and %s here.', reference, refund_of, original)
     from pairs
    where refund_of is not null and original is not null and refund_of <> original`,
);

/** So long a notice may take from the file to the payment. */
const NOTICE_MINUTES = 10;

export const BANK_NEWS = rule(
  "bank_news",
  `select n.tenant, 'FILE-3' as invariant, format('The bank''s notice that %s was %s has not been taken: %s is %s here.', n.reference, n.kind,
                           n.reference, coalesce(t.status, 'unknown')) as words
     from sepa_news n
     left join transactions t on t.tenant = n.tenant and t.merchant_transaction_id = n.reference
     left join gateway_news_set_aside a
       on a.tenant = n.tenant and a.gateway_id = n.gateway_id and a.reference = n.reference
    where n.acknowledged_at is null and n.written_at < now() - interval '${NOTICE_MINUTES} minutes'
      and a.reference is null and coalesce(t.status, '') not in ${OPEN}`,
);

/**
 * One row per debit: what came in; what went out by refunds that have left, and back by its bank or by a chargeback that was
 * entered by hand; what is still to go out.
 */
const MONEY = `
     select c.tenant, c.reference, c.currency, c.state,
            case when c.state in ('settled', 'returned') or k.amount > 0 then c.amount else 0 end as money_in,
            coalesce(r.gone, 0) as refunded, coalesce(r.waiting, 0) as waiting, r.names,
            case when c.state = 'returned' then coalesce(k.amount, c.amount) else coalesce(k.amount, 0) end as back
       from sepa_collections c
       left join lateral (
         select sum(r.amount) filter (where r.state = 'settled' or f.status in ('renaming', 'sent', 'unclear')) as gone,
                sum(r.amount) filter (where r.state = 'accepted' or f.status in ('ready', 'stored', 'uploading')) as waiting,
                string_agg(r.reference, ', ' order by r.reference) as names
           from sepa_collections r
           left join sepa_files f on f.tenant = r.tenant and f.id = r.file_id and r.state = 'batched'
          where r.tenant = c.tenant and r.gateway_id = c.gateway_id and r.refund_of = c.reference
            and r.state in ('accepted', 'batched', 'settled')
       ) r on true
       left join lateral (
         select k.amount from transactions t
           join chargebacks k on k.tenant = t.tenant and k.transaction_id = t.id and k.withdrawn_on is null
          where t.tenant = c.tenant and t.merchant_transaction_id = c.reference and t.status = 'charged_back'
            and c.state in ('batched', 'settled', 'returned')
       ) k on true
      where c.refund_of is null`;

/** What we let out ourselves never exceeds what came in. */
export const BANK_MONEY = rule(
  "bank_money",
  `with money as (${MONEY})
   select tenant, 'MONEY-5' as invariant, format('%s brought in %s %s, and its refunds %s come to %s.', reference, money_in, currency, names,
                         refunded + waiting) as words
     from money
    where refunded + waiting > money_in
    union all
   select tenant, 'MONEY-7', format('%s came back, and its refunds %s of %s still wait.', reference, names, waiting)
     from money
    where state = 'returned' and waiting > 0 and refunded + waiting <= money_in`,
);

/** A refund had left when the debit came back: no record is wrong, and the money is gone twice. */
export const BANK_LOSSES = rule(
  "bank_losses",
  `with money as (${MONEY})
   select tenant, 'MONEY-5' as invariant, format('%s brought in %s %s, and %s has left: %s by the refunds %s, %s back to the debtor. A loss of %s.', reference,
                         money_in, currency, refunded + back, refunded, names, back, refunded + back - money_in) as words
     from money
    where refunded > 0 and back > 0 and refunded <= money_in and refunded + back > money_in`,
);
