/** Sends stored files to the bank, each once: a file that may have arrived is never resent automatically. */
import type { Deps } from "../../../deps.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { MINUTE_MS, SECOND_MS } from "../../../lib/clock.ts";
import type { Job } from "../../../lib/job.ts";
import { asStepOrTrace } from "../../../lib/trace.ts";
import { TENANTS_MAX } from "../../../lib/turns.ts";
import { must } from "../../../lib/assert.ts";
import { type Mailbox, openMailbox, temporaryName } from "../transports/mailbox.ts";
import { unpack } from "../pack.ts";
import { transportOf } from "../settings.ts";
import { sendOrder } from "./send-order.ts";
import { recordSent, scheduleRetry, recordStep, recordUnclear } from "./upload-steps.ts";
import { claimUpload, tenantsToSend } from "./store.ts";
import { contentOf, findAccounts, type AccountRow } from "../files-store.ts";
import { moveIfFit, whyNotPublished } from "./withdraw-unfit.ts";
import { visits, type VisitTimes } from "../transports/visits.ts";

/** Longer than the slowest upload of the largest file. */
const LEASE_MS = 10 * MINUTE_MS;

/**
 * Returns the job. Files wait by the service's own time: it concerns the bank's folder, not the tenant's calendar.
 * @param only the tenant whose files are sent; null for all tenants.
 * @param times how long visits may take; tests shorten them.
 */
export function sendJob(deps: Deps, only: number | null, times?: VisitTimes): Job {
  const underWay = visits(times);
  return {
    name: "sepa-send",
    everyMs: 10 * SECOND_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce(_batch, stop) {
      for (const tenant of await tenantsToSend(deps.db, deps.clock.now(), TENANTS_MAX)) {
        if (only !== null && tenant !== only) continue;
        // A file that is being sent is leased; only the number of the tenant's visits limits it.
        if (!underWay.hasRoom(tenant, "")) continue;
        const now = deps.clock.now();
        const file = await claimUpload(deps.db, tenant, now, LEASE_MS);
        if (file === null) continue;
        underWay.start(
          tenant,
          file.id,
          async (signal) => ((await sendTraced(deps, file, signal)) ? 1 : 0),
          stop,
        );
      }
      return underWay.wait(stop);
    },
  };
}

function sendTraced(
  deps: Parameters<typeof sendFile>[0],
  file: SepaFileRow,
  signal: AbortSignal,
): Promise<boolean> {
  const about = { "payments.gateway_id": file.gateway_id, "payments.file_id": file.id };
  return asStepOrTrace("bank file send", file.tenant, about, () => sendFile(deps, file, signal));
}

/** Returns true when the bank has the file now. */
async function sendFile(
  deps: Pick<
    Deps,
    "allowPrivateTargets" | "clock" | "db" | "ids" | "keys" | "log" | "reached" | "sepaDirectory" | "time"
  >,
  file: SepaFileRow,
  signal: AbortSignal,
): Promise<boolean> {
  deps.reached("sepa.claimed");
  let mailbox: Mailbox | null = null;
  try {
    const account = must(
      (await findAccounts(deps.db, file.tenant, file.gateway_id))[0],
      "the account of a file",
    );
    if (transportOf(account.settings).kind === "ebics") {
      return await sendOrder(deps, file, account, signal);
    }
    mailbox = await openMailbox(deps, account, signal);
    if (mailbox === null) return await giveToPeople(deps, file);
    return await upload(deps, await withdrawable(deps, file, account, mailbox), mailbox);
  } catch (error) {
    await scheduleRetry(deps, file, error);
    return false;
  } finally {
    await mailbox?.close().catch(() => {});
  }
}

/**
 * Handles a file whose account is delivered by hand since it was stored: a person fetches it, unless its upload had been
 * interrupted when the bank could see it.
 */
async function giveToPeople(
  deps: Pick<Deps, "clock" | "db" | "log" | "time">,
  file: SepaFileRow,
): Promise<false> {
  if (file.status === "renaming")
    return recordUnclear(
      deps,
      file,
      "the upload was interrupted, and the account is delivered by hand since: the bank may have the file",
    );
  await moveIfFit(deps, file, "ready");
  return false;
}

/**
 * Handles an interrupted upload that must not be completed any more, because its date has passed or it contains a
 * refund of a debit that was returned. Deletes the uploaded part before it was renamed, so that the bank never sees it
 * and the file can be withdrawn.
 * @throws Error when it is no longer there: the bank may have it.
 */
async function withdrawable(
  deps: Pick<Deps, "clock" | "db" | "time">,
  file: SepaFileRow,
  { settings }: AccountRow,
  mailbox: Mailbox,
): Promise<SepaFileRow> {
  if (file.status !== "renaming") return file;
  const hidden = temporaryName(file.name);
  const there = await mailbox.outgoing();
  if (there.includes(file.name) || !there.includes(hidden)) return file;
  if ((await whyNotPublished(deps, deps.db, file, settings)) === null) return file;
  const aside = `${hidden}.withdrawn`;
  await mailbox.publish(hidden, aside);
  await mailbox.discard(aside);
  return (await recordStep(deps, file, "uploading")) ? { ...file, status: "uploading" } : file;
}

/**
 * Uploads a file, recording each step before it is taken. Until it is renamed the bank cannot see the file, so it can
 * be uploaded again; after that, a missing file may have been fetched, which only a person can confirm.
 */
async function upload(
  deps: Pick<Deps, "clock" | "db" | "keys" | "log" | "reached" | "time">,
  file: SepaFileRow,
  mailbox: Mailbox,
): Promise<boolean> {
  const { tenant, id, name } = file;
  const hidden = temporaryName(name);
  const there = await mailbox.outgoing();
  if (there.includes(name)) {
    if (file.status === "renaming") {
      if (there.includes(hidden)) await mailbox.discard(hidden);
      return recordSent(deps, file);
    }
    return recordUnclear(
      deps,
      file,
      `${name} is already in the bank's folder and does not come from this upload`,
    );
  }
  if (file.status === "renaming" && !there.includes(hidden)) {
    return recordUnclear(
      deps,
      file,
      "the upload was interrupted and the file is not in the bank's folder: the bank may have fetched it",
    );
  }
  if (file.status !== "renaming") {
    if (!(await moveIfFit(deps, file, "uploading"))) return false;
    if (there.includes(hidden)) await mailbox.discard(hidden);
    await mailbox.upload(hidden, unpack(deps.keys, tenant, id, contentOf(deps.db, tenant, id, file.content)));
    await checkWhole(mailbox, hidden, file.size);
    deps.reached("sepa.uploaded");
    if (!(await recordStep(deps, file, "renaming"))) return false;
  }
  await mailbox.publish(hidden, name);
  // If the server cannot be asked any more, its confirmation of the renaming is enough.
  if ((await mailbox.uploaded(hidden).catch(() => null)) !== null)
    throw new Error(`the bank's server reported renaming ${hidden} but did not rename it`);
  deps.reached("sepa.renamed");
  return recordSent(deps, file);
}

/**
 * Checks the size of the uploaded file.
 * @throws Error when the server confirmed the upload but does not have the whole file.
 */
async function checkWhole(mailbox: Mailbox, hidden: string, size: number): Promise<void> {
  const there = await mailbox.uploaded(hidden);
  if (there !== size)
    throw new Error(`the bank's server has ${there ?? "none"} of the ${size} bytes of ${hidden}`);
}
