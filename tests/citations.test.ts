/** Comments and pages refer to documents, headings, decision records and links that exist. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import test from "node:test";

const ROOT = join(import.meta.dirname, "..");
const CODE = ["src", "web", "tests", "scripts", "tools", "bench"].map(
  (folder) => `${folder}/**/*.{ts,mjs,sql,css}`,
);
const PAGES = ["*.md", "docs/**/*.md"];

interface Heading {
  readonly text: string;
  /** The anchor that GitHub makes from the heading. */
  readonly anchor: string;
}

/** The headings of each page, by its path. */
const pages = new Map<string, readonly Heading[]>();
for (const path of await pathsOf(PAGES)) pages.set(path, headingsOf(await text(path)));

test("every document, heading and decision record that code cites is in the repository", async () => {
  const wrong: string[] = [];
  for (const path of await pathsOf(CODE)) {
    // A citation may continue on the next line of a comment.
    const words = (await text(path)).replace(/\n\s*(?:\*|\/\/|--)?\s*/g, " ");
    wrong.push(...brokenCitations(words).map((citation) => `${path}: ${citation}`));
  }
  assert.deepEqual(wrong, []);
});

test("every link of a page leads to a file, and to a heading of it", async () => {
  const wrong: string[] = [];
  for (const path of pages.keys()) {
    for (const [, target = ""] of (await text(path)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : normalize(join(dirname(path), file));
      if (!(await exists(found))) wrong.push(`${path}: ${target}`);
      else if (anchor !== undefined && !pages.get(found)?.some((heading) => heading.anchor === anchor))
        wrong.push(`${path}: ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("every decision record has its number, a date, a status and the four headings", async () => {
  for (const path of [...pages.keys()].filter((page) => page.startsWith("docs/decisions/"))) {
    const [number = ""] = /\d{4}/.exec(path) ?? [];
    assert.match(
      await text(path),
      new RegExp(`^# ${number} .+\n\nDate: \\d{4}-\\d\\d-\\d\\d\n\nStatus: \\w`),
      path,
    );
    const headings = (pages.get(path) ?? []).map((heading) => heading.text);
    for (const heading of ["Context", "Decision", "Consequences", "Alternatives"])
      assert.ok(headings.includes(heading), `${path}: ${heading}`);
  }
});

test("a decision record whose status names another one is named in that one's status", async () => {
  const wrong: string[] = [];
  for (const path of [...pages.keys()].filter((page) => page.startsWith("docs/decisions/"))) {
    for (const [number, target] of linksInStatus(await text(path))) {
      const other = `docs/decisions/${target}`;
      const back = linksInStatus(await text(other)).map(([, file]) => file);
      if (!target.startsWith(number) || !back.includes(path.slice("docs/decisions/".length)))
        wrong.push(`${path}: ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** The links of a record's status: number and file. */
function linksInStatus(record: string): readonly (readonly [number: string, file: string])[] {
  const status = /^Status: [^]*?\n\n/m.exec(record)?.[0] ?? "";
  assert.doesNotMatch(status, /(?<![[\d])\d{4}(?!-)/, "a record is named by a link");
  return [...status.matchAll(/\[(\d{4})\]\(([^)]+)\)/g)].map(([, number = "", file = ""]) => [number, file]);
}

test("a citation that leads nowhere is reported", () => {
  // Written with a gap, because this file's citations are checked, too.
  for (const [words, broken] of [
    ["/** (contr_act: Money) */", 0],
    ["/** (contr_act: Due dates; contr_act: Failed renewals) */", 0],
    ["/** (contr_act: No such rule) */", 1],
    ["// the table of docs/states.m_d, Orders", 0],
    ["// the table of docs/states.m_d, Nonsense", 1],
    ["// see docs/nowhere.m_d", 1],
    ["// record 00_01", 0],
    ["// record 99_99", 1],
    ["// (decision S_12)", 1],
  ] as const) {
    assert.equal(brokenCitations(words.replaceAll("_", "")).length, broken, words);
  }
});

/** The citations in a text that lead nowhere. */
function brokenCitations(words: string): readonly string[] {
  const broken: string[] = [];
  for (const [citation, heading = ""] of words.matchAll(/\bcontract: ([A-Z][^;).*]*)/g)) {
    if (!hasHeading("docs/contract.md", heading)) broken.push(citation);
  }
  for (const [citation, path = "", heading] of words.matchAll(
    /(?<![\w/.]|\]\()((?:docs\/)?[\w-][\w/-]*\.md)\b(?:`?, "?([A-Z][^":;.*)]*))?/g,
  )) {
    if (!pages.has(path) || (heading !== undefined && !hasHeading(path, heading))) broken.push(citation);
  }
  for (const [citation, number = ""] of words.matchAll(/\b(?:decisions\/|record )(\d{4})\b/g)) {
    if (![...pages.keys()].some((path) => path.startsWith(`docs/decisions/${number}-`)))
      broken.push(citation);
  }
  for (const [citation] of words.matchAll(/\bdecisions? [A-Z]\d/g)) broken.push(citation);
  return broken;
}

function hasHeading(path: string, words: string): boolean {
  return pages.get(path)?.some(({ text: heading }) => heading === words.trim()) ?? false;
}

function headingsOf(page: string): readonly Heading[] {
  const prose = page.replace(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = ""]) => ({
    text: heading.trim(),
    anchor: heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  }));
}

async function pathsOf(patterns: readonly string[]): Promise<readonly string[]> {
  const paths = await Promise.all(patterns.map((pattern) => Array.fromAsync(glob(pattern, { cwd: ROOT }))));
  return paths.flat().toSorted();
}

function text(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

function exists(path: string): Promise<boolean> {
  return readFile(join(ROOT, path)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EISDIR",
  );
}
