/** Fetches the files that the bank left for an account, reads and archives them. */
import type { Deps } from "../../../deps.ts";
import { transportOf } from "../settings.ts";
import { later, MINUTE_MS } from "../../../lib/clock.ts";
import type { Job } from "../../../lib/job.ts";
import { redacted } from "../../../lib/log.ts";
import { type Mailbox, openMailbox } from "../transports/mailbox.ts";
import { fetchOrders, pauseOf } from "./fetch-orders.ts";
import { BANK_FILE_BYTES_MAX, type ReadDeps, readDelivery } from "./read-delivery.ts";
import { releaseMailbox, findAccounts, leaseMailbox, type AccountRow } from "../files-store.ts";
import { visits, type VisitTimes } from "../transports/visits.ts";

const POLL_MS = MINUTE_MS;
const LEASE_MS = 15 * MINUTE_MS;

/** The dependencies of a visit to a bank's folder. */
type FetchDeps = Pick<Deps, "newsReady"> &
  Parameters<typeof fetchOrders>[0] &
  Parameters<typeof openMailbox>[0];

/** File sizes when this process last looked: a file that is still growing is not read. */
type Seen = Map<string, number>;

/**
 * Returns the job.
 * @param tenant limits it to this tenant's accounts; null for all tenants.
 * @param times how long visits may take; tests shorten them.
 */
export function fetchJob(deps: Deps, tenant: number | null, times?: VisitTimes): Job {
  const seen = new Map<string, Seen>();
  const underWay = visits(times);
  return {
    name: "sepa-fetch",
    everyMs: POLL_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce(_batch, stop) {
      for (const account of await findCarried(deps, tenant)) {
        if (!underWay.hasRoom(account.tenant, account.id)) continue;
        const sizes = seen.get(account.id) ?? new Map<string, number>();
        seen.set(account.id, sizes);
        underWay.start(
          account.tenant,
          account.id,
          (signal) => fetchFiles(deps, account, sizes, signal),
          stop,
        );
      }
      return underWay.wait(stop);
    },
  };
}

/** The accounts with an automatic transport, longest waiting first. */
async function findCarried(deps: Pick<Deps, "db">, tenant: number | null): Promise<readonly AccountRow[]> {
  const polledMs = ({ polled_at }: AccountRow) => polled_at?.getTime() ?? 0;
  return (await findAccounts(deps.db, tenant))
    .filter(({ settings }) => transportOf(settings).kind !== "manual")
    .toSorted((a, b) => polledMs(a) - polledMs(b));
}

/** Reads the folder of one account once, until the signal aborts. Returns the number of files read. */
export async function fetchFiles(
  deps: FetchDeps,
  account: AccountRow,
  seen: Seen,
  signal: AbortSignal,
): Promise<number> {
  const { tenant, id } = account;
  const now = deps.clock.now();
  const byEbics = transportOf(account.settings).kind === "ebics";
  const pauseMs = byEbics ? await pauseOf(deps, account) : POLL_MS / 2;
  const leaseNo = await leaseMailbox(deps.db, tenant, id, LEASE_MS, later(now, -pauseMs));
  if (leaseNo === null) return 0;
  let files = 0;
  let problem: string | null = null;
  let mailbox: Mailbox | null = null;
  try {
    if (byEbics) ({ files, problem } = await fetchOrders(deps, account, signal));
    else mailbox = await openMailbox(deps, account, signal);
    if (mailbox !== null) ({ files, problem } = await readAll(deps, account, mailbox, seen));
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  } finally {
    await mailbox?.close().catch(() => {});
  }
  if (problem !== null) {
    problem = redacted(problem).slice(0, 1_000);
    deps.log.warn("a bank's folder could not be read", { gateway_id: id, reason: problem });
  }
  await releaseMailbox(deps.db, tenant, id, leaseNo, deps.clock.now(), problem);
  if (files > 0) await deps.newsReady(tenant);
  return files;
}

interface Found {
  readonly files: number;
  /** Problems in the bank's folder that need a person. */
  readonly problem: string | null;
}

async function readAll(deps: ReadDeps, account: AccountRow, mailbox: Mailbox, seen: Seen): Promise<Found> {
  let files = 0;
  let problem: string | null = null;
  const there = await mailbox.incoming();
  for (const { name, size } of there) {
    const whole = seen.get(name) === size;
    seen.set(name, size);
    if (!whole) continue;
    if (size > BANK_FILE_BYTES_MAX) {
      problem = `${name} is larger than ${BANK_FILE_BYTES_MAX / 1_024 ** 2} MiB and stays in the bank's folder: ask the bank for smaller files.`;
      continue;
    }
    try {
      const version = await mailbox.version(name);
      // The file is archived only once it is in the books: reading it again after a crash changes nothing.
      await readDelivery(deps, account, name, counted(name, size, mailbox.download(name)));
      files += 1;
      // Reading takes a while. What the bank has put under the name since then is read by a later visit.
      if ((await mailbox.version(name)) === version) await mailbox.putAway(name);
      seen.delete(name);
    } catch (error) {
      // A file that cannot be fetched does not delay those after it.
      problem ??= `${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  for (const name of seen.keys()) if (!there.some((file) => file.name === name)) seen.delete(name);
  return { files, problem };
}

/**
 * Passes the bytes on.
 * @throws Error when their number differs from the size that the server announced.
 */
async function* counted(
  name: string,
  size: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > size) break;
    yield chunk;
  }
  if (count !== size)
    throw new Error(`${name} did not have the announced ${size} bytes; it is fetched again.`);
}
