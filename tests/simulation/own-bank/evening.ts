/** The checks at the end of each day: the records against the bank's books and the reports delivered so far. */
import { addTargetDays } from "../../../src/sepa/target.ts";
import { checkBooks } from "../../../src/books/check.ts";
import type { Booking } from "./bookings.ts";
import type { Debit } from "./model.ts";
import type { Shop } from "./shop.ts";
import type { Plan } from "./trouble.ts";
import type { World } from "./world.ts";

/** @param ended whether this is the end of the run, when nothing may be open. */
export async function checkEvening(
  world: World,
  shop: Shop,
  plan: Plan,
  jumped: boolean,
  ended: boolean,
): Promise<void> {
  for (const words of shop.bank.wrongs) world.wrong(words);
  await checkRecords(world, shop, plan, ended);
  await checkParts(world, shop);
  if (shop.gateways.every(({ ibans }) => ibans.size === 1)) await checkList(world, shop);
  await checkCycles(world, shop, jumped);
  await checkRetries(world, shop);
  await checkEvents(world, shop);
  await checkNotice(world, shop);
  await checkStatements(world, shop);
  await checkImported(world, shop);
  if (isCalm(plan)) await checkAnnounced(world, shop);
}

/** Whether nothing in the plan can delay a renewal beyond its day; a file that waits for approval may be withdrawn. */
function isCalm({ trouble, habits, transport, jumps, extra, approvals }: Plan): boolean {
  return (
    extra !== "pauses" &&
    approvals === 0 &&
    trouble.crashes + trouble.database + habits.carelessCarrying + habits.changes === 0 &&
    transport === "manual" &&
    !jumps
  );
}

/** The collection date announced to the customer is the date of the debit. */
async function checkAnnounced(world: World, shop: Shop): Promise<void> {
  const rows = await world.rows(
    `select c.reference, c.due_date::text as due, e.payload -> 'subscription' ->> 'collection_date' as told
       from events e
       join subscriptions s on s.tenant = e.tenant and s.id = (e.payload -> 'subscription' ->> 'id')::uuid
       join billing_cycles b on b.tenant = s.tenant and b.subscription_id = s.id
            and b.due_date::text = e.payload -> 'subscription' ->> 'due_date' and b.attempts = 1
       join transactions t on t.tenant = s.tenant and t.id = b.transaction_id
       join sepa_collections c on c.tenant = s.tenant and c.reference = t.merchant_transaction_id
      where e.tenant = $1 and e.type = 'subscription.upcoming' and c.due_date is not null`,
    [shop.tenant],
  );
  for (const { reference, due, told } of rows) {
    world.coverage.count("a renewal is debited on the day that was announced");
    if (due !== told) world.wrong(`CYCLE-9: ${reference} is due on ${due}, and ${told} was announced`);
  }
}

export async function checkAllBooks(world: World): Promise<void> {
  const { differences } = await checkBooks(world.db);
  // What could not be recorded because a connection was cut is retried later.
  const cut = world.trouble.database > 0 ? /could not be recorded .*: unavailable/ : /^$/;
  for (const words of differences) if (!cut.test(words)) world.wrong(`books check: ${words}`);
}

/** The instructions of unmatched entries and of news set aside: their outcome is not decided yet. */
async function listed(world: World, shop: Shop): Promise<ReadonlySet<string>> {
  const rows = await world.rows(
    "select file_id, entry from sepa_unmatched where tenant = $1 and status in ('open', 'part')",
    [shop.tenant],
  );
  // News that could not be recorded because a connection was cut is retried later.
  const later = await world.rows("select reference from gateway_news_set_aside where tenant = $1", [
    shop.tenant,
  ]);
  return new Set([
    ...later.map((row) => row["reference"] as string),
    ...rows.flatMap((row) => {
      const told = shop.read.get(row["file_id"])?.lines[(row["entry"] as number) - 1];
      return [...(told?.booking?.of ?? []), ...(told?.rejections ?? [])].map(({ reference }) => reference);
    }),
  ]);
}

interface Facts {
  in: number;
  out: number;
  again: number;
  transferred: boolean;
}

