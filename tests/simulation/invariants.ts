/** What must hold between the service's records, the bank's books and what receivers have: at any moment, and when all is quiet. */
import { readSessionToken } from "../../src/lib/session-token.ts";
import { checkBooks } from "../../src/books/check.ts";
import type { Json } from "../support/service.ts";
import { STRANGER, TAKEN, type EntryState } from "./bank.ts";
import type { Promises } from "./promises.ts";
import type { World } from "./world.ts";

/** The service's records at one moment. */
interface Records {
  readonly sessions: readonly Json[];
  readonly transactions: readonly Json[];
  readonly events: readonly Json[];
  readonly cycles: readonly Json[];
  readonly chargebacks: readonly Json[];
  readonly subscriptions: readonly Json[];
  readonly deliveries: readonly Json[];
}

const listOf = (columns: string, from: string) =>
  `(select coalesce(json_agg(row_to_json(r)), '[]') from (select ${columns} from ${from}) r)`;
const RECORDS = `select
  ${listOf(
    `id, status, attempts_used, attempts_max, customer_ip,
     (select t.completed_event_at from session_moves m join transactions t on t.tenant = m.tenant and t.id = m.transaction_id
       where m.tenant = s.tenant and m.session_id = s.id and m.to_status = 'COMPLETED') as told_at,
     (select l.email from leads l where l.tenant = s.tenant and l.id = s.lead_id) as email,
     extract(epoch from created_at) * 1000 as created_ms,
     extract(epoch from case when closed_at < expires_at then closed_at else greatest(expires_at,
       (select max(t.updated_at) from transactions t where t.tenant = s.tenant and t.session_id = s.id)) end) * 1000 as until_ms`,
    "sessions s",
  )} as sessions,
  ${listOf(
    "id, session_id, subscription_id, original_id, merchant_transaction_id as reference, status, type, reason, (amount * 100)::integer as cents, (refunded * 100)::integer as refunded, resolve_at",
    "transactions",
  )} as transactions,
  ${listOf(
    `id, number::integer as number, type, session_id, transaction_id, fanned_out_at,
     coalesce(session_id, (select o.session_id from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id
       where t.tenant = e.tenant and t.id = e.transaction_id)) as purchase`,
    "events e order by number",
  )} as events,
  ${listOf("subscription_id, cycle, due_date, status, transaction_id, attempts", "billing_cycles")} as cycles,
  ${listOf("id, transaction_id", "chargebacks")} as chargebacks,
  ${listOf("u.id, u.status, u.billing_frequency, u.successful_billing_count as successes, m.reference as mandate", "subscriptions u join mandates m on m.tenant = u.tenant and m.id = u.mandate_id")} as subscriptions,
  ${listOf("event_id, status, tries", "webhook_deliveries")} as deliveries`;

/** By our status, what the bank may have at the same moment; null: nothing under this reference. */
const SALES: Readonly<Record<string, readonly (EntryState | null)[]>> = {
  pending: ["pending", "settled", "returned", "charged_back"],
  approved: ["charged", "settled", "charged_back"],
  refunded: ["charged", "settled", "charged_back"],
  charged_back: ["charged_back"],
  declined: [null, "refused", "fenced", "returned"],
};
const REFUNDS: Readonly<Record<string, readonly (EntryState | null)[]>> = {
  pending: ["pending", "settled", "returned"],
  approved: ["given", "settled"],
  declined: [null, "refused", "fenced", "returned"],
};
/** The same when all is quiet: nothing lags behind. */
const QUIET_SALES: typeof SALES = {
  ...SALES,
  pending: [],
  approved: ["charged", "settled"],
  refunded: ["charged", "settled"],
};
const DAY_MS = 86_400_000;
/** Clocks are some seconds apart, and are set back by some; between what happens in earnest lies more. */
const MOMENT_MS = 60_000;
const PAID: ReadonlySet<unknown> = new Set(["approved", "refunded", "charged_back"]);

