/** Command-line operations on bank files; each returns the text to print. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Deps } from "../../deps.ts";
import { sepaSettings } from "./settings.ts";
import { utcDate } from "../../lib/dates.ts";
import { nextCutOff, windowsOf } from "../../sepa/windows.ts";
import { addTargetDays, isTargetDay } from "../../sepa/target.ts";
import { collectDue } from "./outgoing/write-files.ts";
import { readDelivery } from "./incoming/read.ts";
import { findAccounts, type AccountRow } from "./files-store.ts";

/** Writes today's files at once, of one account or of all. @throws Error for an unknown gateway. */
export async function collectNow(deps: Deps, gatewayId: string | null): Promise<string> {
  const lines: string[] = [];
  for (const account of await accounts(deps, gatewayId)) {
    const { files, instructions, why } = await collectDue(deps, account, { evenBeforeCutOff: true });
    const reason = why === null ? "" : ` (${why})`;
    lines.push(`${account.id}: ${instructions} instructions in ${files} files${reason}`);
  }
  return lines.length === 0 ? "There is no sepa_batch gateway." : lines.join("\n");
}

/** Reads files as if they had been uploaded. @throws Error for an unknown gateway. */
export async function importBankFiles(
  deps: Deps,
  gatewayId: string,
  paths: readonly string[],
): Promise<string> {
  const [account] = await accounts(deps, gatewayId);
  if (account === undefined) throw new Error("There is no sepa_batch gateway.");
  const lines: string[] = [];
  for (const path of paths) {
    for (const { file, known } of await readDelivery(deps, account, basename(path), createReadStream(path))) {
      const what = file.status === "refused" ? String(file.error) : JSON.stringify(file.report);
      lines.push(`${file.name}: ${known ? "already read, nothing done" : `${file.status} ${what}`}`);
    }
  }
  await deps.newsReady(account.tenant);
  return lines.join("\n");
}

/** The days that matter for a due date, and when the accounts' next files are written. */
export async function calendar(
  deps: Pick<Deps, "clock" | "db" | "time">,
  dueDate: string | null,
): Promise<string> {
  const today = utcDate(deps.clock.now());
  const due = dueDate ?? addTargetDays(today, 2);
  const windows = windowsOf(due);
  const lines = [`due date ${due}${isTargetDay(due) ? "" : " (not a TARGET business day)"}`];
  for (const [name, day] of Object.entries(windows)) lines.push(`${name.padEnd(26)} ${String(day)}`);
  for (const account of await findAccounts(deps.db, null)) {
    const { cutOff: time, timeZone: zone } = sepaSettings(account.settings);
    const next = nextCutOff(deps.time.now(account.tenant), { time, zone });
    lines.push(`next file of ${account.id} at ${next.toISOString()}`);
  }
  return lines.join("\n");
}

async function accounts(deps: Pick<Deps, "db">, gatewayId: string | null): Promise<readonly AccountRow[]> {
  const found = await findAccounts(deps.db, null, gatewayId);
  if (found.length === 0 && gatewayId !== null) throw new Error(`${gatewayId} is not a sepa_batch gateway.`);
  return found;
}
