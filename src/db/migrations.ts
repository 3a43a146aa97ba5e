/**
 * The numbered migrations of this version, and what the header of each file declares: the code that works after it, and
 * how it runs.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { assert } from "../lib/assert.ts";
import { once } from "../lib/once.ts";

const FOLDER = new URL("migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** The newest of the first release's migrations, which declare nothing: there was no code before them. */
export const BASELINE = 17;

const COMPATIBLE = /^-- compatible with: (\d{4})$/m;
const RUNS = /^-- runs: (.+)$/m;
const WAYS = ["in a transaction", "concurrently", "in batches"] as const;
/** The only statement that is run concurrently; its name is needed to remove the remains of a failed run. */
const CONCURRENT_INDEX =
  /^create (?:unique )?index concurrently if not exists ([a-z0-9_]+) on [a-z0-9_]+\b[^;]*$/;

interface ConcurrentIndex {
  readonly name: string;
  /** The statement that creates it. */
  readonly statement: string;
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /**
   * Code that knows this migration, or a later one, works with the schema after it; its own number means that no
   * earlier code does.
   */
  readonly compatibleWith: number;
  readonly runs: (typeof WAYS)[number];
  /** The indexes to create concurrently, one after the other; none for other migrations. */
  readonly indexes: readonly ConcurrentIndex[];
}

/**
 * The migrations of this version in order. They do not change while the process runs.
 * @throws Error naming the invalid file.
 */
export const knownMigrations = once(readMigrations);

/** The number of the newest migration that this version knows. */
export async function migrationCount(): Promise<number> {
  return (await knownMigrations()).length;
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      assert(Number(name.slice(0, 4)) === index + 1, `migration ${name} has the next number`);
      return parseMigration(name, await readFile(new URL(name, FOLDER), "utf8"));
    }),
  );
}

/**
 * Parses the header comments of a file.
 * @throws Error naming the file and what it lacks.
 */
export function parseMigration(name: string, contents: string): Migration {
  // A checkout on Windows may have changed the line ends.
  const text = contents.replaceAll("\r\n", "\n");
  const number = Number(name.slice(0, 4));
  const head = /^(?:--.*\n)*/.exec(text)?.[0] ?? "";
  const compatible = COMPATIBLE.exec(head)?.[1];
  const runs = WAYS.find((way) => way === (RUNS.exec(head)?.[1] ?? "in a transaction"));
  const compatibleWith = number <= BASELINE ? number : Number(compatible);
  assert(
    compatibleWith >= BASELINE || number <= BASELINE,
    `migration ${name} begins with "-- compatible with: NNNN": see docs/upgrades.md`,
  );
  assert(compatibleWith <= number, `migration ${name} is compatible with itself or an earlier one`);
  assert(runs !== undefined, `migration ${name} runs in one of the ways of docs/upgrades.md`);
  const indexes = runs === "concurrently" ? concurrentIndexes(name, text.slice(head.length)) : [];
  const hash = createHash("sha256").update(text).digest("hex");
  return { number, name, text, hash, compatibleWith, runs, indexes };
}

function concurrentIndexes(migration: string, body: string): readonly ConcurrentIndex[] {
  const indexes = statementsOf(body).map((text) => {
    const statement = text.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim();
    const name = CONCURRENT_INDEX.exec(statement)?.[1];
    assert(
      name !== undefined,
      `each statement of migration ${migration} is create index concurrently if not exists … on …`,
    );
    return { name, statement };
  });
  assert(indexes.length > 0, `migration ${migration} creates an index`);
  return indexes;
}

/** A quoted text, a comment, or the end of a statement. */
const TOKEN = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|\/\*[\s\S]*?\*\/|;/g;

/** The statements of a migration's text. */
export function statementsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token !== ";") continue;
    parts.push(text.slice(begin, index));
    begin = index + 1;
  }
  return [...parts, text.slice(begin)].filter((part) => part.replace(/--[^\n]*/g, "").trim() !== "");
}
