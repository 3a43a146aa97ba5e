/** Every mutant of the money core: of its TypeScript and of the SQL statements in it. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { allStatements } from "../../src/db/database.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";
import { sqlMutants } from "./sql.ts";
import { typescriptMutants } from "./typescript.ts";
import { wordsIn, type Words } from "./words.ts";
// Importing the whole service registers all its statements.
import "../../src/app.ts";
import "../../src/books/check.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The money core. */
export const MONEY_CORE = "src/{sessions,payments,subscriptions,mandates,gateways,books}/**/*.ts";

export interface AllMutants {
  readonly mutants: readonly Mutant[];
  /** The text that a mutant changes: of its statement or its file. */
  readonly textOf: (mutant: Mutant) => string;
}

/** @param pattern the files to be changed, below the repository. */
export async function allMutants(pattern: string): Promise<AllMutants> {
  const found = await Array.fromAsync(glob(pattern, { cwd: ROOT }));
  const files = found.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts")).toSorted();
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readFile(join(ROOT, file), "utf8"));
  const lists = await wordLists();
  const mutants = [...texts].flatMap(([file, text]) => [
    ...mutantsOf(file, null, text, typescriptMutants(file, text, lists)),
    ...allStatements()
      .filter(({ name }) => text.includes(`"${name}"`))
      .flatMap((statement) =>
        mutantsOf(file, statement.name, statement.text, sqlMutants(statement.text, lists)),
      ),
  ]);
  const statements = new Map(allStatements().map(({ name, text }) => [name, text]));
  return {
    mutants,
    textOf: ({ file, statement }) => (statement === null ? texts.get(file) : statements.get(statement)) ?? "",
  };
}

/** The columns' lists first, because they come from the database. */
async function wordLists(): Promise<readonly Words[]> {
  const files = await Array.fromAsync(glob(MONEY_CORE, { cwd: ROOT }));
  const lists: Words[] = [];
  for (const file of ["src/db/rows.ts", ...files.toSorted()])
    lists.push(...wordsIn(file, await readFile(join(ROOT, file), "utf8")));
  return lists;
}
