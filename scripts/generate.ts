/** `npm run generate`: writes what is derived from the code and the migrations; with `--check` it only compares. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { Client } from "pg";
import { describeApi } from "../src/app.ts";
import { invariantsPage } from "../src/books/invariants.ts";
import { migrate } from "../src/db/migrate.ts";
import { accessTable } from "../src/people/access.ts";
import { profilesTable } from "../src/sepa/bank-profiles.ts";
import { readSchema, schemaSql, type Schema } from "../src/db/schema-dump.ts";
import { houseDiagram, withDiagram } from "./house.ts";
import { rowTypes } from "./row-types.ts";
import { givenOrTemporaryServer } from "./temporary-server.ts";

const ROOT = join(import.meta.dirname, "..");
const DATABASE = `pss_generate_${process.pid}`;

process.exitCode = await main(process.argv.includes("--check"));

/** The exit code: 1 when a file is stale and may not be written. */
async function main(checkOnly: boolean): Promise<number> {
  const schema = await migratedSchema();
  const generated = [
    ["src/db/schema.sql", schemaSql(schema)],
    ["src/db/rows.ts", rowTypes(schema)],
    ["web/pay/pay.js", await pageScript("web/pay/pay.ts")],
    ["web/console/console.js", await pageScript("web/console/console.ts")],
    ["web/console/passkey.js", await pageScript("web/console/passkey.ts")],
    ["docs/openapi.json", `${JSON.stringify(describeApi(), null, 2)}\n`],
    ["docs/people.md", await withTable("docs/people.md", "what each role may do", accessTable())],
    ["docs/sepa.md", await withTable("docs/sepa.md", "what is known of banks", profilesTable())],
    ["docs/invariants.md", invariantsPage()],
    ["docs/architecture.md", await architecturePage()],
  ] as const;

  const stale: string[] = [];
  for (const [path, text] of generated) {
    const current = await readFile(join(ROOT, path), "utf8").catch(() => "");
    if (current === text) continue;
    stale.push(path);
    if (!checkOnly) await writeFile(join(ROOT, path), text);
  }
  console.log(summary(stale, checkOnly));
  return checkOnly && stale.length > 0 ? 1 : 0;
}

function summary(stale: readonly string[], checkOnly: boolean): string {
  if (stale.length === 0) return "Generated files are current.";
  return checkOnly ? `Stale, run npm run generate: ${stale.join(", ")}` : `Written: ${stale.join(", ")}`;
}

/** The page with the present diagram of the folders. */
async function architecturePage(): Promise<string> {
  const page = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
  return withDiagram(page, await houseDiagram(join(ROOT, "src")));
}

/** The page with a table in the place that is marked as generated. */
async function withTable(path: string, what: string, table: string): Promise<string> {
  const page = await readFile(join(ROOT, path), "utf8");
  const begin = `<!-- Generated: ${what}. -->\n`;
  const [before = "", rest = ""] = page.split(begin);
  return `${before}${begin}\n${table}\n${rest.slice(rest.indexOf("<!-- End -->"))}`;
}

/** A page's script: one small file, also for browsers that are some years old. */
async function pageScript(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, path)],
    bundle: true,
    minify: true,
    format: "iife",
    target: ["chrome100", "firefox100", "safari15"],
    charset: "utf8",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** The schema after only the migrations. */
async function migratedSchema(): Promise<Schema> {
  const server = await givenOrTemporaryServer();
  const fresh = new URL(server.url);
  fresh.pathname = `/${DATABASE}`;
  try {
    await onServer(server.url, `create database ${DATABASE}`);
    await migrate(fresh.href);
    const schema = await readSchema(fresh.href);
    await onServer(server.url, `drop database ${DATABASE}`);
    return schema;
  } finally {
    await server.stop();
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
