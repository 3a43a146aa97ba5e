/** The day on which a renewal is debited: announcements, messages and pages name the same one. Pure. */
import type { TenantRow } from "../db/rows.ts";
import type { Gateway } from "../gateways/gateway.ts";
import { addDays, daysBetween, utcDate, type IsoDate } from "../lib/dates.ts";
import { addTargetDays, targetDayFrom } from "../sepa/target.ts";
import { noticeDays } from "./notice-days.ts";
import { collectionDay, type ClosedDayTerms } from "./schedule.ts";

interface DebitDay {
  readonly day: IsoDate;
  /** Days from handing over to the debit. */
  readonly leadDays: number;
}

type DebitDayOf = Pick<Gateway, "debitDay">;

/**
 * Of a renewal that is handed over then, or, where banks are closed, as the next day on which they are open begins in UTC. Its
 * gateway knows what day follows.
 * @param noticeDays that were agreed with the mandate.
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
  /** Days from now before which it is not debited, as its customer has to be told first; null: any. */
  readonly noSoonerThanDays: number | null;
}

/** Of the next renewal: it is handed over as its day begins, or on the first day from now when that is past. */
export function debitOfNext(gateway: DebitDayOf, next: NextRenewal): DebitDay {
  const { terms, dueDate, now, noSoonerThanDays } = next;
  const debitAfter = (day: IsoDate): DebitDay => {
    const begins = new Date(`${day}T00:00:00Z`);
    return debitHandedOver(gateway, begins < now ? now : begins, next.noticeDays);
  };
  const today = utcDate(now);
  const due = collectionDay(terms, dueDate);
  let day = due < today ? targetDayFrom(today) : due;
  const first = noSoonerThanDays === null ? day : addDays(today, noSoonerThanDays);
  let debit = debitAfter(day);
  while (debit.day < first) {
    day = addTargetDays(day, 1);
    debit = debitAfter(day);
  }
  return debit;
}

/** The facts that decide whether a renewal waits until its customer was told. */
export interface ToldTerms {
  readonly notice_check: TenantRow["notice_check"];
  readonly mandate_notice_days: number | null;
  readonly mandate_text_version: string | null;
  /** Told by an earlier notice that still holds. */
  readonly was_told: boolean;
}

/** The days that its customer has to know of it before, where it waits for that; null: it does not. */
export function waitsForNotice(terms: ToldTerms): number | null {
  const waits = terms.notice_check === "refuse" && !terms.was_told;
  return waits ? noticeDays(terms.mandate_notice_days, terms.mandate_text_version) : null;
}
