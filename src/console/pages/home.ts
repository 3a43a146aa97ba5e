/** The first page: what needs a person, the figures of a period, what is expected, the newest payments. Pure. */
import { html, type Html } from "../../files/html.ts";
import { must } from "../../lib/assert.ts";
import { addDays, daysFrom, type IsoDate } from "../../lib/dates.ts";
import type { Action } from "../../people/access.ts";
import type { Waiting } from "../../reports/attention/routes.ts";
import { DAYS_SHOWN } from "../../reports/statistics/routes.ts";
import type { ReturnsOfWeek } from "../../reports/statistics/returns.ts";
import type { ExpectedRow } from "../../reports/statistics/expected.ts";
import type { FigureRow } from "../../reports/statistics/store.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { empty, heading, panel, stats, tabs } from "../design/blocks.ts";
import { barChart, courseLine } from "../design/chart.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { money, reason } from "../design/values.ts";
import type { Words } from "../words.ts";
import {
  added,
  countOnceCollected,
  mainCurrency,
  returnRate,
  SPANS,
  successRate,
  sumsOf,
  type Span,
  type Sum,
} from "./figures.ts";
import { DELIVERIES_PATH, WEBHOOKS_PATH } from "../developers/tabs.ts";
import { CAMPAIGNS_PATH } from "../setup/tabs.ts";
import { BANK_PATH, STATEMENTS_PATH, UNMATCHED_PATH } from "./bank.ts";
import { CHARGEBACKS_PATH } from "./chargebacks.ts";
import { HELD_PATH } from "./held-routes.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { paymentsTable, PAYMENTS_PATH } from "./payments.ts";
import { rateCell, returnsPanel } from "./returns.ts";
import { SUBSCRIPTIONS_PATH } from "./subscriptions.ts";

export const HOME_PATH = "/console/";
export const FIGURES_CSV_PATH = "/console/figures.csv";
export const EXPECTED_CSV_PATH = "/console/expected.csv";

interface HomePage {
  readonly words: Words;
  readonly now: Date;
  readonly today: IsoDate;
  readonly span: Span;
  /** The figures by day, for the period and as many days before it. */
  readonly figures: readonly FigureRow[];
  /** Since when changes of past days may be missing; null: everything is current. */
  readonly asOf: Date | null;
  /** The figures of the span by reason. */
  readonly reasons: readonly FigureRow[];
  /** The returns in the main currency. */
  readonly returns: readonly ReturnsOfWeek[];
  readonly expected: readonly ExpectedRow[];
  /** Since when what is expected may have changed; null: it is current. */
  readonly expectedAsOf: Date | null;
  readonly waiting: readonly Waiting[];
  /** A person without access to a queue only sees its count. */
  readonly may: (action: Action) => boolean;
  readonly newest: readonly ListedTransaction[];
}

export function homePage(page: HomePage): Html {
  const { words, now, waiting, newest, span } = page;
  const say = words.say;
  return html`${heading(say("home"))}
    <div class="stack">
      ${panel(
        say("needsYou"),
        waiting.length === 0
          ? html`<p class="in soft">${say("needsNothing")}</p>`
          : html`<ul class="rows">
              ${waiting.map((one) => entry(page, one))}
            </ul>`,
      )}
      ${tabs(
        say("figures"),
        spanPath(span),
        SPANS.map((one) => [spanPath(one), words.texts.spans[one]]),
      )}
      ${figuresOf(page)} ${returnsPanel(words, page.returns, page.today)} ${expectedPanel(page)}
      ${panel(
        say("newest"),
        newest.length === 0
          ? empty(say("noPayments"), say("noPaymentsHint"))
          : paymentsTable(words, newest, now),
        html`<a href="${PAYMENTS_PATH}">${say("all")}</a>`,
      )}
    </div>`;
}

function spanPath(span: Span): string {
  return addressWith(HOME_PATH, span === 30 ? {} : { days: String(span) });
}

