/**
 * What notices prove, in SQL. The file is below its folder in the arrow (scripts/house.ts) and imports nothing, so that
 * every folder that reads notices can use it.
 */

/**
 * SQL: the notice `x` is of the due dates that a subscription's schedule has, and no later one has said anything else. A day that is
 * moved becomes the first of new due dates; of the old ones, earlier or later, nothing holds any more, not even when it is moved
 * back. Nor does an amount or an account that is changed back after another one was announced.
 * @param tenant of the notice.
 * @param first due date of the schedule; null: any.
 * @param due date of the renewal that is asked about; null: none.
 * @param isKnown of a later notice `newer`: whether it had been made by then.
 */
export function isLatestNotice<
  Tenant extends string,
  First extends string,
  Due extends string,
  Known extends string,
>(tenant: Tenant, first: First, due: Due, isKnown: Known) {
  return `x.due_date between coalesce(${first}, x.due_date) and coalesce(${due}, x.due_date)
      and not exists (select from notices newer
                       where newer.tenant = ${tenant} and newer.subscription_id = x.subscription_id and newer.created_at > x.created_at
                         and ${isKnown}
                         and (newer.due_date < x.due_date or newer.due_date > ${due} or newer.amount <> x.amount
                              or newer.mandate_id <> x.mandate_id or newer.mandate_reference <> x.mandate_reference
                              or newer.creditor_name <> x.creditor_name or newer.iban_last4 <> x.iban_last4
                              or newer.creditor_identifier is distinct from x.creditor_identifier))` as const;
}

/** SQL: the same for the current due dates of subscription `u`. */
const IS_LATEST_NOTICE = isLatestNotice(":tenant", "u.billing_anchor_date", "u.next_billing_date", "true");

/** SQL: the notice `x` matches the current state of subscription `u` and mandate `m`. */
export const NOTICE_AGREES = `${IS_LATEST_NOTICE}
      and x.mandate_id = m.id and x.amount = u.billing_amount and x.currency = u.currency
      and x.billing_frequency is not distinct from u.billing_frequency and x.mandate_reference = m.reference
      and x.creditor_name = m.creditor_name
      and x.creditor_identifier is not distinct from m.creditor_identifier and x.iban_last4 = m.iban_last4` as const;

/**
 * SQL for a FROM and a WHERE: the notices `x` of subscription `u` that match its current state and that of its mandate
 * `m`.
 */
export const AGREEING_NOTICES =
  `notices x where x.tenant = :tenant and x.subscription_id = u.id and ${NOTICE_AGREES}` as const;

/**
 * SQL: the notice `x` was of the mandate of `u` and of what was tried before, whatever has been changed since. Two cycles of a day,
 * the end of a trial and what the merchant asked for on it: the first was announced.
 */
function noticeOfClaim<DueDate extends string>(dueDate: DueDate) {
  return `x.mandate_id = u.mandate_id
             and x.amount = coalesce((select tried.amount from billing_cycles k
                                        join transactions tried on tried.tenant = :tenant and tried.id = k.transaction_id
                                       where k.tenant = :tenant and k.subscription_id = u.id and k.due_date = ${dueDate}
                                       order by k.cycle limit 1), u.billing_amount)` as const;
}

/**
 * SQL: when the notice `x` was first accepted by what its tenant has chosen, a mail server or a receiver; null: not yet.
 * A receiver's time is not the tenant's where that was moved: no notice is taken before it is there.
 * @param tenant of the notice.
 */
export function notifiedAt<Tenant extends string>(tenant: Tenant) {
  return `(case
            when x.told_by = 'message' then (select y.sent_at from messages y
                                  where y.tenant = ${tenant} and y.notice_id = x.id and y.state = 'sent')
            else (select greatest(min(a.at), x.created_at)
                    from webhook_deliveries v join webhook_attempts a on a.tenant = ${tenant} and a.delivery_id = v.id
                   where v.tenant = ${tenant} and v.event_id = x.event_id and a.error is null having count(*) > 0) end)` as const;
}

/**
 * SQL: the notice `x` allows a debit on this day: not before the day that it names, nor sooner after the notice than
 * was agreed.
 */
export function noticeAllows<Tenant extends string, Day extends string>(tenant: Tenant, day: Day) {
  return `x.collection_date <= ${day} and (${notifiedAt(tenant)} at time zone 'UTC')::date + x.notice_days <= ${day}` as const;
}

/**
 * SQL: whether the cycle of subscription `u` that is due on this date may be handed over today, where tenant `n` asks for a notice
 * first. A notice holds for later cycles, too, of which it is true; a cycle is tried again under the notice of its first
 * attempt. What the merchant asks for without a schedule is announced by the merchant.
 */
export function isNoticed<DueDate extends string>(dueDate: DueDate, attempt: "first" | "again") {
  const agrees = attempt === "first" ? NOTICE_AGREES : noticeOfClaim(dueDate);
  return `(n.notice_check <> 'refuse'
        or u.billing_frequency is null and (u.trial_end_date is null or ${dueDate} is distinct from u.trial_end_date)
        or exists (
          select from notices x join mandates m on m.tenant = :tenant and m.id = u.mandate_id
           where x.tenant = :tenant and x.subscription_id = u.id and ${agrees} and x.due_date <= ${dueDate}
             and ${noticeAllows(":tenant", "greatest(x.collection_date, :today::date)")} and x.collection_date - x.lead_days <= :today::date))` as const;
}
