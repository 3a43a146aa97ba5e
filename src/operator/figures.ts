/**
 * Figures on waiting work from the database: for the operator's pages and the metrics, read seldom, however often they
 * are requested.
 */
import { readHeld } from "../backup/place.ts";
import type { Reader } from "../db/database.ts";
import { countWaiting } from "../gateways/sepa-batch/files-store.ts";
import type { Metrics } from "../http/metrics.ts";
import { SECOND_MS, type Clock } from "../lib/clock.ts";
import { outsideWork } from "../lib/trace.ts";
import { messageFigures } from "../messages/figures-store.ts";
import { attemptFigures } from "../payments/attempt/figures-store.ts";
import { countSetAside } from "../payments/news/set-aside-store.ts";
import { countStoppedCampaigns } from "../sessions/campaigns/stop-store.ts";
import { webhookFigures } from "../webhooks/delivery/figures-store.ts";

/** Figures younger than this are not read again. */
const FRESH_MS = 10 * SECOND_MS;
/** How long a scrape waits for new figures; those of a slow database are in the next scrape. */
const WAIT_MS = SECOND_MS;

/** Work that waits, over all tenants. */
export async function readFigures(db: Reader) {
  const [held, attempts, webhooks, messages, bank, setAside, stoppedCampaigns] = await Promise.all([
    readHeld(db),
    attemptFigures(db),
    webhookFigures(db),
    messageFigures(db),
    countWaiting(db),
    countSetAside(db),
    countStoppedCampaigns(db),
  ]);
  return { held, attempts, webhooks, messages, bank, setAside, stoppedCampaigns };
}

/** Updates the metrics of waiting work; resolves within a second with the current figures. */
export function figuresReader(db: Reader, clock: Clock, metrics: Metrics): () => Promise<void> {
  let readMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const figures = await readFigures(db);
    metrics.held(figures.held !== null);
    metrics.attempts(figures.attempts);
    metrics.webhooks(figures.webhooks);
    metrics.messages(figures.messages);
    metrics.sepaWaiting(figures.bank);
    metrics.newsSetAside(figures.setAside);
    metrics.campaignsStopped(figures.stoppedCampaigns);
    metrics.figuresRead(clock.now());
    readMs = startedMs;
  };
  return async () => {
    if (clock.monotonicMs() - readMs < FRESH_MS) return;
    // Without the database the other metrics are still reported, and when these were last read.
    reading ??= outsideWork(() =>
      read()
        .catch(() => {})
        .finally(() => (reading = null)),
    );
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS);
    await Promise.race([reading, late]);
    clearTimeout(timer);
  };
}
