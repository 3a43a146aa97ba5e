/** The day on which a renewal is debited, the same in announcements, messages and pages. Pure. */
import type { TenantRow } from "../db/rows.ts";
import type { Gateway } from "../gateways/gateway.ts";
import { addDays, daysBetween, utcDate, type IsoDate } from "../lib/dates.ts";
import { addTargetDays, targetDayFrom } from "../sepa/target.ts";
import { noticeDays } from "./notice-days.ts";
import { sendingDay, type ClosedDayTerms } from "./schedule.ts";

interface DebitDay {
  readonly day: IsoDate;
  /** Days from submission to the debit. */
  readonly leadDays: number;
}

type DebitDayOf = Pick<Gateway, "debitDay">;

/**
 * The debit of a renewal that is submitted at this time, or when the next banking day begins in UTC. The gateway
 * determines the day from that.
 * @param noticeDays the notice period agreed in the mandate.
 */
export function debitHandedOver(gateway: DebitDayOf, at: Date, noticeDays: number | null): DebitDay {
  const day = targetDayFrom(utcDate(at));
  const handedOver = day === utcDate(at) ? at : new Date(`${day}T00:00:00Z`);
  const debited = gateway.debitDay?.(handedOver, noticeDays) ?? null;
  return debited === null
    ? { day, leadDays: 0 }
    : { day: debited, leadDays: daysBetween(utcDate(handedOver), debited) };
}

interface NextRenewal {
  readonly terms: ClosedDayTerms;
  readonly dueDate: IsoDate;
  readonly noticeDays: number | null;
  readonly now: Date;
  /** Days from now before which it is not debited, because its customer must be notified first; null: no limit. */
  readonly noSoonerThanDays: number | null;
}

/**
 * The debit of the next renewal, which is submitted when its day begins, or on the first possible day if that has
 * passed.
 */
export function debitOfNext(gateway: DebitDayOf, next: NextRenewal): DebitDay {
  const { terms, dueDate, now, noSoonerThanDays } = next;
  const debitAfter = (day: IsoDate): DebitDay => {
    const begins = new Date(`${day}T00:00:00Z`);
    return debitHandedOver(gateway, begins < now ? now : begins, next.noticeDays);
  };
  const today = utcDate(now);
  const due = sendingDay(terms, dueDate);
  let day = due < today ? targetDayFrom(today) : due;
  const first = noSoonerThanDays === null ? day : addDays(today, noSoonerThanDays);
  let debit = debitAfter(day);
  while (debit.day < first) {
    day = addTargetDays(day, 1);
    debit = debitAfter(day);
  }
  return debit;
}

/** What decides whether a renewal waits until its customer is notified. */
export interface NotificationTerms {
  readonly notice_check: TenantRow["notice_check"];
  readonly mandate_notice_days: number | null;
  readonly mandate_text_version: string | null;
  /** Whether an earlier notice that is still valid notified the customer. */
  readonly was_notified: boolean;
}

/** The notice period in days, where the renewal waits for the notice; null: it does not. */
export function noticeDaysToWait(terms: NotificationTerms): number | null {
  const waits = terms.notice_check === "refuse" && !terms.was_notified;
  return waits ? noticeDays(terms.mandate_notice_days, terms.mandate_text_version) : null;
}
