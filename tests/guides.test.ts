/** The files, commands and declarations that pages name exist. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const GUIDES = ["docs/architecture.md", "CONTRIBUTING.md"];
/** Every page except the change log, which also names former files. */
const PAGES = ["{README,CONTRIBUTING,SECURITY}.md", "docs/**/*.md"];
const FILE_IN_FOLDER = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|sql|mjs|md|json|sh|ya?ml))`/g;
const NAMES_IN_FILE = /`([\w./-]+\.ts)` \(((?:`\w+`(?:, )?)+)\)/g;
/** A command of the CLI has up to three words; its arguments follow. */
const COMMAND = /\bnpm run (?:-s )?([\w:-]+)(?:(?<=\bcli) -- ([a-z][a-z-]*(?: [a-z][a-z-]*){0,3}))?/g;

/** A guide gives paths from the repository's root, below src/, or as its heading says. */
const BASES = ["", "src/"];
const BASE_OF_SECTION: Readonly<Record<string, string>> = {
  "One bank return": "src/gateways/sepa-batch/incoming/",
};
/** File names that many folders have. */
const KINDS = new Set(["routes.ts", "store.ts", "schemas.ts", "pay.ts", "session.ts"]);

const files = new Set(
  await Array.fromAsync(glob("{*.*,{src,tests,tools,scripts,docs,web,bench,deploy}/**/*.*}", { cwd: ROOT })),
);

test("every file that a guide names exists", async () => {
  assert.deepEqual(await wrongIn(missingFiles), []);
});

test("every file that a page names with its folder exists", async () => {
  const wrong: string[] = [];
  for (const page of await Array.fromAsync(glob(PAGES, { cwd: ROOT }))) {
    const bases = ["", "src/", `${dirname(page).replaceAll("\\", "/")}/`];
    for (const [, path = ""] of (await readFile(join(ROOT, page), "utf8")).matchAll(FILE_IN_FOLDER))
      if (!bases.some((base) => files.has(base + path))) wrong.push(`${page}: ${path}`);
  }
  assert.deepEqual(wrong, []);
});

test("the guide to add a gateway names every file that knows one of the gateways by name", async () => {
  const knows = /\.adapter (?:=|===|!==) (?:["']\w+["']|SEPA_ADAPTER)|adapter: "sandbox"|\["sandbox"\]/;
  const knowing: string[] = [];
  for (const path of await Array.fromAsync(glob("src/**/*.ts", { cwd: ROOT })))
    if (
      !/^src\/gateways\/(?:sandbox|sepa-batch)\/|\.test\.ts$/.test(path) &&
      knows.test(await readFile(join(ROOT, path), "utf8"))
    )
      knowing.push(path);
  const guide = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const step = /^7\. Nothing else[^]*?(?=^8\. )/m.exec(guide)?.[0] ?? "";
  const named = [...step.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
  assert.deepEqual(new Set(named), new Set(knowing));
});

test("every command that a page names is a script of package.json, or a command of the CLI", async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const sources = await Promise.all(
    (await Array.fromAsync(glob("src/commands/*.ts", { cwd: ROOT }))).map((path) =>
      readFile(join(ROOT, path), "utf8"),
    ),
  );
  const commands = sources.flatMap((source) =>
    [...source.matchAll(/^ {2}"?([a-z-]+(?: [a-z-]+)*)"?: (?:\{|ebics\()/gm)].map(([, name]) => name),
  );
  assert.ok(commands.includes("books check"), "the commands are found");
  const wrong: string[] = [];
  let named = 0;
  for (const page of await Array.fromAsync(glob(PAGES, { cwd: ROOT })))
    for (const [whole, script = "", given] of onOneLine(await readFile(join(ROOT, page), "utf8")).matchAll(
      COMMAND,
    )) {
      named += 1;
      const isKnown =
        given === undefined
          ? Object.hasOwn(scripts, script)
          : commands.some((command) => `${given} `.startsWith(`${command} `));
      if (!isKnown) wrong.push(`${page}: ${whole}`);
    }
  assert.deepEqual(wrong, []);
  assert.ok(named > 100, `${named} commands are named`);
});

/** Joins the lines of a text, because a command may be wrapped. */
function onOneLine(text: string): string {
  return text.replace(/\n +/g, " ");
}

test("every declaration that a guide names is in the file that it gives", async () => {
  assert.deepEqual(await wrongIn(missingNames), []);
});

test("one payment and one bank return call the functions of their tables, row by row", async () => {
  const { stdout } = await run(process.execPath, [join(ROOT, "tools/walks.ts"), "--json"], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const walks = JSON.parse(stdout) as Record<string, readonly { path: string; name: string }[]>;
  const lines = (await readFile(join(ROOT, "docs/architecture.md"), "utf8")).split("\n");
  for (const [heading, walk] of Object.entries(walks)) {
    const calls = walk.map(({ path, name }) => `src/${path} ${name}`);
    const wrong: string[] = [];
    let rowsCalled = 0;
    let last = -1;
    for (const row of rowsOf(lines, heading)) {
      const called: number[] = [];
      for (const [, path = "", names = ""] of row.matchAll(NAMES_IN_FILE)) {
        const file = fileOf(path, heading) ?? path;
        for (const name of await functionsIn(file, names)) {
          const at = calls.indexOf(`${file} ${name}`);
          if (at === -1) wrong.push(`${name} is not called`);
          else called.push(at);
        }
      }
      if (called.length === 0) continue;
      rowsCalled += 1;
      const first = Math.min(...called);
      if (first < last) wrong.push(`called before the row above: ${row}`);
      last = first;
    }
    assert.deepEqual(wrong, [], heading);
    assert.ok(rowsCalled > 10, `${heading} has its rows`);
  }
});

test("a name of a missing file or declaration is reported", async () => {
  for (const [line, files, names] of [
    ["`refusals.ts` (`REFUSALS`)", 0, 0],
    ["`refusals.ts` (`REFUSALS`, `REFUSED`)", 0, 1],
    ["`refusal.ts` (`REFUSALS`)", 1, 0],
    ["`tenants_pkey` in `db/schema.sql`", 0, 0],
    ["`tenants_key` in `db/schema.sql`", 0, 1],
    ["`sepa/nowhere/`", 1, 0],
  ] as const) {
    assert.equal(missingFiles(line, "").length, files, line);
    assert.equal((await missingNames(line, "")).length, names, line);
  }
});

type Check = (line: string, heading: string) => readonly string[] | Promise<readonly string[]>;

async function wrongIn(check: Check): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const guide of GUIDES) {
    let heading = "";
    for (const line of (await readFile(join(ROOT, guide), "utf8")).split("\n")) {
      heading = /^## (.+)$/.exec(line)?.[1] ?? heading;
      wrong.push(...(await check(line, heading)).map((one) => `${guide}: ${one}`));
    }
  }
  return wrong;
}

function missingFiles(line: string, heading: string): readonly string[] {
  const named = [...line.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\/|\.(?:ts|sql|json|md)))`/g)];
  return named
    .map(([, path = ""]) => path)
    .filter((path) => !KINDS.has(path) && !path.startsWith("…") && fileOf(path, heading) === null);
}