function factsOf(shop: Shop): ReadonlyMap<string, Facts> {
  const facts = new Map<string, Facts>();
  const add = ({ kind, of }: Booking) => {
    for (const { reference } of of) {
      const one = facts.get(reference) ?? { in: 0, out: 0, again: 0, transferred: false };
      facts.set(reference, one);
      if (/^(credit|credit_again|sum|sum_less|sum_part)$/.test(kind)) one.in = 1;
      if (kind === "return" || kind === "return_again") one.out += 1;
      if (kind === "recredit" || kind === "credit_ahead") one.again += 1;
      if ((kind.startsWith("transfer") && kind !== "transfer_back") || kind === "reversal")
        one.transferred = true;
    }
  };
  for (const { booking } of shop.reported.values()) add(booking);
  return facts;
}

const NONE: Facts = { in: 0, out: 0, again: 0, transferred: false };
const OPEN = ["pending", "submitted", "unresolved"] as const;

async function checkRecords(world: World, shop: Shop, plan: Plan, ended: boolean): Promise<void> {
  const onList = await listed(world, shop);
  const facts = factsOf(shop);
  const rows = await world.rows(
    `select t.merchant_transaction_id as reference, t.status, t.type, t.amount = 0 as free, c.state, c.assumed from transactions t
       left join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
      where t.tenant = $1`,
    [shop.tenant],
  );
  for (const { reference, status, type, state, assumed, free } of rows) {
    // A free trial has a mandate but no debit at the bank.
    if (free && status === "approved" && shop.bank.debits.get(reference) === undefined) continue;
    if (onList.has(reference)) continue;
    const known = facts.get(reference) ?? NONE;
    const allowed =
      type === "sdd_refund"
        ? ofTransfer(shop, reference, known)
        : ofDebit(world, shop, plan, reference, known, assumed);
    if (!allowed.includes(status))
      world.wrong(
        `MONEY-2: ${reference} (${type}, ${state}) is ${status}, not ${allowed.join(" or ")}: the bank has ${describe(shop.bank.debits.get(reference))}, told ${JSON.stringify(known)}`,
      );
    if (ended && OPEN.includes(status))
      world.wrong(`LIVE-2: ${reference} (${type}, ${state}) is still ${status}`);
  }
}

function describe(debit: Debit | undefined): string {
  if (debit === undefined) return "nothing of it";
  const { fate, creditedOn, returnedOn, recreditedOn, rejected } = debit;
  return JSON.stringify({ fate, rejected, creditedOn, returnedOn, recreditedOn });
}

function ofDebit(
  world: World,
  shop: Shop,
  { assumeAfter }: Plan,
  reference: string,
  { in: come, out, again }: Facts,
  assumed: boolean,
): readonly string[] {
  const debit = shop.bank.debits.get(reference);
  const hand = shop.byHand.get(reference);
  // A payment that was never at the bank has no money.
  if (debit === undefined)
    return [...OPEN, "declined", "awaiting_verification", ...(hand === undefined ? [] : ["charged_back"])];
  const refused = shop.refused.has(reference);
  const silent = assumeAfter !== null && addTargetDays(debit.dueDate, assumeAfter) <= world.today();
  const there = ["approved", "refunded"];
  const allowed = new Set<string>();
  if (hand !== undefined) allowed.add("charged_back");
  const backs = out > 0 ? out : refused && come > 0 && !debit.rejected ? 1 : 0;
  if (backs - again > 0) allowed.add("charged_back");
  else if (again > 0 || (come > 0 && backs === 0)) for (const one of there) allowed.add(one);
  if (again > 0) allowed.add("charged_back");
  if (come + out + again === 0) {
    if (refused) allowed.add(assumed ? "charged_back" : "declined");
    else for (const one of OPEN) allowed.add(one);
    if (silent && !refused) for (const one of there) allowed.add(one);
  }
  // Rejected first, then paid and returned: nothing of the money has stayed.
  if (refused && backs - again > 0) allowed.add("declined");
  // Rejected by a report before the money came; it counts as charged back until a person reinstates it.
  if (refused && come > 0 && debit.rejected) allowed.add("charged_back");
  // A reinstatement by a person holds until the bank reports another return.
  if (out === 0 && shop.reinstated.has(reference)) for (const one of there) allowed.add(one);
  return [...allowed];
}

function ofTransfer(shop: Shop, reference: string, { transferred }: Facts): readonly string[] {
  if (shop.refused.has(reference)) return ["declined"];
  if (transferred) return ["approved"];
  return shop.bank.transfers.has(reference) ? [...OPEN, "approved"] : [...OPEN, "declined"];
}

