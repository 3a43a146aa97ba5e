/**
 * `npm run simulate:billing [-- SUBSCRIPTIONS MONTHS SEED]`: real processes on one database bill subscriptions
 * through months of moved time while they are killed and paused as the seed says; afterwards every cycle was charged
 * exactly once at the bank. It also fails if no renewal was affected, because the run was too small.
 */
import { checkBooks } from "../src/books/check.ts";
import { openDatabase } from "../src/db/postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { createMerchant, IBAN } from "../tests/support/merchant.ts";
import { machine, type Machine, type ServiceProcess } from "../tests/support/process.ts";
import type { CallOptions, Service } from "../tests/support/service.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryServer } from "../scripts/temporary-server.ts";
import { adHoc } from "./ad-hoc.ts";
import { seeded } from "./random.ts";

const [SUBSCRIPTIONS = 500, MONTHS = 36, SEED = 1] = process.argv.slice(2).map(Number);
const INSTANCES = 4;
const START = "2027-01-31";

const server = await temporaryServer();
await migrate(server.url);
const db = openDatabase(server.url, { connections: 4, onIdleError: () => {} });
const secrets = {
  MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
  LOG_LEVEL: "error",
  DATABASE_CONNECTIONS: "10",
};
const hosts: Machine[] = await Promise.all(Array.from({ length: INSTANCES }, () => machine(server.url)));
const running: ServiceProcess[] = await Promise.all(hosts.map((host) => host.start(secrets)));
const random = seeded(SEED);
let kills = 0;
let pauses = 0;

const first = running[0] as ServiceProcess;
const merchant = await createMerchant({
  call: first.call,
  get: (path: string, options?: CallOptions) => first.call("GET", path, undefined, options),
  post: (path: string, body?: unknown, options?: CallOptions) => first.call("POST", path, body, options),
} as Service);
await move(0, `${START}T00:00:00Z`);
const began = performance.now();
for (let made = 0; made < SUBSCRIPTIONS; made += 20) {
  await Promise.all(
    Array.from({ length: Math.min(20, SUBSCRIPTIONS - made) }, async () => {
      const token = await merchant.session({
        billing_type: "RECURRING",
        billing_frequency: "MONTHLY",
        amount: "9.90",
      });
      await merchant.pay(token, IBAN.approved);
    }),
  );
}
console.log(`${SUBSCRIPTIONS} subscriptions after ${seconds()} s, seed ${SEED}`);
for (let month = 1; month <= MONTHS; month += 1) {
  // The fifth of the next month, so that a TARGET day follows every due date.
  const at = Date.UTC(2027, month + 1, 5, 12);
  const troubled = random.below(INSTANCES);
  const moves = running.map((_, index) =>
    move(index, new Date(at + index * 1_000).toISOString()).catch(() => {}),
  );
  await sleep(random.between(50, 450));
  await trouble(troubled);
  await Promise.all(moves);
  await settleAll(at);
  if (month % 6 === 0) console.log(`month ${month}: ${await paid()} renewals paid, ${seconds()} s`);
}
const wrong = await violations();
const { differences } = await checkBooks(db);
console.log(
  `${await paid()} renewals in ${seconds()} s; ${kills} kills, ${pauses} pauses of ${INSTANCES} instances`,
);
console.log(
  wrong.length + differences.length === 0
    ? "Every cycle once; the books agree."
    : [...wrong, ...differences].join("\n"),
);
const reached = await reachedBy();
for (const [what, count] of reached) console.log(`${String(count).padStart(8)}  ${what}`);
const never = reached.filter(([, count]) => count === 0).map(([what]) => what);
for (const what of never) console.log(`not reached: ${what}`);
process.exitCode = wrong.length + differences.length + never.length === 0 ? 0 : 1;
await Promise.all(running.map((service) => service.stop()));
await Promise.all(hosts.map((host) => host.remove()));
await db.close();
await server.stop();

