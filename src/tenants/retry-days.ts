/** When a tenant wants a renewal that failed for lack of funds tried again. Pure. */

/** Days after the attempt, or the next day on which salaries come. */
export type RetryDay = number | typeof SALARY_DAY;
export const SALARY_DAY = "salary_day";

/** After the first and after the second attempt: no cycle is presented more than three times. */
export const RETRY_DAYS_DEFAULT = ["3", "7"];

/** As the database has them. */
export function retryDaysOf(stored: readonly string[]): readonly RetryDay[] {
  return stored.map((day) => (day === SALARY_DAY ? day : Number(day)));
}