/** A partial return is recorded as a chargeback of that part. */
async function checkParts(world: World, { tenant, parts }: Shop): Promise<void> {
  const rows = await world.rows(
    `select merchant_transaction_id as reference, (amount * 100)::integer as cents from chargebacks
      where tenant = $1 and merchant_transaction_id = any ($2::text[])`,
    [tenant, [...parts.keys()]],
  );
  for (const { reference, cents } of rows) {
    world.coverage.count("a return of a part was written down");
    if (cents !== parts.get(reference))
      world.wrong(
        `MONEY-3: of ${reference} ${parts.get(reference)} cents came back, and ${cents} are charged back`,
      );
  }
}

/**
 * A booking that several files report is on the list once. Files of a booking without ids are matched by the bank's
 * reference, which differs.
 */
async function checkList(world: World, shop: Shop): Promise<void> {
  const rows = await world.rows("select file_id, entry, kind from sepa_unmatched where tenant = $1", [
    shop.tenant,
  ]);
  const seen = new Set<string>();
  for (const { file_id: file, entry, kind } of rows) {
    const booking = shop.read.get(file)?.lines[(entry as number) - 1]?.booking;
    if (!booking || booking.naming === "nothing") continue;
    const one = `${kind} ${booking.number}`;
    if (seen.has(one)) world.wrong(`FILE-2: a ${booking.kind} of ${booking.of[0]?.reference} waits twice`);
    seen.add(one);
  }
}

/** Each cycle of a subscription is collected, and presented at most three times. */
async function checkCycles(world: World, shop: Shop, jumped: boolean): Promise<void> {
  const rows = await world.rows(
    `select s.id, m.reference, count(*)::integer as cycles, count(*) filter (where c.status = 'skipped')::integer as skipped,
            (select array_agg(original_reference) from mandate_amendments a
              where a.tenant = m.tenant and a.mandate_id = m.id and original_reference is not null) as formers
       from subscriptions s join mandates m on m.tenant = s.tenant and m.id = s.mandate_id
       join billing_cycles c on c.tenant = s.tenant and c.subscription_id = s.id
      where s.tenant = $1 group by s.id, s.tenant, m.tenant, m.id, m.reference`,
    [shop.tenant],
  );
  for (const { id, reference, cycles, skipped, formers } of rows) {
    if (skipped > 0 && !jumped)
      world.wrong(`CYCLE-3: a cycle of the subscription ${id} is skipped, though the service was there`);
    const names = [reference, ...((formers as readonly string[] | null) ?? [])];
    const debits = [...shop.bank.debits.values()].filter(({ mandate }) => names.includes(mandate)).length;
    if (debits > 1 + 3 * (cycles as number))
      world.wrong(`CYCLE-4: the subscription ${id} has ${cycles} cycles and was presented ${debits} times`);
  }
}

/**
 * A paid cycle is not retried, and none of its other attempts waits for a file. If two attempts were paid, a person
 * sees them on the list.
 */
async function checkRetries(world: World, shop: Shop): Promise<void> {
  const rows = await world.rows(
    `select t.subscription_id as id, t.merchant_transaction_id as reference, t.cycle, t.status, c.state, b.status as cycle_status
       from transactions t
       join billing_cycles b on b.tenant = t.tenant and b.subscription_id = t.subscription_id and b.cycle = t.cycle
       join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
      where t.tenant = $1 and t.type = 'sdd_rebill' order by t.created_at, t.id`,
    [shop.tenant],
  );
  const twice = new Set<string>();
  for (const [cycle, attempts] of Map.groupBy(rows, (row) => `${row["id"]} ${row["cycle"]}`)) {
    const paid = attempts.filter(({ status }) => status === "approved" || status === "refunded");
    if (paid.length === 0 || attempts.length === 1) continue;
    world.coverage.count("a cycle was tried again, and is paid");
    if (attempts.some(({ status, state }) => status === "declined" && state === "fenced"))
      world.coverage.count("a retry was taken out, its cycle is paid");
    if (attempts[0]?.["cycle_status"] === "retry")
      world.wrong(
        `CYCLE-10: the cycle ${cycle} is to be tried again, and ${paid[0]?.["reference"]} has paid it`,
      );
    const known = attempts.filter(({ status }) => status === "approved" || status === "pending");
    if (known.length > 1) twice.add(attempts[0]?.["id"]);
  }
  if (twice.size === 0) return;
  world.coverage.count("a cycle was collected twice");
  const path = "management/subscriptions/?collected_twice=true&page_size=100";
  const { body } = await world.call("GET", path, { key: shop.key });
  const told = new Set((body["results"] as readonly { id: string }[]).map(({ id }) => id));
  for (const id of twice)
    if (!told.has(id))
      world.wrong(`CYCLE-1: the subscription ${id} has a cycle that was collected twice, and nobody is told`);
}

