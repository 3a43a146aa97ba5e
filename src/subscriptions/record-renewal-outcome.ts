/** The one place that records a renewal's outcome, for the renewal job, recovery and a gateway's news. */
import type { Deps } from "../deps.ts";
import { traced } from "../lib/trace.ts";
import { CANCELLED, type DeclineCode, effectsOf, NO_EFFECTS } from "../sepa/reasons.ts";
import { type AttemptEnd, retryWrite, unattendedEnd } from "../payments/attempt/end.ts";
import { transactionRecord } from "../payments/records.ts";
import { receiptOf, recordFacts, recordOf, returnRuleEvents } from "../payments/transaction.ts";
import { retryDaysOf } from "../tenants/retry-days.ts";
import { consequenceOf, type CollectionFailure } from "./cycle.ts";
import { statusChangedEvent, transactionCreatedEvent } from "../webhooks/events.ts";
import {
  lockRenewal,
  writeFollowed,
  writeRenewalOutcome,
  type RenewalRow,
  type RenewalWrite,
} from "./renewal-store.ts";
import type { UnattendedOutcome } from "../gateways/calling.ts";

type Meaning = Pick<RenewalWrite, "cycle" | "subscription">;

const NOT_WRITTEN = "A renewal was sent to the gateway, and its outcome could not be recorded yet.";
const UNCHANGED = { status: null, cancelReason: null, succeeded: 0, failed: 0, earned: false } as const;

/** Records the gateway's answer. Returns false when an outcome was already recorded. */
export async function recordRenewalOutcome(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "pause" | "recorded" | "time">,
  tenant: number,
  row: RenewalRow,
  outcome: UnattendedOutcome,
): Promise<boolean> {
  const now = deps.time.now(tenant);
  const end = unattendedEnd(outcome, row, now);
  const input: RenewalWrite = {
    tenant,
    transactionId: row.id,
    now,
    end,
    ...meaningOf(outcome, row, now),
    effects: isFailure(outcome) ? effectsOf(codeOf(outcome), row.return_rules) : NO_EFFECTS,
    events: isFailure(outcome)
      ? [{ messages: ["payment_failed"] }, ...returnRuleEvents(deps, row, codeOf(outcome))]
      : eventsOf(deps, row, end, now),
  };
  const how = { "payments.outcome": outcome.kind };
  const written = await traced("renewal outcome", "internal", how, () =>
    retryWrite(deps, () => writeRenewalOutcome(deps.db, input, row.attempts > 1), NOT_WRITTEN),
  );
  if (written) {
    deps.recorded(outcome.kind, row.adapter);
    if (input.events.length > 0) deps.announce();
  }
  return written;
}

/**
 * Records that an accepted attempt was withdrawn before it was sent, which is not a failure. Returns false when it has
 * ended.
 */
export async function recordWithdrawn(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "time">,
  tenant: number,
  row: RenewalRow,
): Promise<boolean> {
  const now = deps.time.now(tenant);
  const record = transactionRecord(recordOf(row, "declined", now));
  const input: RenewalWrite = {
    tenant,
    transactionId: row.id,
    now,
    end: {
      to: "declined",
      from: ["pending"],
      leaseNo: null,
      gatewayReference: null,
      processedAt: null,
      resolveAt: null,
      error: null,
    },
    cycle: cycle("withdrawn"),
    subscription: UNCHANGED,
    effects: NO_EFFECTS,
    events: [statusChangedEvent(deps.ids.uuid(), recordFacts(deps, row), record, row.status)],
  };
  const written = await writeRenewalOutcome(deps.db, input, row.attempts > 1);
  if (written) deps.announce();
  return written;
}

/** Applies the end of an accepted attempt to its cycle and subscription; the news has updated the transaction. */
export function followRenewal(deps: Pick<Deps, "db" | "time">, tenant: number, id: string): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const row = await lockRenewal(tx, tenant, id);
    const meaning = row === null || row.cycle_status !== "pending" ? null : endOf(deps, tenant, row);
    if (row === null || meaning === null) return false;
    const code = row.status === "declined" ? row.error_code : null;
    return writeFollowed(tx, tenant, id, deps.time.now(tenant), meaning, code);
  });
}

