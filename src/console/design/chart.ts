/** Charts as SVG, created on the server, each with a table. The only use of d3: a scale and a line. Pure. */
import { scaleBand, scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { table } from "./table.ts";

interface Series {
  readonly name: string;
  /** Its colour: the accent, that of returns, or that of the future. */
  readonly as: "main" | "bad" | "soft";
}

interface Bar {
  /** Below the axis. */
  readonly label: string;
  /** One for each series, stacked from the zero line; amounts with two decimals. */
  readonly values: readonly string[];
  /** The value of the previous period: a point of the thin line. */
  readonly before?: string;
}

interface BarChart {
  readonly title: string;
  /** The unit of the values. */
  readonly currency: string;
  /** The table's heading of the bars' column. */
  readonly period: string;
  readonly series: readonly Series[];
  /** The name of the thin line. */
  readonly beforeName?: string;
  readonly bars: readonly Bar[];
  /** Whether it shows the past: on a phone, where it is wider than the window, it is scrolled to its end. */
  readonly isPast?: boolean;
  /** The path of the figures as CSV. */
  readonly csv?: string;
}

const WIDTH = 760;
const HEIGHT = 220;
const EDGE = { top: 12, right: 4, bottom: 24, left: 60 };
const TICKS = 4;
const LABELS_MAX = 8;

/** Bars over time. Heights are rounded to a tenth of a pixel; the table has the exact amounts. */
export function barChart(words: Words, chart: BarChart): Html {
  const { bars, series } = chart;
  const total = ({ values }: Bar) => values.reduce((sum, value) => sum + Number(value), 0);
  const top = Math.max(...bars.map(total), ...bars.map(({ before = "0" }) => Number(before)), 1);
  const y = scaleLinear([0, top], [HEIGHT - EDGE.bottom, EDGE.top]).nice(TICKS);
  const x = scaleBand(
    bars.map((_, at) => at),
    [EDGE.left, WIDTH - EDGE.right],
  ).paddingInner(0.25);
  const everyNth = Math.ceil(bars.length / LABELS_MAX);
  return html`<figure class="chart ${chart.isPast === true && "past"}">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${chart.title}">
      ${y
        .ticks(TICKS)
        .map(
          (tick) =>
            html`<line
                class="${tick === 0 ? "zero" : "grid"}"
                x1="${EDGE.left}"
                x2="${WIDTH - EDGE.right}"
                y1="${round(y(tick))}"
                y2="${round(y(tick))}"
              /><text x="${EDGE.left - 8}" y="${round(y(tick)) + 4}" text-anchor="end"
                >${words.shortMoney(tick, chart.currency)}</text
              >`,
        )}
      ${bars.map((bar, at) => column(words, chart, bar, { left: x(at) ?? 0, width: x.bandwidth(), y }))}
      ${bars.map(
        ({ label }, at) =>
          html`${at % everyNth === 0 && html`<text x="${round((x(at) ?? 0) + x.bandwidth() / 2)}" y="${HEIGHT - 6}" text-anchor="middle">${label}</text>`}`,
      )}
      ${beforeLine(bars, (at) => (x(at) ?? 0) + x.bandwidth() / 2, y)}
    </svg>
    <figcaption>
      ${series.map(({ name, as }) => html`<span class="key ${as}">${name}</span> `)}
      ${chart.beforeName !== undefined && html`<span class="key before">${chart.beforeName}</span>`}
    </figcaption>
    <div class="below">
      <details>
        <summary>${words.say("asTable")}</summary>
        ${table(
          chart.title,
          [
            { title: chart.period, as: "short" },
            ...[
              ...series.map(({ name }) => name),
              ...(chart.beforeName === undefined ? [] : [chart.beforeName]),
            ].map((title) => ({ title, as: "number" }) as const),
          ],
          bars.map(({ label, values, before }) => [
            label,
            ...[...values, ...(before === undefined ? [] : [before])].map((value) =>
              words.money(value, chart.currency),
            ),
          ]),
        )}
      </details>
      ${chart.csv !== undefined && html`<p class="csv"><a href="${chart.csv}" download>CSV</a></p>`}
    </div>
  </figure>`;
}

/** A bar, with its value on hover. */
function column(
  words: Words,
  { series, currency }: BarChart,
  bar: Bar,
  {
    left,
    width,
    y,
  }: { readonly left: number; readonly width: number; readonly y: (value: number) => number },
): Html {
  let below = 0;
  const parts = bar.values.map((value, at) => {
    const from = y(below);
    below += Number(value);
    const to = y(below);
    if (from === to) return NOTHING;
    return html`<rect
      class="${series[at]?.as ?? "main"}"
      x="${round(left)}"
      width="${round(width)}"
      y="${round(to)}"
      height="${round(from - to)}"
    />`;
  });
  const said = bar.values.map((value, at) => `${series[at]?.name}: ${words.money(value, currency)}`);
  return html`<g><title>${bar.label} – ${said.join(", ")}</title>${parts}</g>`;
}

function beforeLine(bars: readonly Bar[], x: (at: number) => number, y: (value: number) => number): Html {
  const points = bars.flatMap(({ before }, at): [number, number][] =>
    before === undefined ? [] : [[round(x(at)), round(y(Number(before)))]],
  );
  const path = points.length > 1 ? line()(points) : null;
  return path === null ? NOTHING : html`<path class="before" d="${path}" />`;
}

const COURSE = { width: 160, height: 28, edge: 2 };

/**
 * A line without axes, for a stat; hidden from screen readers, which have the chart's table. Nothing for less than two
 * points, or for a course of nothing.
 */
export function courseLine(values: readonly number[]): Html {
  const { width, height, edge } = COURSE;
  const top = Math.max(...values, 0);
  if (values.length < 2 || top === 0) return NOTHING;
  const x = scaleLinear([0, values.length - 1], [edge, width - edge]);
  const y = scaleLinear([0, top], [height - edge, edge]);
  const path = line()(values.map((value, at) => [round(x(at)), round(y(value))]));
  return html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true" preserveAspectRatio="none">
    <path d="${path}" />
  </svg>`;
}

/** To a tenth of a pixel. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
