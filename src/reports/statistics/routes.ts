/** `management/statistics/`: what was collected, is pending, was declined, came back and was refunded, over time. */
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { isoDate, oneOf } from "../../http/fields.ts";
import { Day, NullableText } from "../../http/response-fields.ts";
import { addDays, daysBetween, utcDate, type IsoDate } from "../../lib/dates.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { FieldErrors } from "../../refusals.ts";
import { RETURN_ACTIONS, rulesProblem, type ReturnRules } from "../../sepa/reasons.ts";
import { findOwnTenant } from "../../tenants/store.ts";
import { expectedAsOf, expectedByDay } from "./expected.ts";
import { DAYS_BACK, returnRuleFigures } from "./return-rules.ts";
import { returnsTriangle } from "./returns.ts";
import { retries } from "./retries.ts";
import { AGE_WEEKS, figures, figuresAsOf, GROUPS, PERIODS, type FigureRow } from "./store.ts";

const PATH = `${MANAGEMENT}statistics/`;
const tag = "Customers";
/** The default length of the series, and of the forecast. */
export const DAYS_SHOWN = 30;
/** Thirteen months: a whole year and the month before it. */
const DAYS_MAX = 400;

const Query = Type.Object({
  from: Type.Optional(isoDate({ description: "First day (UTC). Without it: 30 days up to `to`." })),
  to: Type.Optional(isoDate({ description: "Last day (UTC). Without it: today." })),
  by: Type.Optional(
    oneOf(PERIODS, { description: "How long a period is; weeks begin on Monday. Without it: `day`." }),
  ),
  group_by: Type.Optional(oneOf(GROUPS, { description: "Figures apart by it. Without it: all together." })),
});

const Figure = Type.Object({ count: Type.Integer(), amount: Type.String() });

const AsOf = Type.String({
  format: "date-time",
  description:
    "What happened to payments since then may not show yet: ten minutes at most of the last day, an hour of earlier ones, a week of days long ago.",
});

const Statistics = Type.Object(
  {
    from: Day,
    to: Day,
    as_of: AsOf,
    results: Type.Array(
      Type.Object({
        start: Type.String({ format: "date", description: "The first day of the period." }),
        group_id: NullableText,
        group_name: NullableText,
        currency: Type.String(),
        collected: Figure,
        pending: Figure,
        declined: Figure,
        returned: Figure,
        refunds: Figure,
      }),
      {
        description:
          "Payments by the day on which they were opened, refunds by their own. Periods in which nothing happened are left out.",
      },
    ),
  },
  { $id: "Statistics" },
);

const Expected = Type.Object(
  {
    from: Day,
    to: Day,
    as_of: Type.String({
      format: "date-time",
      description:
        "What has changed since then may not show yet: ten minutes as a rule, and only where much is expected.",
    }),
    results: Type.Array(
      Type.Object({
        day: Day,
        currency: Type.String(),
        settlements: Type.Object(Figure.properties, {
          description: "Collections that are with the bank and fall due.",
        }),
        renewals: Type.Object(Figure.properties, { description: "Cycles of subscriptions that fall due." }),
        retries: Type.Object(Figure.properties, { description: "Cycles that are tried again." }),
      }),
    ),
  },
  { $id: "ExpectedCash" },
);

const ExpectedQuery = Type.Object({
  from: Type.Optional(isoDate({ description: "First day (UTC). Without it: today." })),
  to: Type.Optional(
    isoDate({ description: `Last day (UTC). Without it: ${DAYS_SHOWN} days from \`from\`.` }),
  ),
});

const RetriesQuery = Type.Object({
  from: Type.Optional(
    isoDate({ description: "First day (UTC) of first tries. Without it: 30 days up to `to`." }),
  ),
  to: Type.Optional(isoDate({ description: "Last day (UTC). Without it: today." })),
});

const Retries = Type.Object(
  {
    from: Day,
    to: Day,
    results: Type.Array(
      Type.Object({
        reason: Type.String({
          description: "Why the first try was not paid: the bank's code, else our reason.",
        }),
        currency: Type.String(),
        tried_again: Type.Integer(),
        succeeded: Type.Integer(),
        pending: Type.Integer(),
        declined: Type.Integer(),
        returned: Type.Integer(),
        succeeded_amount: Type.String(),
      }),
      { description: "Cycles that were tried a second time, by the outcome of that." },
    ),
  },
  { $id: "RetryStatistics" },
);

