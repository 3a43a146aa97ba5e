/**
 * The last check of a file before it is sent. A file that must not be sent is withdrawn, and its instructions go into
 * the next one.
 */
import type { Reader, Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import type { Deps } from "../../../deps.ts";
import { sepaSettings, takesReversals } from "../settings.ts";
import { must } from "../../../lib/assert.ts";
import { MINUTE_MS } from "../../../lib/clock.ts";
import type { IsoDate } from "../../../lib/dates.ts";
import { Refusal } from "../../../refusals.ts";
import { localDate, windowsOf } from "../../../sepa/windows.ts";
import { lockReading, tryLockReading, type AccountRow } from "../files-store.ts";
import { recordStepIn, scheduleRetry } from "./upload-steps.ts";
import {
  findUnsent,
  lockUnsent,
  readUnsentState,
  writeWithdrawal,
  type UnsentFile,
  type UnsentState,
} from "./withdraw-store.ts";

/** The date at an account's bank. */
export function bankDate(settings: Readonly<Record<string, unknown>>, now: Date): IsoDate {
  return localDate(now, sepaSettings(settings).timeZone).toString();
}

/** The result of the last check of a file. */
interface Looked {
  /** The locked file; null for one that has gone to the bank, or never will. */
  readonly file: UnsentFile | null;
  /** Why it must not be sent; null if it may be, or was. */
  readonly why: string | null;
  readonly withdrawn: boolean;
  /** Whether a bank's file is being read, which may contain the answer to these instructions. */
  readonly isRead: boolean;
}

export const BEING_READ = "One of the bank's files is being read: try again when that has ended.";
/** Most files are read within seconds. */
const READING_MS = MINUTE_MS;

/**
 * Withdraws a file that must not be sent, unless a person downloaded it: it may be at the bank then. A file with
 * instructions that the bank has from an earlier file stays unchanged, and so does every file while a bank's file is
 * being read. Until the transaction ends no bank's file is read.
 */
export async function withdrawIfUnfit(
  deps: Pick<Deps, "log" | "time">,
  tx: Tx,
  tenant: number,
  id: string,
): Promise<Looked> {
  const isRead = !(await tryLockReading(tx, tenant));
  const file = await lockUnsent(tx, tenant, id);
  const kept = { file, withdrawn: false, isRead } as const;
  if (file === null) return { ...kept, why: null };
  const today = bankDate(file.settings, deps.time.now(tenant));
  const state = await readUnsentState(tx, tenant, file);
  const why = whyNot(file, state, today, file.settings);
  if (why === null || state.answered) return { ...kept, why };
  if (isRead) return { ...kept, why: `${why} ${BEING_READ}` };
  if (mayBeCarried(file, state)) {
    const words = `${why} It has been downloaded: if it was given to the bank, mark it as sent; if not, take it back with withdraw/.`;
    return { ...kept, why: words };
  }
  const missedApproval = file.status === "to_approve" && isTooLate(file, today);
  await writeWithdrawal(tx, tenant, id, { why, missedApproval }, deps.time.now(tenant));
  deps.log.warn("a SEPA file was withdrawn", { gateway_id: file.gateway_id, file_id: id, reason: why });
  return {
    ...kept,
    why: `${why} It was withdrawn; its instructions go into the next file.`,
    withdrawn: true,
  };
}

/**
 * Moves a file to the next step of its delivery after the last check, in one transaction: a bank's file that is read
 * next sees that the bank may have this one. While one is being read the file is put off. Returns false for a file that
 * was withdrawn or put off, or whose lease is lost.
 * @throws Error for a file that waits for a person; the message is stored as the file's error.
 */
export async function moveIfFit(
  deps: Pick<Deps, "clock" | "db" | "log" | "time">,
  file: SepaFileRow,
  status: "uploading" | "ready",
): Promise<boolean> {
  const { tenant, id } = file;
  const { why, withdrawn, isRead, moved } = await deps.db.transaction(async (tx) => {
    const looked = await withdrawIfUnfit(deps, tx, tenant, id);
    const may = looked.why === null && !looked.isRead;
    return { ...looked, moved: may && (await recordStepIn(deps, tx, file, status)) };
  });
  if (why !== null && !withdrawn) throw new Error(why);
  if (why === null && isRead) await scheduleRetry(deps, file, BEING_READ, READING_MS);
  return moved;
}

/** Why a file whose upload was interrupted before the bank could see it must no longer be sent; null if it may be. */
export async function whyNotPublished(
  deps: Pick<Deps, "time">,
  db: Reader,
  file: Pick<SepaFileRow, "tenant" | "id" | "gateway_id" | "kind" | "status" | "due_date">,
  settings: AccountRow["settings"],
): Promise<string | null> {
  const { tenant, kind, status, due_date } = file;
  const state = await readUnsentState(db, tenant, file);
  return whyNot(
    { kind, status, due_date: must(due_date, "a file that goes out is due") },
    state,
    bankDate(settings, deps.time.now(tenant)),
    settings,
  );
}

type Dated = Pick<UnsentFile, "kind" | "status" | "due_date">;

/** A person who downloaded a file may have given it to the bank. */
function mayBeCarried({ status }: Pick<Dated, "status">, { downloaded }: UnsentState): boolean {
  return status === "ready" && downloaded;
}

/**
 * The bank has answered to something in a file that is not sent. Most likely that was in an earlier file, which was
 * withdrawn although the bank has it. Then the bank may have the rest, too: nothing of it is sent, or put into another
 * file, before a person has asked.
 */
const ANSWERED_BEFORE =
  "This file is not sent: the bank has reported on instructions in it, or on others that were with them in an earlier file, which was withdrawn. The bank may have that file: ask it. Withdraw this file if the rest of it should go into the next one.";

function whyNot(
  file: Dated,
  state: UnsentState,
  today: IsoDate,
  settings: AccountRow["settings"],
): string | null {
  const { answered, stopped, not_owed: notOwed } = state;
  if (answered) return mayBeCarried(file, state) ? null : ANSWERED_BEFORE;
  if (file.kind === "pain.007" && !takesReversals(sepaSettings(settings)))
    return "This file contains reversals, which the account no longer sends.";
  if (isTooLate(file, today)) {
    const why =
      file.kind === "pain.007"
        ? `This file had to reach the bank by ${file.due_date}, the last day for these reversals.`
        : `This file had to reach the bank by ${latestDay(file)} for the due date ${file.due_date}.`;
    return file.status === "to_approve" ? `${why} It was not approved by then.` : why;
  }
  if (notOwed) return "This file contains a retry of a renewal that was paid by an earlier attempt.";
  return stopped ? "This file contains a refund of a debit that was returned." : null;
}

function isTooLate(file: Dated, today: IsoDate): boolean {
  return today > latestDay(file);
}

/**
 * Debits have to be at the bank one TARGET day before they are due (SDD rulebooks), transfers and reversals on their
 * day.
 */
function latestDay({ kind, due_date }: Dated): IsoDate {
  return kind === "pain.008" ? windowsOf(due_date).latestSubmission : due_date;
}

/** Checks all unsent files of an account. Returns how many were withdrawn. */
export async function withdrawUnfit(
  deps: Pick<Deps, "db" | "log" | "time">,
  { tenant, id: gatewayId, settings }: AccountRow,
): Promise<number> {
  let taken = 0;
  const today = bankDate(settings, deps.time.now(tenant));
  for (const file of await findUnsent(deps.db, tenant, gatewayId)) {
    // Nearly every file may be sent, and this runs every minute, so a file is locked only when this first check fails.
    if (whyNot(file, await readUnsentState(deps.db, tenant, file), today, settings) === null) continue;
    const { id } = file;
    const { withdrawn } = await deps.db.transaction((tx) => withdrawIfUnfit(deps, tx, tenant, id));
    if (withdrawn) taken += 1;
  }
  return taken;
}

/**
 * Withdraws a file that a person has not given to the bank and will not give.
 * @throws Refusal file_not_withdrawable.
 */
export async function withdraw(
  deps: Pick<Deps, "time">,
  tx: Tx,
  tenant: number,
  id: string,
): Promise<UnsentFile> {
  // Of a file whose sum the bank has booked the withdrawal would take the instructions while that is being read.
  await lockReading(tx, tenant);
  const file = await lockUnsent(tx, tenant, id);
  if (file === null) throw new Refusal("file_not_withdrawable");
  const state = await readUnsentState(tx, tenant, file);
  if (state.answered && mayBeCarried(file, state)) throw new Refusal("file_not_withdrawable");
  await writeWithdrawal(
    tx,
    tenant,
    id,
    { why: "Withdrawn by hand.", missedApproval: false },
    deps.time.now(tenant),
  );
  return file;
}
