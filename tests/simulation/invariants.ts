/** Invariants of the service's records, the bank's books and the receivers, for any time and for the end. */
import { checkBooks } from "../../src/books/check.ts";
import { checkCollections } from "../../src/books/collections.ts";
import { STRANGER } from "./bank.ts";
import { brokenAttempts, brokenCycles, brokenPrices, brokenSubscriptions } from "./billing-invariants.ts";
import { brokenEvents, crowded, undelivered } from "./event-invariants.ts";
import {
  brokenChargebacks,
  brokenCharges,
  brokenHistory,
  begunTooLate,
  brokenImports,
  brokenRefunds,
  brokenTransactions,
  lostMoney,
  refusedForNothing,
  repeated,
} from "./money-invariants.ts";
import type { Promises } from "./promises.ts";
import { viewOf, type View } from "./records.ts";
import type { Shop } from "./shops.ts";
import type { World } from "./world.ts";

const ALWAYS: readonly ((view: View) => readonly string[])[] = [
  brokenCharges,
  brokenTransactions,
  brokenRefunds,
  brokenChargebacks,
  brokenImports,
  brokenEvents,
  crowded,
  brokenCycles,
  brokenAttempts,
  brokenSubscriptions,
  brokenPrices,
  brokenHistory,
  begunTooLate,
  repeated,
];
const IN_THE_END: typeof ALWAYS = [stuck, refusedForNothing, lostMoney, undelivered];
/**
 * Months may pass between two passes of the job here, so a renewal that was interrupted in one is not continued in
 * time.
 */
const SKIPPED = /^CYCLE-3:|^… and more about skipped billing cycles\.$/;
const DIFFERENCES_MAX = 10;
const TRESPASSED =
  "select distinct format('%s of tenant %s was changed by %s', now, tenant, by) as words from simulation_moves where kind = 'trespass'";

/** Describes the violated invariants. @param quiet nothing is running, and everything due is done. */
export async function violationsOf(
  world: World,
  promises: Promises,
  shops: readonly Shop[],
  quiet: boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const all = { sessions: [], transactions: [], chargebacks: [], mandates: [] } as Record<string, unknown[]>;
  const views = await Promise.all(shops.map((shop) => viewOf(world, promises, shop, quiet)));
  // The model sees only these fields of a collection. `books check` checks the rest at the end.
  const collections = JSON.stringify(
    views.map(({ transactions, chargebacks }) => [transactions, chargebacks]),
  );
  const byModel = quiet || promises.isModelled(collections) ? [] : await brokenByModel(world);
  for (const view of views) {
    found.push(...(quiet ? [...ALWAYS, ...IN_THE_END] : ALWAYS).flatMap((broken) => broken(view)));
    for (const name of Object.keys(all)) all[name]?.push(...(view[name as keyof View] as unknown[]));
  }
  found.push(...promises.broken(all as never));
  if (!quiet) return [...found, ...byModel];
  const trespassed = await world.rows(TRESPASSED);
  found.push(...trespassed.map(({ words }) => String(words)));
  const { differences } = await checkBooks(world.db);
  return [...found, ...differences.filter((words) => !words.includes(STRANGER) && !SKIPPED.test(words))];
}

/** Compares each collection with the reference model of the money, which reads the recorded facts. */
async function brokenByModel({ db }: World): Promise<readonly string[]> {
  const { differences } = await checkCollections(db, DIFFERENCES_MAX);
  return differences
    .filter(({ words }) => !words.includes(STRANGER))
    .map(({ invariant, words }) => `${invariant}: ${words}`);
}

/** Nothing is left open at the end. */
function stuck({ transactions, events, cycles, deliveries }: View): readonly string[] {
  const open = new Set(["submitted", "unresolved", "awaiting_verification", "verifying", "pending"]);
  return [
    ...transactions
      .filter(({ status }) => open.has(status))
      .map(({ reference, status }) => `LIVE-1: ${reference} is still ${status}`),
    ...cycles
      .filter(({ status }) => status === "collecting" || status === "pending" || status === "retry")
      .map(({ subscription_id: id, cycle, status }) => `LIVE-1: cycle ${cycle} of ${id} is still ${status}`),
    ...events
      .filter((event) => event["fanned_out_at"] === null)
      .map(({ id }) => `LIVE-1: event ${id} was not fanned out`),
    ...deliveries
      .filter(({ status }) => status === "pending" || status === "failing")
      .map(({ event_id: id, status }) => `LIVE-1: a delivery of ${id} is ${status}`),
  ];
}
