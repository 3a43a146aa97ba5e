/** The page before an export: how many payments it has, of which filters and with which columns. Pure. */
import { html, type Html } from "../../files/html.ts";
import { EXPORT_FORMATS } from "../../reports/transactions/schemas.ts";
import { EXPORT_COUNTED_MAX } from "../../reports/transactions/store.ts";
import { callout, facts, heading } from "../design/blocks.ts";
import { columnsAsked, columnTitle } from "../design/columns.ts";
import { addressWith } from "../design/filters.ts";
import type { Words } from "../words.ts";
import { problems, type GivenQuery } from "./list-query.ts";
import { PAYMENT_COLUMNS } from "./payment-columns.ts";
import { offeredFilters, paymentsExportPath, PAYMENTS_PATH, type FilterNames } from "./payments.ts";

export const PAYMENTS_EXPORT_PATH = `${PAYMENTS_PATH}export/`;

export function paymentsExportPage(
  words: Words,
  given: GivenQuery,
  { counted, ...names }: FilterNames & { readonly counted: number; readonly now: Date },
): Html {
  const { say } = words;
  const { cursor: _, page_size: __, ...query } = given.usable;
  const filters = offeredFilters(words, query, names).flatMap(({ title, shown }) =>
    shown === null ? [] : [`${title}: ${shown}`],
  );
  const number =
    counted > EXPORT_COUNTED_MAX
      ? say("moreThan", { number: words.number(EXPORT_COUNTED_MAX) })
      : words.number(counted);
  return html`${heading(say("exportPayments"))}
    <div class="stack">
      ${problems(words, given)} ${filters.length === 0 && callout("attention", say("exportAll"))}
      <section class="panel narrow">
        ${facts([
          [say("payments"), number],
          [say("filters"), filters.length === 0 ? null : filters.join("; ")],
          [
            say("columns"),
            columnsAsked(PAYMENT_COLUMNS, query["columns"])
              .names.map((name) => columnTitle(words, PAYMENT_COLUMNS, name))
              .join(", "),
          ],
        ])}
        <div class="in">
          <p class="soft">${say("exportHow")}</p>
          <div class="progress" data-progress hidden>
            <progress
              max="${counted > EXPORT_COUNTED_MAX ? 0 : counted}"
              aria-label="${say("exportPayments")}"
            ></progress>
            <p data-count></p>
            <button type="button" data-stop>${say("cancel")}</button>
          </div>
          <p role="status" data-result></p>
          <div class="form-acts">
            ${EXPORT_FORMATS.map(
              (format) =>
                html`<a
                  class="button"
                  href="${addressWith(paymentsExportPath(format), query)}"
                  download
                  data-export
                  data-rows="${say(counted > EXPORT_COUNTED_MAX ? "exportRows" : "exportRowsOf", { total: words.number(counted) })}"
                  data-done="${say("exportDone")}"
                  data-broken="${say("exportBroken")}"
                  >${say(format === "csv" ? "exportCsv" : "exportXlsx")}</a
                >`,
            )}
            <a class="button quiet" href="${addressWith(PAYMENTS_PATH, query)}">${say("back")}</a>
          </div>
        </div>
      </section>
    </div>`;
}
