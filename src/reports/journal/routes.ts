/** `management/journal/`: the bank's bookings as double entries that balance to its statements, for bookkeeping. */
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { attachmentHeader, tenantOf, type Answer, type Router } from "../../http/endpoint.ts";
import { isoDate, oneOf } from "../../http/fields.ts";
import { Day } from "../../http/response-fields.ts";
import { addDays, daysBetween, utcDate, type IsoDate } from "../../lib/dates.ts";
import { formatAmount } from "../../lib/money.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { FieldErrors } from "../../refusals.ts";
import { datevFile, ledgerCsv } from "./files.ts";
import { ACCOUNTS, balanced, linesOf, type Line } from "./lines.ts";
import { movements, statementDays } from "./store.ts";

const PATH = `${MANAGEMENT}journal/`;
/** A year of bookkeeping, including leap years. */
const DAYS_MAX = 366;
/** The response is built in memory. */
const MOVEMENTS_MAX = 200_000;
/** A statement covers a month at most; its lines may be before the first day. */
const STATEMENT_DAYS_MAX = 40;

const number = (standard: string) =>
  Type.Optional(
    Type.String({ pattern: "^[0-9]{4,9}$", default: standard, description: `Default ${standard} (SKR03).` }),
  );

const Query = Type.Object({
  from: Type.Optional(
    isoDate({ description: "First day of booking (UTC). Without it: the first of the month of `to`." }),
  ),
  to: Type.Optional(isoDate({ description: `Last day, at most ${DAYS_MAX} days later. Without it: today.` })),
  format: Type.Optional(oneOf(["json", "csv", "datev"], { description: "Default json." })),
  bank: number("1200"),
  receivables: number("1400"),
  fees: number("4970"),
  other: number("1590"),
  consultant: Type.Optional(
    Type.Integer({ minimum: 1_001, maximum: 9_999_999, description: "DATEV: Beraternummer." }),
  ),
  client: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 99_999, description: "DATEV: Mandantennummer." }),
  ),
  year_start: Type.Optional(
    isoDate({ description: "DATEV: first day of the fiscal year. Default 1 January of `from`." }),
  ),
});
type Given = Static<typeof Query>;
type Query = Given & { readonly from: IsoDate; readonly to: IsoDate };

const Journal = Type.Object(
  {
    from: Day,
    to: Day,
    results: Type.Array(
      Type.Object({
        day: Day,
        what: Type.String({
          description:
            "collection, return, refund, refund_back, fee, or other: what a statement has besides our payments.",
        }),
        reference: Type.String({ description: "The end-to-end id; of `other` the number of the statement." }),
        debit: Type.Enum([...ACCOUNTS]),
        credit: Type.Enum([...ACCOUNTS]),
        amount: Type.String(),
        currency: Type.String(),
        bank_account: Type.String({ description: "The last four characters of the merchant's account." }),
      }),
    ),
  },
  { $id: "Journal" },
);

/** Declares the endpoint. */
export function journalRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "What the bank has booked, as entries for bookkeeping",
    description:
      "Collections, returns, refunds and fees of the merchant's bank accounts by the day of booking. For each statement that was read, one line has what else it has, so that the lines of `bank` add up to its balances.",
    tag: "SEPA files",
    access: "read",
    schema: { query: Query, response: { 200: Journal } },
    otherFormats: { "text/csv": "The same as a table, or DATEV's booking batch (EXTF) in Windows-1252." },
    answerHeaders: ["Content-Disposition"],
    async handle(call) {
      const tenant = tenantOf(call);
      const query = checked(call.query, utcDate(deps.time.now(tenant)));
      const { from, to } = query;
      const before = addDays(from, -STATEMENT_DAYS_MAX);
      const [moved, statements] = await Promise.all([
        movements(deps.db, tenant, { from: before, to }, MOVEMENTS_MAX + 1),
        statementDays(deps.db, tenant, { from, to }),
      ]);
      if (moved.length > MOVEMENTS_MAX) throw new FieldErrors({ to: ["Choose fewer days."] });
      const covered = statements.filter(({ since }) => since >= addDays(before, -1));
      const lines = balanced(moved.flatMap(linesOf), covered).filter(({ day }) => day >= from);
      return answer(query, lines, deps.clock.now());
    },
  });
}

/**
 * Validates the query.
 * @throws FieldErrors
 */
function checked(given: Given, today: IsoDate): Query {
  const { to = today, from = `${to.slice(0, 8)}01`, format, consultant, client } = given;
  const query = { ...given, from, to };
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw new FieldErrors({ to: ["Must not be before from."] });
  if (days > DAYS_MAX) throw new FieldErrors({ to: [`Must be at most ${DAYS_MAX} days after from.`] });
  if (format !== "datev") return query;
  const required = ["This field is required with datev."];
  const wrong = {
    ...(consultant === undefined ? { consultant: required } : {}),
    ...(client === undefined ? { client: required } : {}),
    // A booking has no year of its own.
    ...(isOneYear(query)
      ? {}
      : { year_start: ["from and to must lie in the fiscal year that begins then."] }),
  };
  if (Object.keys(wrong).length > 0) throw new FieldErrors(wrong);
  return query;
}

function isOneYear(query: Query): boolean {
  const { from, to } = query;
  const start = yearStartOf(query);
  return start <= from && to < Temporal.PlainDate.from(start).add({ years: 1 }).toString();
}

function yearStartOf({ from, year_start: start }: Query): IsoDate {
  return start ?? `${from.slice(0, 4)}-01-01`;
}

function answer(query: Query, lines: readonly Line[], createdAt: Date): Answer {
  const { from, to, format = "json", consultant = 0, client = 0 } = query;
  const { bank = "1200", receivables = "1400", fees = "4970", other = "1590" } = query;
  const numbers = { bank, receivables, fees, other };
  if (format === "json") return { status: 200, body: { from, to, results: lines.map(shown) } };
  if (format === "csv") return file("utf-8", `journal_${from}_${to}.csv`, ledgerCsv(lines, numbers));
  const head = { consultant, client, yearStart: yearStartOf(query), from, to, createdAt };
  return file("windows-1252", `EXTF_Buchungsstapel_${from}_${to}.csv`, datevFile(lines, numbers, head));
}

function file(charset: string, name: string, body: string | Buffer): Answer {
  return {
    status: 200,
    headers: {
      "content-type": `text/csv; charset=${charset}`,
      ...attachmentHeader(name),
    },
    body,
  };
}

function shown({ day, what, reference, debit, credit, amount, currency, iban }: Line): object {
  const money = { amount: formatAmount(amount), currency };
  return { day, what, reference, debit, credit, ...money, bank_account: iban.slice(-4) };
}
