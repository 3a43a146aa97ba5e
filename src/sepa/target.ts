/** TARGET business days, on which the euro area's banks settle (ECB calendar). Pure. */
import type { IsoDate } from "../lib/dates.ts";

/** False on Saturdays, Sundays, 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December. */
export function isTargetDay(date: IsoDate): boolean {
  const day = Temporal.PlainDate.from(date);
  if (day.dayOfWeek >= 6) return false;
  if (["01-01", "05-01", "12-25", "12-26"].includes(date.slice(5))) return false;
  const easter = easterSunday(day.year);
  return !day.equals(easter.subtract({ days: 2 })) && !day.equals(easter.add({ days: 1 }));
}

/** The most closed days in a row: at Easter, or at Christmas next to a weekend. */
export const CLOSED_DAYS_MAX = 4;

/** The day itself if it is a TARGET day, else the next one. */
export function targetDayFrom(date: IsoDate): IsoDate {
  let day = Temporal.PlainDate.from(date);
  while (!isTargetDay(day.toString())) day = day.add({ days: 1 });
  return day.toString();
}

/** The day itself if it is a TARGET day, else the previous one. */
export function targetDayUntil(date: IsoDate): IsoDate {
  return isTargetDay(date) ? date : addTargetDays(date, -1);
}

/** The `days`-th TARGET day after the date (before it, if negative); the date itself need not be one. */
export function addTargetDays(date: IsoDate, days: number): IsoDate {
  let day = Temporal.PlainDate.from(date);
  const step = Math.sign(days);
  for (let left = Math.abs(days); left > 0;) {
    day = day.add({ days: step });
    if (isTargetDay(day.toString())) left -= 1;
  }
  return day.toString();
}

/** Oudin's algorithm (1940) for the Gregorian calendar. */
function easterSunday(year: number): Temporal.PlainDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const corrected =
    (century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 19 * golden + 15) % 30;
  const epact =
    corrected -
    Math.floor(corrected / 28) *
      (1 - Math.floor(corrected / 28) * Math.floor(29 / (corrected + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + epact + 2 - century + Math.floor(century / 4)) % 7;
  const offset = epact - weekday;
  const month = 3 + Math.floor((offset + 40) / 44);
  return Temporal.PlainDate.from({ year, month, day: offset + 28 - 31 * Math.floor(month / 4) });
}
