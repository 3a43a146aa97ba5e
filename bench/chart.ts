/**
 * `npm run bench:chart -- BEFORE.json AFTER.json CHART.svg`: draws the levels of load of two runs of `npm run bench
 * -- --json` as bars next to each other, readable on light and dark pages.
 */
import { readFile, writeFile } from "node:fs/promises";
import type { Figures } from "./measures.ts";
import { median, type Result } from "./table.ts";

interface Run {
  readonly facts: { readonly commit: string };
  readonly results: readonly Result[];
}

interface Panel {
  readonly title: string;
  /** The prefix of the panel's measures, before the comma. */
  readonly kind: "create" | "create + pay + delivered";
  readonly digits: number;
  readonly value: (figures: Figures) => number | null;
}

const PANELS: readonly Panel[] = [
  { title: "Sessions created per second", kind: "create", digits: 0, value: (f) => f.perSecond },
  {
    title: "Payments per second, webhook delivered",
    kind: "create + pay + delivered",
    digits: 0,
    value: (f) => f.perSecond,
  },
  {
    title: "Seconds of processor time per 1,000 payments",
    kind: "create + pay + delivered",
    digits: 1,
    value: (f) => f.serviceCpuMs + f.databaseCpuMs,
  },
  {
    title: "Milliseconds for 99 % of creates, at half of the rate",
    kind: "create",
    digits: 0,
    value: (f) => f.atHalfRate?.answered.p99 ?? null,
  },
];

const LEVELS = [
  "1 connections",
  "16 connections",
  "64 connections",
  "256 connections",
  "10 tenants",
  "1000 tenants",
];
const LEVEL_TITLES = ["1", "16", "64", "256", "10 t", "1,000 t"];
const WIDTH = 760;
const PANEL_WIDTH = 360;
const PANEL_HEIGHT = 210;
const GAP = 20;
const BAR_WIDTH = 24;
const BARS_HEIGHT = 130;
const LEGEND_HEIGHT = 44;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .value { font-size: 10px }
  .before { fill: #8c959f }
  .after { fill: #0969da }
  .axis { stroke: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .before { fill: #6e7681 }
    .after { fill: #58a6ff }
  }`;

const [beforeFile, afterFile, chartFile] = process.argv.slice(2);
if (beforeFile === undefined || afterFile === undefined || chartFile === undefined) {
  console.error("Usage: npm run bench:chart -- BEFORE.json AFTER.json CHART.svg");
  process.exitCode = 2;
} else {
  const [before, after] = await Promise.all([beforeFile, afterFile].map(read));
  if (before !== undefined && after !== undefined) await writeFile(chartFile, chart(before, after));
}

async function read(file: string): Promise<Run> {
  return JSON.parse(await readFile(file, "utf8")) as Run;
}

function chart(before: Run, after: Run): string {
  const height = LEGEND_HEIGHT + Math.ceil(PANELS.length / 2) * (PANEL_HEIGHT + GAP);
  const panels = PANELS.map((panel, index) => {
    const x = (index % 2) * (PANEL_WIDTH + GAP) + GAP / 2;
    const y = LEGEND_HEIGHT + Math.floor(index / 2) * (PANEL_HEIGHT + GAP);
    return `<g transform="translate(${x} ${y})">${panelOf(panel, before, after)}</g>`;
  });
  const legend =
    `<rect class="before" x="10" y="8" width="12" height="12"/><text x="28" y="18">before</text>` +
    `<rect class="after" x="90" y="8" width="12" height="12"/><text x="108" y="18">after</text>` +
    `<text x="170" y="18">connections of one tenant, then 10 and 1,000 tenants on 64 connections</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">\n` +
    `<title>Before and after, by the number of connections and tenants</title>\n` +
    `<style>${STYLE}\n</style>\n${legend}\n${panels.join("\n")}\n</svg>\n`
  );
}

function panelOf({ title, kind, digits, value }: Panel, before: Run, after: Run): string {
  const valuesOf = ({ results }: Run) =>
    LEVELS.map((level) => {
      const found = results.find(({ measure }) => measure.name === `${kind}, ${level}`);
      return found === undefined ? null : median(found.runs.map(value));
    });
  const both = [valuesOf(before), valuesOf(after)] as const;
  const highest = Math.max(1e-9, ...both.flat().map((one) => one ?? 0));
  const slot = PANEL_WIDTH / LEVELS.length;
  const base = PANEL_HEIGHT - GAP;
  const bar = (name: "before" | "after", at: number, one: number | null): string => {
    if (one === null) return "";
    const x = at * slot + slot / 2 - BAR_WIDTH + (name === "after" ? BAR_WIDTH : 0);
    const height = (one / highest) * BARS_HEIGHT;
    return (
      `<rect class="${name}" x="${x}" y="${(base - height).toFixed(1)}" width="${BAR_WIDTH - 2}" height="${height.toFixed(1)}"/>` +
      `<text class="value" text-anchor="middle" x="${x + BAR_WIDTH / 2 - 1}" y="${(base - height - 4).toFixed(1)}">${shown(one, digits)}</text>`
    );
  };
  const bars = LEVELS.map(
    (_, at) =>
      bar("before", at, both[0][at] ?? null) +
      bar("after", at, both[1][at] ?? null) +
      `<text text-anchor="middle" x="${at * slot + slot / 2}" y="${base + 15}">${LEVEL_TITLES[at]}</text>`,
  );
  const axis = `<line class="axis" x1="0" x2="${PANEL_WIDTH}" y1="${base}" y2="${base}"/>`;
  return `<text class="title" y="14">${title}</text>${axis}${bars.join("")}`;
}

function shown(value: number, digits: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
