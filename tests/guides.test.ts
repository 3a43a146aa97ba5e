/**
 * References of pages to the code exist: every named file and command, and every declaration that a guide places in a
 * file.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";

const ROOT = join(import.meta.dirname, "..");
const GUIDES = ["docs/architecture.md", "CONTRIBUTING.md"];
/** Every page but the change log, which names what has been. */
const PAGES = ["{README,CONTRIBUTING,SECURITY}.md", "docs/**/*.md"];
const FILE_IN_FOLDER = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|sql|mjs|md|json|sh|ya?ml))`/g;
/** A command of the CLI is up to three words; what follows are its arguments. */
const COMMAND = /\bnpm run (?:-s )?([\w:-]+)(?:(?<=\bcli) -- ([a-z][a-z-]*(?: [a-z][a-z-]*){0,3}))?/g;

/** A guide gives paths from the repository's root, below src/, or as the heading's text says. */
const BASES = ["", "src/"];
const BASE_OF_SECTION: Readonly<Record<string, string>> = {
  "One bank return": "src/gateways/sepa-batch/incoming/",
};
/** Names of a kind of file, not of one. */
const KINDS = new Set(["routes.ts", "store.ts", "schemas.ts", "pay.ts", "session.ts"]);

const files = new Set(
  await Array.fromAsync(glob("{*.*,{src,tests,tools,scripts,docs,web,bench,deploy}/**/*.*}", { cwd: ROOT })),
);

test("every file that a guide names is there", async () => {
  assert.deepEqual(await wrongIn(missingFiles), []);
});

test("every file that a page names with its folder is there", async () => {
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

/** A command may be wrapped. */
function onOneLine(text: string): string {
  return text.replace(/\n +/g, " ");
}

test("every declaration that a guide names is in the file that it gives", async () => {
  assert.deepEqual(await wrongIn(missingNames), []);
});

test("each function of a walk is used in a file of its own row, or of one above it", async () => {
  const lines = (await readFile(join(ROOT, "docs/architecture.md"), "utf8")).split("\n");
  for (const heading of ["One payment", "One bank return"]) {
    const from = lines.indexOf(`## ${heading}`);
    const rows = lines.slice(
      from,
      lines.findIndex((line, at) => at > from && line.startsWith("## ")),
    );
    let code = "";
    const unused: string[] = [];
    for (const row of rows.filter((line) => /^\| \d/.test(line))) {
      for (const [, path = ""] of row.matchAll(/`([\w./-]+\.ts)`/g)) code += await textOf(path, heading);
      for (const [, names = ""] of row.matchAll(/\.ts` \(((?:`\w+`(?:, )?)+)\)/g)) {
        const missing = [...names.matchAll(/\w+/g)].filter(([name]) => !isUsed(name, code));
        unused.push(...missing.map(([name]) => name));
      }
    }
    assert.deepEqual(unused, [], heading);
    assert.ok(code.length > 50_000, `${heading} has its rows`);
  }
});

test("a function that is only declared and imported is not used", () => {
  assert.equal(isUsed("begin", 'import { begin } from "./a.ts";\nexport async function begin() {}\n'), false);
  assert.equal(isUsed("begin", "export async function begin() {}\nawait begin();\n"), true);
});

test("a name of a file or a declaration that is not there is found", async () => {
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
  for (const [, path = "", names = ""] of line.matchAll(/`([\w./-]+\.ts)` \(((?:`\w+`(?:, )?)+)\)/g)) {
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

/** Whether a name stands anywhere but where it is declared and imported. */
function isUsed(name: string, code: string): boolean {
  const others = code
    .replace(/^import [^;]*;/gm, "")
    .replace(new RegExp(`^(?:export )?(?:async )?(?:function\\*?|const) ${name}\\b`, "gm"), "");
  return new RegExp(`\\b${name}\\b`).test(others);
}

async function textOf(path: string, heading: string): Promise<string | null> {
  const file = fileOf(path, heading);
  return file === null ? null : readFile(join(ROOT, file), "utf8");
}

/** Where the path leads to; null when nowhere. */
function fileOf(path: string, heading: string): string | null {
  const bases = [...BASES, BASE_OF_SECTION[heading] ?? ""];
  const isFolder = path.endsWith("/");
  const found = bases
    .map((base) => `${base}${path}`)
    .find((place) => (isFolder ? [...files].some((file) => file.startsWith(place)) : files.has(place)));
  return found ?? null;
}
