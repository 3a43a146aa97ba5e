/** The references under which banks may name a mandate: each that it has or has had. */

/**
 * SQL: a select of all references, in capitals, of the mandate that has or has had the given one, and of that one itself. A bank
 * may know only a former reference, or only a later one.
 * @param name SQL of the given reference.
 */
export const namesOfMandate = <const Name extends string>(name: Name) =>
  `select upper(${name})
         union all
        select upper(r.reference)
          from (select id as mandate_id from mandates where tenant = :tenant and upper(reference collate "C") = upper(${name} collate "C")
                 union
                select mandate_id from mandate_amendments
                 where tenant = :tenant and upper(original_reference collate "C") = upper(${name} collate "C")) named
          join lateral (select reference from mandates n where n.tenant = :tenant and n.id = named.mandate_id
                         union all
                        select original_reference from mandate_amendments a
                         where a.tenant = :tenant and a.mandate_id = named.mandate_id) r on true` as const;
