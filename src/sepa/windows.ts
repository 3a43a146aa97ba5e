/** Due dates, return windows and cut-off times of collections. Pure. */
import { addTargetDays, isTargetDay, targetDayFrom } from "./target.ts";
import { addDays, utcDate, type IsoDate } from "../lib/dates.ts";

/** The debtor's bank may return a CORE debit until this many TARGET days after its due date. */
export const CORE_RETURN_TARGET_DAYS = 5;
const B2B_RETURN_TARGET_DAYS = 3;
/** The creditor may reverse a debit until this many TARGET days after its due date (SDD rulebooks, reversals). */
export const REVERSAL_TARGET_DAYS = 5;
/** Eight weeks in which a consumer can reclaim a debit without giving a reason. */
const REFUND_DAYS = 56;
/** How long a debtor can reclaim a debit that no signed mandate covers. */
export const UNAUTHORISED_REFUND_MONTHS = 13;
/** A mandate expires after this long without a collection (SDD rulebook, "mandate cancellation"). */
export const MANDATE_UNUSED_MONTHS_MAX = 36;

/** The periods that follow from a due date (rulebook 2025, in force until 21 November 2027). */
interface Windows {
  /** The first and last day on which the creditor's bank may submit the collection to the debtor's bank. */
  readonly earliestSubmission: IsoDate;
  readonly latestSubmission: IsoDate;
  /** The last day on which the debtor's bank may return a CORE debit. */
  readonly lastCoreReturn: IsoDate;
  readonly lastB2bReturn: IsoDate;
  /** The last day on which the creditor may reverse the debit. */
  readonly lastReversal: IsoDate;
  /** The last day on which a consumer can reclaim the money without giving a reason. */
  readonly refundUntil: IsoDate;
  /** The last day on which a debtor who never signed the mandate can reclaim the money. */
  readonly unauthorisedRefundUntil: IsoDate;
  /** The day until which the mandate has to be used again, or it expires. */
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
  /** The day on which the bank accepts the file: see `submissionDay`. */
  readonly today: IsoDate;
  /** TARGET days that the bank requires between that day and the due date. */
  readonly leadTargetDays: number;
  /** When the customer was notified, and the required days of notice; null when the payment itself is the notice. */
  readonly prenotifiedOn: IsoDate | null;
  readonly preNotificationDays: number;
  /** The earliest due date, such as the one that the customer chose; null: any. */
  readonly notBefore: IsoDate | null;
}

/** The due date: the first day on which banks settle that meets all terms. */
export function collectionDate(terms: CollectionTerms): IsoDate {
  const days = [addTargetDays(terms.today, terms.leadTargetDays)];
  if (terms.prenotifiedOn !== null) days.push(addDays(terms.prenotifiedOn, terms.preNotificationDays));
  if (terms.notBefore !== null) days.push(terms.notBefore);
  return targetDayFrom(days.toSorted().at(-1) ?? terms.today);
}

/** The local time until which the bank accepts files for the same day. */
interface CutOff {
  /** `HH:MM` */
  readonly time: string;
  /** An IANA time zone, such as `Europe/Berlin`. */
  readonly zone: string;
}

/** The next cut-off after now, on a TARGET day. */
export function nextCutOff(now: Date, cutOff: CutOff): Date {
  let day = localDate(now, cutOff.zone);
  let at = cutOffOn(day, cutOff);
  while (!isTargetDay(day.toString()) || at.getTime() <= now.getTime()) {
    day = day.add({ days: 1 });
    at = cutOffOn(day, cutOff);
  }
  return at;
}

/** Whether the bank counts a file sent now for a later day: the cut-off has passed, or today is no TARGET day. */
export function isPastCutOff(now: Date, cutOff: CutOff): boolean {
  const today = localDate(now, cutOff.zone);
  return !isTargetDay(today.toString()) || now.getTime() >= cutOffOn(today, cutOff).getTime();
}

/** The day on which the bank counts a file sent now as received. */
export function submissionDay(now: Date, cutOff: CutOff): IsoDate {
  return localDate(nextCutOff(now, cutOff), cutOff.zone).toString();
}

/** When the clocks change: a skipped time is moved forward by the jump, of a repeated time the first one counts. */
function cutOffOn(day: Temporal.PlainDate, { time, zone }: CutOff): Date {
  const at = day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) });
  return new Date(at.epochMilliseconds);
}

/** The local date. @param zone an IANA time zone. */
export function localDate(at: Date, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
}

/** The last day on which a mandate may be used. @param lastUsedAt of a mandate that was never used, when it was signed. */
export function mandateExpiry(lastUsedAt: Date): IsoDate {
  return Temporal.PlainDate.from(utcDate(lastUsedAt)).add({ months: MANDATE_UNUSED_MONTHS_MAX }).toString();
}

export function isMandateExpired(lastUsedAt: Date, today: IsoDate): boolean {
  return mandateExpiry(lastUsedAt) < today;
}
