/** The rule that debits match what was signed: creditor and scheme of a mandate against the collections under it. */
import { rule } from "./rule-store.ts";

/**
 * A mandate's scheme never changes; its creditor changes by an amendment, which keeps the former one. Bank files
 * contain all of it, the sandbox only the creditor's name. An imported mandate without an identifier is collected by
 * its account's creditor.
 */
export const CREDITORS = rule(
  "creditors",
  `with written as not materialized (
     select c.tenant, c.reference, c.creditor_name, c.creditor_identifier, c.scheme
       from sepa_collections c
      where c.file_id is not null and c.refund_of is null and c.creditor_name is not null
      union all
     select b.tenant, b.reference, b.creditor_name, null, null
       from sandbox_books b
      where b.refund_of is null and b.creditor_name <> ''
   ), compared as not materialized (
     select w.*, m.id as mandate_id, m.reference as mandate, m.scheme as signed_scheme,
            m.creditor_name as signed_name, m.creditor_identifier as signed_identifier
       from written w
       join transactions t on t.tenant = w.tenant and t.merchant_transaction_id = w.reference
       join mandates     m on m.tenant = t.tenant and m.id = t.mandate_id
   )
   select tenant, 'MANDATE-2' as invariant, format('%s was collected under %s; its mandate %s is %s.', reference, scheme, mandate, signed_scheme) as words
     from compared where scheme <> signed_scheme
    union all
   select tenant, 'MANDATE-2', format('%s was collected by %s; its mandate %s names %s.', reference,
                         concat_ws(', ', creditor_name, creditor_identifier), mandate,
                         concat_ws(', ', signed_name, signed_identifier))
     from compared x
    where (creditor_identifier <> signed_identifier
           or creditor_name <> signed_name and (creditor_identifier is null or signed_identifier is not null))
      and not exists (
            select 1 from mandate_amendments a
             where a.tenant = x.tenant and a.mandate_id = x.mandate_id and a.kind = 'creditor'
               and coalesce(a.original_creditor_name = x.creditor_name, true)
               and coalesce(a.original_creditor_identifier = x.creditor_identifier, true))`,
);
