/**
 * Checks the events at receivers: each change is reported once, in order, only to its merchant, and no event without a
 * change.
 */
import type { Json } from "../support/service.ts";
import type { EntryState } from "./bank.ts";
import { PAID, type View } from "./records.ts";
import { CLOCKS_APART_MS } from "./world.ts";

const ARRIVED: ReadonlySet<unknown> = new Set(["approved", "refunded"]);
/** The bank's states of a payment that was returned before it settled, including later reinstatement and chargeback. */
const CAME_BACK: ReadonlySet<EntryState> = new Set(["returned", "withdrawn", "settled", "charged_back"]);
/** A delivery fails this many times before it is given up. */
const TRIES_MAX = 11;

/** Each change has exactly one event, in the same transaction. */
export function brokenEvents({
  sessions,
  transactions,
  events,
  chargebacks,
  entry,
}: View): readonly string[] {
  const found: string[] = [];
  const count = (type: string, field: string, id: unknown) =>
    events.filter((event) => event["type"] === type && event[field] === id).length;
  const expect = (words: string, count_: number, expected: number) => {
    if (count_ !== expected) found.push(`${words}: ${count_} instead of ${expected}`);
  };
  for (const { id, status, told_at: toldAt, ended_by: endedBy, lapsed_after_ms: after } of sessions) {
    const sales = transactions.filter((t) => t["session_id"] === id && t["type"] !== "sdd_refund");
    const paid = sales.filter((sale) => PAID.has(sale["status"]));
    // A payment that was returned before it settled was never completed.
    const arrived = paid.filter(({ id: sale }) =>
      events.some(
        (event) =>
          event["transaction_id"] === sale && (ARRIVED.has(event["status"]) || ARRIVED.has(event["was"])),
      ),
    );
    const told = toldAt === "settlement" ? arrived.length : Number(status === "COMPLETED");
    expect(
      `EVENT-1: completed events of session ${id}`,
      count("payment_session.completed", "session_id", id),
      told,
    );
    if (paid.length > 1) found.push(`SESSION-1: session ${id} was paid ${paid.length} times`);
    const expired = count("payment_session.expired", "session_id", id);
    expect(`EVENT-2: expired events of ${status} ${id}`, expired, endedBy === "lapsed" ? 1 : 0);
    if (after !== null && after < -CLOCKS_APART_MS)
      found.push(`EVENT-2: session ${id} expired ${-after} ms too early`);
  }
  for (const transaction of transactions) {
    const { id, reference, status, source, reinstatements } = transaction;
    if (source === "csv_import") continue;
    found.push(...brokenChain(events, transaction));
    const created = count("transaction.created", "transaction_id", id);
    // Before a return the service may or may not have reported the payment as accepted.
    const state = entry(reference)?.state;
    const returned = status === "declined" && state !== undefined && CAME_BACK.has(state);
    const expected = status === "pending" || PAID.has(status) ? 1 : 0;
    if (!returned || created > 1) expect(`EVENT-3: created events of ${reference}`, created, expected);
    const own = chargebacks.filter((chargeback) => chargeback["transaction_id"] === id);
    const backs = own.filter((chargeback) => chargeback["withdrawn_on"] === null).length;
    expect(`MONEY-9: chargebacks of ${reference}`, backs, status === "charged_back" ? 1 : 0);
    expect(
      `EVENT-5: chargeback events of ${reference}`,
      count("chargeback.created", "transaction_id", id),
      own.length,
    );
    if (own.length - backs > reinstatements)
      found.push(`MONEY-9: ${reference} was taken back more often than it came again`);
  }
  for (const { id, type, names_order: named, order_number: own } of events)
    if (named !== null && own !== null && named !== own)
      found.push(`EVENT-1: ${type} ${id} names order ${named} and is of ${own}`);
  const upcoming = events.filter(({ type }) => type === "subscription.upcoming");
  const before = new Map<string, string>();
  for (const { subscription_id: id, due, announced } of upcoming) {
    const what = `${id} of ${due}`;
    if (before.get(what) === JSON.stringify(announced))
      found.push(`CYCLE-9: the renewal ${what} was announced twice`);
    before.set(what, JSON.stringify(announced));
  }
  return found;
}

