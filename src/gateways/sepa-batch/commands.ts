/** Command-line operations on bank files; each returns the text to print. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Deps } from "../../deps.ts";
import { sepaSettings } from "./settings.ts";
import { utcDate } from "../../lib/dates.ts";
import { formatAmount } from "../../lib/money.ts";
import type { Author } from "../../management/audit/audit.ts";
import { recordArrived, recordLostFile, type LostFile } from "./outgoing/lost-file.ts";
import { nextCutOff, windowsOf } from "../../sepa/windows.ts";
import { addTargetDays, isTargetDay } from "../../sepa/target.ts";
import { collectDue } from "./outgoing/write-files.ts";
import { readDelivery } from "./incoming/read-delivery.ts";
import { accountNamed } from "./accounts.ts";
import { findAccounts } from "./files-store.ts";

/**
 * Writes today's files now, for one account or all.
 * @throws Refusal for an unknown gateway.
 */
export async function collectNow(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached" | "sepaSchemas" | "time">,
  gatewayId: string | null,
): Promise<string> {
  const lines: string[] = [];
  const accounts =
    gatewayId === null ? await findAccounts(deps.db, null) : [await accountNamed(deps, gatewayId)];
  for (const account of accounts) {
    const { files, instructions, why } = await collectDue(deps, account, { evenBeforeCutOff: true });
    const reason = why === null ? "" : ` (${why})`;
    lines.push(`${account.id}: ${instructions} instructions in ${files} files${reason}`);
  }
  return lines.length === 0 ? "There is no sepa_batch gateway." : lines.join("\n");
}

/** The result of a command; `complete` if there were no problems. */
interface Done {
  readonly text: string;
  readonly complete: boolean;
}

/**
 * Reads files as if they had been uploaded; `complete` unless one is refused.
 * @throws Refusal for an unknown gateway.
 */
export async function importBankFiles(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "newsReady" | "reached" | "time">,
  gatewayId: string,
  paths: readonly string[],
): Promise<Done> {
  const account = await accountNamed(deps, gatewayId);
  const lines: string[] = [];
  let complete = true;
  for (const path of paths) {
    for (const { file, known } of await readDelivery(deps, account, basename(path), createReadStream(path))) {
      const what = file.status === "refused" ? String(file.error) : JSON.stringify(file.report);
      lines.push(`${file.name}: ${known ? "already read; nothing to do" : `${file.status} ${what}`}`);
      complete &&= file.status !== "refused";
    }
  }
  await deps.newsReady(account.tenant);
  return { text: lines.join("\n"), complete };
}

/**
 * Records that the bank has files that a restored database does not know as sent, and lists what a person has to check.
 * @param messageIds of files that are in the books.
 * @param paths of files that may not be.
 * @throws Refusal for an unknown gateway.
 * @throws BankFileRefused unless they contain orders of this account.
 */
export async function recordLostFiles(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "time">,
  author: Author,
  gatewayId: string,
  { messageIds, paths }: { readonly messageIds: readonly string[]; readonly paths: readonly string[] },
): Promise<Done> {
  const account = await accountNamed(deps, gatewayId);
  const lines: string[] = [];
  let complete = true;
  for (const messageId of messageIds) {
    const lost = await recordArrived(deps, account, messageId, author);
    if (lost === null)
      lines.push(`${messageId}: not known here. Give the file itself, from the bank or the archive.`);
    else lines.push(...wordsOf(lost));
    complete &&= lost !== null;
  }
  for (const path of paths) {
    const lost = await recordLostFile(deps, account, await readFile(path), author);
    lines.push(...wordsOf(lost));
    complete &&= lost.odd.length === 0;
  }
  return { text: lines.join("\n"), complete };
}

function wordsOf({ messageId, before, taken, odd }: LostFile): readonly string[] {
  const was = before === null ? "was not known" : `was ${before}`;
  return [
    `${messageId}: ${was}, is recorded as sent. ${taken} that waited are in it and are not sent again.`,
    ...(odd.length === 0 ? [] : [`The bank has ${odd.length} more, which a person must check:`]),
    ...odd.map(
      ({ order, dueDate, why }) =>
        `  ${order.endToEndId}  ${formatAmount(order.amount)} EUR  due ${dueDate}  ${why}`,
    ),
  ];
}

/** The deadlines of a due date, and when the accounts' next files are written. */
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
