/** Checks after healing: nothing stuck, everything acknowledged true, nothing charged twice, every event delivered. */
import { checkBooks } from "../../src/books/check.ts";
import { openDatabase } from "../../src/db/postgres.ts";
import type { Json } from "../../tests/support/service.ts";
import type { Journey } from "./clients.ts";
import { openAtTheBank, wrongAtTheBank } from "./bank-checks.ts";
import { wrongImports } from "./imports.ts";
import { BILLING_RULES } from "./months.ts";
import type { World } from "./world.ts";

/** Each selects `what` for unfinished work. */
const STUCK = `
  select format('%s %s is %s, asked %s times, to be asked at %s', type, merchant_transaction_id, status, resolve_count, resolve_at) as what
    from transactions where status in ('submitted', 'unresolved', 'verifying', 'awaiting_verification')
   union all
  select format('session %s is %s, held by %s', id, status, open_transaction_id)
    from sessions where open_transaction_id is not null
   union all
  select format('event %s (%s) has no deliveries', id, type) from events where fanned_out_at is null
   union all
  select format('delivery %s of event %s is %s after %s attempts', id, event_id, status, attempts)
    from webhook_deliveries where status <> 'delivered'
   union all
  select format('postback %s is not processed', id) from integration_activities where due_at is not null`;

export async function stuck(world: World): Promise<readonly string[]> {
  const ours = (await world.rows(STUCK)).map((row): string => row["what"]);
  const imports = world.imports.flatMap(({ done, mark, kind }) =>
    done ? [] : [`${kind} of ${mark} are not imported`],
  );
  const atTheBank = world.bank === null ? [] : await openAtTheBank(world, world.bank);
  return [...ours, ...imports, ...atTheBank];
}

/** Skips the service's waits: leases of killed processes, pauses before a gateway is asked again. */
export async function hurry(world: World, { all }: { readonly all: boolean }): Promise<number> {
  // A gateway that repeatedly did not answer is asked again after minutes.
  const moved = await world.rows(
    `update transactions set resolve_at = now(), locked_until = null
      where status in ('submitted', 'unresolved', 'verifying') and resolve_at > now() + $1::interval returning 1`,
    [all ? "0 seconds" : "35 seconds"],
  );
  if (!all) return moved.length;
  await world.rows("update webhook_deliveries set locked_until = now() where locked_until > now()");
  await world.rows("update webhook_deliveries set due_at = now() where due_at > now()");
  await world.rows("update webhook_receivers set next_at = now() where next_at > now()");
  await world.rows("update integration_activities set due_at = now() where due_at > now()");
  return moved.length;
}

/** Checks database and receiver against everything that has happened so far. */
export async function violations(world: World, journeys: readonly Journey[]): Promise<readonly string[]> {
  return [
    ...(await brokenRules(world)),
    ...(await notTrue(world, journeys)),
    ...(await notReceived(world)),
    ...(await crossed(world)),
    ...(await wrongImports(world)),
    ...(world.bank === null ? [] : await wrongAtTheBank(world, world.bank)),
    ...(await differences(world)),
  ];
}

const CHARGED = "b.refund_of is null and b.charged_at is not null";
const PAID = "('approved', 'pending', 'refunded', 'charged_back')";

const RULES = [
  `select format('session %s was charged %s times', t.session_id, count(*)) as what
     from sandbox_books b
     join transactions t on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
    where ${CHARGED} and b.state <> 'returned' and t.session_id is not null
    group by t.session_id having count(*) > 1`,
  `select format('the bank has charged %s over %s (%s), and there is %s over %s', b.reference, b.amount, b.state,
                 coalesce(t.status, 'no transaction'), t.amount) as what
     from sandbox_books b
     left join transactions t on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
    where ${CHARGED} and b.state <> 'returned'
      and (t.id is null or t.status not in ${PAID} or t.amount <> b.amount)`,
  `select format('%s is %s, and the bank has %s over %s', t.merchant_transaction_id, t.status, coalesce(b.state, 'nothing'), b.amount) as what
     from transactions t
     join gateways g on g.tenant = t.tenant and g.id = t.gateway_id and g.adapter = 'sandbox'
     left join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
    where t.type = 'sdd_sale' and t.source <> 'csv_import' and t.status in ${PAID}
      and (b.reference is null or b.charged_at is null or b.amount <> t.amount)`,
  `select format('%s was refunded %s, and the bank has given back %s', t.merchant_transaction_id, t.refunded, b.refunded) as what
     from transactions t
     join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
    where t.type = 'sdd_sale' and (t.refunded <> b.refunded or t.refund_claimed <> t.refunded) and b.scenario <> 'settle_later'`,
  `select format('session %s is %s and has %s completed events', s.id, s.status, count(e.id)) as what
     from sessions s
     left join events e on e.tenant = s.tenant and e.session_id = s.id and e.type = 'payment_session.completed'
    group by s.tenant, s.id, s.status
   having count(e.id) <> case when s.status = 'COMPLETED' then 1 else 0 end`,
  `select format('lead %s has %s sessions', l.email, count(*)) as what
     from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id
    group by l.tenant, l.email having count(*) > 1`,
  `select format('session %s used %s attempts, and %s transactions count', s.id, s.attempts_used, count(t.id)) as what
     from sessions s
     left join transactions t on t.tenant = s.tenant and t.session_id = s.id
    group by s.tenant, s.id, s.attempts_used
   having s.attempts_used > count(t.id)`,
];