/**
 * The customer of a renewal is notified by the day on which it is handed over, and it is not due before the mandate's
 * notice period has passed.
 */
async function checkNotice(world: World, { tenant, agreed }: Shop): Promise<void> {
  const rows = await world.rows(
    `select t.merchant_transaction_id as reference, t.mandate_id as mandate, c.due_date::text as due,
            (c.due_date - (t.created_at at time zone 'Europe/Berlin')::date)::integer as days
       from transactions t join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
      where t.tenant = $1 and t.type = 'sdd_rebill' and c.due_date is not null`,
    [tenant],
  );
  for (const { reference, mandate, due, days } of rows) {
    const noticeDays = agreed.get(mandate)?.noticeDays ?? 0;
    if (days < noticeDays)
      world.wrong(
        `MANDATE-3: ${reference} is due on ${due}, ${days} days after it was handed over, and ${noticeDays} were agreed on`,
      );
  }
}

/** A payment has exactly one completed event, as soon as the money has come; a later return does not change this. */
async function checkEvents(world: World, shop: Shop): Promise<void> {
  const rows = await world.rows(
    `select t.merchant_transaction_id as reference, t.status, t.completed_event_at as at,
            (select count(*) from events e where e.tenant = t.tenant and e.session_id = t.session_id and e.type = 'payment_session.completed')::integer as events
       from transactions t
      where t.tenant = $1 and t.session_id is not null and t.status in ('approved', 'refunded', 'pending', 'charged_back')
        and not exists (select from gateway_news_set_aside n where n.tenant = t.tenant and n.reference = t.merchant_transaction_id)`,
    [shop.tenant],
  );
  for (const { reference, status, at, events } of rows) {
    // It was charged back by hand before it settled, or rejected by the bank, so it need not have a completed event.
    if (status === "charged_back" && (shop.byHand.has(reference) || shop.refused.has(reference))) continue;
    const wanted = status === "pending" && at === "settlement" ? 0 : 1;
    if (events !== wanted)
      world.wrong(
        `EVENT-1: ${reference} is ${status}, is told of at ${at}, and has ${events} completed events`,
      );
  }
}

/**
 * No subscription uses an imported mandate, so it must never be debited, and it expires after 36 months without use.
 */
async function checkImported(world: World, shop: Shop): Promise<void> {
  for (const { mandate, reference } of shop.bank.debits.values())
    if (shop.imported.has(shop.bank.rootOf(mandate)))
      world.wrong(`MANDATE-1: ${reference} debits the mandate ${mandate}, which was only imported`);
  const rows = await world.rows(
    `select reference, status from mandates
      where tenant = $1 and reference = any ($2::text[]) and status = 'active'
        and greatest(accepted_at, last_used_at) + interval '36 months 1 day' < $3::date`,
    [shop.tenant, [...shop.imported], world.today()],
  );
  for (const { reference } of rows)
    world.wrong(`MANDATE-6: the imported mandate ${reference} was not used for 36 months, and is active`);
}

/** A missing statement is reported exactly as long as it is missing. */
async function checkStatements(world: World, shop: Shop): Promise<void> {
  for (const [account, numbers] of shop.statements) {
    const all = [...numbers].toSorted((a, b) => a - b);
    const missing = all.some((number, n) => n > 0 && number !== (all[n - 1] ?? 0) + 1);
    const [row] = await world.rows(
      "select count(*)::integer as gaps from sepa_statements where tenant = $1 and iban = $2 and gap is not null",
      [shop.tenant, account],
    );
    if (row?.["gaps"] > 0 !== missing)
      world.wrong(
        `of ${account} the statements ${all.join(" ")} were read, and ${row?.["gaps"]} gaps are named`,
      );
  }
}
