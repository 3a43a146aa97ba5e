/** Commands about files to and from the bank, and about EBICS users. */
import { writeFile } from "node:fs/promises";
import { checkPlace } from "../backup/place.ts";
import type { Deps } from "../deps.ts";
import { calendar, collectNow, importBankFiles } from "../gateways/sepa-batch/commands.ts";
import { ebicsConfirm, ebicsLetter, ebicsStep } from "../gateways/sepa-batch/transports/ebics/commands.ts";
import { LETTER_LANGUAGES } from "../gateways/sepa-batch/transports/ebics/letter-texts.ts";
import {
  type Commands,
  type Given,
  type Command,
  UsageError,
  ProblemFound,
  gatewayIn,
  dayIn,
} from "./command.ts";
import { withService } from "./database.ts";

export const BANK_COMMANDS: Commands = {
  "sepa collect": {
    usage: "sepa collect [--gateway ID]",
    does: "writes today's SEPA files now, for one gateway or all, without waiting for the cut-off",
    run: ({ options }) => withService((deps) => collectUnlessHeld(deps, options.gateway ?? null)),
  },
  "sepa import": {
    usage: "sepa import --gateway ID FILE…",
    does: "reads pain.002 and camt files from the bank, or ZIPs of them, and prints the result of each; exits with 1 if one is refused",
    run: importSepaFiles,
  },
  "sepa calendar": {
    usage: "sepa calendar [--due YYYY-MM-DD]",
    does: "prints the deadlines of a due date (submission, returns, refunds) and when the next files are written",
    async run({ options: { due } }) {
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
  if ((await checkPlace(deps.db, deps.clock.now())) !== null)
    throw new ProblemFound(
      "The service is held after a restore: `restored status` says why and what it would send.",
    );
  return collectNow(deps, gateway);
}

/** @throws ProblemFound when a file is refused. */
async function importSepaFiles({ options: { gateway }, operands: files }: Given): Promise<string> {
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
    run: (given) => withService((deps) => ebicsStep(deps, step, gatewayIn(given))),
  };
}

function confirmEbics(given: Given): Promise<string> {
  const { authentication, encryption } = given.options;
  if (authentication === undefined || encryption === undefined)
    throw new UsageError("Give both hashes from the bank's letter: --authentication and --encryption.");
  return withService((deps) => ebicsConfirm(deps, gatewayIn(given), { authentication, encryption }));
}

async function writeEbicsLetter(given: Given): Promise<string> {
  const { out, language = "en" } = given.options;
  const known = LETTER_LANGUAGES.find((one) => one === language);
  if (out === undefined || known === undefined)
    throw new UsageError("Name the file to write with --out. The language is de, en or fr.");
  await writeFile(out, await withService((deps) => ebicsLetter(deps, gatewayIn(given), known)));
  return `Written: ${out}. Print it, sign it, and send it to the bank.`;
}
