/** The returns triangle: the share of a week's payments that came back, by the time until they did. Pure. */
import { html, type Html } from "../../files/html.ts";
import { addDays, type IsoDate } from "../../lib/dates.ts";
import type { ReturnsOfWeek } from "../../reports/statistics/returns.ts";
import { AGE_WEEKS } from "../../reports/statistics/store.ts";
import { panel } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import type { Words } from "../words.ts";
import { PAYMENTS_PATH } from "./payments.ts";

export const RETURNS_CSV_PATH = "/console/returns.csv";

/** The share from which a cell is darker. SEPA sets no limit; banks and processors do, in their contracts. */
const LEVELS = [0.0001, 0.005, 0.01, 0.025];

/** Merchants usually have one currency: the one with the most payments. */
export function ofMainCurrency(rows: readonly ReturnsOfWeek[]): readonly ReturnsOfWeek[] {
  const counts = new Map<string, number>();
  for (const { currency, collected } of rows) counts.set(currency, (counts.get(currency) ?? 0) + collected);
  const [main] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return rows.filter(({ currency }) => currency === main);
}

/** Each cell shows the share that had come back by then; future cells are blank. */
export function returnsPanel(words: Words, rows: readonly ReturnsOfWeek[], today: IsoDate): Html {
  const { say } = words;
  const ages = Array.from({ length: AGE_WEEKS + 1 }, (_, age) => age);
  const body =
    rows.length === 0
      ? html`<p class="in soft">${say("nothingCollected")}</p>`
      : html`<p class="in soft"><span class="spare">${say("returnsWhat")}</span> ${say("returnsLimits")}</p>
          ${table(
            say("returnsByWeek"),
            [
              { title: say("week"), as: "short" },
              { title: say("collected"), as: "number" },
              { title: say("returned"), as: "number" },
              ...ages.map(
                (age) =>
                  ({ title: age === AGE_WEEKS ? `${age}+` : String(age), as: "number spare" }) as const,
              ),
            ],
            rows.map((row) => [
              words.shortDay(row.week),
              words.number(row.collected),
              returnedOf(words, row),
              ...ages.map((age) => cell(words, row, age, today)),
            ]),
          )}`;
  return panel(say("returnsByWeek"), body, html`<a href="${RETURNS_CSV_PATH}">CSV</a>`);
}

/** The number and share of returned payments, with a link to them. */
function returnedOf(words: Words, { week: from, returned, collected }: ReturnsOfWeek): Html {
  const said = html`${words.number(returned)} (${words.percent(returned / collected)})`;
  const which = { status: "charged_back", from, to: addDays(from, 6), zone: "UTC" };
  return returned === 0 ? said : html`<a href="${addressWith(PAYMENTS_PATH, which)}">${said}</a>`;
}

function cell(words: Words, row: ReturnsOfWeek, age: number, today: IsoDate): Html | string {
  if (addDays(row.week, 7 * age) > today) return "";
  const share = row.returned_by_age.slice(0, age + 1).reduce((sum, count) => sum + count, 0) / row.collected;
  return rateCell(words, share);
}

/** A share of collected payments that came back, darker the more it is. */
export function rateCell(words: Words, share: number): Html {
  const level = LEVELS.filter((from) => share >= from).length;
  return html`<span class="heat heat-${level}">${words.percent(share)}</span>`;
}

/** One line per week and currency; no value can be taken for a formula by a spreadsheet. */
export function returnsCsv(rows: readonly ReturnsOfWeek[]): string {
  const ages = Array.from({ length: AGE_WEEKS + 1 }, (_, age) => `returned_week_${age}`);
  const lines = rows.map(({ week, currency, collected, returned, returned_by_age: byAge }) =>
    [week, currency, collected, returned, ...byAge].join(","),
  );
  return [["week", "currency", "collected", "returned", ...ages].join(","), ...lines, ""].join("\r\n");
}
