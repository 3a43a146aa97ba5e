/** What a subscription owes next, and what a collection that did not succeed means for it (decisions M3, M4). Pure. */
import type { DeclineCode } from "../gateways/gateway.ts";
import { reasonOf } from "../gateways/reasons.ts";
import { DAY_MS, HOUR_MS, later } from "../lib/clock.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { dueDate, type BillingFrequency } from "./schedule.ts";

export interface DueSubscription {
  readonly anchor: IsoDate;
  /** Null: only what the merchant triggers, and the end of a trial. */
  readonly frequency: BillingFrequency | null;
  readonly hasTrial: boolean;
  /** The newest cycle that was taken up; null when none was. */
  readonly lastCycle: number | null;
}

export interface Cycle {
  readonly cycle: number;
  readonly dueDate: IsoDate;
}

export interface Plan {
  readonly collect: Cycle;
  /** Missed while nothing ran: flagged, never collected in a burst. */
  readonly skipped: readonly Cycle[];
  readonly nextBillingDate: IsoDate | null;
}

/** The newest cycle that is due on `today`; the caller knows that one is. */
export function planOf({ anchor, frequency, hasTrial, lastCycle }: DueSubscription, today: IsoDate): Plan {
  const first = lastCycle === null ? (hasTrial ? 0 : 1) : lastCycle + 1;
  if (frequency === null) {
    return {
      collect: { cycle: first, dueDate: first === 0 ? anchor : today },
      skipped: [],
      nextBillingDate: null,
    };
  }
  const cycleOf = (cycle: number): Cycle => ({ cycle, dueDate: dueDate(anchor, frequency, cycle) });
  const skipped: Cycle[] = [];
  let cycle = first;
  while (cycleOf(cycle + 1).dueDate <= today) {
    skipped.push(cycleOf(cycle));
    cycle += 1;
  }
  return { collect: cycleOf(cycle), skipped, nextBillingDate: cycleOf(cycle + 1).dueDate };
}

/** How a subscription goes on after a collection that was not paid. */
export type Consequence =
  | { readonly kind: "retry"; readonly at: Date; readonly counts: boolean }
  | { readonly kind: "give_up" }
  | { readonly kind: "cancel" };

/** Days after the first and after the second attempt of a cycle. */
const RETRY_AFTER_DAYS = [3, 7];
/** A gateway that was not reached is tried again the same day; that is no failure of the customer's. */
const UNREACHED_RETRY_MS = HOUR_MS;
const ENDS: ReadonlySet<DeclineCode> = new Set(["mandate_rejected", "account_closed", "invalid_iban"]);

/** @param attempts that the cycle has had, this one included. */
export function consequenceOf(
  code: DeclineCode,
  gatewayCode: string | null,
  attempts: number,
  now: Date,
): Consequence {
  if (code === "gateway_unavailable") {
    return { kind: "retry", at: later(now, UNREACHED_RETRY_MS), counts: false };
  }
  if (ENDS.has(code)) return { kind: "cancel" };
  const unspecified = code === "unknown" || (gatewayCode !== null && reasonOf(gatewayCode).retry);
  const wait = RETRY_AFTER_DAYS[attempts - 1];
  return (code === "insufficient_funds" || unspecified) && wait !== undefined
    ? { kind: "retry", at: later(now, wait * DAY_MS), counts: true }
    : { kind: "give_up" };
}

/** A mandate that was not used for this long is none any more (SDD rulebook, "mandate cancellation"). */
const MANDATE_UNUSED_MONTHS_MAX = 36;

/** The last day on which a mandate may be used. @param lastUsedAt or, as long as it was not, when it was signed. */
export function mandateExpiry(lastUsedAt: Date): IsoDate {
  return Temporal.PlainDate.from(utcDate(lastUsedAt)).add({ months: MANDATE_UNUSED_MONTHS_MAX }).toString();
}

export function isMandateExpired(lastUsedAt: Date, today: IsoDate): boolean {
  return mandateExpiry(lastUsedAt) < today;
}
