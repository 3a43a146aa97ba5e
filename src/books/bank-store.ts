/**
 * Rules of the books check for bank accounts: instructions against transactions, files against their contents, and
 * notices that were not applied.
 */
import { OPEN_IN_SQL } from "../payments/transaction.ts";
import { rule } from "./rule-store.ts";

/** Compares the books of a bank account with our records, except for states, which collections.ts compares. */
export const BANK = rule(
  "bank",
  `with pairs as (
     select c.tenant, c.reference, c.state, t.status, c.amount as bank_amount, c.currency as bank_currency, t.amount, t.currency,
            c.refund_of, p.merchant_transaction_id as original
       from sepa_collections c
       left join transactions t
         on t.tenant = c.tenant and t.gateway_id = c.gateway_id and t.merchant_transaction_id = c.reference
       left join transactions p on p.tenant = t.tenant and p.id = t.original_id
      where c.state <> 'fenced'
   )
   select tenant, 'MONEY-2' as invariant, format('%s is %s in the bank''s books but unknown here.', reference, state) as words
     from pairs where status is null
    union all
   select tenant, 'MONEY-3', format('%s is %s %s in the bank''s books but %s %s here.', reference, bank_amount, bank_currency, amount, currency)
     from pairs where (bank_amount, bank_currency) <> (amount, currency)
    union all
   select tenant, 'MONEY-6', format('%s refunds %s in the bank''s books but %s here.', reference, refund_of, original)
     from pairs where refund_of <> original`,
);

/** How long a notice may take from the file to the payment. */
const NOTICE_MINUTES = 10;

export const BANK_NEWS = rule(
  "bank_news",
  `select n.tenant, 'FILE-3' as invariant, format('The bank''s notice that %s was %s was not applied: %s is %s here.', n.reference, n.kind,
                           n.reference, coalesce(t.status, 'unknown')) as words
     from sepa_news n
     left join transactions t on t.tenant = n.tenant and t.merchant_transaction_id = n.reference
     left join gateway_news_set_aside a
       on a.tenant = n.tenant and a.gateway_id = n.gateway_id and a.reference = n.reference
    where n.acknowledged_at is null and n.written_at < now() - interval '${NOTICE_MINUTES} minutes'
      and a.reference is null and coalesce(t.status, '') not in ${OPEN_IN_SQL}`,
);

/** The totals of an outgoing file match its contents; a withdrawn file is empty; a file that is sent is approved. */
export const FILES = rule(
  "bank_files",
  `with held as (
     select tenant, file_id, count(*)::integer as number, sum(amount) as amount, count(*) filter (where state = 'batched') as waiting
       from sepa_collections where file_id is not null group by tenant, file_id
   ), approved as (
     select tenant, file_id, count(*)::integer as number from sepa_file_approvals group by tenant, file_id
   )
   select f.tenant, 'MONEY-4' as invariant, format('The file %s declares %s payments of %s but contains %s of %s.', f.name, f.transactions, f.amount,
                                                   coalesce(h.number, 0), coalesce(h.amount, 0.00)) as words
     from sepa_files f
     left join held h on h.tenant = f.tenant and h.file_id = f.id
    where f.direction = 'out' and f.status <> 'withdrawn' and (f.transactions, f.amount) <> (coalesce(h.number, 0), coalesce(h.amount, 0))
    union all
   select f.tenant, 'LIVE-2', format('%s payments wait in the file %s, which was withdrawn.', h.waiting, f.name)
     from sepa_files f
     join held h on h.tenant = f.tenant and h.file_id = f.id
    where f.status = 'withdrawn' and h.waiting > 0
    union all
   select f.tenant, 'FILE-5', format('The file %s counts %s approvals of %s, is %s, and %s are recorded.', f.name, f.approvals,
                                     f.approvals_required, f.status, coalesce(a.number, 0))
     from sepa_files f
     left join approved a on a.tenant = f.tenant and a.file_id = f.id
    where f.approvals_required > 0
      and (f.approvals <> coalesce(a.number, 0)
           or f.approvals < f.approvals_required and f.status not in ('to_approve', 'sent', 'withdrawn'))`,
);