async function missingNames(line: string, heading: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [, path = "", names = ""] of line.matchAll(NAMES_IN_FILE)) {
    const text = await textOf(path, heading);
    for (const [, name = ""] of names.matchAll(/`(\w+)`/g)) {
      const declared = new RegExp(
        `^(?:export )?(?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`,
        "m",
      );
      if (text !== null && !declared.test(text)) wrong.push(`${path} (${name})`);
    }
  }
  for (const [, name = "", path = ""] of line.matchAll(/`(\w+)` in `([\w./-]+\.(?:sql|ts))`/g)) {
    const text = await textOf(path, heading);
    if (text !== null && !new RegExp(`\\b${name}\\b`).test(text)) wrong.push(`${name} in ${path}`);
  }
  return wrong;
}

/** The rows of the table below a heading. */
function rowsOf(lines: readonly string[], heading: string): readonly string[] {
  const from = lines.indexOf(`## ${heading}`);
  const to = lines.findIndex((line, at) => at > from && line.startsWith("## "));
  return lines.slice(from, to).filter((line) => /^\| \d/.test(line));
}

/** The names that the file declares as functions. None of `app.ts`, because its calls are not recorded. */
async function functionsIn(file: string, names: string): Promise<readonly string[]> {
  if (file === "src/app.ts") return [];
  const text = await readFile(join(ROOT, file), "utf8");
  return [...names.matchAll(/\w+/g)]
    .map(([name]) => name)
    .filter((name) => new RegExp(`\\bfunction\\*? ${name}\\b`).test(text));
}

async function textOf(path: string, heading: string): Promise<string | null> {
  const file = fileOf(path, heading);
  return file === null ? null : readFile(join(ROOT, file), "utf8");
}

/** The file that a path leads to; null if there is none. */
function fileOf(path: string, heading: string): string | null {
  const bases = [...BASES, BASE_OF_SECTION[heading] ?? ""];
  const isFolder = path.endsWith("/");
  const found = bases
    .map((base) => `${base}${path}`)
    .find((place) => (isFolder ? [...files].some((file) => file.startsWith(place)) : files.has(place)));
  return found ?? null;
}
