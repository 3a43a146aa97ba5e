/** Late answers: gateways are asked what they have to tell after the payment, until it is written down. */
import type { Deps } from "../deps.ts";
import { connect } from "../gateways/connect.ts";
import type { Gateway, News } from "../gateways/gateway.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { applyNews } from "./apply-news.ts";
import { gatewaysWithNews, type NewsGatewayRow } from "./store.ts";

/** How many of each kind were written down. */
export interface NewsCounts {
  readonly settled: number;
  readonly returned: number;
  readonly charged_back: number;
}

const NOTHING: NewsCounts = { settled: 0, returned: 0, charged_back: 0 };
/** Gateways are asked for this many notices at a time. */
const NEWS_BATCH = 100;
/** The most batches one pass takes from one gateway; the rest waits for the next pass. */
const BATCHES_MAX = 50;
const NEWS_TIMEOUT_MS = 30_000;

/**
 * The settlement tick of asynchronous gateways (sandbox.md: once a minute).
 * @param tenant only this tenant's accounts; null for all.
 */
export function newsJob(deps: Deps, tenant: number | null): Job {
  return {
    name: "gateway-news",
    everyMs: MINUTE_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      const counts = await takeNews(deps, tenant, asynchronousAdapters(deps));
      return counts.settled + counts.returned + counts.charged_back;
    },
  };
}

/**
 * Asks the accounts at these adapters for news and writes it down.
 * @param tenant only this tenant's accounts; null for all.
 */
export async function takeNews(
  deps: Deps,
  tenant: number | null,
  adapters: readonly string[],
): Promise<NewsCounts> {
  let counts = NOTHING;
  for (const account of await gatewaysWithNews(deps.db, tenant, adapters)) {
    counts = sum(counts, await newsOfAccount(deps, account));
  }
  if (counts !== NOTHING) deps.announce();
  return counts;
}

function asynchronousAdapters(deps: Deps): readonly string[] {
  return [...deps.adapters.values()].filter((a) => a.capabilities.asynchronous).map(({ name }) => name);
}

/** One account whose gateway fails holds up no other. */
async function newsOfAccount(deps: Deps, account: NewsGatewayRow): Promise<NewsCounts> {
  let counts = NOTHING;
  try {
    const gateway = connect(deps.adapters, deps.keys, account);
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const signal = AbortSignal.timeout(NEWS_TIMEOUT_MS);
      const all = await gateway.news(NEWS_BATCH, signal);
      const written = await writeDown(deps, account, gateway, all, signal);
      counts = sum(counts, written.counts);
      if (all.length < NEWS_BATCH || written.done === 0) break;
    }
  } catch (error) {
    deps.log.error("gateway news could not be taken", error, { gateway_id: account.id });
  }
  return counts;
}

async function writeDown(
  deps: Deps,
  account: NewsGatewayRow,
  gateway: Gateway,
  all: readonly News[],
  signal: AbortSignal,
): Promise<{ readonly counts: NewsCounts; readonly done: number }> {
  const counts = { ...NOTHING };
  let done = 0;
  for (const news of all) {
    if (!(await applyNews(deps, account.tenant, account.id, news))) continue;
    await gateway.acknowledge(news, signal);
    counts[news.kind] += 1;
    done += 1;
  }
  return { counts, done };
}

function sum(a: NewsCounts, b: NewsCounts): NewsCounts {
  return {
    settled: a.settled + b.settled,
    returned: a.returned + b.returned,
    charged_back: a.charged_back + b.charged_back,
  };
}