/** The page that shows what waits. */
const QUEUES: Readonly<Record<Waiting["kind"], readonly [action: Action, path: string]>> = {
  held_after_restore: ["payments.read", HELD_PATH],
  stopped_bank_users: ["bank.read", BANK_PATH],
  news_set_aside: ["bank.read", BANK_PATH],
  unclear_files: ["bank.read", addressWith(BANK_PATH, { status: "unclear" })],
  files_held: ["bank.read", addressWith(BANK_PATH, { held: "true" })],
  files_not_taken: ["bank.read", addressWith(BANK_PATH, { not_taken: "true" })],
  files_not_approved: ["bank.read", addressWith(BANK_PATH, { status: "withdrawn" })],
  files_to_approve: ["bank.read", addressWith(BANK_PATH, { status: "to_approve" })],
  files_to_download: ["bank.read", addressWith(BANK_PATH, { status: "ready" })],
  unmatched_entries: ["bank.read", addressWith(UNMATCHED_PATH, { status: "open" })],
  statement_gaps: ["bank.read", addressWith(STATEMENTS_PATH, { gap: "true" })],
  unlinked_chargebacks: ["payments.read", addressWith(CHARGEBACKS_PATH, { linked: "false" })],
  cycles_collected_twice: ["payments.read", addressWith(SUBSCRIPTIONS_PATH, { collected_twice: "true" })],
  payments_collected_twice: ["payments.read", addressWith(PAYMENTS_PATH, { collected_twice: "true" })],
  exhausted_deliveries: ["developers.read", addressWith(DELIVERIES_PATH, { status: "exhausted" })],
  switched_off_receivers: ["developers.read", WEBHOOKS_PATH],
  past_due_subscriptions: ["payments.read", addressWith(SUBSCRIPTIONS_PATH, { status: "PAST_DUE" })],
  unresolved_payments: ["payments.read", addressWith(PAYMENTS_PATH, { status: "pending" })],
  stopped_campaigns: ["settings.read", CAMPAIGNS_PATH],
  held_refunds: ["payments.read", addressWith(PAYMENTS_PATH, { held: "true" })],
  lapsing_mandates: ["payments.read", addressWith(MANDATES_PATH, { lapsing: "true" })],
};

function entry({ words, may }: HomePage, { kind, count, more }: Waiting): Html {
  const forms = words.texts.attention[kind];
  const text = html`${more && ">"}${forms === undefined ? kind : words.count(forms, count)}`;
  const [action, path] = QUEUES[kind];
  return may(action)
    ? html`<li><a class="waiting" href="${path}">${text}</a></li>`
    : html`<li><span class="waiting">${text}</span></li>`;
}

/** Merchants usually have one currency; the API has rows for others. */
function figuresOf({ words, span, today, figures, reasons, asOf }: HomePage): Html {
  const currency = mainCurrency(figures) ?? "EUR";
  const rows = figures.filter((row) => row.currency === currency);
  const from = addDays(today, 1 - span);
  const shown = sumsOf(rows.filter(({ start }) => start >= from));
  const before = sumsOf(rows.filter(({ start }) => start < from));
  const say = words.say;
  const against = (now: Sum, then: Sum) => {
    const amount = words.money(then.amount, currency);
    const share = Number(now.amount) / Number(then.amount) - 1;
    return Number(then.amount) === 0
      ? say("againstNothing", { before: amount })
      : say("against", { change: words.change(share), before: amount });
  };
  const byDay = Map.groupBy(rows, ({ start }) => start);
  const days = daysFrom(addDays(from, -span), 2 * span).map((day) => ({
    day,
    ...sumsOf(byDay.get(day) ?? []),
  }));
  const course = (of: "collected" | "pending" | "returned" | "refunds") =>
    courseLine(days.slice(span).map((day) => Number(day[of].amount)));
  const [success, successBefore] = [successRate(shown), successRate(before)];
  const returned = { now: returnRate(shown), before: returnRate(before) };
  return html`${stats([
      {
        name: say("collected"),
        value: money(words, shown.collected.amount, currency),
        change: against(shown.collected, before.collected),
        course: course("collected"),
      },
      {
        name: say("pending"),
        value: money(words, shown.pending.amount, currency),
        change: against(shown.pending, before.pending),
        course: course("pending"),
      },
      {
        name: say("returned"),
        value: money(words, shown.returned.amount, currency),
        change: [
          returned.now === null
            ? "–"
            : words.count(words.texts.rateOf, shown.returned.count, { rate: words.percent(returned.now) }),
          returned.before !== null &&
            say("returnedBefore", {
              amount: words.money(before.returned.amount, currency),
              rate: words.percent(returned.before),
            }),
        ]
          .filter((part) => part !== false)
          .join("; "),
        course: course("returned"),
      },
      {
        name: say("refunds"),
        value: money(words, shown.refunds.amount, currency),
        change: against(shown.refunds, before.refunds),
        course: course("refunds"),
      },
      {
        name: say("success"),
        value: success === null ? "–" : words.percent(success),
        ...(successBefore === null
          ? {}
          : { change: say("againstNothing", { before: words.percent(successBefore) }) }),
      },
    ])}
    ${
      (words.timeZone !== "UTC" || asOf !== null) &&
      html`<p class="soft">
        ${words.timeZone !== "UTC" && say("daysInUtc", { day: words.day(today) })}
        ${asOf !== null && say("asOf", { time: words.time(asOf) })}
      </p>`
    }
    ${span > 1 && panel(say("byDay"), overTime(words, { days, currency, span }))}
    <div class="halves">
      ${panel(say("whyDeclined"), reasonsTable(words, reasons, currency, { kind: "declined", from, to: today, collections: null }))}
      ${panel(say("whyReturned"), reasonsTable(words, reasons, currency, { kind: "returned", from, to: today, collections: countOnceCollected(shown) }))}
    </div>`;
}

