/**
 * A short run of `npm run chaos` with a fixed seed and a few faults of each kind that needs no root. Also plants
 * differences that the checks have to find.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "../tools/chaos/checks.ts";
import { newJourney, type Journey } from "../tools/chaos/clients.ts";
import { passHours, passMonth, subscribe, unbilled } from "../tools/chaos/months.ts";
import { seeded } from "../tools/random.ts";
import { runRound } from "../tools/chaos/rounds.ts";
import { SCENARIOS } from "../tools/chaos/scenarios.ts";
import { newTally, total, type Tally } from "../tools/chaos/tally.ts";
import { startWorld, type Shop, type World } from "../tools/chaos/world.ts";
import { IBAN, lead } from "./support/merchant.ts";
import { sized } from "./support/sized.ts";

const SEED = 7;
/** Each scenario has one to three faults. */
const FAULT_MS = 1_000;
/**
 * `sleeper` and `fleet` take longer than a claim, `disk-full` needs to mount, `half-open` waits for a statement's time
 * limit (tested in src/db/postgres.test.ts), `months` waits for the lease of a dead process (its findings are tested in
 * tests/billing).
 */
const TOO_LONG = new Set(["sleeper", "fleet", "disk-full", "half-open", "months"]);

/** The scenarios `imports` and `bank` also make the records for the planted bugs. */
const FEW = SCENARIOS.filter(({ name }) => ["kill", "imports", "bank"].includes(name));
const PLAYED = sized(
  FEW,
  SCENARIOS.filter(({ name }) => !TOO_LONG.has(name)),
);

const ROUNDS_MAX = 5;

const random = seeded(SEED);
const journeys: Journey[] = [];
let world: World;

before(async () => {
  world = await startWorld({ random: random.fork(), instances: 2 });
});
after(() => world.close());

const options = { random, clients: 4, faultMs: FAULT_MS, hurry: true, signal: new AbortController().signal };

for (const scenario of PLAYED) {
  test(`${scenario.about}: nothing is stuck, lost or charged twice`, async (t) => {
    const missing = scenario.missing?.(world) ?? null;
    if (missing !== null) return t.skip(missing);
    const tally = newTally();
    // On a slow machine a round of a few seconds may end before its first fault or response.
    for (let rounds = 0; rounds < ROUNDS_MAX && !hasPlayed(scenario.name, tally); rounds += 1)
      await runRound(world, scenario, journeys, tally, options);
    assert.deepEqual(tally.violations, []);
    assert.ok(total(tally.faults) > 0 && total(tally.answers) > 0);
  });
}

function hasPlayed(name: string, { faults, answers }: Tally): boolean {
  const atTheBank = name !== "bank" || (world.bank?.taken.length ?? 0) > 0;
  return total(faults) > 0 && total(answers) > 0 && atTheBank;
}

/** Differences, made by a statement. `$1` is a paid transaction; each statement has one of its own. */
const PLANTED: readonly (readonly [what: string, statement: string, found: RegExp])[] = [
  [
    "another amount at the bank",
    `update sandbox_books b set amount = 19.91 from transactions t
      where t.id = $1 and b.tenant = t.tenant and b.reference = t.merchant_transaction_id`,
    /the bank has charged .* over 19\.91/,
  ],
  [
    "a charge that is written down as declined",
    "update transactions set status = 'declined' where id = $1",
    /the bank has charged .* there is declined/,
  ],
  [
    "a payment that the bank knows nothing of",
    `delete from sandbox_books b using transactions t
      where t.id = $1 and b.tenant = t.tenant and b.reference = t.merchant_transaction_id`,
    /is approved, and the bank has nothing/,
  ],
  [
    "a second charge",
    `with again as (
       insert into transactions
       select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'status', 'declined',
               'merchant_transaction_id', 'TXN-20260101-PLANTED0'))).*
         from transactions t where t.id = $1
     )
     insert into sandbox_books
     select (jsonb_populate_record(b, jsonb_build_object('reference', 'TXN-20260101-PLANTED0'))).*
       from transactions t
       join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
      where t.id = $1`,
    /was charged 2 times/,
  ],
  [
    "an event that was not written",
    `update events e set type = 'payment_session.expired' from transactions t
      where t.id = $1 and e.session_id = t.session_id and e.type = 'payment_session.completed'`,
    /is COMPLETED and has 0 completed events/,
  ],
  [
    "a customer of the other merchant",
    `update leads l set email = case when l.email like 'amber-%' then 'birch-0@example.com' else 'amber-0@example.com' end
       from transactions t where t.id = $1 and l.tenant = t.tenant and l.id = t.lead_id`,
    /lead (amber|birch)-0@example\.com is in tenant/,
  ],
];

