/** Page of the components, each once, for people who build pages: /console/design/. Pure. */
import { html, type Html } from "../../files/html.ts";
import {
  callout,
  dialog,
  empty,
  facts,
  heading,
  panel,
  rawBlock,
  stats,
  tabs,
  toast,
} from "../design/blocks.ts";
import { barChart, courseLine } from "../design/chart.ts";
import { choices, input, fewChoices, select, textarea } from "../design/fields.ts";
import { filterBar } from "../design/filters.ts";
import { pages, table } from "../design/table.ts";
import { timeline } from "../design/timeline.ts";
import { accountEnd, badge, money, reason, copyableReference, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { rateCell } from "./returns.ts";

export const DESIGN_PATH = "/console/design/";

/**
 * The page.
 * @param withDialog shows the dialog, which has its own address.
 */
export function designPage(words: Words, now: Date, withDialog: boolean): Html {
  const hour = new Date(now.getTime() - 3_600_000);
  const year = new Date(now.getTime() - 365 * 86_400_000);
  const step = { id: null, kind: "payment", why: null, amount: "19.90", whom: null } as const;
  return html`${heading("Design", {
      after: badge("waiting", "Internal"),
      acts: [
        html`<a class="button" href="${DESIGN_PATH}?act=dialog">Dialog</a>`,
        html`<a class="button main" href="${DESIGN_PATH}">Main act</a>`,
      ],
      lead: "Each component once. Pages are put together from these and bring no style of their own.",
    })}
    <div class="stack">
      ${panel(
        "Badges",
        html`<p class="in">
          ${badge("good", "Good")} ${badge("waiting", "Waiting")} ${badge("attention", "Attention")}
          ${badge("bad", "Bad")}
          ${["approved", "declined", "charged_back", "pending", "PAST_DUE"].map((state) => html`${stateBadge(words, state)} `)}
        </p>`,
      )}
      ${panel(
        "Values",
        facts([
          ["Money", money(words, "1234567.89", "EUR")],
          ["Within a day", time(words, hour, now)],
          ["Later", time(words, year, now)],
          ["Account", accountEnd("******************3000")],
          ["Reason", reason(words, "AM04")],
          ["Reference", copyableReference(words, "TXN-20261122-MMFJ7WXB")],
        ]),
      )}
      ${stats([
        {
          name: "Collected",
          value: money(words, "12500.00", "EUR"),
          change: "+4.2 % against the 30 days before",
        },
        { name: "Returned", value: "1.8 %", change: "−0.3 points", course: courseLine([3, 1, 4, 1, 5, 2]) },
        { name: "Pending", value: money(words, "310.00", "EUR") },
      ])}
      <section class="panel">
        ${tabs("Tabs", DESIGN_PATH, [
          [DESIGN_PATH, "This one"],
          [`${DESIGN_PATH}?tab=2`, "Another"],
        ])}
        ${filterBar(words, DESIGN_PATH, { status: "declined" }, [
          {
            title: "Status",
            names: ["status"],
            shown: "Declined",
            form: select({ name: "filter-status", label: "Status" }, [["", "Any"]]),
          },
        ])}
        ${table(
          "Table",
          [{ title: "Amount", as: "number" }, { title: "Status" }, { title: "Date", as: "short" }],
          [
            [money(words, "19.90", "EUR"), stateBadge(words, "approved"), time(words, hour, now)],
            [money(words, "1019.90", "EUR"), stateBadge(words, "declined"), time(words, year, now)],
          ],
        )}
        ${pages(words, { newer: null, older: DESIGN_PATH, shown: 2 })}
      </section>
      ${panel(
        "Chart",
        barChart(words, {
          title: "Collected by day",
          currency: "EUR",
          period: "Day",
          series: [
            { name: "Collected", as: "main" },
            { name: "Returned", as: "bad" },
          ],
          beforeName: "The days before",
          bars: ["310.00", "120.00", "450.50", "275.00", "390.00"].map((amount, at) => ({
            label: words.shortDay(`2026-11-${20 + at}`),
            values: [amount, "12.00"],
            before: `${200 + at * 40}.00`,
          })),
        }),
      )}
      ${panel("Shares", facts([0, 0.004, 0.008, 0.015, 0.04].map((share) => [words.percent(share), rateCell(words, share)])))}
      ${panel(
        "Timeline",
        timeline(
          words,
          [
            { ...step, at: year, what: "created" },
            { ...step, at: hour, what: "declined", why: "AM04" },
            { ...step, at: now, what: "approved" },
          ],
          "EUR",
        ),
      )}
      ${panel(
        "Form",
        html`<form class="in" method="get" action="${DESIGN_PATH}">
          ${input({ name: "design-name", label: "Label", hint: "A hint says what is expected." })}
          ${input({ name: "design-wrong", label: "Wrong", value: "abc", error: "Enter an amount such as 19.90." })}
          ${textarea({ name: "design-text", label: "Text", value: '{"order": "42"}', code: true })}
          ${choices(
            "Choices",
            ["design-a"],
            [
              ["design-a", "One"],
              ["design-b", "Another"],
            ],
          )}
          ${fewChoices({ name: "design-one", label: "One of two", value: "a" }, [
            ["a", "What is usual, said in a sentence that is too long for a select"],
            ["b", "The other one"],
          ])}
          <div class="form-acts"><button class="main">Save</button><button class="bad">Remove</button></div>
        </form>`,
      )}
      ${callout("attention", "A callout says what is unusual on this page.")} ${callout("good", "It worked.")}
      ${panel("Empty", empty("Nothing here yet", "An empty page says what will stand here, and what makes the first."))}
      ${rawBlock("Raw", JSON.stringify({ id: "…", amount: "19.90" }, null, 2))}
    </div>
    ${toast("A toast says what has just been done.")}
    ${
      withDialog &&
      dialog(
        "A dialog",
        html`<p>It says what will happen.</p>
          <a class="button" href="${DESIGN_PATH}" data-close>Close</a>`,
      )
    }`;
}
