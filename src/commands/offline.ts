/** Commands for developers that need no database: they read a file or a webhook, or stand in for a bank or a receiver. */
import { createReadStream } from "node:fs";
import { BankFileRefused } from "../files/refused.ts";
import { playBank } from "../../tools/simulated-bank/play.ts";
import { systemClock } from "../lib/clock.ts";
import { utcDate } from "../lib/dates.ts";
import {
  BANK_PROFILES,
  notInFiles,
  notPublic,
  profileOf,
  readProfileName,
  type BankProfile,
} from "../sepa/bank-profiles.ts";
import { problemsOf } from "../sepa/messages/check-file.ts";
import { readSentFile } from "../sepa/messages/reading/sent-file.ts";
import { verifyDoctor } from "../webhooks/signature-doctor.ts";
import { listenForWebhooks } from "../../tools/local-receiver.ts";
import { type Commands, type Given, UsageError, ProblemFound, dayIn } from "./command.ts";

const LISTEN_PORT = 4400;

export const OFFLINE_COMMANDS: Commands = {
  "sepa bank": {
    usage: "sepa bank FILE [--out FOLDER]",
    does: "plays the bank for a direct debit file: writes the status report and the statements that a bank would return, with the outcomes of the test IBANs",
    async run({ options: { out = "." }, operands: [file] }) {
      if (file === undefined) throw new UsageError("Name the file.");
      return playBank(file, out);
    },
  },
  "sepa check": {
    usage: "sepa check FILE [--on YYYY-MM-DD] [--bank PROFILE]",
    does: "names the rules of the scheme and of a bank that a file of direct debits or transfers breaks if the bank gets it on the given day (today by default); the file may come from any program; exits with 1 if it breaks any",
    run: checkSepaFile,
  },
  "webhooks verify": {
    usage: "webhooks verify --secret SECRET --signature HEX < BODY",
    does: "checks a webhook's signature and names the rule that differs; exits with 1 if it is wrong",
    run: verifyWebhook,
  },
  "webhooks listen": {
    usage: `webhooks listen --secret SECRET [--port ${LISTEN_PORT}]`,
    does: "receives webhooks on this machine, verifies and prints them until stopped",
    run: listenToWebhooks,
  },
};

/** @throws ProblemFound when the file breaks a rule. */
async function checkSepaFile({ options: { bank, on: day }, operands: [path] }: Given): Promise<string> {
  if (path === undefined) throw new UsageError("Name the file.");
  const on = day === undefined ? utcDate(systemClock.now()) : dayIn(day);
  const file = await readSentFile(createReadStream(path)).catch((error: unknown) => {
    // What to do about it is said to those who have a file from their bank.
    throw error instanceof BankFileRefused ? new ProblemFound(`${error.what}.`, { cause: error }) : error;
  });
  const profile = bankOf(bank);
  const problems = problemsOf(file, on, profile);
  const notes = bank === undefined || bank === "generic" ? [] : bankNotes(profile);
  if (problems.length > 0) throw new ProblemFound([...problems, ...notes].join("\n"));
  const orders = file.blocks.reduce((count, block) => count + block.orders.length, 0);
  const found = `${file.kind} ${file.messageId}: ${orders} orders in ${file.blocks.length} blocks, no rule is broken on ${on}`;
  return [found, ...notes].join("\n");
}

/** What the check could not hold the file to: what no file shows, and what is not public. */
function bankNotes(profile: BankProfile): readonly string[] {
  const unknown = notPublic(profile);
  return [
    ...notInFiles(profile).map((words) => `Note on ${profile.name}: ${words}`),
    ...(unknown.length === 0 ? [] : [`Not public, ask ${profile.name}: ${unknown.join(", ")}`]),
  ];
}

/** @throws UsageError for a bank that there is no profile of. */
function bankOf(name: string | undefined): BankProfile {
  if (name === undefined) return profileOf(null);
  const found = readProfileName(name);
  if (found === null) throw new UsageError(`The banks are ${BANK_PROFILES.join(", ")}.`);
  return profileOf(found);
}

async function verifyWebhook({ options: { secret, signature } }: Given): Promise<string> {
  if (secret === undefined || signature === undefined)
    throw new UsageError("Give the secret with --secret and the signature with --signature.");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  const { right, words } = verifyDoctor(secret, signature, Buffer.concat(chunks));
  if (!right) throw new ProblemFound(words);
  return words;
}

async function listenToWebhooks({ options }: Given): Promise<string> {
  const { secret, port = String(LISTEN_PORT) } = options;
  if (secret === undefined) throw new UsageError("Give the profile's signing secret with --secret.");
  if (!/^\d{1,5}$/.test(port)) throw new UsageError("The port is a number from 0 to 65535.");
  const print = (text: string) => console.log(text);
  const receiver = await listenForWebhooks(Number(port), secret, print).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "EADDRINUSE"
        ? new UsageError(`Port ${port} is in use by another program: choose another with --port.`)
        : error;
    },
  );
  console.log(`Listening. Set this URL in a webhook profile: ${receiver.url}`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await receiver.close();
  return "Stopped.";
}
