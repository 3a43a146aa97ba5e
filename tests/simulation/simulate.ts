/** One run of the simulation: first with faults, then until everything has settled. Returns the violated invariants. */
import { createCast, LATER_WEIGHTS, NEWEST_WEIGHTS, WEIGHTS, type Cast } from "./actors.ts";
import { STRANGER } from "./bank.ts";
import { violationsOf } from "./invariants.ts";
import { createPromises } from "./promises.ts";
import { MOVES, type Move } from "./moves.ts";
import { createStage, type Stage } from "./stage.ts";
import { NO_TROUBLE, swarmOf, type Swarm } from "./swarm.ts";
import type { Instance, World } from "./world.ts";

export interface Run {
  readonly seed: number;
  /** The violations; empty if all held. */
  readonly violations: readonly string[];
  readonly operations: number;
  /** The number of calls that went through the gate. */
  readonly calls: number;
  /** The trace of the run. */
  readonly lines: readonly string[];
  /** The changes of status, with their writers. */
  readonly moves: readonly Move[];
}

/** The chance, at each turn, that a paused instance continues. */
const GOES_ON = 0.1;
/** More rounds than any run needs to settle. */
const HEALING_ROUNDS_MAX = 60;
/** More calls than any seed makes: some 1,800 on average. */
const CALLS_MAX = 25_000;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Plays a seed. @param echo prints each line of the trace as it is written. */
export async function simulate(world: World, seed: number, echo = false): Promise<Run> {
  await world.begin(seed, echo);
  const promises = createPromises();
  const swarm = swarmOf(world.random(), [WEIGHTS, LATER_WEIGHTS, NEWEST_WEIGHTS], seed);
  await world.choose(swarm);
  const stage = createStage(world, promises, swarm);
  const cast = createCast(stage);
  let checked = -1;
  const broken = async (quiet: boolean): Promise<boolean> => {
    const changes = world.changes();
    if (quiet || changes > checked)
      world.violations.push(...(await violationsOf(world, promises, stage.shops, quiet)));
    checked = changes;
    return world.violations.length > 0;
  };
  const ended = async (): Promise<Run> => ({
    seed,
    operations: swarm.operations,
    violations: [...new Set(world.violations)],
    calls: world.calls(),
    lines: [...world.lines],
    moves: (await world.rows(MOVES)) as unknown as readonly Move[],
  });
  try {
    for (let count = 0; count < swarm.before; count += 1) await cast.act("purchase");
    if (await inTrouble(world, stage, cast, swarm, () => broken(false))) {
      const found = await ended();
      // Ends what is running, because a worker that waits for its turn would keep the service from closing.
      world.trouble = NO_TROUBLE;
      await finishAll(world);
      return found;
    }
    await heal(world, stage);
    await broken(true);
    await finishAll(world);
  } catch (error) {
    world.violations.push(`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  return await ended();
}

/** Starts operations while others are running. True when an invariant was violated. */
async function inTrouble(
  world: World,
  stage: Stage,
  cast: Cast,
  { trouble, weights, operations, inFlight, eagerness }: Swarm,
  broken: () => Promise<boolean>,
): Promise<boolean> {
  const random = world.random();
  world.trouble = trouble;
  for (let started = 0; started < operations;) {
    const { gate } = world;
    assertEnds(world);
    const before = gate.actors();
    if (random.chance(GOES_ON)) gate.goOn();
    const mayStart = gate.actors() < inFlight;
    if (gate.waitingCount() === 0 || (mayStart && random.chance(eagerness))) {
      const next = random.chance(0.7) ? stage.soon.shift() : undefined;
      if (next !== undefined) {
        await next();
        continue;
      }
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

/** Lets several statements begin before any of them can write, so that the database decides between them. */
async function together(world: World): Promise<void> {
  const release = await world.hold();
  world.trace("— rows are held");
  for (let count = 2 + world.random().below(3); count > 0 && world.gate.waitingCount() > 0; count -= 1)
    await world.gate.step(true);
  world.trace("— rows are released");
  await release();
  await world.gate.settle();
}

async function finishAll(world: World): Promise<void> {
  while (await world.gate.step()) assertEnds(world);
}

/**
 * Kills the instances if they go on without end, as workers can that undo each other's work.
 * @throws Error LIVE-1.
 */
function assertEnds(world: World): void {
  if (world.calls() <= CALLS_MAX) return;
  for (const { process } of world.instances) world.gate.kill(process);
  throw new Error("LIVE-1: the service makes calls without end; see the last ones in the trace");
}

/** Ends the faults, completes everything at the bank, and lets time pass and the jobs run until nothing is due. */
async function heal(world: World, stage: Stage): Promise<void> {
  world.trace("— healing");
  world.trouble = NO_TROUBLE;
  world.gate.goOn();
  world.receivers.away(false);
  while (world.bank.arriveLate());
  world.bank.reportPaperChargebacks();
  world.bank.repeatReinstatements();
  for (let round = 0; round < HEALING_ROUNDS_MAX; round += 1) {
    // Of several weekly subscriptions without money, one would always be waiting for a retry.
    if (round === HEALING_ROUNDS_MAX / 2) world.bank.chargeRenewals();
    while (world.bank.work());
    await stage.work(world.instances[round % world.instances.length] as Instance, null);
    await finishAll(world);
    const [owed] = await world.rows(OWED, [new Date(world.nowMs())]);
    const open: number = owed?.["open"] + world.bank.unacknowledged();
    if (open === 0) return;
    const next: Date | null = owed?.["next"];
    const waitMs = next === null ? 0 : next.getTime() - world.nowMs();
    // Everything that was due has run. The rest waits for a banking day or for another pass.
    world.advance(waitMs > 0 ? waitMs + 2 * SECOND_MS : round % 3 === 2 ? DAY_MS : 2 * SECOND_MS);
  }
}

/** How many records are open, and when the next of them is due. */
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
    select due_at from gateway_news_set_aside where reference <> '${STRANGER}'
     union all
    select null from events where fanned_out_at is null
     union all
    select greatest(d.due_at, r.next_at, d.locked_until, r.paused_until)
      from webhook_deliveries d left join webhook_receivers r on r.tenant = d.tenant and r.profile_id = d.profile_id
     where d.status in ('pending', 'failing')
  )
  select count(*)::integer as open, min(at) filter (where at > $1) as next from due`;