const Returns = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        week: Type.String({ format: "date", description: "Its Monday." }),
        currency: Type.String(),
        collected: Type.Integer({
          description: "Payments of that week that were collected, those that came back later included.",
        }),
        returned: Type.Integer(),
        returned_by_age: Type.Array(Type.Integer(), {
          description: `How many came back within a week, in the one after it, and so on; the last number takes in all that came after ${AGE_WEEKS} weeks.`,
        }),
      }),
    ),
  },
  { $id: "ReturnStatistics" },
);

const ReturnRulesQuery = Type.Object({
  rules: Type.Optional(
    Type.String({
      maxLength: 4_000,
      pattern: "^[A-Z0-9]{2,35}:[a-z_]{1,30}(,[A-Z0-9]{2,35}:[a-z_]{1,30})*$",
      message: "Must be codes with what follows them, such as AM04:ask_customer,MS03:block_account.",
      description:
        "The rules to try: `AM04:ask_customer,MS03:block_account`. Codes that are left out have their default. Without it: the tenant's `return_rules`.",
    }),
  ),
});

const Action = Type.Enum([...RETURN_ACTIONS]);
const ReturnRuleStatistics = Type.Object(
  {
    from: Day,
    to: Day,
    as_of: AsOf,
    tried_after: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "What the rules that are tried would have made is said of payments that were opened after it: of the newest 20,000 that were declined or came back. Null: of all.",
    }),
    is_at_least: Type.Boolean({
      description:
        "Whether accounts that would have been blocked have so many mandates that not all later debits were looked at: not_made and not_collected are at least so much.",
    }),
    results: Type.Array(
      Type.Object({
        code: Type.String(),
        meaning: Type.String({ description: "As in error_details." }),
        default_action: Action,
        allowed_actions: Type.Array(Action, {
          description: "What the rules of the scheme and of this service leave to choose.",
        }),
        action: Type.Enum([...RETURN_ACTIONS], { description: "By the tenant's present rules." }),
        action_then: Type.Enum([...RETURN_ACTIONS], { description: "By the rules that are tried." }),
        currency: NullableText,
        returns: Type.Integer({
          description:
            "Payments and renewals, opened in these days, that came back or were refused with the code, as of `as_of`.",
        }),
        amount: Type.String(),
        not_made: Type.Integer({
          description: "Later debits that were made and would not have been under the rules that are tried.",
        }),
        not_collected: Type.String({ description: "The money that these brought." }),
        tried_again: Type.Integer({
          description: "Renewals that were not tried again and would have been.",
        }),
        mandates_ended: Type.Integer({ description: "Mandates that would have ended and did not by rule." }),
        accounts_blocked: Type.Integer(),
      }),
    ),
  },
  { $id: "ReturnRuleStatistics" },
);

const ReturnsQuery = Type.Object({
  weeks: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 56, description: "How many weeks up to today's. Default: 12." }),
  ),
});
export const WEEKS_SHOWN = 12;

