/** What an operator does with bank files from the command line; each answers with what to print. */
import { createReadStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Deps } from "../../deps.ts";
import { SEPA_ADAPTER } from "./adapter.ts";
import { scenarioOf } from "../sandbox/scenarios.ts";
import { sepaSettings } from "./settings.ts";
import { sha256 } from "../../lib/keyring.ts";
import { utcDate } from "../../lib/dates.ts";
import { takeNews } from "../../payments/news/take.ts";
import { answer } from "../../../tools/simulated-bank/answer.ts";
import { readPain008 } from "../../../tools/simulated-bank/read.ts";
import { nextCutOff, windowsOf } from "../../sepa/windows.ts";
import { addTargetDays, isTargetDay } from "../../sepa/target.ts";
import { collectDue } from "./outgoing/write-files.ts";
import { readDelivery } from "./incoming/read.ts";
import { findAccounts, type AccountRow } from "./files-store.ts";

/** Writes today's files at once, of one account or of all. @throws Error for a gateway that is none. */
export async function collectNow(deps: Deps, gatewayId: string | null): Promise<string> {
  const lines: string[] = [];
  for (const account of await accounts(deps, gatewayId)) {
    const { files, instructions, why } = await collectDue(deps, account, { evenBeforeCutOff: true });
    const reason = why === null ? "" : ` (${why})`;
    lines.push(`${account.id}: ${instructions} instructions in ${files} files${reason}`);
  }
  return lines.length === 0 ? "There is no gateway of the adapter sepa_batch." : lines.join("\n");
}

/** Reads files as if they had been uploaded. @throws Error for a gateway that is none. */
export async function importBankFiles(
  deps: Deps,
  gatewayId: string,
  paths: readonly string[],
): Promise<string> {
  const [account] = await accounts(deps, gatewayId);
  if (account === undefined) throw new Error("There is no gateway of the adapter sepa_batch.");
  const lines: string[] = [];
  for (const path of paths) {
    for (const { file, known } of await readDelivery(deps, account, basename(path), createReadStream(path))) {
      const what = file.status === "refused" ? String(file["error"]) : JSON.stringify(file["report"]);
      lines.push(
        `${String(file["name"])}: ${known ? "read before, nothing done" : `${file.status} ${what}`}`,
      );
    }
  }
  await takeNews(deps, account.tenant, [SEPA_ADAPTER]);
  return lines.join("\n");
}

/**
 * Plays the bank: answers a file that was written by the service with the status report and the statements that a bank
 * would send, by the table of test IBANs, day by day into a folder. Moves no money and asks nobody.
 */
export async function playBank(path: string, folder: string): Promise<string> {
  const file = readPain008(await readFile(path, "utf8"));
  const id = `BANK-${sha256(file.messageId).toString("hex").slice(0, 8).toUpperCase()}`;
  const receivedAt = new Date(`${addTargetDays(file.blocks[0]?.dueDate ?? "", -1)}T08:00:00Z`);
  const said = answer(file, scenarioOf, { id, receivedAt });
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  const write = async (name: string, xml: string | null) => {
    if (xml === null) return;
    await writeFile(join(folder, name), xml);
    written.push(join(folder, name));
  };
  await write(`${id}-status.xml`, said.pain002);
  for (const { date, camt053 } of said.days) await write(`${id}-statement-${date}.xml`, camt053);
  return written.join("\n");
}

/** The days that matter for a due date, and when the accounts' next files are written. */
export async function calendar(deps: Deps, dueDate: string | null): Promise<string> {
  const today = utcDate(deps.clock.now());
  const due = dueDate ?? addTargetDays(today, 2);
  const windows = windowsOf(due);
  const lines = [`due date ${due}${isTargetDay(due) ? "" : " (banks do not settle on this day)"}`];
  for (const [name, day] of Object.entries(windows)) lines.push(`${name.padEnd(26)} ${String(day)}`);
  for (const account of await findAccounts(deps.db, null)) {
    const { cutOff: time, timeZone: zone } = sepaSettings(account.settings);
    const next = nextCutOff(deps.time.now(account.tenant), { time, zone });
    lines.push(`next file of ${account.id} at ${next.toISOString()}`);
  }
  return lines.join("\n");
}

async function accounts(deps: Deps, gatewayId: string | null): Promise<readonly AccountRow[]> {
  const found = await findAccounts(deps.db, null, gatewayId);
  if (found.length === 0 && gatewayId !== null)
    throw new Error(`${gatewayId} is no gateway of the adapter sepa_batch.`);
  return found;
}
