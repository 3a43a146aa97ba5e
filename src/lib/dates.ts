/** Calendar dates: days as people and banks write them, without a time and without a zone. */
import { DAY_MS } from "./clock.ts";

/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string;

/** The date in UTC of an instant, whatever the time zone of the host. */
export function utcDate(at: Date): IsoDate {
  return at.toISOString().slice(0, 10);
}

/** Whether a text is a valid date in this form: 30 February is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const there = new Date(0);
  there.setUTCFullYear(year, month - 1, day);
  return utcDate(there) === text;
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** So many days, one after the other. */
export function daysFrom(first: IsoDate, count: number): readonly IsoDate[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from({ length: count }, (_, n) => utcDate(new Date(start + n * DAY_MS)));
}

/** The moment at which a day begins on the wall. @param zone an IANA time zone. */
export function dayStart(date: IsoDate, zone: string): Date {
  return new Date(Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds);
}

/** The exclusive end of a period with this last day: the day after it. */
export function dayAfter(last: IsoDate): IsoDate {
  return addDays(last, 1);
}

/** The number of days from one date to another; negative when that is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return Temporal.PlainDate.from(from).until(to).days;
}