async function brokenRules(world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const rule of [...RULES, ...BILLING_RULES])
    found.push(...(await world.rows(`${rule} limit 20`)).map((row): string => row["what"]));
  return found;
}

interface Stored {
  readonly sessions: ReadonlyMap<string, Json>;
  readonly transactions: ReadonlyMap<string, Json>;
  readonly activities: ReadonlySet<string>;
}

async function notTrue(world: World, journeys: readonly Journey[]): Promise<readonly string[]> {
  const stored = await read(world);
  return journeys.flatMap((journey) => untrueOf(journey, stored).map((what) => `${journey.email}: ${what}`));
}

async function read(world: World): Promise<Stored> {
  const sessions = await world.rows(
    `select l.email, s.status, n.id as tenant_id from sessions s
       join leads l on l.tenant = s.tenant and l.id = s.lead_id join tenants n on n.tenant = s.tenant`,
  );
  const transactions = await world.rows("select id, status, amount, type from transactions");
  const activities = await world.rows("select id from integration_activities");
  return {
    sessions: new Map(sessions.map((row) => [row["email"], row])),
    transactions: new Map(transactions.map((row) => [row["id"], row])),
    activities: new Set(activities.map((row): string => row["id"])),
  };
}

function untrueOf(journey: Journey, { sessions, transactions, activities }: Stored): readonly string[] {
  const session = sessions.get(journey.email);
  const wrong: string[] = [];
  const statusOf = (id: string): string => transactions.get(id)?.["status"] ?? "not there";
  if (journey.token !== null && session === undefined) wrong.push("the created session is not there");
  if (session !== undefined && session["tenant_id"] !== journey.shop.merchant.tenantId)
    wrong.push("the session belongs to another tenant");
  if (journey.completed !== null) {
    const status = statusOf(journey.completed);
    // A direct debit may be returned later: it was accepted, and is then declined.
    if (!["approved", "pending", "refunded", "charged_back", "declined"].includes(status))
      wrong.push(`the payment that was told is ${status}`);
    if (session?.["status"] !== "COMPLETED") wrong.push(`paid, and the session is ${session?.["status"]}`);
  }
  if (journey.cancelled && session?.["status"] !== "EXPIRED")
    wrong.push(`cancelled, and the session is ${session?.["status"]}`);
  for (const id of journey.declined)
    if (statusOf(id) !== "declined") wrong.push(`a payment that was told to be declined is ${statusOf(id)}`);
  for (const { id, status, amount } of journey.refunds) {
    const there = statusOf(id);
    if (there === "not there" || (status === "approved" && there !== "approved"))
      wrong.push(`the refund that was told to be ${status} is ${there}`);
    else if (transactions.get(id)?.["amount"] !== amount)
      wrong.push(`the refund of ${amount} has another amount`);
  }
  for (const id of journey.activities)
    if (!activities.has(id)) wrong.push("an accepted postback is not there");
  return wrong;
}

/** Deliveries that may still be open: the bank's news continues after the faults have ended. */
const DELIVERED = `
  select id, type from events e
   where fanned_out_at is not null and not exists (
     select from webhook_deliveries d where d.tenant = e.tenant and d.event_id = e.id and d.status <> 'delivered')`;

/** At least once, the same body each time. */
async function notReceived(world: World): Promise<readonly string[]> {
  const events = await world.rows(DELIVERED);
  const wrong: string[] = [];
  const bodies = new Map<string, string>();
  for (const { headers, body } of world.receiver.received) {
    const id = String(headers["webhook-id"]);
    if ((bodies.get(id) ?? body) !== body) wrong.push(`event ${id} was sent with two bodies`);
    bodies.set(id, body);
  }
  for (const event of events)
    if (!bodies.has(event["id"])) wrong.push(`event ${event["id"]} (${event["type"]}) never arrived`);
  return wrong;
}

/** All records of a merchant contain the mark with which its customers' addresses begin. */
async function crossed(world: World): Promise<readonly string[]> {
  const wrong: string[] = [];
  const shops = [...world.shops, world.billing.shop, ...(world.bank === null ? [] : [world.bank.shop])];
  for (const { mark } of shops) {
    for (const { path, body } of world.receiver.received) {
      if (!path.endsWith(`/${mark}`) && body.includes(`${mark}-`))
        wrong.push(`a webhook about ${mark} was sent to ${path}`);
    }
  }
  const rows = await world.rows(
    `select format('lead %s is in tenant %s', l.email, n.id) as what
       from leads l join tenants n on n.tenant = l.tenant
      where not (n.id, split_part(l.email, '-', 1)) in (select * from unnest($1::uuid[], $2::text[]))`,
    [shops.map(({ merchant }) => merchant.tenantId), shops.map(({ mark }) => mark)],
  );
  return [...wrong, ...rows.map((row): string => row["what"])];
}

async function differences(world: World): Promise<readonly string[]> {
  const db = openDatabase(world.database.url(), { connections: 1, onIdleError: () => {} });
  try {
    return (await checkBooks(db)).differences;
  } finally {
    await db.close();
  }
}
