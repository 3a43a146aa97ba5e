/**
 * Polls gateways for news after the payment and applies it until it is recorded. A notice that cannot be recorded is
 * set aside, so that it does not block others, and retried with growing delays.
 */
import type { Deps } from "../../deps.ts";
import { connect } from "../../gateways/calling.ts";
import type { Gateway, News } from "../../gateways/gateway.ts";
import { HOUR_MS, later, MINUTE_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { redacted } from "../../lib/log.ts";
import { applyNews } from "./apply.ts";
import { forgetSetAside, setAsideOf, writeSetAside } from "./set-aside-store.ts";
import { gatewaysWithNews, type NewsGatewayRow } from "../store.ts";

/** Number of recorded notices of each kind. */
interface NewsCounts {
  readonly settled: number;
  readonly returned: number;
  readonly charged_back: number;
  readonly reinstated: number;
}

/** One account being polled. */
interface Pass {
  readonly account: NewsGatewayRow;
  readonly gateway: Gateway;
  readonly startedAt: Date;
  /** References skipped in this pass, which keeps the news of each payment in order. */
  readonly held: Set<string>;
  /** How often each reference that was set aside has failed. */
  readonly tries: ReadonlyMap<string, number>;
  readonly failed: string[];
}

const NOTHING: NewsCounts = { settled: 0, returned: 0, charged_back: 0, reinstated: 0 };
/** Notices requested from a gateway at a time. */
const NEWS_BATCH = 100;
/** The most notices that one pass takes from one gateway; the rest waits for the next pass. */
const TAKEN_MAX = 5_000;
const NEWS_TIMEOUT_MS = 30_000;
const WHY_CHARS_MAX = 500;

/**
 * The settlement tick of asynchronous gateways (docs/api.md, The sandbox: once a minute).
 * @param tenant only this tenant's accounts; null for all.
 */
export function newsJob(deps: Deps, tenant: number | null): Job {
  return {
    name: "gateway-news",
    everyMs: MINUTE_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      const counts = await fetchNews(deps, tenant, asynchronousAdapters(deps));
      return counts.settled + counts.returned + counts.charged_back + counts.reinstated;
    },
  };
}

/**
 * Polls the accounts at these adapters and applies their news.
 * @param tenant only this tenant's accounts; null for all.
 */
export async function fetchNews(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  tenant: number | null,
  adapters: readonly string[],
): Promise<NewsCounts> {
  let counts = NOTHING;
  for (const account of await gatewaysWithNews(deps.db, tenant, adapters)) {
    counts = sum(counts, await newsOfAccount(deps, account));
  }
  deps.announce();
  return counts;
}

function asynchronousAdapters(deps: Pick<Deps, "adapters">): readonly string[] {
  return [...deps.adapters.values()].filter((a) => a.capabilities.asynchronous).map(({ name }) => name);
}

/** An account that fails does not delay others. */
async function newsOfAccount(
  deps: Pick<Deps, "adapters" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time">,
  account: NewsGatewayRow,
): Promise<NewsCounts> {
  const counts = { ...NOTHING };
  try {
    const gateway = connect(deps.adapters, deps.keys, account);
    const pass = await beginPass(deps, account, gateway);
    let skip = 0;
    let isLast = false;
    for (let taken = 0; !isLast && taken < TAKEN_MAX;) {
      const signal = AbortSignal.timeout(NEWS_TIMEOUT_MS);
      const all = await gateway.news(NEWS_BATCH, skip, signal);
      let left = 0;
      for (const news of all) {
        if (!(await take(deps, pass, news, signal))) left += 1;
        else if (news.kind !== "fee") counts[news.kind] += 1;
      }
      skip += left;
      taken += all.length - left;
      isLast = all.length < NEWS_BATCH;
    }
    if (isLast) await endPass(deps, pass);
  } catch (error) {
    deps.log.error("gateway news could not be applied", error, { gateway_id: account.id });
  }
  return counts;
}

/** Reads the references that are set aside and not due yet. */
async function beginPass(
  deps: Pick<Deps, "clock" | "db">,
  account: NewsGatewayRow,
  gateway: Gateway,
): Promise<Pass> {
  const startedAt = deps.clock.now();
  const all = await setAsideOf(deps.db, account.tenant, account.id);
  return {
    account,
    gateway,
    startedAt,
    held: new Set(all.filter(({ due_at }) => due_at > startedAt).map(({ reference }) => reference)),
    tries: new Map(all.map(({ reference, tries }) => [reference, tries])),
    failed: [],
  };
}

/** Applies one notice. Returns false when it has to be reported again, with all later ones under its reference. */
async function take(
  deps: Pick<Deps, "clock" | "db" | "environment" | "ids" | "log" | "time">,
  pass: Pass,
  news: News,
  signal: AbortSignal,
): Promise<boolean> {
  const { account, gateway, held } = pass;
  if (held.has(news.reference)) return false;
  try {
    const applied = await applyNews(deps, account.tenant, account.id, news);
    if (applied === "unknown") throw new Error("No payment of this gateway has this reference.");
    if (applied === "taken") {
      await gateway.acknowledge(news, signal);
      return true;
    }
    held.add(news.reference);
  } catch (error) {
    await setAside(deps, pass, news, error);
  }
  return false;
}

/**
 * Sets a reference aside.
 * @throws Refusal unavailable: when the database is unavailable nothing is set aside, and the pass ends.
 */
async function setAside(
  deps: Pick<Deps, "clock" | "db" | "log">,
  pass: Pass,
  news: News,
  error: unknown,
): Promise<void> {
  const { account, held, failed } = pass;
  const { reference, kind } = news;
  const tries = (pass.tries.get(reference) ?? 0) + 1;
  const now = deps.clock.now();
  const words = redacted(error instanceof Error ? error.message : String(error));
  const row = { reference, kind, why: words.slice(0, WHY_CHARS_MAX), due_at: later(now, gapMs(tries)) };
  await writeSetAside(deps.db, account.tenant, account.id, row, now);
  held.add(reference);
  failed.push(reference);
  const about = { gateway_id: account.id, reference, news: kind, tries };
  deps.log.error("a gateway notice was set aside", error, about);
}

/** Called when every notice was seen: references that did not fail again are no longer set aside. */
async function endPass(deps: Pick<Deps, "db">, { account, startedAt, tries, failed }: Pass): Promise<void> {
  if (tries.size > 0) await forgetSetAside(deps.db, account.tenant, account.id, startedAt, failed);
}

/** First until the next pass, then a minute, doubling up to an hour. */
function gapMs(tries: number): number {
  return tries === 1 ? 0 : Math.min(MINUTE_MS * 2 ** (tries - 2), HOUR_MS);
}

function sum(a: NewsCounts, b: NewsCounts): NewsCounts {
  return {
    settled: a.settled + b.settled,
    returned: a.returned + b.returned,
    charged_back: a.charged_back + b.charged_back,
    reinstated: a.reinstated + b.reinstated,
  };
}
