/** Days on which salaries and pensions are usually paid, so that an account has funds again. Pure. */
import type { IsoDate } from "../lib/dates.ts";
import { must } from "../lib/assert.ts";
import { addTargetDays, targetDayFrom } from "./target.ts";

/** The first salary day after a date: the 1st or the 15th or the next TARGET day after it, or a month's last TARGET day. */
export function nextSalaryDay(after: IsoDate): IsoDate {
  const first = Temporal.PlainDate.from(after).with({ day: 1 });
  const days = [first, first.add({ months: 1 })].flatMap((month) => [
    targetDayFrom(month.toString()),
    targetDayFrom(month.with({ day: 15 }).toString()),
    addTargetDays(month.add({ months: 1 }).toString(), -1),
  ]);
  return must(
    days.toSorted().find((day) => day > after),
    "a salary day within two months",
  );
}
