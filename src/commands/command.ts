/** What every command of the command line is, and how its words are read. */
import { parseArgs } from "node:util";
import { isDay, type IsoDate } from "../lib/dates.ts";

/** The commands about one subject, by the words that call them: `books check`. */
export type Commands = Readonly<Record<string, Command>>;

export interface Command {
  /** How to call it: `sepa check FILE [--on YYYY-MM-DD]`. What is not named here is refused. */
  readonly usage: string;
  /** What it does, for `--help`. */
  readonly does: string;
  /** Returns what to print. */
  run(given: Given): Promise<string>;
}

/** What stands after the words of a command. */
export interface Given {
  readonly options: ReturnType<typeof parsed>["values"];
  /** Without the options: the files, or a name. */
  readonly operands: readonly string[];
}

/** A command line that cannot be used: the message says what is missing. */
export class UsageError extends Error {}

/** The command ran and found a problem; the message says which. */
export class ProblemFound extends Error {
  /** What the command prints in spite of it. */
  readonly output: string;

  constructor(message: string, { output = "", ...options }: ErrorOptions & { output?: string } = {}) {
    super(message, options);
    this.output = output;
  }
}

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;

/** The options of all commands; a command accepts those that its usage names. */
const OPTIONS = {
  secret: TEXT,
  signature: TEXT,
  port: TEXT,
  gateway: TEXT,
  message: TEXT,
  due: TEXT,
  on: TEXT,
  bank: TEXT,
  out: TEXT,
  language: TEXT,
  authentication: TEXT,
  encryption: TEXT,
  status: FLAG,
  force: FLAG,
  tenant: TEXT,
  email: TEXT,
  name: TEXT,
  role: TEXT,
  operator: FLAG,
  heads: TEXT,
  shards: TEXT,
};

/** @throws UsageError for what the command does not accept, so that a mistyped option never passes unnoticed. */
export function given({ usage }: Pick<Command, "usage">, args: readonly string[]): Given {
  const own: readonly string[] = usage.match(/--[a-z-]+/g) ?? [];
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option" && !own.includes(token.rawName))
      throw new UsageError(`${token.rawName} is not an option of this command. ${optionsInWords(own)}`);
  }
  const { values, positionals } = parsed(args);
  const extra = positionals[operandsMax(usage)];
  if (extra !== undefined) throw new UsageError(`Unexpected argument: "${extra}".`);
  return { options: values, operands: positionals };
}

function optionsInWords(own: readonly string[]): string {
  if (own.length === 0) return "It has no options.";
  return own.length === 1 ? `Its only option is ${own.join()}.` : `Its options are ${own.join(", ")}.`;
}

/** How many words besides options a usage names, such as FILE; as many as wanted where it says `FILE…`. */
function operandsMax(usage: string): number {
  if (usage.includes("…")) return Number.POSITIVE_INFINITY;
  const withoutOptions = usage.replaceAll(/--[a-z-]+ [^\s\])]+/g, "");
  return /\b(?:FILE|KEY)\b/.test(withoutOptions) ? 1 : 0;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError without `--gateway`. */
export function gatewayIn({ options: { gateway } }: Given): string {
  if (gateway === undefined) throw new UsageError("Name the gateway with --gateway.");
  return gateway;
}

/** @throws UsageError unless the text is an existing day. */
export function dayIn(text: string): IsoDate {
  if (!isDay(text)) throw new UsageError(`${text} is not a day: write it as YYYY-MM-DD.`);
  return text;
}
