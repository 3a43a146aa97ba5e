/** Page of a month with what is due on each day: renewals and retries, with their subscriptions. Pure. */
import { html, type Html } from "../../files/html.ts";
import { addDays, type IsoDate } from "../../lib/dates.ts";
import type { ExpectedRow } from "../../reports/statistics/expected.ts";
import { isTargetDay } from "../../sepa/target.ts";
import { heading } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { money } from "../design/values.ts";
import type { DaySpan } from "../periods.ts";
import type { Words } from "../words.ts";
import { DUE_PATH, SUBSCRIPTIONS_PATH, subscriptionTabs } from "./subscriptions.ts";

interface DuePage {
  readonly words: Words;
  readonly today: IsoDate;
  readonly month: DaySpan;
  /** Since when it may have changed; null: it is current. */
  readonly asOf: Date | null;
  readonly rows: readonly ExpectedRow[];
}

/** The month in an address, `YYYY-MM`; the current one by default. */
export function monthAsked(given: string | undefined, today: IsoDate): DaySpan {
  const isMonth = given !== undefined && /^20\d\d-(0[1-9]|1[0-2])$/.test(given);
  const from = `${isMonth ? given : today.slice(0, 7)}-01`;
  return { from, to: addDays(nextMonth(from), -1) };
}

function nextMonth(first: IsoDate): IsoDate {
  return `${addDays(first, 31).slice(0, 7)}-01`;
}

export function duePage({ words, today, month, asOf, rows }: DuePage): Html {
  const { say } = words;
  const link = (day: IsoDate) => addressWith(DUE_PATH, { month: day.slice(0, 7) });
  const days: IsoDate[] = [];
  for (let day = month.from; day <= month.to; day = addDays(day, 1)) days.push(day);
  return html`${heading(say("dueCalendar"), { lead: words.days(month.from, month.to) })}
    ${subscriptionTabs(words, DUE_PATH)}
    <div class="stack">
      <p class="soft">${say("dueWhat")}</p>
      <section class="panel">
        ${rows.length === 0 && html`<p class="in soft">${say("nothingExpected")}</p>`}
        <ol class="calendar starts-${weekday(month.from)}">
          ${days.map((day) =>
            dayOf(
              words,
              day,
              rows.filter((row) => row.day === day),
              day === today,
            ),
          )}
        </ol>
        ${asOf !== null && html`<p class="in soft">${say("expectedAsOf", { time: words.time(asOf) })}</p>`}
        <nav class="pages" aria-label="${say("dueCalendar")}">
          <a class="button" rel="prev" href="${link(addDays(month.from, -1))}">${say("monthBefore")}</a>
          <a class="button" rel="next" href="${link(nextMonth(month.from))}">${say("monthAfter")}</a>
        </nav>
      </section>
    </div>`;
}

/** 1 for Monday. */
function weekday(day: IsoDate): number {
  return Temporal.PlainDate.from(day).dayOfWeek;
}

function dayOf(words: Words, day: IsoDate, rows: readonly ExpectedRow[], isToday: boolean): Html {
  const { say, texts } = words;
  const due = rows.filter(({ renewals, retries }) => renewals + retries > 0);
  const list = addressWith(SUBSCRIPTIONS_PATH, { next_billing_date_from: day, next_billing_date_to: day });
  return html`<li
    class="${due.length === 0 && "blank"} ${!isTargetDay(day) && "closed"}"
    ${isToday && html`aria-current="date"`}
  >
    <time datetime="${day}">${words.weekDay(day)}</time>
    ${!isTargetDay(day) && html`<span class="soft">${say("banksClosed")}</span>`}
    ${due.map(
      (row) =>
        html`${
          row.renewals > 0 &&
          html`<a href="${list}"
            >${money(words, row.renewals_amount, row.currency)}
            <span class="soft">${words.count(texts.renewals, row.renewals)}</span></a
          >`
        }${
          row.retries > 0 &&
          html`<span
            >${money(words, row.retries_amount, row.currency)}
            <span class="soft">${words.count(texts.triedAgain, row.retries)}</span></span
          >`
        }`,
    )}
  </li>`;
}
