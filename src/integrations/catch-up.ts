/** Catching up: reads each partner's list hourly and stores postbacks that never arrived (contract: Catching up). */
import type { Deps } from "../deps.ts";
import { HOUR_MS, later, MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { must } from "../lib/assert.ts";
import { TENANTS_MAX } from "../lib/turns.ts";
import { openSecret } from "./settings/integration.ts";
import type { Paging } from "./settings/providers.ts";
import { Refusal } from "../refusals.ts";
import type { Sender } from "../webhooks/delivery/send.ts";
import { claimReads, finishCatchUp, tenantsToRead, type ReadableRow } from "./catch-up-store.ts";
import { firstPage, itemBytes, PartnerError, readPage } from "./partner.ts";
import { POSTBACK_BYTES_MAX } from "./postback.ts";
import { storePostback } from "./receive.ts";
import type { OnActivity } from "./routes.ts";

export interface CatchUpParts {
  readonly deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached">;
  readonly sender: Pick<Sender, "get">;
  readonly onActivity: OnActivity;
  /** True when the process is stopping: no further page is requested. */
  readonly stopping: () => boolean;
}

const EVERY_MS = HOUR_MS;
const AFTER_FAILURE_MS = 10 * MINUTE_MS;
/** The overlap, for items that the partner recorded late or with a slow clock. */
const OVERLAP_MS = 2 * HOUR_MS;
/** For how long a pass begins readings. With the longest of them it ends before the job looks as if it hung. */
const PASS_MS_MAX = MINUTE_MS;
const RECORDS_AT_ONCE = 10;
const PAGE_BYTES_MAX = 4 * 1_024 * 1_024;
const PAGES_MAX = 1_000;
/** Well below an hour, after which another instance may begin. */
const READING_MS_MAX = 5 * MINUTE_MS;

export function catchUpJob(parts: CatchUpParts): Job {
  return {
    name: "catch-up-postbacks",
    everyMs: MINUTE_MS,
    batch: RECORDS_AT_ONCE,
    runOnce: (batch) => catchUpDue(parts, batch),
  };
}

/**
 * Reads due partners, up to `batch` at the same time: when a reading ends, the next begins, of the tenants in turn. So a
 * slow partner delays no others. Returns how many were read.
 */
export async function catchUpDue(parts: CatchUpParts, batch: number): Promise<number> {
  const { clock, db } = parts.deps;
  const until = clock.monotonicMs() + PASS_MS_MAX;
  const inTurn = new Set(await tenantsToRead(db, TENANTS_MAX));
  let count = 0;
  const readInTurn = async (): Promise<void> => {
    while (!parts.stopping() && clock.monotonicMs() < until) {
      const [tenant] = inTurn;
      if (tenant === undefined) return;
      inTurn.delete(tenant);
      inTurn.add(tenant);
      const [record] = await claimReads(db, tenant, EVERY_MS, 1);
      if (record === undefined) {
        inTurn.delete(tenant);
        continue;
      }
      count += 1;
      await catchUp(parts, tenant, record);
    }
  };
  await Promise.all(Array.from({ length: batch }, readInTurn));
  return count;
}

interface Reading {
  readonly recovered: number;
  readonly unreadable: number;
}

/** Reads one partner's list since the last complete reading; only a complete one advances that time. */
async function catchUp(parts: CatchUpParts, tenant: number, record: ReadableRow): Promise<void> {
  const { deps } = parts;
  const began = deps.clock.now();
  try {
    const { recovered, unreadable } = await readAll(parts, tenant, record);
    const error = unreadable === 0 ? null : `${unreadable} items are not postbacks and were skipped.`;
    await finishCatchUp(deps.db, tenant, record, {
      since: began,
      error,
      againMs: EVERY_MS,
      at: began,
    });
    if (recovered > 0) deps.log.info("postbacks recovered", { integration_id: record.id, recovered });
  } catch (error) {
    const isPartnerError = error instanceof PartnerError;
    if (!isPartnerError)
      deps.log.error("a partner's list could not be stored", error, { integration_id: record.id });
    const reason = isPartnerError ? error.message : "The service failed; its log says why.";
    await finishCatchUp(deps.db, tenant, record, {
      since: null,
      error: reason,
      againMs: AFTER_FAILURE_MS,
      at: began,
    });
  }
}

/**
 * Reads all pages.
 * @throws PartnerError when the list cannot be read to its end.
 */
async function readAll(parts: CatchUpParts, tenant: number, record: ReadableRow): Promise<Reading> {
  const { clock, keys } = parts.deps;
  const paging = record.read_paging as Paging;
  const token = must(
    openSecret({ keys }, tenant, record.id, "read_token", record.read_token),
    "the read token",
  );
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  const until = clock.monotonicMs() + READING_MS_MAX;
  const seen = new Set<string>();
  let before: Buffer | null = null;
  let recovered = 0;
  let unreadable = 0;
  let url: URL | null = firstPage(
    record.read_url,
    paging,
    later(record.read_since ?? record.created_at, -OVERLAP_MS),
  );
  while (url !== null) {
    refuseEndless(seen, url);
    refuseLate(parts, until);
    const fetched = await parts.sender.get(url.href, headers, PAGE_BYTES_MAX);
    if (fetched.kind === "failed") throw new PartnerError(fetched.error);
    if (before?.equals(fetched.body) === true)
      throw new PartnerError("The partner returns the same page repeatedly.");
    const page = readPage(paging, url, fetched.body);
    for (const item of page.items) {
      refuseLate(parts, until);
      const kept = await keep(parts, tenant, record, itemBytes(item));
      if (kept === "recovered") recovered += 1;
      if (kept === "unreadable") unreadable += 1;
    }
    before = page.items.length === 0 ? null : fetched.body;
    url = page.next;
  }
  return { recovered, unreadable };
}

function refuseEndless(seen: Set<string>, url: URL): void {
  if (seen.has(url.href)) throw new PartnerError("The pages lead back to a page that was already read.");
  if (seen.add(url.href).size > PAGES_MAX) throw new PartnerError(`There are more than ${PAGES_MAX} pages.`);
}

function refuseLate({ deps, stopping }: CatchUpParts, until: number): void {
  if (stopping()) throw new PartnerError("The service was stopped before everything was read.");
  if (deps.clock.monotonicMs() > until) throw new PartnerError("Reading took longer than 5 minutes.");
}

/** Handles an item like a postback that arrives. */
async function keep(
  { deps, onActivity }: CatchUpParts,
  tenant: number,
  record: ReadableRow,
  item: Buffer | null,
): Promise<"recovered" | "known" | "unreadable"> {
  if (item === null || item.length > POSTBACK_BYTES_MAX) return "unreadable";
  try {
    const { isNew } = await storePostback(deps, { ...record, tenant }, item, true);
    if (isNew) onActivity("recovered");
    return isNew ? "recovered" : "known";
  } catch (error) {
    if (error instanceof Refusal && error.kind === "malformed_json") return "unreadable";
    throw error;
  }
}