/** Declares the endpoints. */
export function statisticsRoutes(router: Router, deps: Deps): void {
  const { db, time } = deps;
  router.add("GET", PATH, {
    summary: "Figures of payments over time",
    tag,
    access: "read",
    schema: { query: Query, response: { 200: Statistics } },
    async handle(call) {
      const tenant = tenantOf(call);
      const now = time.now(tenant);
      const { by: period = "day", group_by: group = null } = call.query;
      const days = daysOf(call.query, utcDate(now));
      const [rows, asOf] = await Promise.all([
        figures(db, tenant, days, { period, group }),
        figuresAsOf(db, tenant, days),
      ]);
      return {
        status: 200,
        body: { ...days, as_of: (asOf ?? now).toISOString(), results: rows.map(shown) },
      };
    },
  });

  router.add("GET", `${PATH}retries/`, {
    summary: "How often the second try of a renewal succeeded, by reason",
    tag,
    access: "read",
    schema: { query: RetriesQuery, response: { 200: Retries } },
    async handle(call) {
      const tenant = tenantOf(call);
      const days = daysOf(call.query, utcDate(time.now(tenant)));
      return { status: 200, body: { ...days, results: await retries(db, tenant, days) } };
    },
  });

  router.add("GET", `${PATH}returns/`, {
    summary: "Which payments of a week came back, by how many weeks later",
    tag,
    access: "read",
    schema: { query: ReturnsQuery, response: { 200: Returns } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { weeks = WEEKS_SHOWN } = call.query;
      const results = await returnsTriangle(db, tenant, utcDate(time.now(tenant)), weeks);
      return { status: 200, body: { results } };
    },
  });

  router.add("GET", `${PATH}return-rules/`, {
    summary: "What follows each reason code, and what other rules would have done in the last 90 days",
    tag,
    access: "read",
    schema: { query: ReturnRulesQuery, response: { 200: ReturnRuleStatistics } },
    async handle(call) {
      const tenant = tenantOf(call);
      const now = time.now(tenant);
      const rules = (await findOwnTenant(db, tenant)).return_rules as ReturnRules;
      const then = call.query.rules === undefined ? rules : triedRules(call.query.rules);
      const { codes, asOf, triedAfter, isAtLeast } = await returnRuleFigures(db, tenant, now, rules, then);
      const to = utcDate(now);
      return {
        status: 200,
        body: {
          from: addDays(to, -DAYS_BACK),
          to,
          as_of: (asOf ?? now).toISOString(),
          tried_after: triedAfter?.toISOString() ?? null,
          is_at_least: isAtLeast,
          results: codes,
        },
      };
    },
  });

  router.add("GET", `${PATH}expected/`, {
    summary: "What is expected, by day",
    description: "Of each subscription its next cycle; without days those of the next 30.",
    tag,
    access: "read",
    schema: { query: ExpectedQuery, response: { 200: Expected } },
    async handle(call) {
      const tenant = tenantOf(call);
      const now = time.now(tenant);
      const { from = utcDate(now), to = addDays(from, DAYS_SHOWN - 1) } = call.query;
      const days = checkedDays({ from, to });
      const [asOf, rows] = await Promise.all([
        expectedAsOf(db, tenant, days),
        expectedByDay(db, tenant, days),
      ]);
      const results = rows.map((row) => ({
        day: row.day,
        currency: row.currency,
        settlements: { count: row.settlements, amount: row.settlements_amount },
        renewals: { count: row.renewals, amount: row.renewals_amount },
        retries: { count: row.retries, amount: row.retries_amount },
      }));
      return { status: 200, body: { ...days, as_of: (asOf ?? now).toISOString(), results } };
    },
  });
}

/**
 * Validates rules.
 * @throws FieldErrors for an action that is not allowed.
 */
function triedRules(text: string): ReturnRules {
  const rules = Object.fromEntries(text.split(",").map((pair) => pair.split(":")));
  const problem = rulesProblem(rules);
  if (problem !== null) throw new FieldErrors({ rules: [problem] });
  return rules;
}

/** Today and the next 29 days. */
export function comingDays(today: IsoDate): { readonly from: IsoDate; readonly to: IsoDate } {
  return { from: today, to: addDays(today, DAYS_SHOWN - 1) };
}

/**
 * Validates the days.
 * @throws FieldErrors when they are in the wrong order, or too many.
 */
function daysOf(
  query: Static<typeof RetriesQuery>,
  today: IsoDate,
): { readonly from: IsoDate; readonly to: IsoDate } {
  const { to = today, from = addDays(to, 1 - DAYS_SHOWN) } = query;
  return checkedDays({ from, to });
}

function checkedDays({ from, to }: { readonly from: IsoDate; readonly to: IsoDate }) {
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw new FieldErrors({ to: ["Must not be before from."] });
  if (days > DAYS_MAX) throw new FieldErrors({ from: [`Must be at most ${DAYS_MAX} days before to.`] });
  return { from, to };
}

function shown(row: FigureRow): object {
  const figure = (count: number, amount: string) => ({ count, amount });
  return {
    start: row.start,
    group_id: row.group_id,
    group_name: row.group_name,
    currency: row.currency,
    collected: figure(row.collected, row.collected_amount),
    pending: figure(row.pending, row.pending_amount),
    declined: figure(row.declined, row.declined_amount),
    returned: figure(row.returned, row.returned_amount),
    refunds: figure(row.refunds, row.refunds_amount),
  };
}
