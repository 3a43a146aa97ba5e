/** SQL fragments for the statements of other folders that change a mandate. */

/**
 * SQL for a `with` branch: ends the mandate of a transaction that the bank sent back.
 * @param from the branch with the transaction's row.
 * @param ends a parameter that says whether the reason ends it. @param reason one with the ISO code.
 */
export function mandateFollows<Ends extends string, Reason extends string>({
  from,
  ends,
  reason,
}: {
  from: string;
  ends: Ends;
  reason: Reason;
}) {
  return `
     update mandates
        set status = 'cancelled', cancelled_at = :now, cancelled_by = 'bank', status_reason = ${reason}, updated_at = :now
       from ${from} t
      where mandates.tenant = :tenant and mandates.id = t.mandate_id and mandates.status = 'active' and ${ends}::boolean` as const;
}

/**
 * SQL for a `with` branch: the mandates that customers sign with the attempts `v` at their sessions' payments.
 * @param sessions the branch with the sessions' rows and their `n`. @param creditor one with the `creditor` that each was shown.
 */
export function mandatesSigned({ sessions, creditor }: { sessions: string; creditor: string }) {
  return `
     insert into mandates
       (tenant, id, reference, lead_id, session_id, status, acceptance_mode, accepted_at, accepted_ip, accepted_user_agent, text_version,
        creditor_name, creditor_identifier, creditor_address, creditor_postal_code, creditor_city, creditor_country,
        scheme, holder_name, iban_sealed, iban_fingerprint, iban_last4, iban_country,
        bic, bank_name, iban_length, type, language, pre_notification_days, created_at, updated_at)
     select :tenant, v.mandateId, v.mandateReference, s.lead_id, s.id, 'pending', v.acceptanceMode, v.now, v.clientIp, v.userAgent, v.textVersion,
            c.creditor ->> 'name', c.creditor ->> 'identifier', c.creditor ->> 'address',
            c.creditor ->> 'postal_code', c.creditor ->> 'city', c.creditor ->> 'country', c.creditor ->> 'scheme',
            v.holderName, v.ibanSealed, v.ibanFingerprint, v.ibanLast4, v.ibanCountry,
            v.bic, v.bankName, v.ibanLength, case when s.billing_type = 'ONE_OFF' then 'one_off' else 'recurrent' end,
            nullif(split_part(v.textVersion, '/', 2), ''), (c.creditor ->> 'pre_notification_days')::integer, v.now, v.now
       from ${sessions} s join ${creditor} c on c.n = s.n join v on v.n = s.n
     returning *` as const;
}

/** SQL for a `with` branch: what the outcome of its first payment makes of a mandate. @param from the branch with the transaction's row and its `n`. */
export function mandateAnswered({ from }: { from: string }) {
  return `
     update mandates
        set status = v.mandateStatus, updated_at = v.now, last_used_at = case when v.mandateStatus = 'active' then v.now else last_used_at end
       from ${from} t join v on v.n = t.n
      where mandates.tenant = :tenant and mandates.id = t.mandate_id
     returning mandates.id` as const;
}

/** SQL for a `with` branch: a renewal uses its mandate, or finds that it has ended. @param from the branch with the transaction's row. */
export function mandateUsed({ from }: { from: string }) {
  return `
     update mandates
        set last_used_at = case when :toStatus in ('approved', 'pending') then :now else mandates.last_used_at end,
            status = case when :errorCode = 'mandate_rejected' then 'cancelled' else mandates.status end, updated_at = :now,
            cancelled_at = case when :errorCode = 'mandate_rejected' then :now else cancelled_at end,
            cancelled_by = case when :errorCode = 'mandate_rejected' then 'bank' else cancelled_by end,
            status_reason = case when :errorCode = 'mandate_rejected' then left(:gatewayCode, 255) else status_reason end
       from ${from} t
      where mandates.tenant = :tenant and mandates.id = t.mandate_id` as const;
}

/** SQL for a `with` branch: the mandate becomes `:mandate` with its subscription, where that is not null. @param from the branch with its `ended_mandate_id`. */
export function mandateEndsWith({ from }: { from: string }) {
  return `
     update mandates set status = :mandate, status_reason = :reason, updated_at = :now
       from ${from} u
      where mandates.tenant = :tenant and mandates.id = u.ended_mandate_id` as const;
}

/** SQL for a `with` branch: what the mandates `:ids` say of their creditor is kept, so that the bank can be informed of the change. */
export function creditorKept() {
  return `
     insert into mandate_amendments
       (tenant, mandate_id, number, at, kind, original_creditor_identifier, original_creditor_name)
     select :tenant, m.id, 1 + (select coalesce(max(number), 0) from mandate_amendments where tenant = :tenant and mandate_id = m.id),
            :now, 'creditor', m.creditor_identifier, m.creditor_name
       from mandates m
      where m.tenant = :tenant and m.id = any (:ids::uuid[])` as const;
}

/** SQL of an update: the mandates `m` of `:ids` name the creditor of now. @param from the branch with the `creditor`. */
export function creditorAmended({ from }: { from: string }) {
  return `
   update mandates m
      set creditor_name = c.creditor ->> 'name', creditor_identifier = c.creditor ->> 'identifier',
          creditor_address = c.creditor ->> 'address', creditor_postal_code = c.creditor ->> 'postal_code',
          creditor_city = c.creditor ->> 'city', creditor_country = c.creditor ->> 'country', updated_at = :now
     from ${from} c
    where m.tenant = :tenant and m.id = any (:ids::uuid[])` as const;
}
