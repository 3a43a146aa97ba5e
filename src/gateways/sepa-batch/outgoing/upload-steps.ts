/** The steps and results of a file's upload; each step is recorded before it is taken. */
import type { Tx } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { HOUR_MS, later, MINUTE_MS } from "../../../lib/clock.ts";
import { redacted } from "../../../lib/log.ts";
import { RETRY_HOURS_MAX } from "../files-store.ts";
import { moveUpload, moveUploadIn, postponeUpload } from "./store.ts";

/** Records the next step. Returns false when the lease is lost: the upload must stop then. */
export function recordStep(
  deps: Pick<Deps, "clock" | "db">,
  file: SepaFileRow,
  status: "uploading" | "renaming",
): Promise<boolean> {
  const now = deps.clock.now();
  return moveUpload(deps.db, file, { status, error: null, dueAt: now, keep: true }, now);
}

/** The same in a transaction, or that a person delivers the file. */
export function recordStepIn(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  file: SepaFileRow,
  status: "uploading" | "ready",
): Promise<boolean> {
  const now = clock.now();
  const keep = status === "uploading";
  return moveUploadIn(tx, file, { status, error: null, dueAt: keep ? now : null, keep }, now);
}

export async function recordSent(
  deps: Pick<Deps, "clock" | "db" | "reached">,
  file: SepaFileRow,
): Promise<boolean> {
  const to = { status: "sent", error: null, dueAt: null, keep: false } as const;
  const moved = await moveUpload(deps.db, file, to, deps.clock.now());
  deps.reached("sepa.sent");
  return moved;
}

export async function recordUnclear(
  deps: Pick<Deps, "clock" | "db" | "log">,
  file: SepaFileRow,
  why: string,
): Promise<false> {
  const to = { status: "unclear", error: why, dueAt: null, keep: false } as const;
  await moveUpload(deps.db, file, to, deps.clock.now());
  deps.log.error(
    "it is unknown whether a SEPA file reached the bank: ask the bank, then confirm its arrival",
    why,
    {
      gateway_id: file.gateway_id,
      file_id: file.id,
    },
  );
  return false;
}

const RETRY_MS_MIN = MINUTE_MS;
const RETRY_MS_MAX = RETRY_HOURS_MAX * HOUR_MS;

/**
 * Schedules a retry from the last recorded step.
 * @param pauseMs null for a pause that grows with each attempt.
 */
export async function scheduleRetry(
  deps: Pick<Deps, "clock" | "db" | "log">,
  file: SepaFileRow,
  error: unknown,
  pauseMs: number | null = null,
): Promise<void> {
  const words = redacted(error instanceof Error ? error.message : String(error)).slice(0, 1_000);
  const now = deps.clock.now();
  const growing = Math.min(RETRY_MS_MIN * 2 ** Math.min(file.attempts - 1, 10), RETRY_MS_MAX);
  await postponeUpload(deps.db, file, words, later(now, pauseMs ?? growing), now);
  deps.log.warn("a SEPA file could not be sent", {
    gateway_id: file.gateway_id,
    file_id: file.id,
    reason: words,
  });
}
