/** Commands about the database as a whole: its schema, copies of it, its tables on a cluster, the banks that it knows. */
import { readFile } from "node:fs/promises";
import { exportTo, importFrom } from "../backup/commands.ts";
import { importBanks } from "../banks/import.ts";
import { readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { knownMigrations } from "../db/migrations.ts";
import { fourDigits, readMissing, readSchemaState } from "../db/schema-state.ts";
import { checkCluster, distribute, type Distributed } from "../db/distribute.ts";
import { keyName } from "../lib/keyring.ts";
import { systemClock } from "../lib/clock.ts";
import { type Commands, type Given, UsageError, ProblemFound } from "./command.ts";
import { assertDatabase, withDatabase, withServer } from "./database.ts";

export const DATABASE_COMMANDS: Commands = {
  "banks import": {
    usage: "banks import FILE",
    does: "replaces the known banks of the countries in FILE: CSV or JSON (country, bank_code, bic, name), or the Bundesbank's bank-code file",
    run: importBankFile,
  },
  migrate: {
    usage: "migrate [--status] [--force]",
    does: "brings the database's schema up to date; --status only lists what is missing, and exits with 1 if something is; --force also migrates while instances are connected that the migration breaks",
    run: migrateDatabase,
  },
  export: {
    usage: "export FILE|-",
    does: "writes a snapshot of the whole database to FILE or standard output while the service runs; it contains no keys",
    run: exportDatabaseTo,
  },
  import: {
    usage: "import FILE|-",
    does: "imports an export into an empty database and checks it; if anything is wrong, nothing is imported",
    run: importDatabaseFrom,
  },
  "database distribute": {
    usage: "database distribute [--shards N]",
    does: "distributes the tables and their rows over the workers of a Citus cluster; can be interrupted and run again",
    run: distributeTables,
  },
};

async function importBankFile({ operands: [file] }: Given): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  const contents = await readFile(file);
  const { format, taken, skipped } = await withDatabase((db) => importBanks(db, contents, systemClock.now()));
  const counts = Object.entries(taken).map(([country, count]) => `${country}: ${count} banks`);
  return [`Read as ${format}.`, ...counts, `${skipped} records skipped.`].join("\n");
}

async function migrateDatabase({ options: { status = false, force = false } }: Given): Promise<string> {
  return withServer(async (url, ownerUrl) => {
    if (status) return schemaStatus(ownerUrl);
    const log = (message: string): void => console.error(message);
    const applied = await migrate(ownerUrl, url, { log, force });
    return applied.length === 0
      ? "Nothing to do: the schema is up to date."
      : `Applied ${applied.join(", ")}.`;
  });
}

/** @throws ProblemFound when migrations are missing. */
async function schemaStatus(url: string): Promise<string> {
  const { words } = await readSchemaState(url);
  const missing = await readMissing(url);
  if (missing.length === 0)
    return words ?? `The schema is up to date (${(await knownMigrations()).at(-1)?.name}).`;
  const lines = missing.map(
    ({ name, runs, compatibleWith }) =>
      `  ${name}: ${runs}; works with code from ${fourDigits(compatibleWith)} on`,
  );
  throw new ProblemFound([words ?? "", "Missing:", ...lines].join("\n"));
}

/** The parts of this process that export and import use. */
function terminal() {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    tell: (line: string): void => console.error(line),
    nowMs: () => systemClock.monotonicMs(),
  };
}

async function exportDatabaseTo({ operands: [file] }: Given): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  await assertDatabase();
  const told = await withServer((url) => exportTo(url, file, terminal()));
  if (file !== "-") return told;
  // Standard output is the file.
  console.error(told);
  return "";
}

async function importDatabaseFrom({ operands: [file] }: Given): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  const held = (await readConfig()).masterKeys.map(keyName);
  return withServer((url, ownerUrl) => importFrom({ url, ownerUrl }, file, held, terminal()));
}

/** On the newest schema, which the command makes when it has to. */
async function distributeTables({ options }: Given): Promise<string> {
  const { shards = null } = options;
  if (shards !== null && !/^[1-9]\d{0,3}$/.test(shards))
    throw new UsageError("The number of shards is from 1 to 9999.");
  const config = await readConfig();
  if (config.databaseUrl === null) {
    throw new UsageError(
      "The embedded server cannot be distributed: name the coordinator of a Citus cluster in DATABASE_URL.",
    );
  }
  const say = (step: string) => console.error(step);
  return withServer(async (url, ownerUrl) => {
    await checkCluster(ownerUrl);
    for (const name of await migrate(ownerUrl, url)) say(`migration ${name} applied`);
    return words(await distribute(ownerUrl, { shards: shards === null ? null : Number(shards), say }));
  });
}

function words({ placed, left, foreign, nodes }: Distributed): string {
  return [
    placed.length === 0
      ? `Every table is where it should be, on ${nodes} workers: nothing was changed.`
      : `${placed.length} tables are distributed over ${nodes} workers.`,
    `Already in place: ${left.join(", ")}.`,
    ...(foreign.length === 0 ? [] : [`Not the service's, and not touched: ${foreign.join(", ")}.`]),
  ].join("\n");
}