/** What breaks an invariant now, in words. @param quiet nothing is under way, and all that was owed is done. */
export async function violationsOf(
  world: World,
  promises: Promises,
  quiet: boolean,
): Promise<readonly string[]> {
  const [row] = await world.rows(RECORDS);
  const records = row as unknown as Records;
  const found = [
    ...brokenCharges(world, records),
    ...brokenTransactions(world, records, quiet),
    ...brokenRefunds(records),
    ...brokenEvents(world, records),
    ...brokenCycles(world, records, quiet),
    ...brokenAttempts(world, promises, records),
    ...brokenHistory(promises, records),
    ...repeated(promises, records),
    ...promises.broken(records),
  ];
  if (!quiet) return found;
  const { differences } = await checkBooks(world.db);
  return [
    ...found,
    ...differences.filter((words) => !words.includes(STRANGER)),
    ...stuck(records),
    ...refusedForNothing(promises, records),
    ...lostMoney(world, records),
    ...undelivered(world, records),
  ];
}

/** Nobody is debited twice, nor asked for more often than the session allows. */
function brokenCharges(world: World, { sessions }: Records): readonly string[] {
  const { keys } = (world.instances[0] as World["instances"][number]).app.deps;
  const asked = new Map<string, { charges: number; references: number }>();
  for (const { kind, recurring, returnUrl, state } of world.bank.entries.values()) {
    const token = /\/pay\/([^/]+)\//.exec(returnUrl)?.[1];
    if (kind !== "sale" || recurring || token === undefined) continue;
    const id = readSessionToken(keys, token)?.sessionId ?? "";
    const seen = asked.get(id) ?? { charges: 0, references: 0 };
    asked.set(id, { charges: seen.charges + (TAKEN.has(state) ? 1 : 0), references: seen.references + 1 });
  }
  return sessions.flatMap(({ id, attempts_max: max }) => {
    const { charges, references } = asked.get(id) ?? { charges: 0, references: 0 };
    return [
      ...(charges > 1 ? [`MONEY-1: session ${id} was charged ${charges} times`] : []),
      ...(references > max
        ? [`SESSION-2: session ${id} asked the bank ${references} times, and may ${max} times`]
        : []),
    ];
  });
}

/** Ours and the bank's word on each reference agree, to the cent. */
function brokenTransactions(world: World, { transactions }: Records, quiet: boolean): readonly string[] {
  return transactions.flatMap(({ reference, status, type, cents }) => {
    const entry = world.bank.entries.get(reference);
    const table = type === "sdd_refund" ? REFUNDS : quiet ? QUIET_SALES : SALES;
    const agreed = table[status];
    const state = entry?.state ?? null;
    const words = `${reference} (${type}) is ${status} here and ${state ?? "unknown"} at the bank`;
    if (agreed !== undefined && !agreed.includes(state)) return [`MONEY-2: ${words}`];
    if (entry !== undefined && entry.kind !== "unknown" && entry.amount !== cents)
      return [`MONEY-3: ${words}: ${cents} here and ${entry.amount} there`];
    return [];
  });
}

function brokenRefunds({ transactions }: Records): readonly string[] {
  return transactions.flatMap(({ id, reference, cents, refunded, type }) => {
    if (type === "sdd_refund") return [];
    const given = transactions
      .filter(({ original_id: of, status }) => of === id && status === "approved")
      .reduce((sum, refund) => sum + refund["cents"], 0);
    return [
      ...(given > cents ? [`MONEY-5: ${reference} gave back ${given} of ${cents}`] : []),
      ...(given === refunded
        ? []
        : [`MONEY-8: ${reference} counts ${refunded} as refunded, and its refunds are ${given}`]),
    ];
  });
}

