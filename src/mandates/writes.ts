/** SQL fragments for the statements of other folders that change a mandate. */

/**
 * SQL for a `with` branch: the effect of a bank's reason on the mandate of a transaction that it rejected or returned.
 * `:endsMandate` ends it; `:blocksAccount` also blocks its account.
 * @param from the branch with the transaction's row.
 * @param reason a parameter with the ISO code.
 */
export function mandateAfterReason<Reason extends string>({
  from,
  reason,
}: {
  from: string;
  reason: Reason;
}) {
  return `
     update mandates
        set ${endedByBank(reason)}, account_blocked_at = ${blockedByBank("t")}, updated_at = :now
       from ${from} t
      where mandates.tenant = :tenant and mandates.id = t.mandate_id and :endsMandate::boolean
        and (mandates.status = 'active' or :blocksAccount::boolean)` as const;
}

/** Assignments for `mandates`: an active one ends; one that has ended keeps its reason. */
function endedByBank<Reason extends string>(reason: Reason) {
  const then = <Value extends string, Column extends string>(value: Value, column: Column) =>
    `${column} = case when mandates.status = 'active' then ${value} else mandates.${column} end` as const;
  return `${then("'cancelled'", "status")}, ${then(":now", "cancelled_at")}, ${then("'bank'", "cancelled_by")},
            ${then(`left(${reason}, 255)` as const, "status_reason")}` as const;
}

/**
 * When the account of `mandates` was blocked. A debit from an account that the mandate no longer has blocks nothing.
 */
function blockedByBank<Payment extends string>(payment: Payment) {
  return `case when :blocksAccount::boolean and not exists (
                select from mandate_amendments a
                 where a.tenant = :tenant and a.mandate_id = mandates.id and a.kind = 'account' and a.at > ${payment}.created_at)
              then coalesce(mandates.account_blocked_at, :now) else mandates.account_blocked_at end` as const;
}

/**
 * SQL: whether the tenant's rules have blocked an account.
 * @param fingerprints an array of the account's.
 */
export function isBlockedAccount<Fingerprints extends string>(fingerprints: Fingerprints) {
  // Counted instead of testing for existence: the planner expects to find one quickly for an account with very many
  // mandates, and would read all mandates.
  return `(select count(*) > 0 from mandates b
            where b.tenant = :tenant and b.iban_fingerprint = any (${fingerprints}) and b.account_blocked_at is not null)` as const;
}

/**
 * SQL for a `with` branch: inserts the mandates that customers sign with the attempts `v`.
 * @param sessions the branch with the sessions' rows and their `n`.
 * @param creditor one with the `creditor` that each was shown.
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

/**
 * SQL for a `with` branch: the effect of the first payment's outcome on a mandate.
 * @param from the branch with the transaction's row and its `n`.
 */
export function mandateAfterFirstPayment({ from }: { from: string }) {
  return `
     update mandates
        set status = v.mandateStatus, updated_at = v.now, last_used_at = case when v.mandateStatus = 'active' then v.now else last_used_at end
       from ${from} t join v on v.n = t.n
      where mandates.tenant = :tenant and mandates.id = t.mandate_id
     returning mandates.id` as const;
}

/**
 * SQL for a `with` branch: a renewal uses its mandate, or finds that it has ended.
 * @param from the branch with the transaction's row.
 */
export function mandateAfterRenewal({ from }: { from: string }) {
  const ends = "(:errorCode = 'mandate_rejected' or :endsMandate::boolean) and mandates.status = 'active'";
  return `
     update mandates
        set last_used_at = case when :toStatus in ('approved', 'pending') then :now else mandates.last_used_at end,
            status = case when ${ends} then 'cancelled' else mandates.status end, updated_at = :now,
            cancelled_at = case when ${ends} then :now else cancelled_at end,
            cancelled_by = case when ${ends} then 'bank' else cancelled_by end,
            status_reason = case when ${ends} then left(:gatewayCode, 255) else status_reason end,
            account_blocked_at = ${blockedByBank("t")}
       from ${from} t
      where mandates.tenant = :tenant and mandates.id = t.mandate_id` as const;
}

/**
 * SQL for a `with` branch: the mandate gets the status `:mandate` with its subscription, unless that is null.
 * @param from the branch with its `ended_mandate_id`.
 */
export function mandateAfterSubscription({ from }: { from: string }) {
  return `
     update mandates set status = :mandate, status_reason = :reason, updated_at = :now
       from ${from} u
      where mandates.tenant = :tenant and mandates.id = u.ended_mandate_id` as const;
}

/**
 * SQL for a `with` branch: keeps the creditor of the mandates `:ids`, so that the change can be reported to the bank.
 */
export function creditorKept() {
  return `
     insert into mandate_amendments
       (tenant, mandate_id, number, at, kind, original_creditor_identifier, original_creditor_name)
     select :tenant, m.id, 1 + (select coalesce(max(number), 0) from mandate_amendments where tenant = :tenant and mandate_id = m.id),
            :now, 'creditor', m.creditor_identifier, m.creditor_name
       from mandates m
      where m.tenant = :tenant and m.id = any (:ids::uuid[])` as const;
}

/**
 * SQL of an update: the mandates `m` of `:ids` get the current creditor.
 * @param from the branch with the `creditor`.
 */
export function creditorAmended({ from }: { from: string }) {
  return `
   update mandates m
      set creditor_name = c.creditor ->> 'name', creditor_identifier = c.creditor ->> 'identifier',
          creditor_address = c.creditor ->> 'address', creditor_postal_code = c.creditor ->> 'postal_code',
          creditor_city = c.creditor ->> 'city', creditor_country = c.creditor ->> 'country', updated_at = :now
     from ${from} c
    where m.tenant = :tenant and m.id = any (:ids::uuid[])` as const;
}
