/** Where everything that learns what became of a rebill ends: renewal, recovery, and what a gateway tells later. */
import type { Deps } from "../deps.ts";
import { resolveDelayMs } from "../gateways/asking-again.ts";
import type { DeclineCode } from "../gateways/gateway.ts";
import { defaultMessage } from "../gateways/reasons.ts";
import { later } from "../lib/clock.ts";
import { insist } from "../payments/insist.ts";
import { transactionRecord } from "../payments/record.ts";
import { factsOf, recordFacts } from "../payments/transaction.ts";
import { consequenceOf } from "../subscriptions/cycle.ts";
import { transactionCreatedEvent, type NewEvent } from "../webhooks/events.ts";
import type { RebillOutcome } from "./collect.ts";
import { writeFollowed, writeRebill, type RebillRow, type SettleInput } from "./store.ts";

type Meaning = Pick<SettleInput, "cycle" | "subscription">;

const NOT_WRITTEN = "A rebill was sent to the gateway, and its outcome could not be written down yet.";
const UNCHANGED = { status: null, cancelReason: null, succeeded: 0, failed: 0, earned: false } as const;

/** Writes what the gateway answered. False when somebody else has written it first. */
export async function settleRebill(
  deps: Deps,
  tenant: number,
  row: RebillRow,
  outcome: RebillOutcome,
): Promise<boolean> {
  const now = deps.time.now(tenant);
  const to = outcome.kind === "unreachable" ? "declined" : outcome.kind;
  const told = {
    gatewayReference: "gatewayReference" in outcome ? outcome.gatewayReference : null,
    processedAt: "processedAt" in outcome ? outcome.processedAt : null,
  };
  const input: SettleInput = {
    tenant,
    transactionId: row.id,
    now,
    // An answer that decides nothing must not undo what recovery has written meanwhile.
    from: to !== "unresolved" || row.status === "unresolved" ? ["submitted", "unresolved"] : ["submitted"],
    to,
    ...told,
    error: errorOf(outcome),
    resolveAt: to === "unresolved" ? later(now, resolveDelayMs(row.resolve_count)) : null,
    ...meaningOf(outcome, row, now),
    events: eventsOf(deps, row, to, told, now),
  };
  const written = await insist(deps, () => writeRebill(deps.db, input), NOT_WRITTEN);
  if (written) {
    deps.settled(outcome.kind);
    if (input.events.length > 0) deps.announce();
  }
  return written;
}

/** What the end of an attempt that a gateway had accepted means; the news has written the transaction. */
export function followRebill(deps: Deps, tenant: number, row: RebillRow): Promise<boolean> {
  const now = deps.time.now(tenant);
  const code = row.error_code as DeclineCode | null;
  const meaning =
    row.status === "declined"
      ? failure(code ?? "unknown", row.gateway_code, row.attempts, now)
      : success(false);
  return writeFollowed(deps.db, tenant, row.id, now, meaning, row.status === "declined" ? code : null);
}

function meaningOf(outcome: RebillOutcome, row: RebillRow, now: Date): Meaning {
  switch (outcome.kind) {
    case "approved":
      return success(true);
    case "pending":
      return { cycle: cycle("pending"), subscription: UNCHANGED };
    case "declined":
      return failure(outcome.code, outcome.gatewayCode, row.attempts, now);
    case "unreachable":
      return failure("gateway_unavailable", null, row.attempts, now);
    case "unresolved":
      return { cycle: cycle("collecting"), subscription: UNCHANGED };
  }
}

function success(earned: boolean): Meaning {
  return { cycle: cycle("paid"), subscription: { ...UNCHANGED, status: "ACTIVE", succeeded: 1, earned } };
}

function failure(code: DeclineCode, gatewayCode: string | null, attempts: number, now: Date): Meaning {
  const consequence = consequenceOf(code, gatewayCode, attempts, now);
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
    case "cancel":
      return {
        cycle: cycle("failed"),
        subscription: { ...UNCHANGED, status: "CANCELLED", cancelReason: code, failed: 1 },
      };
  }
}

function cycle(status: SettleInput["cycle"]["status"]): SettleInput["cycle"] {
  return { status, nextAttemptAt: null, attempts: 0 };
}

function errorOf(outcome: RebillOutcome): SettleInput["error"] {
  switch (outcome.kind) {
    case "approved":
    case "pending":
      return null;
    case "declined": {
      const { code, gatewayCode, gatewayMessage } = outcome;
      return { code, gatewayCode, gatewayMessage, message: gatewayMessage ?? defaultMessage(code) };
    }
    case "unreachable":
    case "unresolved": {
      const code = "gateway_unavailable";
      return {
        code,
        message: defaultMessage(code),
        gatewayCode: null,
        gatewayMessage: outcome.gatewayMessage,
      };
    }
  }
}

/** Declines are told to nobody, as those of payments are (contract, States). */
function eventsOf(
  deps: Deps,
  row: RebillRow,
  to: string,
  told: Pick<SettleInput, "gatewayReference" | "processedAt">,
  now: Date,
): readonly NewEvent[] {
  if (to !== "approved" && to !== "pending") return [];
  const record = transactionRecord({ ...factsOf(row, to, now), ...told });
  return [transactionCreatedEvent(deps.ids.uuid(), recordFacts(deps, row), record)];
}