/** An event is there as soon as its fact is, once, and never without it. */
function brokenEvents(
  world: World,
  { sessions, transactions, events, chargebacks }: Records,
): readonly string[] {
  const found: string[] = [];
  const count = (type: string, field: string, id: unknown) =>
    events.filter((event) => event["type"] === type && event[field] === id).length;
  const expect = (words: string, count_: number, expected: number) => {
    if (count_ !== expected) found.push(`${words}: ${count_} instead of ${expected}`);
  };
  for (const { id, status, told_at: toldAt } of sessions) {
    const sales = transactions.filter((t) => t["session_id"] === id && t["type"] !== "sdd_refund");
    const paid = sales.filter((sale) => PAID.has(sale["status"]));
    const told = toldAt === "settlement" ? paid.length : Number(status === "COMPLETED");
    expect(
      `EVENT-1: completed events of session ${id}`,
      count("payment_session.completed", "session_id", id),
      told,
    );
    if (paid.length > 1) found.push(`SESSION-1: session ${id} was paid ${paid.length} times`);
    const expired = count("payment_session.expired", "session_id", id);
    if (expired > 1 || (expired === 1 && status !== "EXPIRED"))
      found.push(`EVENT-2: ${expired} expired events of ${status} ${id}`);
  }
  for (const transaction of transactions) {
    const { id, reference, status } = transaction;
    const created = count("transaction.created", "transaction_id", id);
    // What was returned may have been accepted before, or the first that we heard of it.
    const returned = status === "declined" && world.bank.entries.get(reference)?.state === "returned";
    const expected = status === "pending" || PAID.has(status) ? 1 : 0;
    if (!returned || created > 1) expect(`EVENT-3: created events of ${reference}`, created, expected);
    const backs = chargebacks.filter((chargeback) => chargeback["transaction_id"] === id).length;
    expect(`MONEY-9: chargebacks of ${reference}`, backs, status === "charged_back" ? 1 : 0);
    expect(
      `EVENT-5: chargeback events of ${reference}`,
      count("chargeback.created", "transaction_id", id),
      backs,
    );
  }
  return found;
}