type FigureDay = ReturnType<typeof sumsOf> & { readonly day: IsoDate };

/** @param days twice the span: before those that are shown as bars, the same number to compare them with. */
function overTime(
  words: Words,
  { days, currency, span }: { days: readonly FigureDay[]; currency: string; span: Span },
): Html {
  const bars = days.slice(span).map(({ day, collected, pending, returned }, at) => ({
    label: words.shortDay(day),
    values: [collected.amount, pending.amount, returned.amount],
    before: must(days[at], "the same day of the time before").collected.amount,
  }));
  const amounts = bars.flatMap(({ values, before }) => [...values, before]);
  if (amounts.every((amount) => Number(amount) === 0))
    return html`<p class="in soft">${words.say("noFigures")}</p>`;
  return barChart(words, {
    title: words.say("byDay"),
    currency,
    period: words.say("date"),
    series: [
      { name: words.say("collected"), as: "main" },
      { name: words.say("pending"), as: "soft" },
      { name: words.say("returned"), as: "bad" },
    ],
    beforeName: words.say("timeBefore"),
    bars,
    isPast: true,
    csv: addressWith(FIGURES_CSV_PATH, { days: String(span) }),
  });
}

const REASONS_SHOWN = 8;

interface ReasonsShown {
  readonly kind: "declined" | "returned";
  readonly from: IsoDate;
  readonly to: IsoDate;
  /** The payments of which each reason is a share; null: of those with a reason. */
  readonly collections: number | null;
}

/** The most frequent reasons first, each with a link to its payments of these days (UTC). */
function reasonsTable(
  words: Words,
  rows: readonly FigureRow[],
  currency: string,
  { kind, from, to, collections }: ReasonsShown,
): Html {
  const some = rows
    .filter((row) => row.currency === currency && row[kind] > 0)
    .toSorted((a, b) => b[kind] - a[kind]);
  if (some.length === 0) {
    return html`<p class="in soft">${words.say(kind === "declined" ? "noDeclines" : "noReturns")}</p>`;
  }
  const all = some.reduce((sum, row) => sum + row[kind], 0);
  const status = kind === "declined" ? "declined" : "charged_back";
  const counted = table(
    words.say(kind === "declined" ? "whyDeclined" : "whyReturned"),
    [
      { title: words.say("reason") },
      { title: words.say("number"), as: "number" },
      { title: words.say(collections === null ? "share" : "ofCollected"), as: "number" },
      { title: words.say("amount"), as: "number" },
    ],
    some
      .slice(0, REASONS_SHOWN)
      .map((row) => [
        row.group_id === null
          ? words.say("noReason")
          : html`<a
              href="${addressWith(PAYMENTS_PATH, { status, reason: row.group_id, from, to, zone: "UTC" })}"
              >${reason(words, row.group_id)}</a
            >`,
        words.number(row[kind]),
        collections === null ? words.percent(row[kind] / all) : rateCell(words, row[kind] / collections),
        money(words, row[`${kind}_amount`], currency),
      ]),
  );
  if (collections === null) return counted;
  const rate = words.percent(all / collections);
  return html`<p class="in soft">${words.say("rateByReason", { rate })}</p>
    ${counted}`;
}

function expectedPanel({ words, expected, expectedAsOf: asOf, today }: HomePage): Html {
  const say = words.say;
  const [first] = expected;
  if (first === undefined) {
    return panel(say("expectedCash"), html`<p class="in soft">${say("nothingExpected")}</p>`);
  }
  const rows = expected.filter(({ currency }) => currency === first.currency);
  const bars = daysFrom(today, DAYS_SHOWN).map((day) => {
    const some = rows.filter((row) => row.day === day);
    return {
      label: words.shortDay(day),
      values: [
        added(some.map((row) => row.settlements_amount)),
        added(some.map((row) => row.renewals_amount)),
      ],
    };
  });
  return panel(
    say("expectedCash"),
    html`${barChart(words, {
      title: say("expectedCash"),
      currency: first.currency,
      period: say("date"),
      series: [
        { name: say("atTheBank"), as: "main" },
        { name: say("renewalsDue"), as: "soft" },
      ],
      bars,
      csv: EXPECTED_CSV_PATH,
    })}
    ${asOf !== null && html`<p class="in soft">${say("expectedAsOf", { time: words.time(asOf) })}</p>`}`,
  );
}
