/**
 * Steps for a bank file that a person carries by hand: download it, mark it as sent, withdraw it, confirm its arrival.
 */
import type { Readable } from "node:stream";
import type { Reader, Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { hasRun, writeEntry, type Author, type Change } from "../../management/audit/audit.ts";
import { Refusal } from "../../refusals.ts";
import {
  contentOf,
  decideUnclear,
  findContent,
  findFile,
  lockFile,
  markSent,
  tryLockReading,
  type ShownFile,
} from "./files-store.ts";
import { BEING_READ, withdrawIfUnfit, withdraw } from "./outgoing/withdraw-unfit.ts";
import { unpack } from "./pack.ts";

/** A person's command about one file. */
export interface FileCommand {
  readonly tenant: number;
  readonly id: string;
  /** Id of the audit entry, so that a repeated command is recorded once. */
  readonly operationId: string;
  readonly author: Author;
}

/**
 * Finds a file.
 * @throws Refusal not_found if the tenant has no such file.
 */
export async function requireFile(
  { db }: { readonly db: Reader },
  { tenant, id }: Pick<FileCommand, "tenant" | "id">,
): Promise<ShownFile> {
  const row = isUuid(id) ? await findFile(db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return row;
}

/**
 * A file as it goes to the bank, or as the bank sent it. The audit log records who downloaded it.
 * @throws Refusal not_found; file_held_back, with the reason, for a file that must not go to the bank yet, or any more.
 */
export async function downloadFile(
  deps: Pick<Deps, "clock" | "db" | "keys" | "log" | "time">,
  command: FileCommand,
): Promise<{ readonly name: string; readonly kind: string; readonly bytes: Readable }> {
  const { tenant } = command;
  const { id } = await requireFile(deps, command);
  const why = await deps.db.transaction(async (tx) => {
    const { file: unsent, why: unfit, isRead } = await withdrawIfUnfit(deps, tx, tenant, id);
    if (unfit !== null) return unfit;
    const { status, error } = await requireFile({ db: tx }, { tenant, id });
    if (status === "withdrawn") return String(error);
    if (status === "to_approve") return "This file waits for approval.";
    if (unsent !== null && isRead) return BEING_READ;
    await note(deps, tx, command, { action: "export", before: null, after: { downloaded: true } });
    return null;
  });
  if (why !== null) throw new Refusal("file_held_back", { detail: why });
  const file = await findContent(deps.db, tenant, id);
  if (file === null) throw new Refusal("not_found");
  const bytes = unpack(deps.keys, tenant, id, contentOf(deps.db, tenant, id, file.content));
  return { name: file.name, kind: file.kind, bytes };
}

/**
 * Marks a file as given to the bank; a file that is already sent stays unchanged.
 * @throws Refusal not_found; file_not_ready in another status; file_held_back when the bank has already answered to
 * instructions in it, or a bank's file is being read, which may contain the answer.
 */
export async function markFileSent(
  deps: Pick<Deps, "db" | "clock">,
  command: FileCommand,
): Promise<ShownFile> {
  const { id, status } = await requireFile(deps, command);
  if (status === "ready")
    await deps.db.transaction(async (tx) => {
      if (!(await tryLockReading(tx, command.tenant)))
        throw new Refusal("file_held_back", { detail: BEING_READ });
      if (!(await markSent(tx, command.tenant, id, deps.clock.now()))) return;
      await note(deps, tx, command, {
        action: "update",
        before: { status: "ready" },
        after: { status: "sent" },
      });
    });
  const file = await requireFile(deps, command);
  if (file.status === "ready") throw new Refusal("file_held_back");
  if (file.status !== "sent") throw new Refusal("file_not_ready");
  return file;
}

/**
 * Withdraws a file that was not given to the bank; its instructions go into the next file.
 * @throws Refusal not_found; file_not_withdrawable for a file that has left.
 */
export async function withdrawFile(
  deps: Pick<Deps, "db" | "clock" | "time">,
  command: FileCommand,
): Promise<ShownFile> {
  const { id, status } = await requireFile(deps, command);
  if (status !== "withdrawn") {
    await deps.db.transaction(async (tx) => {
      const before = await withdraw(deps, tx, command.tenant, id);
      await note(deps, tx, command, {
        action: "update",
        before: { status: before.status },
        after: { status: "withdrawn" },
      });
    });
  }
  return requireFile(deps, command);
}

/**
 * Resolves a file whose upload ended without an answer. A repeated command decides about no later upload.
 * @param decision.arrived false sends it again.
 * @param decision.attempts the file's attempts when the bank was asked; null: not given.
 * @throws Refusal not_found; file_not_unclear in another status; file_sent_again when `attempts` is another upload's.
 */
export async function confirmFile(
  deps: Pick<Deps, "db" | "clock">,
  command: FileCommand,
  { arrived, attempts }: { readonly arrived: boolean; readonly attempts: number | null },
): Promise<ShownFile> {
  const { tenant, operationId, author } = command;
  const { id } = await requireFile(deps, command);
  await deps.db.transaction(async (tx) => {
    const file = await lockFile(tx, tenant, id);
    if (await hasRun(tx, author, { tenant, id: operationId, resource: "sepa-files", resourceId: id })) return;
    if (file?.status === "unclear" && attempts !== null && attempts !== file.attempts)
      throw new Refusal("file_sent_again");
    if (!(await decideUnclear(tx, tenant, id, arrived, deps.clock.now())))
      throw new Refusal("file_not_unclear");
    await note(deps, tx, command, { action: "update", before: { status: "unclear" }, after: { arrived } });
  });
  return requireFile(deps, command);
}

function note(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  { tenant, id, operationId, author }: FileCommand,
  change: Pick<Change, "action" | "before" | "after">,
): Promise<void> {
  const about = { tenant, id: operationId, at: clock.now(), resource: "sepa-files", resourceId: id } as const;
  return writeEntry(tx, author, { ...about, ...change });
}