/** The reported moves of a transaction form a chain that ends at its present status. */
function brokenChain(events: readonly Json[], { id, reference, status }: Json): readonly string[] {
  const moves = events.filter(
    (event) => event["transaction_id"] === id && event["type"] === "transaction.status_changed",
  );
  const created = events.find(
    (event) => event["transaction_id"] === id && event["type"] === "transaction.created",
  );
  let at: string | null = created?.["status"] ?? null;
  const found: string[] = [];
  for (const { was, status: now } of moves) {
    if (at !== null && was !== at)
      found.push(`EVENT-4: ${reference} is told to have been ${was}, and was ${at}`);
    at = now;
  }
  const isTold = created !== undefined && at !== status;
  return isTold ? [...found, `EVENT-4: ${reference} is ${status}, and told as ${at}`] : found;
}

/** No more requests at a time than the profile has ever allowed, and never two about the same subject. */
export function crowded({ world, shop, deliveries }: View): readonly string[] {
  const found: string[] = [];
  for (const { id: profileId, inFlightMax } of shop.profiles) {
    const underWay = deliveries.filter(
      (one) => one["profile_id"] === profileId && one["locked_until_ms"] > world.nowMs(),
    );
    if (underWay.length > inFlightMax)
      found.push(`EVENT-10: ${underWay.length} requests to ${profileId}, which takes ${inFlightMax}`);
    const subjects = underWay.map(({ subject }) => subject as unknown);
    for (const [at, subject] of subjects.entries())
      if (subjects.indexOf(subject) !== at) found.push(`EVENT-10: two requests about ${String(subject)}`);
  }
  return found;
}

/** Each event reaches each receiver that wants it, with the same bytes each time, in order for each subject. */
export function undelivered({ world, shop, events, deliveries }: View): readonly string[] {
  const { received } = world.receivers;
  const found: string[] = [];
  for (const { id: profileId, wants, urls } of shop.profiles) {
    const here = received.filter((one) => urls.includes(one.url));
    const own = deliveries.filter((one) => one["profile_id"] === profileId);
    const givenUp = new Set(own.filter(({ status }) => status === "exhausted").map(({ event_id: id }) => id));
    const known = new Set(events.map(({ id }) => id));
    const accepted = new Map<string, number>();
    for (const [at, one] of here.entries()) {
      if (one.accepted && !accepted.has(one.eventId)) accepted.set(one.eventId, at);
      if (!known.has(one.eventId))
        found.push(`${one.type} ${one.eventId} of somebody else was sent to ${one.url}`);
      if (here.some(({ eventId, body }) => eventId === one.eventId && body !== one.body))
        found.push(`EVENT-8: ${one.eventId} was sent with different bytes`);
    }
    const lastOf = new Map<unknown, number>();
    for (const { id, type, subject } of events) {
      if (!wants.includes(type)) continue;
      const at = accepted.get(id);
      if (at === undefined) {
        if (!givenUp.has(id)) found.push(`EVENT-8: ${type} ${id} was never delivered to ${urls.join(", ")}`);
        continue;
      }
      if (at < (lastOf.get(subject) ?? -1))
        found.push(`EVENT-9: ${type} ${id} overtook an earlier event of its subject`);
      lastOf.set(subject, Math.max(at, lastOf.get(subject) ?? -1));
    }
    for (const { event_id: id, status, tries } of own)
      if (status === "exhausted" && tries < TRIES_MAX)
        found.push(`EVENT-8: a delivery of ${id} was given up after ${tries} tries`);
  }
  return found;
}
