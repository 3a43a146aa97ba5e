/** Checks the charges of subscriptions: each cycle is charged once, on its day, and none after the end. */
import { targetDayUntil } from "../../src/sepa/target.ts";
import { TAKEN } from "./bank.ts";
import type { View } from "./records.ts";

const DAY_MS = 86_400_000;
/** The most times that a cycle is presented. */
const ATTEMPTS_MAX = 3;

/** A cycle is charged once, and each renewal at the bank belongs to a cycle. */
export function brokenCycles({
  world,
  cycles,
  subscriptions,
  transactions,
  entries,
  entry,
  quiet,
}: View): readonly string[] {
  const known = new Set(transactions.map(({ reference }) => reference));
  const strays = entries
    .filter((one) => one.recurring && !known.has(one.reference))
    .map(({ reference }) => `MONEY-4: the bank has the renewal ${reference}, which is nobody's`);
  const wrong = subscriptions.flatMap(({ id }) => {
    const own = cycles.filter((cycle) => cycle["subscription_id"] === id);
    const numbers = new Set(own.map(({ cycle }) => cycle));
    const charges = transactions.filter(
      ({ subscription_id: of, type, reference }) =>
        of === id && type === "sdd_rebill" && TAKEN.has(entry(reference)?.state ?? "fenced"),
    ).length;
    const taken = own.filter(({ status }) => status !== "skipped").length;
    const paid = own.filter(({ status }) => status === "paid" || status === "charged_back").length;
    const tomorrow = new Date(world.nowMs() + DAY_MS).toISOString().slice(0, 10);
    const early = own.filter((cycle) => targetDayUntil(cycle["due_date"]) > tomorrow).length;
    return [
      ...(early === 0 ? [] : [`CYCLE-2: subscription ${id} was collected before it was due`]),
      ...(numbers.size === own.length ? [] : [`CYCLE-1: subscription ${id} has a cycle twice`]),
      ...(charges > taken
        ? [`MONEY-1: subscription ${id} was charged ${charges} times for ${taken} cycles`]
        : []),
      ...(quiet && charges !== paid
        ? [
            `CYCLE-1: subscription ${id} was charged ${charges} times, and ${paid} cycles are paid or were charged back`,
          ]
        : []),
    ];
  });
  return [...strays, ...wrong];
}

/**
 * Presented renewals equal counted attempts, paid cycles equal successes, and a subscription without a schedule has no
 * more cycles than were requested.
 */
export function brokenAttempts({
  promises,
  cycles,
  subscriptions,
  transactions,
  entry,
}: View): readonly string[] {
  return subscriptions.flatMap(({ id, billing_frequency: frequency, successes }) => {
    const own = cycles.filter((cycle) => cycle["subscription_id"] === id);
    const counted = own.reduce((sum, cycle) => sum + cycle["attempts"], 0);
    const presented = transactions.filter(({ subscription_id: of, type, status, reference }) => {
      const state = entry(reference)?.state;
      const isOpen = status === "submitted" || status === "unresolved";
      return of === id && type === "sdd_rebill" && (isOpen || (state !== undefined && state !== "fenced"));
    }).length;
    const paid = own.filter(({ status }) => status === "paid").length;
    const asked = promises.collectionsAsked(id);
    const byHand = frequency === null ? own.filter(({ cycle }) => cycle > 0).length : 0;
    return [
      ...(counted === presented
        ? []
        : [`CYCLE-5: subscription ${id} counts ${counted} attempts, and ${presented} were presented`]),
      ...(successes === paid
        ? []
        : [`SUBSCRIPTION-2: subscription ${id} counts ${successes} successes, and ${paid} are paid`]),
      ...(byHand <= asked
        ? []
        : [
            `CYCLE-7: subscription ${id} was collected ${byHand} times, and that was asked for ${asked} times`,
          ]),
    ];
  });
}

/**
 * A cycle costs the price that was acknowledged before it, or another price that was requested at the same time or
 * later, or one whose key expired while its request was running.
 */
export function brokenPrices({ promises: { prices }, cycles, transactions }: View): readonly string[] {
  return cycles.flatMap(({ subscription_id: id, due_date: due, transaction_id: of, cycle }) => {
    const cents: number | undefined = transactions.find((one) => one["id"] === of)?.["cents"];
    const own = prices.get(id) ?? [];
    return own
      .filter(({ from }) => cents !== undefined && from !== null && due >= from)
      .filter(
        (price) => !own.some((other) => other.cents === cents && (other.isLate || !price.after.has(other))),
      )
      .map(
        (price) =>
          `CALL-1: cycle ${cycle} of ${id} was to cost ${price.cents} cents, and ${cents} are collected`,
      );
  });
}

/** Ended subscriptions are not debited, active ones have a next date, and the merchant's settings are followed. */
export function brokenSubscriptions({
  shop,
  promises,
  subscriptions,
  cycles,
  transactions,
  quiet,
  world,
}: View): readonly string[] {
  const chosen = shop.afterChargeback;
  const today = new Date(world.nowMs()).toISOString().slice(0, 10);
  return [
    ...transactions
      .filter(({ after_end: afterEnd }) => afterEnd === true)
      .map(
        ({ reference }) =>
          `SUBSCRIPTION-4, MANDATE-1: the renewal ${reference} was begun when its subscription or mandate had ended`,
      ),
    ...subscriptions.flatMap((subscription) => {
      const {
        id,
        status,
        next_billing_date: next,
        billing_frequency: frequency,
        cancel_reason: why,
      } = subscription;
      const own = transactions.filter(({ subscription_id: of }) => of === id);
      const isBack = own.some(({ status: is }) => is === "charged_back");
      const most = Math.max(
        0,
        ...cycles.filter((c) => c["subscription_id"] === id).map((c) => c["attempts"]),
      );
      return [
        ...(status === "CANCELLED" && next !== null
          ? [`SUBSCRIPTION-3: subscription ${id} has ended, and is due on ${next}`]
          : []),
        ...(status !== "CANCELLED" && frequency !== null && next === null
          ? [`SUBSCRIPTION-3: subscription ${id} goes on without a date`]
          : []),
        ...(status !== "CANCELLED" && next === null && subscription["cancel_at_period_end"]
          ? [`SUBSCRIPTION-5: subscription ${id} was to end, and nothing is left that it could wait for`]
          : []),
        ...(why === "chargeback" && !chosen.has("cancel")
          ? [`SUBSCRIPTION-5: subscription ${id} was not to end by a chargeback`]
          : []),
        ...(quiet && isBack && chosen.size === 1 && chosen.has("cancel") && status !== "CANCELLED"
          ? [`SUBSCRIPTION-5: subscription ${id} goes on after a chargeback`]
          : []),
        ...(quiet &&
        status !== "CANCELLED" &&
        subscription["mandate"] === "expired" &&
        next !== null &&
        next <= today
          ? [`MANDATE-1: subscription ${id} goes on without its mandate`]
          : []),
        // Collections requested by people come in addition.
        ...(most > ATTEMPTS_MAX + promises.collectionsAsked(id)
          ? [`CYCLE-4: a cycle of ${id} was tried ${most} times`]
          : []),
      ];
    }),
  ];
}
