/** `npm run cli -- COMMAND`: what an operator does beside the running service. */
import { readFile } from "node:fs/promises";
import { BankFileError, importBanks } from "./banking/bank-import.ts";
import { ConfigError, readConfig, type Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { openDatabase } from "./db/postgres.ts";
import { systemClock } from "./lib/clock.ts";
import { sharedDatabaseOf } from "./start-database.ts";

interface Command {
  readonly usage: string;
  readonly does: string;
  run(db: Database, args: readonly string[]): Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  "banks import": {
    usage: "banks import FILE",
    does: "replaces the banks of the countries in FILE: CSV or JSON (country, bank_code, bic, name), or the Bundesbank's bank-code file",
    run: importBankFile,
  },
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const command = COMMANDS[args.slice(0, 2).join(" ")];
  if (command === undefined) {
    console.error(help());
    return 2;
  }
  try {
    const config = await readConfig();
    console.log(await withDatabase(config, (db) => command.run(db, args.slice(2))));
    return 0;
  } catch (error) {
    console.error(explained(error));
    return 1;
  }
}

function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, does }) => `  npm run cli -- ${usage}\n      ${does}`);
  return ["Commands:", ...lines].join("\n");
}

async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const server = await sharedDatabaseOf(config);
  try {
    await migrate(server.url);
    const db = openDatabase(server.url, { connections: 2, onIdleError: () => {} });
    return await work(db).finally(() => db.close());
  } finally {
    await server.stop();
  }
}

async function importBankFile(db: Database, [file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new BankFileError(["Name the file: npm run cli -- banks import FILE"]);
  const { format, taken, skipped } = await importBanks(db, await readFile(file), systemClock.now());
  const counts = Object.entries(taken).map(([country, count]) => `${country}: ${count} banks`);
  return [`Read as ${format}.`, ...counts, `${skipped} records skipped.`].join("\n");
}

/** Expected failures are told in their own words; anything else with its stack. */
function explained(error: unknown): string {
  if (error instanceof ConfigError || error instanceof BankFileError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
