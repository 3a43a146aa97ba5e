/** Fetches what the bank has laid into an account's folder, reads it, and puts it away. */
import { Readable } from "node:stream";
import type { Deps } from "../deps.ts";
import { SEPA_ADAPTER } from "../gateways/sepa/adapter.ts";
import { sepaSettings } from "../gateways/sepa/settings.ts";
import { later, MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { redacted } from "../lib/log.ts";
import { takeNews } from "../payments/news.ts";
import { openMailbox } from "./mailbox.ts";
import { readDelivery } from "./read.ts";
import { endPoll, findAccounts, takePoll, type AccountRow } from "./store.ts";
import type { Mailbox } from "./transports/transport.ts";

const POLL_MS = MINUTE_MS;
const LEASE_MS = 15 * MINUTE_MS;

/** Sizes as they were when this process last looked: what still grows is not read. */
type Seen = Map<string, number>;

export function fetchJob(deps: Deps): Job {
  const seen = new Map<string, Seen>();
  return {
    name: "sepa-fetch",
    everyMs: POLL_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      let files = 0;
      for (const account of await findAccounts(deps.db, null)) {
        if (sepaSettings(account.settings).transport.kind === "manual") continue;
        const sizes = seen.get(account.id) ?? new Map<string, number>();
        seen.set(account.id, sizes);
        files += await fetchFiles(deps, account, sizes);
      }
      return files;
    },
  };
}

/** One look into the folder of one account. Returns how many files were read. */
export async function fetchFiles(deps: Deps, account: AccountRow, seen: Seen): Promise<number> {
  const { tenant, id } = account;
  const now = deps.clock.now();
  if (!(await takePoll(deps.db, tenant, id, now, later(now, LEASE_MS), later(now, -POLL_MS / 2)))) return 0;
  let files = 0;
  let problem: string | null = null;
  let mailbox: Mailbox | null = null;
  try {
    mailbox = await openMailbox(deps, account);
    if (mailbox !== null) files = await readAll(deps, account, mailbox, seen);
  } catch (error) {
    problem = redacted(error instanceof Error ? error.message : String(error)).slice(0, 1_000);
    deps.log.warn("a bank's folder could not be read", { gateway_id: id, reason: problem });
  } finally {
    await mailbox?.close().catch(() => {});
  }
  await endPoll(deps.db, tenant, id, deps.clock.now(), problem);
  if (files > 0) await takeNews(deps, tenant, [SEPA_ADAPTER]);
  return files;
}

async function readAll(deps: Deps, account: AccountRow, mailbox: Mailbox, seen: Seen): Promise<number> {
  let files = 0;
  const there = await mailbox.incoming();
  for (const { name, size } of there) {
    const whole = seen.get(name) === size;
    seen.set(name, size);
    if (!whole) continue;
    // Put away only once it is in the books: read again after a crash, it changes nothing.
    await readDelivery(deps, account, name, Readable.from([await mailbox.download(name)]));
    await mailbox.putAway(name);
    seen.delete(name);
    files += 1;
  }
  for (const name of seen.keys()) if (!there.some((file) => file.name === name)) seen.delete(name);
  return files;
}
