/**
 * What a subscription owes next, and the effect of a failed collection (contract: Due dates; contract: Failed
 * renewals). Pure.
 */
import {
  type DeclineCode,
  reasonOf,
  type Retry,
  endsSubscription,
  ownChoice,
  type ReturnRules,
} from "../sepa/reasons.ts";
import { nextSalaryDay } from "../sepa/salary-day.ts";
import { type RetryDay, SALARY_DAY } from "../tenants/retry-days.ts";
import { DAY_MS, HOUR_MS, later } from "../lib/clock.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { dueDate } from "./schedule.ts";
import type { BillingDay, BillingFrequency } from "./billing-terms.ts";

export interface DueSubscription {
  readonly anchor: IsoDate;
  /** The cycle that is due on the anchor: 0 unless its day was changed. */
  readonly anchorCycle: number;
  /** Null: only collections that the merchant triggers, and the end of a trial. */
  readonly frequency: BillingFrequency | null;
  readonly billingDay: BillingDay | null;
  readonly hasTrial: boolean;
  /** The newest cycle that was begun; null if none was. */
  readonly lastCycle: number | null;
}

interface Cycle {
  readonly cycle: number;
  readonly dueDate: IsoDate;
}

interface Plan {
  readonly collect: Cycle;
  /** Missed while the service was down: recorded, never collected all at once. */
  readonly skipped: readonly Cycle[];
  readonly nextBillingDate: IsoDate | null;
}

/** The newest cycle that is due on `today`. Call it only if one is. */
export function planOf(
  { anchor, anchorCycle, frequency, billingDay, ...subscription }: DueSubscription,
  today: IsoDate,
): Plan {
  const first = nextCycle(subscription);
  if (frequency === null) {
    return {
      collect: { cycle: first, dueDate: first === 0 ? anchor : today },
      skipped: [],
      nextBillingDate: null,
    };
  }
  const cycleOf = (cycle: number): Cycle => ({
    cycle,
    dueDate: dueDate(anchor, frequency, cycle - anchorCycle, billingDay),
  });
  const skipped: Cycle[] = [];
  let cycle = first;
  while (cycleOf(cycle + 1).dueDate <= today) {
    skipped.push(cycleOf(cycle));
    cycle += 1;
  }
  return { collect: cycleOf(cycle), skipped, nextBillingDate: cycleOf(cycle + 1).dueDate };
}

/** The number of the next cycle; the end of a trial is 0. */
export function nextCycle({ hasTrial, lastCycle }: Pick<DueSubscription, "hasTrial" | "lastCycle">): number {
  if (lastCycle !== null) return lastCycle + 1;
  return hasTrial ? 0 : 1;
}

/** How a subscription continues after a failed collection. */
export type Consequence =
  | { readonly kind: "retry"; readonly at: Date; readonly counts: boolean }
  | { readonly kind: "give_up" }
  | { readonly kind: "cancel" };

/** The days of the second and third attempt of a cycle: no cycle is presented more than three times. */
function retryDays(retry: Retry, whenFunded: readonly RetryDay[]): readonly RetryDay[] {
  return { when_funded: whenFunded, when_working: [1, 1], never: [] }[retry];
}

/** The delay before a gateway that could not be reached is tried again. */
const UNREACHED_RETRY_MS = HOUR_MS;

/** Why a collection was not paid. */
export type CollectionFailure =
  /** The gateway has certainly not received the instruction, and never will under this reference. */
  | { readonly kind: "not_received" }
  /** The bank or the gateway has decided, whatever the code. */
  | { readonly kind: "declined"; readonly code: DeclineCode; readonly gatewayCode: string | null };

/**
 * The effect of a failed collection.
 * @param attempts number of the cycle's attempts, including this one.
 * @param whenFunded when the tenant retries a collection that failed for lack of funds.
 * @param rules the tenant's rules for reason codes.
 */
export function consequenceOf(
  failure: CollectionFailure,
  attempts: number,
  now: Date,
  whenFunded: readonly RetryDay[],
  rules: ReturnRules,
): Consequence {
  if (failure.kind === "not_received") {
    return { kind: "retry", at: later(now, UNREACHED_RETRY_MS), counts: false };
  }
  const { code, gatewayCode } = failure;
  if (endsSubscription(code)) return { kind: "cancel" };
  const chosen = ownChoice(gatewayCode, rules);
  if (chosen !== null) return { kind: chosen === "ask_customer" ? "give_up" : "cancel" };
  const day = retryDays(retryOf(failure), whenFunded)[attempts - 1];
  return day === undefined ? { kind: "give_up" } : { kind: "retry", at: timeOf(day, now), counts: true };
}

function timeOf(day: RetryDay, now: Date): Date {
  return day === SALARY_DAY ? new Date(`${nextSalaryDay(utcDate(now))}T00:00:00Z`) : later(now, day * DAY_MS);
}

function retryOf({ code, gatewayCode }: Extract<CollectionFailure, { readonly kind: "declined" }>): Retry {
  if (code === "insufficient_funds") return "when_funded";
  return gatewayCode === null ? "never" : reasonOf(gatewayCode).retry;
}
