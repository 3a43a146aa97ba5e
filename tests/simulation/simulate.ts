/** One run of the simulation: trouble first, then healing, and what breaks an invariant on the way. */
import { createCast, type Cast } from "./actors.ts";
import { STRANGER } from "./bank.ts";
import { violationsOf } from "./invariants.ts";
import { createPromises } from "./promises.ts";
import { NO_TROUBLE, type Instance, type World } from "./world.ts";

export interface Run {
  readonly seed: number;
  /** What broke, in words; empty when all held. */
  readonly violations: readonly string[];
  readonly operations: number;
  /** How many calls went through the gate. */
  readonly calls: number;
  /** All that happened, in order. */
  readonly lines: readonly string[];
}

const OPERATIONS_MIN = 30;
const OPERATIONS_SPREAD = 31;
const IN_FLIGHT_MAX = 6;
/** More rounds of healing than any backlog of a run needs. */
const HEALING_ROUNDS_MAX = 60;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Plays a seed. @param echo prints each line as it happens. */
export async function simulate(world: World, seed: number, echo = false): Promise<Run> {
  await world.begin(seed, echo);
  const promises = createPromises();
  const cast = createCast(world, promises);
  const operations = OPERATIONS_MIN + world.random().below(OPERATIONS_SPREAD);
  const broken = async (quiet: boolean): Promise<boolean> => {
    world.violations.push(...(await violationsOf(world, promises, quiet)));
    return world.violations.length > 0;
  };
  const ended = (): Run => ({
    seed,
    operations,
    violations: [...new Set(world.violations)],
    calls: world.calls(),
    lines: [...world.lines],
  });
  try {
    if (await inTrouble(world, cast, operations, () => broken(false))) {
      const found = ended();
      // What is under way comes to its end: a worker that waits for its turn would keep the service from closing.
      world.trouble = NO_TROUBLE;
      await finishAll(world);
      return found;
    }
    await heal(world, cast);
    await broken(true);
    await finishAll(world);
  } catch (error) {
    world.violations.push(`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  return ended();
}

/** Starts operations while others are under way. True when something broke. */
async function inTrouble(
  world: World,
  cast: Cast,
  operations: number,
  broken: () => Promise<boolean>,
): Promise<boolean> {
  const random = world.random();
  world.trouble = {
    database: random.pick([0, 0.01, 0.04]),
    kills: random.pick([0, 0.004, 0.015]),
    killsAtSteps: random.pick([0, 0.02, 0.08]),
    bank: random.pick([0, 0.3, 0.5]),
    receivers: random.chance(0.5),
    lostAnswers: random.pick([0, 0.1]),
  };
  const weights = Object.fromEntries(
    Object.entries(cast.weights).map(([name, weight]) => [name, random.chance(0.12) ? 0 : weight]),
  );
  const [inFlightMax, eagerness] = [1 + random.below(IN_FLIGHT_MAX), random.pick([0.1, 0.3, 0.6])];
  for (let started = 0; started < operations;) {
    const { gate } = world;
    const before = gate.actors();
    const mayStart = gate.actors() < inFlightMax;
    if (gate.waitingCount() === 0 || (mayStart && random.chance(eagerness))) {
      started += 1;
      const act = random.weighted(weights);
      world.trace(`— ${act}`);
      await cast.act(act);
    } else if (gate.waitingCount() > 1 && random.chance(0.04)) {
      await together(world);
    } else {
      await gate.step();
    }
    if (gate.actors() < before && (await broken())) return true;
  }
  await finishAll(world);
  return broken();
}

/** Several statements begin before any of them can write: the database decides between them. */
async function together(world: World): Promise<void> {
  const release = await world.hold();
  world.trace("— rows are held");
  for (let count = 2 + world.random().below(3); count > 0 && world.gate.waitingCount() > 0; count -= 1)
    await world.gate.step(true);
  world.trace("— rows are released");
  await release();
  await world.gate.settle();
}

async function finishAll({ gate }: World): Promise<void> {
  while (await gate.step());
}

/** All trouble is over: the bank comes to an end with everything, time goes on, the jobs run until nothing is owed. */
async function heal(world: World, cast: Cast): Promise<void> {
  world.trace("— healing");
  world.trouble = NO_TROUBLE;
  while (world.bank.arriveLate());
  world.bank.tellOfChargebacks();
  for (let round = 0; round < HEALING_ROUNDS_MAX; round += 1) {
    while (world.bank.work());
    await cast.work(world.instances[round % world.instances.length] as Instance, null);
    await finishAll(world);
    const [owed] = await world.rows(OWED, [new Date(world.nowMs())]);
    const open: number = owed?.["open"] + world.bank.untold();
    if (open === 0) return;
    const next: Date | null = owed?.["next"];
    const waitMs = next === null ? 0 : next.getTime() - world.nowMs();
    // Whatever was due was due now: what is left waits for a day on which banks settle, or for another pass.
    world.advance(waitMs > 0 ? waitMs + 2 * SECOND_MS : round % 3 === 2 ? DAY_MS : 2 * SECOND_MS);
  }
}

/** How much is open, and when the next of it is due. */
const OWED = `
  with due as (
    select greatest(resolve_at, locked_until) as at from transactions where resolve_at is not null
     union all
    select null from transactions where status = 'pending'
     union all
    select next_attempt_at from billing_cycles where status in ('collecting', 'pending', 'retry')
     union all
    select next_billing_date::timestamptz from subscriptions where status <> 'CANCELLED' and next_billing_date <= $1::date
     union all
    select null from subscriptions u where status <> 'CANCELLED' and exists (
      select from transactions t where t.subscription_id = u.id and t.status = 'charged_back')
     union all
    select due_at from gateway_news_set_aside where reference <> '${STRANGER}'
     union all
    select null from events where fanned_out_at is null
     union all
    select greatest(d.due_at, r.next_at, r.locked_until, r.paused_until)
      from webhook_deliveries d left join webhook_receivers r on r.tenant = d.tenant and r.profile_id = d.profile_id
     where d.status in ('pending', 'failing')
  )
  select count(*)::integer as open, min(at) filter (where at > $1) as next from due`;
