/** Commands about files to and from the bank, and about EBICS users. */
import { writeFile } from "node:fs/promises";
import { lookAtPlace } from "../backup/place.ts";
import type { Deps } from "../deps.ts";
import { calendar, collectNow, importBankFiles } from "../gateways/sepa-batch/commands.ts";
import { ebicsConfirm, ebicsLetter, ebicsStep } from "../gateways/sepa-batch/transports/ebics/commands.ts";
import { LETTER_LANGUAGES } from "../gateways/sepa-batch/transports/ebics/letter-texts.ts";
import { type Command, UsageError, ProblemFound, options, positionals, gatewayIn, dayIn } from "./command.ts";
import { withService } from "./database.ts";

/** By the words that call them. */
export const BANK_COMMANDS: Readonly<Record<string, Command>> = {
  "sepa collect": {
    usage: "sepa collect [--gateway ID]",
    does: "writes today's SEPA files now, for one gateway or all, without waiting for the cut-off",
    run: (args) => withService((deps) => collectUnlessHeld(deps, options(args).gateway ?? null)),
  },
  "sepa import": {
    usage: "sepa import --gateway ID FILE…",
    does: "reads pain.002 and camt files from the bank, or ZIPs of them, and prints the result of each; exits with 1 if one is refused",
    run: importSepaFiles,
  },
  "sepa calendar": {
    usage: "sepa calendar [--due YYYY-MM-DD]",
    does: "prints the deadlines of a due date (submission, returns, refunds) and when the next files are written",
    async run(args) {
      const { due } = options(args);
      const day = due === undefined ? null : dayIn(due);
      return withService((deps) => calendar(deps, day));
    },
  },
  "ebics keys": ebics(
    "keys",
    "creates an account's EBICS keys and sends the public ones to the bank (INI, HIA)",
  ),
  "ebics letter": {
    usage: "ebics letter --gateway ID --out FILE [--language de|en|fr]",
    does: "writes the letter of INI and HIA as a page to print and sign",
    run: writeEbicsLetter,
  },
  "ebics bank-keys": ebics(
    "bank-keys",
    "fetches the bank's keys (HPB), to be compared with the bank's letter",
  ),
  "ebics confirm": {
    usage: "ebics confirm --gateway ID --authentication HASH --encryption HASH",
    does: "accepts the bank's keys, given the hashes from the bank's letter",
    run: confirmEbics,
  },
  "ebics status": ebics("status", "prints the state of an account's EBICS user and the hashes of all keys"),
  "ebics resume": ebics("resume", "resumes sending after the bank has refused the user or a file"),
  "ebics change-keys": ebics("change-keys", "sends the bank new keys (HCS)"),
  "ebics new-keys": ebics("new-keys", "creates new keys and sends them, after the bank has reset the user"),
  "ebics suspend": ebics("suspend", "has the bank lock the user (SPR)"),
};

/** @throws ProblemFound when the service is held: what a lost file had would be collected again. */
async function collectUnlessHeld(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached" | "sepaSchemas" | "time">,
  gateway: string | null,
): Promise<string> {
  if ((await lookAtPlace(deps.db, deps.clock.now())) !== null)
    throw new ProblemFound(
      "The service is held after a restore: `restored status` says why and what it would send.",
    );
  return collectNow(deps, gateway);
}

/** @throws ProblemFound when a file is refused. */
async function importSepaFiles(args: readonly string[]): Promise<string> {
  const { gateway } = options(args);
  const files = positionals(args);
  if (gateway === undefined || files.length === 0)
    throw new UsageError("Name the gateway with --gateway, and at least one file.");
  const { text, complete } = await withService((deps) => importBankFiles(deps, gateway, files));
  if (!complete) throw new ProblemFound(text);
  return text;
}

/** A step of the exchange of keys with a bank. */
function ebics(step: string, does: string): Command {
  return {
    usage: `ebics ${step} --gateway ID`,
    does,
    run: (args) => withService((deps) => ebicsStep(deps, step, gatewayIn(args))),
  };
}

function confirmEbics(args: readonly string[]): Promise<string> {
  const { authentication, encryption } = options(args);
  if (authentication === undefined || encryption === undefined)
    throw new UsageError("Give both hashes from the bank's letter: --authentication and --encryption.");
  return withService((deps) => ebicsConfirm(deps, gatewayIn(args), { authentication, encryption }));
}

async function writeEbicsLetter(args: readonly string[]): Promise<string> {
  const { out, language = "en" } = options(args);
  const known = LETTER_LANGUAGES.find((one) => one === language);
  if (out === undefined || known === undefined)
    throw new UsageError("Name the file to write with --out. The language is de, en or fr.");
  await writeFile(out, await withService((deps) => ebicsLetter(deps, gatewayIn(args), known)));
  return `Written: ${out}. Print it, sign it, and send it to the bank.`;
}
