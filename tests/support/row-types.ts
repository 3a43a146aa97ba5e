/**
 * Compares each `.gives<Row>()` of the source with PostgreSQL's description of its statement. The compiler does the
 * comparison: a copy of the source gets a line for each column, and a compiler error in such a line is a difference.
 */
import { spawn } from "node:child_process";
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSync, Visitor, type CallExpression } from "oxc-parser";
import { rowName, scalar } from "../../scripts/row-types.ts";
import type { ResultColumn, Value } from "./result-columns.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Functions that make statements, with the position of the statement's name and of its row type. */
const MAKERS: Readonly<Record<string, { readonly file: string; names(given: string): readonly string[] }>> = {
  recordStore: {
    file: "management/resource-store.ts",
    names: (table) =>
      ["insert", "find", "lock", "update", "archive", "list_older"].map((name) => `${table}.${name}`),
  },
  rule: { file: "books/rule-store.ts", names: (name) => [`books.${name}`] },
};

/** Its statements serve several calls at once. Their column `n` identifies the call and is not part of the row type. */
const TOGETHER = "db/together.ts";

/** A statement and its declared row type. */
export interface GivenRow {
  /** Below src/. */
  readonly file: string;
  readonly statement: string;
  readonly type: string;
}

/** A file's text by its name below src/. */
export type Source = ReadonlyMap<string, string>;

/** The source without its tests. */
export async function readSource(): Promise<Source> {
  const source = new Map<string, string>();
  for await (const file of glob("**/*.ts", { cwd: join(ROOT, "src") })) {
    if (!file.endsWith(".test.ts")) source.set(file, await readFile(join(ROOT, "src", file), "utf8"));
  }
  return source;
}

/** The declared row types of all statements. @throws Error if the name of a statement cannot be read. */
export function givenRows(source: Source): readonly GivenRow[] {
  const rows: GivenRow[] = [];
  const made: { maker: string; file: string; statements: readonly string[]; type: string | undefined }[] = [];
  for (const [file, text] of source) {
    for (const call of callsIn(file, text)) {
      const { callee } = call;
      const type = call.typeArguments?.params.map(({ start, end }) => text.slice(start, end))[0];
      if (callee.type === "Identifier" && Object.hasOwn(MAKERS, callee.name)) {
        const statements = MAKERS[callee.name]?.names(firstText(call) ?? "") ?? [];
        made.push({ maker: callee.name, file, statements, type });
      }
      if (methodOf(call) !== "gives" || type === undefined || file === TOGETHER) continue;
      const maker = Object.keys(MAKERS).find((name) => MAKERS[name]?.file === file);
      if (maker === undefined) rows.push({ file, ...statementOf(file, call, type) });
      else made.push({ maker, file, statements: [], type });
    }
  }
  // The type is given where the function is called, or in the function's declaration.
  for (const { maker, file, statements, type } of made) {
    const own = made.find((one) => one.maker === maker && one.statements.length === 0);
    for (const statement of statements) {
      rows.push({
        file: type === undefined ? (own?.file ?? file) : file,
        statement,
        type: type ?? own?.type ?? "never",
      });
    }
  }
  return rows;
}

/** Calls that declare their own row type. The statement is not checked against it. */
export function believedCalls(source: Source): readonly string[] {
  return [...source].flatMap(([file, text]) =>
    callsIn(file, text)
      .filter(({ typeArguments }) => (typeArguments?.params.length ?? 0) > 0)
      .filter(
        (call) =>
          ["query", "write", "commit"].includes(methodOf(call) ?? "") && !DRIVERS.has(ownerOf(call) ?? ""),
      )
      .map(({ start, end }) => `${file}: ${text.slice(start, end).split("\n")[0]}`),
  );
}

/** The names of the driver's own connections. */
const DRIVERS = new Set(["client", "on"]);

function callsIn(file: string, text: string): readonly CallExpression[] {
  const calls: CallExpression[] = [];
  new Visitor({ CallExpression: (call) => void calls.push(call) }).visit(parseSync(file, text).program);
  return calls;
}

function methodOf({ callee }: CallExpression): string | null {
  return callee.type === "MemberExpression" && callee.property.type === "Identifier"
    ? callee.property.name
    : null;
}

function ownerOf({ callee }: CallExpression): string | null {
  return callee.type === "MemberExpression" && callee.object.type === "Identifier"
    ? callee.object.name
    : null;
}

/** A list has two statements, which differ only in the order; one of them is enough. */
function statementOf(
  file: string,
  { callee }: CallExpression,
  type: string,
): Pick<GivenRow, "statement" | "type"> {
  const made = callee.type === "MemberExpression" ? callee.object : null;
  const name = made?.type === "CallExpression" ? firstText(made) : null;
  if (made?.type !== "CallExpression" || name === null || made.callee.type !== "Identifier")
    throw new Error(`${file}: which statement gives these rows?`);
  switch (made.callee.name) {
    case "listed":
    case "listedTogether":
      return { statement: `${name}_older`, type };
    case "readsTogether":
    case "writesTogether":
      return { statement: name, type: `(${type}) & { readonly n: number | null }` };
    default:
      return { statement: name, type };
  }
}

