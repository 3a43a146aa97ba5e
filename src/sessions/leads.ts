/**
 * Leads, the customers of a tenant: what makes two of them the same, and the SQL fragments that write them. The file is
 * below its folder in the arrow (scripts/house.ts), as files of mandates bring leads too.
 */

/** What makes two leads the same (contract: One active session per lead); computed here, as lower() in SQL depends on the server's locale. */
export function leadKey(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * The key of a payment link's lead, unique per session: an address typed there is not proven, so it must not change or
 * reveal anything of its owner's lead.
 */
export function linkLeadKey(email: string, sessionId: string): string {
  return `${leadKey(email)} ${sessionId}`;
}

/**
 * SQL: whether two leads have the same e-mail address. `!` is the character after a blank. Uses `leads_by_email_start`.
 */
export const hasEmailOf = <Lead extends string, Other extends string>(l: Lead, other: Other) =>
  `${l}.email_key ~>=~ split_part(${other}.email_key, ' ', 1) and ${l}.email_key ~<~ (split_part(${other}.email_key, ' ', 1) || '!')` as const;

/**
 * SQL for a `with` branch that writes the leads of new sessions, each with the data of its newest session. Its rows
 * have `id` and `email_key`.
 * @param sessions the branch with the new sessions.
 */
export function leadsOfSessions<Sessions extends string>({ sessions }: { readonly sessions: Sessions }) {
  return `
     insert into leads
       (tenant, id, email_key, email, first_name, last_name, country, address, city, postal_code, phone,
        created_at, updated_at)
     select :tenant, leadId, emailKey, email, firstName, lastName, country, address, city, postalCode, phone, now, now
       from ${sessions} order by emailKey
     on conflict (tenant, email_key) do update
        set email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
            country = excluded.country, address = coalesce(excluded.address, leads.address),
            city = coalesce(excluded.city, leads.city),
            postal_code = coalesce(excluded.postal_code, leads.postal_code),
            phone = coalesce(excluded.phone, leads.phone), updated_at = excluded.updated_at
     returning id, email_key` as const;
}

/**
 * SQL for a `with` branch that inserts the leads of imported mandates; a lead known by its e-mail address stays
 * unchanged. Its rows have `id` and `email_key`.
 * @param given the branch with the mandates.
 */
export function leadsImported({ given }: { given: string }) {
  return `
     insert into leads
       (tenant, id, email_key, email, first_name, last_name, country, address, postal_code, city, created_at, updated_at)
     select distinct on (email_key)
            :tenant, lead_id, email_key, email, first_name, last_name, country, address, postal_code, city, :at, :at
       from ${given}
      order by email_key, id
         on conflict (tenant, email_key) do update set updated_at = leads.updated_at
     returning id, email_key` as const;
}