/** Kills and restarts an instance, or pauses it with its work in progress. */
async function trouble(index: number): Promise<void> {
  const service = running[index] as ServiceProcess;
  if (random.chance(0.5)) {
    kills += 1;
    service.child.kill("SIGKILL");
    await service.ended;
    running[index] = await (hosts[index] as Machine).start(secrets);
  } else {
    pauses += 1;
    service.child.kill("SIGSTOP");
    await sleep(random.between(300, 1_000));
    service.child.kill("SIGCONT");
  }
}

/** Moves the clock by hours until nothing is due or open, so that work of a dead process is resolved and retried. */
async function settleAll(from: number): Promise<void> {
  for (let hour = 1; hour <= 48; hour += 1) {
    const [row] = await db.query<{ open: number }>(
      ...adHoc(
        `select (select count(*) from billing_cycles where status in ('collecting', 'pending', 'retry'))::integer
                 + (select count(*) from subscriptions where status <> 'CANCELLED' and next_billing_date <= $1::date)::integer as open`,
        [new Date(from).toISOString().slice(0, 10)],
      ),
    );
    if (row?.open === 0) return;
    await Promise.all(
      running.map((_, index) =>
        move(index, new Date(from + hour * 3_600_000 + index).toISOString()).catch(() => {}),
      ),
    );
  }
}

async function move(index: number, date: string): Promise<void> {
  const service = running[index] as ServiceProcess;
  const { status, text } = await service.call("POST", "management/clock/", { date }, { key: merchant.key });
  if (status !== 200 && status !== 400) throw new Error(text);
}

async function paid(): Promise<number> {
  const rows = await db.query<{ count: number }>(
    ...adHoc("select count(*)::integer as count from billing_cycles where status = 'paid'"),
  );
  return rows[0]?.count ?? 0;
}

/** How often each situation was reached; 0 means that it was not tested. */
async function reachedBy(): Promise<readonly (readonly [what: string, count: number])[]> {
  const rows = await db.query<{ what: string; count: number }>(
    ...adHoc(
      `-- A claim and its answer each count up: one that was not taken over ends with 2.
       with taken as (
         select b.charged_at from transactions t
           left join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
          where t.type = 'sdd_rebill' and t.lease_no > 2
       )
       select what, count::integer from (values
         ('renewals taken over from an instance that was dead or stood still', (select count(*) from taken)),
         ('of them charged by then', (select count(*) from taken where charged_at is not null))
       ) as reached (what, count)`,
    ),
  );
  return [["kills", kills], ["pauses", pauses], ...rows.map(({ what, count }) => [what, count] as const)];
}

/** Each subscription has had each of its cycles, and the bank has charged each once. */
async function violations(): Promise<readonly string[]> {
  const rows = await db.query<{ words: string }>(
    ...adHoc(
      `
        select format('subscription %s has %s paid cycles of %s', u.id, count(c.*), $1::integer) as words
          from subscriptions u
          left join billing_cycles c on c.tenant = u.tenant and c.subscription_id = u.id and c.status = 'paid'
         group by u.id having count(c.*) <> $1
         union all
        select format('cycle %s of %s was charged %s times', c.cycle, c.subscription_id, count(b.*))
          from billing_cycles c
          join transactions t  on t.tenant = c.tenant and t.subscription_id = c.subscription_id and t.type = 'sdd_rebill'
          join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id and b.charged_at is not null
         where t.id = c.transaction_id
         group by c.cycle, c.subscription_id having count(b.*) <> 1
         union all
        select format('%s charges for %s paid cycles', charged, paid)
          from (select (select count(*) from sandbox_books b join transactions t
                          on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
                         where t.type = 'sdd_rebill' and b.charged_at is not null) as charged,
                       (select count(*) from billing_cycles where status = 'paid') as paid) sums
         where charged <> paid
         limit 20`,
      [MONTHS],
    ),
  );
  return rows.map(({ words }) => words);
}

function seconds(): string {
  return ((performance.now() - began) / 1_000).toFixed(0);
}