test("the checks find every planted bug, and nothing before it was planted", async (t) => {
  assert.deepEqual(await violations(world, journeys), []);
  const [shop] = world.shops;
  assert.ok(shop !== undefined);
  for (const [what, statement, found] of PLANTED) {
    await t.test(what, async () => {
      await world.rows(statement, [await paid(shop)]);
      assert.match((await violations(world, [])).join("\n"), found);
    });
  }
  await t.test("a renewal that the bank has charged without a paid cycle is found", async () => {
    await renewed();
    await world.rows(
      `update billing_cycles c set status = 'failed'
         from (select tenant, subscription_id, cycle from billing_cycles where status = 'paid' limit 1) one
        where (c.tenant, c.subscription_id, c.cycle) = (one.tenant, one.subscription_id, one.cycle)`,
    );
    assert.match((await violations(world, [])).join("\n"), /paid cycles, and the bank has charged/);
  });
  await t.test("a file that the bank got twice is found", async () => {
    const bank = await world.openBank();
    const [file] = bank.taken;
    assert.ok(file !== undefined, "the bank has taken a file");
    bank.taken.push(file);
    assert.match((await violations(world, [])).join("\n"), /the bank was asked 2 times for/);
    bank.taken.pop();
  });
  await t.test("a sent file that the bank never got is found", async () => {
    const bank = await world.openBank();
    const file = bank.taken.pop();
    assert.ok(file !== undefined);
    assert.match((await violations(world, [])).join("\n"), /is sent, and the bank never had it/);
    bank.taken.push(file);
  });
  await t.test("a statement that was read twice is found", async () => {
    await world.rows(
      `insert into sepa_files
       select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'sha256', '\\x' || repeat('00', 32)))).*
         from sepa_files f where f.direction = 'in' limit 1`,
    );
    assert.match((await violations(world, [])).join("\n"), /was read 2 times/);
  });
  await t.test("a missing imported row is found", async () => {
    await world.rows(
      `update transactions set adapter_unique_id = 'lost'
        where adapter_unique_id = (select min(adapter_unique_id) from transactions where source = 'csv_import' and status = 'approved')`,
    );
    assert.match((await violations(world, [])).join("\n"), /\d+ of 600 transactions of .* are there/);
  });
  await t.test("a report that counts a batch twice is found", async () => {
    await world.rows(
      "update imports set lines = lines + 500, created = created + 500 where kind = 'transactions'",
    );
    assert.match(
      (await violations(world, [])).join("\n"),
      /reports of .* say that \d+ of 600 rows were created/,
    );
  });
  await t.test("an event that never arrived is found", async () => {
    world.receiver.received.splice(0, 1);
    assert.match((await violations(world, [])).join("\n"), /never arrived/);
  });
  await t.test("an acknowledged session that does not exist is found", async () => {
    const lost = { ...newJourney(shop), token: "ps_lost" };
    assert.match((await violations(world, [lost])).join("\n"), /the created session is not there/);
  });
});

/** People subscribe, and a month later their renewals are paid, without faults. */
async function renewed(): Promise<void> {
  const months = { world, random, tally: newTally(), signal: options.signal };
  await subscribe(months, []);
  await passMonth(months);
  const until = world.billing.time;
  while ((await unbilled(world, until)).length > 0) await passHours(months, 1);
}

/** Makes a payment besides those of the rounds. @returns its transaction. */
async function paid(shop: Shop): Promise<string> {
  const { email } = newJourney(shop);
  const token = await shop.merchant.session({ lead: lead({ email }) });
  const { body } = await shop.merchant.pay(token, IBAN.approved);
  assert.equal(body["status"], "completed");
  return body["transaction"].id;
}
