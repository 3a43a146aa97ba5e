/** Filters out invalid mutants: those that TypeScript or PostgreSQL rejects before any test runs. */
import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import pg from "pg";
import { changed, type Mutant } from "./mutant.ts";
import type { Workshop } from "./workshop.ts";

/** Compiler options that would reject a mutant for its style, such as unused variables. */
const LENIENT = [
  "--noUnusedLocals",
  "false",
  "--noUnusedParameters",
  "false",
  "--allowUnreachableCode",
  "true",
];
const FILES_AT_A_TIME = 150;

/**
 * The keys of those that do not type-check: each is a separate file next to its original, so that one run checks
 * many.
 */
export async function refusedByTypes(
  shop: Workshop,
  mutants: readonly Mutant[],
  textOf: (mutant: Mutant) => string,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const readable = mutants.filter((mutant) => {
    const { errors } = parseSync(mutant.file, changed(textOf(mutant), mutant.change));
    if (errors.length > 0) refused.add(mutant.key);
    return errors.length === 0;
  });
  for (let at = 0; at < readable.length; at += FILES_AT_A_TIME) {
    const some = readable.slice(at, at + FILES_AT_A_TIME);
    const files = some.map(({ file, key }) => file.replace(/\.ts$/, `.mutant-${key}.ts`));
    for (const [index, mutant] of some.entries())
      await writeFile(join(shop.folder, files[index] ?? ""), changed(textOf(mutant), mutant.change));
    const config = join(shop.folder, "tsconfig.mutants.json");
    await writeFile(config, JSON.stringify({ extends: "./tsconfig.json", include: files }));
    const output = await typecheck(shop.folder, config);
    for (const [, key] of output.matchAll(/\.mutant-([0-9a-f]+)\.ts[(:]/g))
      if (key !== undefined) refused.add(key);
    for (const file of [...files, "tsconfig.mutants.json"]) await rm(join(shop.folder, file));
  }
  return refused;
}

function typecheck(cwd: string, config: string): Promise<string> {
  const tsc = join(cwd, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "--noEmit", "--pretty", "false", ...LENIENT, "-p", config], {
    cwd,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => resolve(output));
  });
}

/** The keys of the statements that PostgreSQL cannot prepare. */
export async function refusedByPostgres(
  shop: Workshop,
  mutants: readonly Mutant[],
  textOf: (mutant: Mutant) => string,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  const template = shop.server.env["TEST_TEMPLATE"] ?? "";
  const name = `${template}_mutants_${process.pid}`;
  await onServer(shop.server.url, (client) => client.query(`create database ${name} template ${template}`));
  const url = new URL(shop.server.url);
  url.pathname = `/${name}`;
  await onServer(url.href, async (client) => {
    for (const mutant of mutants) {
      await client
        .query(`prepare m as ${changed(textOf(mutant), mutant.change)}`)
        .then(() => client.query("deallocate m"))
        .catch(() => refused.add(mutant.key));
    }
  });
  await onServer(shop.server.url, (client) => client.query(`drop database ${name} with (force)`));
  return refused;
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