/** The effect of an attempt's end; null while it is open. A chargeback records its own effects. */
function endOf(deps: Pick<Deps, "time">, tenant: number, row: RenewalRow): Meaning | null {
  switch (row.status) {
    case "approved":
    case "refunded":
      return success(false);
    case "declined": {
      // A debit that the merchant cancelled is not the customer's failure.
      if (row.gateway_code === CANCELLED) return { cycle: cycle("withdrawn"), subscription: UNCHANGED };
      const code = (row.error_code ?? "unknown") as DeclineCode;
      const why = { kind: "declined", code, gatewayCode: row.gateway_code } as const;
      return failed(why, row, deps.time.now(tenant));
    }
    default:
      return null;
  }
}

function meaningOf(outcome: UnattendedOutcome, row: RenewalRow, now: Date): Meaning {
  switch (outcome.kind) {
    case "approved":
      return success(true);
    case "pending":
      return { cycle: cycle("pending"), subscription: UNCHANGED };
    case "declined":
    case "unreachable":
      return failed(failureOf(outcome), row, now);
    case "unresolved":
      return { cycle: cycle("collecting"), subscription: UNCHANGED };
  }
}

function success(earned: boolean): Meaning {
  return { cycle: cycle("paid"), subscription: { ...UNCHANGED, status: "ACTIVE", succeeded: 1, earned } };
}

/**
 * Why a collection failed. A fenced reference is not a decline: the gateway reports without a code that it never
 * received the instruction.
 */
function failureOf(
  outcome: Extract<UnattendedOutcome, { readonly kind: "declined" | "unreachable" }>,
): CollectionFailure {
  if (outcome.kind === "unreachable") return { kind: "not_received" };
  const { code, gatewayCode } = outcome;
  const fenced = code === "gateway_unavailable" && gatewayCode === null;
  return fenced ? { kind: "not_received" } : { kind: "declined", code, gatewayCode };
}

function failed(failure: CollectionFailure, row: RenewalRow, now: Date): Meaning {
  const consequence = consequenceOf(
    failure,
    row.attempts,
    now,
    retryDaysOf(row.retry_days),
    row.return_rules,
  );
  switch (consequence.kind) {
    case "retry":
      return consequence.counts
        ? {
            cycle: { ...cycle("retry"), nextAttemptAt: consequence.at },
            subscription: { ...UNCHANGED, status: "PAST_DUE", failed: 1 },
          }
        : {
            cycle: { status: "retry", nextAttemptAt: consequence.at, attempts: -1 },
            subscription: UNCHANGED,
          };
    case "give_up":
      return { cycle: cycle("failed"), subscription: { ...UNCHANGED, status: "PAST_DUE", failed: 1 } };
    case "cancel": {
      const cancelReason = failure.kind === "declined" ? failure.code : null;
      return {
        cycle: cycle("failed"),
        subscription: { ...UNCHANGED, status: "CANCELLED", cancelReason, failed: 1 },
      };
    }
  }
}

function cycle(status: RenewalWrite["cycle"]["status"]): RenewalWrite["cycle"] {
  return { status, nextAttemptAt: null, attempts: 0 };
}

/** Whether the customer's bank has rejected it; the customer is notified then. */
function isFailure(outcome: UnattendedOutcome): boolean {
  return outcome.kind === "declined" && failureOf(outcome).kind === "declined";
}

/** The bank's code of a rejection. */
function codeOf(outcome: UnattendedOutcome): string | null {
  return outcome.kind === "declined" ? outcome.gatewayCode : null;
}

/** Declines emit no webhook, like those of payments (contract: Pay). */
function eventsOf(
  deps: Pick<Deps, "environment" | "ids">,
  row: RenewalRow,
  { to, gatewayReference, processedAt }: AttemptEnd,
  now: Date,
): RenewalWrite["events"] {
  if (to !== "approved" && to !== "pending") return [];
  const answered = { ...row, gateway_reference: gatewayReference, processed_at: processedAt };
  const record = transactionRecord(recordOf(answered, to, now));
  const messages = receiptOf(to, row.amount);
  return [transactionCreatedEvent(deps.ids.uuid(), recordFacts(deps, row), record, messages)];
}
