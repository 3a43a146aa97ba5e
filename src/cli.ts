/** `npm run cli -- COMMAND`: commands for operators and developers next to the running service. */
import { BackupRefused } from "./backup/format.ts";
import { BankFileError } from "./banks/import.ts";
import { ConfigError } from "./config.ts";
import { CannotDistribute } from "./db/distribute.ts";
import { SchemaError } from "./db/schema-state.ts";
import { BankFileRefused } from "./files/refused.ts";
import { KeyError } from "./keys/register.ts";
import { serviceVersion } from "./lib/version.ts";
import { FieldErrors, Refusal } from "./refusals.ts";
import { PROOF_COMMANDS } from "./commands/proof.ts";
import { KEYS_COMMANDS } from "./commands/keys.ts";
import { DATABASE_COMMANDS } from "./commands/whole-database.ts";
import { PEOPLE_COMMANDS } from "./commands/people.ts";
import { RESTORED_COMMANDS } from "./commands/restored.ts";
import { BANK_COMMANDS } from "./commands/bank.ts";
import { OFFLINE_COMMANDS } from "./commands/offline.ts";
import { given, ProblemFound, UsageError, type Command, type Commands } from "./commands/command.ts";

/** Messages about a given path. */
const PATH_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file",
  EISDIR: "This is a folder, not a file",
  EACCES: "This file may not be opened by this user",
};

const COMMANDS: Commands = {
  ...PROOF_COMMANDS,
  ...KEYS_COMMANDS,
  ...DATABASE_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...RESTORED_COMMANDS,
  ...BANK_COMMANDS,
  ...OFFLINE_COMMANDS,
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [first = ""] = args;
  if (first === "--version") {
    console.log(await serviceVersion());
    return 0;
  }
  const named = COMMANDS[first] === undefined ? 2 : 1;
  const command = COMMANDS[args.slice(0, named).join(" ")];
  if (command === undefined) {
    const asked = ["--help", "-h", "help"].includes(first);
    (asked ? console.log : console.error)(help());
    return asked ? 0 : 2;
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(described(command));
    return 0;
  }
  try {
    const words = await command.run(given(command, args.slice(named)));
    if (words !== "") console.log(words);
    return 0;
  } catch (error) {
    if (error instanceof ProblemFound && error.output !== "") console.log(error.output);
    console.error(
      error instanceof UsageError ? `${error.message}\nUsage: ${command.usage}` : explained(error),
    );
    return 1;
  }
}

function help(): string {
  return ["Commands:", ...Object.values(COMMANDS).map(described)].join("\n");
}

function described({ usage, does }: Command): string {
  return `  npm run cli -- ${usage}\n      ${does}`;
}

/** Expected failures are printed as their message; anything else with its stack. */
function explained(error: unknown): string {
  if (
    error instanceof BackupRefused ||
    error instanceof ConfigError ||
    error instanceof BankFileError ||
    error instanceof BankFileRefused ||
    error instanceof KeyError ||
    error instanceof SchemaError ||
    error instanceof CannotDistribute ||
    error instanceof ProblemFound
  )
    return error.message;
  if (error instanceof Refusal) return error.detail;
  if (error instanceof FieldErrors) return JSON.stringify(error.fields);
  if (error instanceof Error && "code" in error) {
    const words = PATH_ERRORS[String(error.code)];
    if (words !== undefined) return "path" in error ? `${words}: ${String(error.path)}` : `${words}.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