function firstText(call: CallExpression): string | null {
  const [first] = call.arguments;
  return first?.type === "Literal" && typeof first.value === "string" ? first.value : null;
}

/** A declared row with the actual columns of its statement. */
export interface CheckedRow extends GivenRow {
  readonly columns: readonly ResultColumn[];
  /** Columns that are never null, or have a narrower type, for reasons that PostgreSQL cannot know. */
  readonly believed: ReadonlySet<string>;
}

/** The differences, each as `statement, column: compiler error`. */
export async function wrongRows(rows: readonly CheckedRow[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "row-types-"));
  try {
    await cp(join(ROOT, "src"), join(folder, "src"), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
    await cp(join(ROOT, "package.json"), join(folder, "package.json"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const { compilerOptions } = JSON.parse(await readFile(join(ROOT, "tsconfig.json"), "utf8")) as Json;
    const files = [...new Set(rows.map(({ file }) => `src/${file}`)), "src/**/*.d.ts"];
    const config = { compilerOptions: { ...compilerOptions, noUnusedLocals: false }, include: files };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const places = new Map<string, string>();
    for (const [file, ofFile] of Map.groupBy(rows, ({ file }) => file)) {
      const path = join(folder, "src", file);
      const lines = (await readFile(path, "utf8")).split("\n");
      const depth = file.split("/").length - 1;
      for (const { where, line } of checks(ofFile, `./${"../".repeat(depth)}db/rows.ts`)) {
        places.set(`src/${file}(${lines.push(line)}`, where);
      }
      await writeFile(path, lines.join("\n"));
    }
    return readErrors(await typecheck(folder), places);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Json {
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

interface Check {
  readonly where: string;
  readonly line: string;
}

/** The lines to add to a file, each with its subject. */
function* checks(rows: readonly CheckedRow[], rowsModule: string): Generator<Check> {
  const named = (value: Value) =>
    "text" in value
      ? JSON.stringify(value.text)
      : `NonNullable<import(${JSON.stringify(rowsModule)}).${rowName(value.table)}[${JSON.stringify(value.column)}]>`;
  yield { where: "", line: "type Fits$<Declared, Real extends Declared> = Real;" };
  for (const [n, { statement, type, columns, believed }] of rows.entries()) {
    const row = `Row$${n}`;
    let id = 0;
    const fits = (declared: string, real: string) =>
      `type Fits$${n}$${(id += 1)} = Fits$<${declared}, ${real}>;`;
    yield { where: statement, line: `type ${row} = ${type.replaceAll(/\s+/g, " ")};` };
    const names = columns.map(({ name }) => JSON.stringify(name)).join(" | ") || "never";
    yield { where: `${statement}, not returned`, line: fits("never", `Exclude<keyof ${row}, ${names}>`) };
    for (const { name, type: sqlType, nullable, values } of columns) {
      const where = `${statement}, ${name}`;
      const declared = `${row}[${JSON.stringify(name)}]`;
      const isJson = sqlType === "jsonb";
      const value = isJson
        ? "any"
        : values === null
          ? scalarOf(sqlType)
          : values.map(named).join(" | ") || "never";
      // `any` accepts every value, even null.
      const raw = isJson && nullable ? "null" : nullable ? `${value} | null` : value;
      if (!believed.has(name)) {
        yield { where, line: fits(declared, raw) };
        continue;
      }
      yield { where: `${where} need not be believed`, line: "// @ts-expect-error" };
      yield { where, line: fits(declared, raw) };
      yield { where, line: fits(scalarOf(sqlType), `NonNullable<${declared}>`) };
    }
  }
}

function scalarOf(type: string): string {
  return type.endsWith("[]") ? `${scalar(type.slice(0, -2))}[]` : scalar(type);
}

async function typecheck(folder: string): Promise<string> {
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  const child = spawn(
    process.execPath,
    [tsc, "--noEmit", "--pretty", "false", "--singleThreaded", "-p", folder],
    { cwd: folder },
  );
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on("error", reject);
  child.on("close", () => resolve(output));
  return promise;
}

/** @throws Error for a compiler error in any other line, because the comparison would be unreliable. */
function readErrors(output: string, places: ReadonlyMap<string, string>): readonly string[] {
  return [...output.matchAll(/^(\S+\(\d+),\d+\): error \w+: (.*)$/gm)].map(
    ([whole, place = "", message = ""]) => {
      const where = places.get(place);
      if (where === undefined) throw new Error(whole);
      return `${where}: ${message}`;
    },
  );
}
