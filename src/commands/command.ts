/** What every command of the command line is, and how its words are read. */
import { parseArgs } from "node:util";
import { isDay, type IsoDate } from "../lib/dates.ts";

export interface Command {
  readonly usage: string;
  readonly does: string;
  /** Returns what to print. */
  run(args: readonly string[]): Promise<string>;
}

/** A command line that cannot be used: the message says what is missing. */
export class UsageError extends Error {}

/** The command ran and found a problem; the message says which. */
export class ProblemFound extends Error {}

export function options(args: readonly string[]) {
  return parsed(args).values;
}

export function positionals(args: readonly string[]): readonly string[] {
  return parsed(args).positionals;
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const known = {
    secret: text,
    signature: text,
    port: text,
    gateway: text,
    message: text,
    due: text,
    on: text,
    bank: text,
    out: text,
    language: text,
    authentication: text,
    encryption: text,
    status: flag,
    force: flag,
    tenant: text,
    email: text,
    name: text,
    role: text,
    operator: flag,
    heads: text,
    shards: text,
  };
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function gatewayIn(args: readonly string[]): string {
  const { gateway } = options(args);
  if (gateway === undefined) throw new UsageError("Name the gateway with --gateway.");
  return gateway;
}

/** @throws UsageError unless the text is an existing day. */
export function dayIn(text: string): IsoDate {
  if (!isDay(text)) throw new UsageError(`${text} is not a day: write it as YYYY-MM-DD.`);
  return text;
}
