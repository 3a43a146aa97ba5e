/** Approval of a file by a second person, where its account requires it. Until then the file is not sent. */
import type { Deps } from "../../../deps.ts";
import { actorOf, hasRun, writeEntry, type Author } from "../../../management/audit/audit.ts";
import { Refusal } from "../../../refusals.ts";
import { requireFile, type FileCommand } from "../file-commands.ts";
import type { ShownFile } from "../files-store.ts";
import { withdrawIfUnfit } from "../outgoing/withdraw-unfit.ts";
import { transportOf } from "../settings.ts";
import { writeApproval } from "./store.ts";

/**
 * Records one approval. With the last one required, the file is sent or is ready to be carried.
 * @throws Refusal not_found; file_not_to_approve; file_approved_before by the same person; file_held_back, with the
 * reason, for a file that must not go to the bank any more.
 */
export async function approveFile(
  deps: Pick<Deps, "clock" | "db" | "log" | "time">,
  command: FileCommand,
): Promise<ShownFile> {
  const { tenant, operationId, author } = command;
  const { id } = await requireFile(deps, command);
  const why = await deps.db.transaction(async (tx) => {
    if (await hasRun(tx, author, { tenant, id: operationId, resource: "sepa-files", resourceId: id }))
      return null;
    const { file, why: unfit } = await withdrawIfUnfit(deps, tx, tenant, id);
    if (unfit !== null) return unfit;
    if (file?.status !== "to_approve") throw new Refusal("file_not_to_approve");
    const now = deps.clock.now();
    const manual = transportOf(file.settings).kind === "manual";
    const given = { approver: approverOf(author), name: actorOf(author.caller).actor_name, manual };
    if (!(await writeApproval(tx, tenant, id, given, now))) throw new Refusal("file_approved_before");
    await writeEntry(tx, author, {
      tenant,
      id: operationId,
      at: now,
      action: "update",
      resource: "sepa-files",
      resourceId: id,
      before: null,
      after: { approved: true },
    });
    return null;
  });
  if (why !== null) throw new Refusal("file_held_back", { detail: why });
  return requireFile(deps, command);
}

/** The approver's identity: all API keys of a person count as that person. */
function approverOf({ caller }: Author): string {
  return caller.kind === "person" ? actorOf(caller).actor : "keys";
}