/** A cycle is charged once, and the bank has no rebill that is nobody's. */
function brokenCycles(world: World, { cycles, subscriptions }: Records, quiet: boolean): readonly string[] {
  return subscriptions.flatMap(({ id, mandate }) => {
    const own = cycles.filter((cycle) => cycle["subscription_id"] === id);
    const numbers = new Set(own.map(({ cycle }) => cycle));
    const charges = [...world.bank.entries.values()].filter(
      (entry) => entry.recurring && entry.mandate === mandate && TAKEN.has(entry.state),
    ).length;
    const taken = own.filter(({ status }) => status !== "skipped").length;
    const paid = own.filter(({ status }) => status === "paid" || status === "charged_back").length;
    const tomorrow = new Date(world.nowMs() + DAY_MS).toISOString().slice(0, 10);
    const early = own.filter((cycle) => cycle["due_date"] > tomorrow).length;
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
}

/**
 * What was presented is counted, what is paid is a success, and without a schedule there is a cycle only for what was
 * asked for.
 */
function brokenAttempts(
  world: World,
  promises: Promises,
  { cycles, subscriptions, transactions }: Records,
): readonly string[] {
  return subscriptions.flatMap(({ id, billing_frequency: frequency, successes }) => {
    const own = cycles.filter((cycle) => cycle["subscription_id"] === id);
    const counted = own.reduce((sum, cycle) => sum + cycle["attempts"], 0);
    const presented = transactions.filter(({ subscription_id: of, type, status, reference }) => {
      const state = world.bank.entries.get(reference)?.state;
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

/** One key does one thing, however often it is sent within half a day. */
function repeated({ forgotten }: Promises, { sessions, transactions }: Records): readonly string[] {
  const twice = (what: string, marks: readonly unknown[]) =>
    marks
      .filter((mark, at) => mark !== null && !forgotten.has(mark) && marks.indexOf(mark) !== at)
      .map((mark) => `CALL-2: ${what} ${String(mark)} was made twice under one key`);
  return [
    ...twice(
      "session",
      sessions.map(({ customer_ip: ip }) => ip),
    ),
    ...twice(
      "refund",
      transactions.filter(({ status }) => status !== "declined").map(({ reason }) => reason),
    ),
  ];
}

/** COMPLETED and EXPIRED are final. */
function brokenHistory(promises: Promises, { sessions }: Records): readonly string[] {
  return sessions.flatMap(({ id, status, attempts_used: used, attempts_max: max }) => {
    const before = promises.statuses.get(id);
    promises.statuses.set(id, status);
    const final = before === "COMPLETED" || before === "EXPIRED";
    return [
      ...(final && before !== status ? [`SESSION-3: session ${id} was ${before} and is ${status}`] : []),
      ...(used > max || used < 0 ? [`SESSION-2: session ${id} has used ${used} of ${max} attempts`] : []),
    ];
  });
}

/** Only a session that can still be paid, or whose payment is under way, keeps its lead from another one. */
function refusedForNothing({ leadsTaken }: Promises, { sessions }: Records): readonly string[] {
  return leadsTaken
    .filter(
      ({ email, fromMs, toMs }) =>
        !sessions.some(
          (session) =>
            session["email"] === email &&
            session["created_ms"] <= toMs + MOMENT_MS &&
            session["until_ms"] >= fromMs - MOMENT_MS,
        ),
    )
    .map(
      ({ email, toMs }) =>
        `SESSION-6: ${email} was refused at ${new Date(toMs).toISOString()}, without an active session`,
    );
}

function stuck({ transactions, events, cycles, deliveries }: Records): readonly string[] {
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

/** All that the bank holds for us is in our records. */
function lostMoney(world: World, { transactions }: Records): readonly string[] {
  const known = new Set(transactions.map(({ reference }) => reference));
  const lost = [...world.bank.entries.values()].filter(
    ({ reference, state, kind }) =>
      kind !== "unknown" && state !== "fenced" && state !== "refused" && !known.has(reference),
  );
  const sum = (all: readonly { readonly cents: number }[]) =>
    all.reduce((total, { cents }) => total + cents, 0);
  const ours = sum(
    transactions.filter(({ type, status }) => type !== "sdd_refund" && PAID.has(status)) as never,
  );
  const theirs = [...world.bank.entries.values()]
    .filter(({ kind, state }) => kind === "sale" && TAKEN.has(state))
    .reduce((total, { amount }) => total + amount, 0);
  const given = sum(
    transactions.filter(({ type, status }) => type === "sdd_refund" && status === "approved") as never,
  );
  const gave = [...world.bank.entries.values()].reduce((total, { refunded }) => total + refunded, 0);
  return [
    ...lost.map(({ reference, state }) => `MONEY-4: ${reference} is ${state} at the bank and unknown here`),
    ...(ours === theirs ? [] : [`MONEY-4: ${ours} cents collected here, ${theirs} at the bank`]),
    ...(given === gave ? [] : [`MONEY-4: ${given} cents refunded here, ${gave} at the bank`]),
  ];
}

/** Each event at each receiver that wants it, with the same bytes each time, those of a purchase in their order. */
function undelivered(world: World, { events, deliveries }: Records): readonly string[] {
  const given_up = new Set(
    deliveries.filter(({ status }) => status === "exhausted").map(({ event_id: id }) => id),
  );
  const { received } = world.receivers;
  const found: string[] = [];
  for (const [url, wanted] of Object.entries(world.merchant.receivers)) {
    const here = received.filter((one) => one.url === url);
    const accepted = new Map<string, number>();
    for (const [at, one] of here.entries()) {
      if (one.accepted && !accepted.has(one.eventId)) accepted.set(one.eventId, at);
      if (here.some(({ eventId, body }) => eventId === one.eventId && body !== one.body))
        found.push(`EVENT-8: ${one.eventId} was sent with different bytes`);
    }
    const lastOf = new Map<unknown, number>();
    for (const { id, type, purchase } of events) {
      if (!wanted.includes(type)) continue;
      const at = accepted.get(id);
      if (at === undefined) {
        if (!given_up.has(id)) found.push(`EVENT-8: ${type} ${id} was never delivered to ${url}`);
        continue;
      }
      if (purchase !== null && at < (lastOf.get(purchase) ?? -1))
        found.push(`EVENT-9: ${type} ${id} overtook an earlier event of its purchase`);
      lastOf.set(purchase, Math.max(at, lastOf.get(purchase) ?? -1));
    }
  }
  return found;
}
