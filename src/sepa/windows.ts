/** Due dates, return windows and cut-off times of collections. Pure. */
import { addTargetDays, isTargetDay, targetDayFrom } from "./target.ts";
import { addDays, utcDate, type IsoDate } from "../lib/dates.ts";

/** The debtor's bank returns a CORE debit on one of so many TARGET days after its due date at the latest. */
export const CORE_RETURN_TARGET_DAYS = 5;
const B2B_RETURN_TARGET_DAYS = 3;
/** The creditor may reverse a debit for so many TARGET days after its due date (SDD rulebooks, reversals). */
export const REVERSAL_TARGET_DAYS = 5;
/** Eight weeks in which a consumer gets a debit back without giving a reason. */
const REFUND_DAYS = 56;
/** For this long a debit without a signed mandate is refunded. */
export const UNAUTHORISED_REFUND_MONTHS = 13;
/** A mandate that was not used for this long has expired (SDD rulebook, "mandate cancellation"). */
export const MANDATE_UNUSED_MONTHS_MAX = 36;

/** Everything that follows from a due date (rulebook 2025, in force until 21 November 2027). */
interface Windows {
  /** The bank may hand the collection on between these two days. */
  readonly earliestSubmission: IsoDate;
  readonly latestSubmission: IsoDate;
  /** The debtor's bank may return it until then. */
  readonly lastCoreReturn: IsoDate;
  readonly lastB2bReturn: IsoDate;
  /** The creditor may reverse it until then. */
  readonly lastReversal: IsoDate;
  /** A consumer gets the money back until then, without giving a reason. */
  readonly refundUntil: IsoDate;
  /** Until then a debtor who never signed the mandate gets the money back. */
  readonly unauthorisedRefundUntil: IsoDate;
  /** A mandate that is not used again until then expires. */
  readonly mandateExpires: IsoDate;
}

export function windowsOf(dueDate: IsoDate): Windows {
  const day = Temporal.PlainDate.from(dueDate);
  return {
    earliestSubmission: addDays(dueDate, -14),
    latestSubmission: addTargetDays(dueDate, -1),
    lastCoreReturn: addTargetDays(dueDate, CORE_RETURN_TARGET_DAYS),
    lastB2bReturn: addTargetDays(dueDate, B2B_RETURN_TARGET_DAYS),
    lastReversal: addTargetDays(dueDate, REVERSAL_TARGET_DAYS),
    refundUntil: addDays(dueDate, REFUND_DAYS),
    unauthorisedRefundUntil: day.add({ months: UNAUTHORISED_REFUND_MONTHS }).toString(),
    mandateExpires: day.add({ months: MANDATE_UNUSED_MONTHS_MAX }).toString(),
  };
}

export interface CollectionTerms {
  /** The day on which the bank takes the file: see `submissionDay`. */
  readonly today: IsoDate;
  /** TARGET days that the bank wants between that day and the due date. */
  readonly leadTargetDays: number;
  /** When the customer was notified, and the required days of notice; null when the payment itself is the notice. */
  readonly prenotifiedOn: IsoDate | null;
  readonly preNotificationDays: number;
  /** A day before which nothing is due, such as the one that the customer chose. */
  readonly notBefore: IsoDate | null;
}

/** The due date: the first day on which banks settle that meets all terms. */
export function collectionDate(terms: CollectionTerms): IsoDate {
  const days = [addTargetDays(terms.today, terms.leadTargetDays)];
  if (terms.prenotifiedOn !== null) days.push(addDays(terms.prenotifiedOn, terms.preNotificationDays));
  if (terms.notBefore !== null) days.push(terms.notBefore);
  return targetDayFrom(days.toSorted().at(-1) ?? terms.today);
}

/** Until when the bank takes files for the same day, by the clock on its wall. */
interface CutOff {
  /** `HH:MM` */
  readonly time: string;
  /** An IANA time zone, such as `Europe/Berlin`. */
  readonly zone: string;
}

/** The next moment, after now, at which a day on which banks settle ends for files. */
export function nextCutOff(now: Date, cutOff: CutOff): Date {
  let day = localDate(now, cutOff.zone);
  let at = cutOffOn(day, cutOff);
  while (!isTargetDay(day.toString()) || at.getTime() <= now.getTime()) {
    day = day.add({ days: 1 });
    at = cutOffOn(day, cutOff);
  }
  return at;
}

/** Whether a file handed over now waits for another day: the cut-off has struck, or the bank is closed today. */
export function isPastCutOff(now: Date, cutOff: CutOff): boolean {
  const today = localDate(now, cutOff.zone);
  return !isTargetDay(today.toString()) || now.getTime() >= cutOffOn(today, cutOff).getTime();
}

/** The day as which the bank counts a file that it gets now. */
export function submissionDay(now: Date, cutOff: CutOff): IsoDate {
  return localDate(nextCutOff(now, cutOff), cutOff.zone).toString();
}

/** A time that the clock skips is as much later as it jumps; one that it shows twice is the first of the two. */
function cutOffOn(day: Temporal.PlainDate, { time, zone }: CutOff): Date {
  const at = day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) });
  return new Date(at.epochMilliseconds);
}

/** The date on the wall. @param zone an IANA time zone. */
export function localDate(at: Date, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
}

/** The last day on which a mandate may be used. @param lastUsedAt or, as long as it was not, when it was signed. */
export function mandateExpiry(lastUsedAt: Date): IsoDate {
  return Temporal.PlainDate.from(utcDate(lastUsedAt)).add({ months: MANDATE_UNUSED_MONTHS_MAX }).toString();
}

export function isMandateExpired(lastUsedAt: Date, today: IsoDate): boolean {
  return mandateExpiry(lastUsedAt) < today;
}
