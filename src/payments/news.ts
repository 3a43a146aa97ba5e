/** Late answers: what a gateway tells after the payment is written down, once and never backwards (decisions S16, M1, M2). */
import type { Deps } from "../deps.ts";
import { connect } from "../gateways/connect.ts";
import type { Gateway, News, RefundOutcome } from "../gateways/gateway.ts";
import { reasonOf } from "../gateways/reasons.ts";
import type { Tx } from "../db/database.ts";
import { must } from "../lib/assert.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { centsFromDatabase } from "../lib/money.ts";
import {
  chargebackCreatedEvent,
  completedEvent,
  statusChangedEvent,
  type NewEvent,
} from "../webhooks/events.ts";
import { chargebackRecord, transactionRecord } from "./record.ts";
import { settleAccepted } from "./refunds/settle.ts";
import { findRefund } from "./refunds/store.ts";
import {
  applyChargeback,
  applyReturned,
  applySettled,
  gatewaysWithNews,
  lockForNews,
  type NewsGatewayRow,
  type NewsRow,
} from "./store.ts";
import { factsOf, recordFacts } from "./transaction.ts";

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
/** Late answers about money that is known to have been accepted. */
const CLOSED = ["pending", "approved", "refunded", "charged_back", "declined"];

/** The settlement tick of asynchronous gateways (sandbox.md: once a minute). */
export function newsJob(deps: Deps): Job {
  return {
    name: "gateway-news",
    everyMs: MINUTE_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      const counts = await takeNews(deps, null, asynchronousAdapters(deps));
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

/** Writes one notice down. False when the payment it is about is not written down yet: it has to come again. */
export function applyNews(deps: Deps, tenant: number, gatewayId: string, news: News): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const row = await lockForNews(tx, tenant, gatewayId, news.reference);
    if (row === null || !CLOSED.includes(row.status)) return false;
    await apply(deps, tx, tenant, row, news);
    return true;
  });
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

/** A refund that was accepted has arrived, or has come back; what was decided before stays. */
async function applyToRefund(deps: Deps, tx: Tx, tenant: number, row: NewsRow, news: News): Promise<void> {
  const refund = must(await findRefund(tx, tenant, row.id), "the refund of a notice");
  if (news.kind !== "charged_back" && row.status === "pending") {
    await settleAccepted(deps, tx, tenant, refund, outcomeOf(row, news));
    return;
  }
  const known = row.status === "approved" ? "settled" : "returned";
  if (news.kind !== known) contradicts(deps, row, news);
}

function outcomeOf(row: NewsRow, news: News): RefundOutcome {
  const told = { gatewayReference: row.gateway_reference, processedAt: row.processed_at ?? news.at };
  if (news.kind === "settled") return { kind: "approved", ...told };
  const { reasonCode: gatewayCode, reasonMessage: gatewayMessage } = news;
  return { kind: "declined", code: reasonOf(gatewayCode).code, gatewayCode, gatewayMessage, ...told };
}

/** Money moved in a way that the record excludes; a person has to look, the record is not rewritten. */
function contradicts(deps: Deps, row: NewsRow, news: News): void {
  deps.log.warn("gateway news contradicts a transaction", {
    transaction_id: row.id,
    status: row.status,
    news: news.kind,
  });
}

async function apply(deps: Deps, tx: Tx, tenant: number, row: NewsRow, news: News): Promise<void> {
  if (row.type === "sdd_refund") return applyToRefund(deps, tx, tenant, row, news);
  const now = deps.clock.now();
  if (row.status === "declined" && news.kind !== "returned") {
    contradicts(deps, row, news);
    return;
  }
  switch (news.kind) {
    case "settled": {
      const changed = statusChanged(deps, row, "approved", now);
      await applySettled(tx, tenant, row.id, now, [...settledEvents(deps, row, news.at), ...changed]);
      return;
    }
    case "returned": {
      const { code, message } = reasonOf(news.reasonCode);
      const error = { code, message, gatewayCode: news.reasonCode, gatewayMessage: news.reasonMessage };
      await applyReturned(tx, tenant, row.id, now, error, statusChanged(deps, row, "declined", now));
      return;
    }
    case "charged_back": {
      const { at: reportDate, reasonCode, reasonMessage } = news;
      const source = "webhook";
      const chargeback = { id: deps.ids.uuid(), reportDate, reasonCode, reasonMessage, source } as const;
      const { email, country } = row;
      const record = chargebackRecord(
        { ...chargeback, email, country, at: now },
        factsOf(row, row.status, now),
      );
      await applyChargeback(tx, tenant, row.id, now, chargeback, [
        chargebackCreatedEvent(deps.ids.uuid(), recordFacts(deps, row), record),
        ...statusChanged(deps, row, "charged_back", now),
      ]);
    }
  }
}

function statusChanged(deps: Deps, row: NewsRow, status: string, now: Date): readonly NewEvent[] {
  const record = transactionRecord(factsOf(row, status, now));
  return [statusChangedEvent(deps.ids.uuid(), recordFacts(deps, row), record, row.status)];
}

/** Where the tenant wants to hear of a payment when its money is there (decision S16). */
function settledEvents(deps: Deps, row: NewsRow, settledAt: Date): readonly NewEvent[] {
  if (row.completed_event_at !== "settlement" || row.session_id === null || row.status !== "pending")
    return [];
  const session = {
    orderNumber: must(row.order_number, "the order of a session"),
    amount: centsFromDatabase(row.amount),
    currency: row.currency,
    email: must(row.email, "the lead of a session"),
    firstName: row.first_name ?? "",
    lastName: row.last_name ?? "",
    country: row.country ?? "",
    leadId: must(row.lead_id, "the lead of a session"),
    campaignId: row.campaign_id,
    campaignName: row.campaign_name ?? "",
    offerName: row.offer_name ?? "",
    billingType: row.billing_type ?? "",
    livemode: recordFacts(deps, row).livemode,
  };
  const payment = {
    tenantReferenceId: row.tenant_reference_id,
    merchantTransactionId: row.merchant_transaction_id,
    transactionId: row.id,
    subscriptionId: row.subscription_id,
    createdAt: row.created_at,
    processedAt: settledAt,
  };
  return [completedEvent(deps.ids.uuid(), session, payment)];
}

function sum(a: NewsCounts, b: NewsCounts): NewsCounts {
  return {
    settled: a.settled + b.settled,
    returned: a.returned + b.returned,
    charged_back: a.charged_back + b.charged_back,
  };
}
