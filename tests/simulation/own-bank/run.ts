/**
 * One run with the merchants' own banks: five weeks of payments, files, statements, refunds, changes and faults, drawn
 * from a seed.
 */
import { createHash } from "node:crypto";
import { isTargetDay } from "../../../src/sepa/target.ts";
import { seeded } from "../../../tools/random.ts";
import type { BankFile, Booking } from "./bookings.ts";
import { createClerk, type Clerk } from "./clerk.ts";
import { createCoverage, type Coverage } from "./coverage.ts";
import { checkAllBooks, checkEvening } from "./evening.ts";
import { shuffled } from "./messages.ts";
import { createPeople, type People } from "./people.ts";
import { compareFile, statesOf } from "./reading.ts";
import { openShop, gatewaysOf, type Shop } from "./shop.ts";
import { countChanges, lookAround, type Standings } from "./changes.ts";
import { NO_TROUBLE, planOf, type Plan } from "./trouble.ts";
import { createWorld, type World } from "./world.ts";

export interface BankRun {
  readonly seed: number;
  /** The violated invariants; empty if all held. */
  readonly violations: readonly string[];
  readonly lines: readonly string[];
  /** A digest of the trace: the same for each run of a seed. */
  readonly digest: string;
}

export interface RunOptions {
  readonly coverage?: Coverage;
  /** Fewer days than the seed's, for a short run. */
  readonly days?: number;
}

/** The jobs that move money or change its records. */
const JOBS = /^(sepa-assume|gateway-news|recover-|renew-|follow-|expire-|announce-|withdraw-)/;
/** Refunds may be held where the merchant's settings change. */
const JOBS_AND_HELD = new RegExp(`${JOBS.source}|^end-held-`);
const NEWS = /^(gateway-news|recover-|follow-)/;
const QUIET_DAYS_MAX = 70;

export async function simulateBank(
  seed: number,
  { coverage = createCoverage(), days }: RunOptions = {},
): Promise<BankRun> {
  const random = seeded(seed);
  const plan = planOf(random.fork(), seed);
  const world = await createWorld(random.fork(), plan.start, coverage, plan.skewMs, plan.extra === "pauses");
  try {
    const shops = [
      await openShop(world, random.fork(), plan, "A"),
      await openShop(world, random.fork(), plan, "B"),
    ] as const;
    const run = new Run(
      world,
      plan,
      shops,
      createPeople(world, shops, plan),
      createClerk(world, shops, plan),
    );
    await run.play(days ?? plan.days);
  } catch (error) {
    world.wrong(`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await world.close();
  }
  const digest = createHash("sha256").update(world.lines.join("\n")).digest("hex").slice(0, 16);
  return { seed, violations: [...new Set(world.violations)], lines: world.lines, digest };
}

class Run {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #shops: readonly [Shop, Shop];
  readonly #people: People;
  readonly #clerk: Clerk;
  #standings: Standings = new Map();
  #jumped = false;

  constructor(world: World, plan: Plan, shops: readonly [Shop, Shop], people: People, clerk: Clerk) {
    this.#world = world;
    this.#plan = plan;
    this.#shops = shops;
    this.#people = people;
    this.#clerk = clerk;
  }

  get #over(): boolean {
    return this.#world.violations.length > 0;
  }

  async play(days: number): Promise<void> {
    for (let day = 0; day < days && !this.#over; day += 1) {
      if (this.#plan.jumps && day === Math.floor(days * 0.6)) await this.#jump();
      await this.#day();
    }
    if (!this.#over) await this.#quiet();
  }

  /**
   * People act in the morning, files are written and carried at the cut-off time, the bank's files arrive in the
   * evening.
   */
  async #day(): Promise<void> {
    const { random } = this.#world;
    this.#world.say(`— ${this.#world.today()}`);
    this.#world.trouble = this.#plan.trouble;
    await this.#jobs();
    await this.#acts(random.below(this.#plan.acts));
    this.#moveTo("11:59:59");
    await this.#acts(random.below(2));
    if (random.chance(0.2)) await this.#collect();
    this.#moveTo("12:00:00");
    if (random.chance(0.3)) await this.#acts(1);
    if (isTargetDay(this.#world.today()) || random.chance(0.3)) await this.#collect();
    await this.#look();
    this.#moveTo("12:00:01");
    await this.#carry(false);
    await this.#acts(random.below(this.#plan.acts));
    this.#moveTo("18:00:00");
    await this.#bank(false);
    for (const shop of this.#shops) await this.#clerk.decide(shop, false);
    await this.#settle();
    await this.#evening(false);
    this.#nextMorning();
  }

  /** Lets everything settle. Then the records agree with the bank's books. */
  async #quiet(): Promise<void> {
    this.#world.trouble = NO_TROUBLE;
    await this.#people.cancelAllSubscriptions();
    for (let day = 0, still = 0; day < QUIET_DAYS_MAX && still < 6 && !this.#over; day += 1) {
      if (!isTargetDay(this.#world.today())) {
        this.#nextMorning();
        continue;
      }
      await this.#jobs();
      this.#moveTo("12:00:00");
      await this.#collect();
      await this.#carry(true);
      this.#moveTo("18:00:00");
      const booked = await this.#bank(true);
      for (const shop of this.#shops) await this.#clerk.decide(shop, true);
      const [open] = await this.#world.rows(
        "select count(*)::integer as n from transactions where status in ('pending', 'submitted', 'unresolved')",
      );
      still = booked === 0 && open?.["n"] === 0 ? still + 1 : 0;
      this.#nextMorning();
    }
    if (!this.#over) await this.#evening(true);
  }

  /** The service is off for three years and a month. */
  async #jump(): Promise<void> {
    this.#jumped = true;
    this.#world.coverage.count("three years pass");
    this.#world.trouble = NO_TROUBLE;
    this.#world.clock.advance(1_130 * 86_400_000);
    await this.#jobs();
  }

  async #acts(count: number): Promise<void> {
    for (let acts = 0; acts < count && !this.#over; acts += 1) {
      await this.#people.act();
    }
  }

  get #all(): RegExp {
    return this.#plan.extra === "settings" ? JOBS_AND_HELD : JOBS;
  }

  async #jobs(): Promise<void> {
    await this.#world.jobs(this.#all);
    await this.#look();
  }

  /** The jobs complete what the day's faults have interrupted, as they would within minutes. */
  async #settle(): Promise<void> {
    const { crashes, database } = this.#plan.trouble;
    this.#world.trouble = NO_TROUBLE;
    if (crashes + database > 0) this.#world.clock.advance(20 * 60_000);
    await this.#world.jobs(crashes + database > 0 ? this.#all : NEWS);
    // A pending refund is removed within a minute if its payment was charged back by hand since the day's run.
    await this.#world.jobs(/^sepa-collect$/);
    await this.#world.jobs(NEWS);
  }

  async #collect(): Promise<void> {
    const { crashes, database } = this.#plan.trouble;
    // A killed process restarts within minutes and recovers what it was doing.
    if (crashes + database > 0) {
      const { trouble } = this.#world;
      this.#world.trouble = NO_TROUBLE;
      await this.#world.jobs(/^(recover-|follow-)/);
      this.#world.trouble = trouble;
    }
    await this.#world.jobs(/^sepa-(collect|send)$/);
  }

  async #carry(all: boolean): Promise<void> {
    for (const shop of this.#shops) await this.#clerk.carry(shop, all);
    await this.#world.jobs(/^sepa-send$/);
    for (const shop of this.#shops) await this.#clerk.carry(shop, all);
    await this.#look();
  }

  /** @param all whether all files are delivered at once. @returns the number of bookings and delivered files. */
  async #bank(all: boolean): Promise<number> {
    const { random } = this.#world;
    const day = this.#world.today();
    let moved = 0;
    for (const shop of this.#shops) {
      if (isTargetDay(day)) {
        shop.waiting.push(...shop.bank.reports(day));
        const booked = shop.bank.book(day);
        for (const [account, ofAccount] of booked) {
          moved += ofAccount.length;
          const strange = random.chance(this.#plan.habits.strangers * 0.5)
            ? this.#strangers(shop, account, day)
            : [];
          shop.waiting.push(...shop.messages.ofDay(account, day, [...ofAccount, ...strange]));
        }
      }
      const late = all ? 0 : this.#plan.habits.late * 0.5;
      const ready = shuffled(
        random,
        shop.waiting.filter(({ account }) => gatewaysOf(shop, account).length > 0 && !random.chance(late)),
      );
      shop.waiting = shop.waiting.filter((file) => !ready.includes(file));
      for (const file of ready) await this.#deliver(shop, file);
      moved += ready.length;
    }
    return moved;
  }

  /** Bookings that are not the merchant's, at times with an id of the other merchant. */
  #strangers(shop: Shop, account: string, day: string): readonly Booking[] {
    const { random } = this.#world;
    const [a, b] = this.#shops;
    const theirs = [...(shop === a ? b : a).bank.debits.keys()].filter(
      (reference) => !shop.bank.debits.has(reference),
    );
    const known = [shop.bank.stranger(account, day, "stranger", "INVOICE 4711")];
    if (theirs.length === 0 || random.chance(0.5)) return known;
    return [...known, shop.bank.stranger(account, day, "lookalike", random.pick(theirs))];
  }

  async #deliver(shop: Shop, file: BankFile): Promise<void> {
    const world = this.#world;
    const before = await statesOf(world, shop);
    const delivered = await this.#clerk.deliver(shop, file.account, file.xml);
    if (delivered === null) return;
    world.coverage.count(`file ${file.kind} ${delivered.known ? "known" : "read"}`);
    if (delivered.known) return;
    shop.read.set(delivered.id, file);
    if (file.number !== null) {
      const numbers = shop.statements.get(file.account) ?? new Set();
      shop.statements.set(file.account, numbers.add(file.number));
    }
    await compareFile(world, shop, file, delivered.id, before);
    const now = world.clock.now().getTime();
    for (const { booking } of file.lines) {
      if (booking?.kind === "return" && booking.naming !== "mandate" && booking.naming !== "nothing")
        shop.bank.toldBack(booking, now);
      if (booking?.kind === "recredit" || booking?.kind === "credit_ahead") shop.bank.toldBack(booking, null);
    }
    await this.#look();
  }

  async #look(): Promise<void> {
    const now = await lookAround(this.#world);
    countChanges(this.#world, this.#standings, now);
    this.#standings = now;
  }

  async #evening(ended: boolean): Promise<void> {
    for (const shop of this.#shops) await checkEvening(this.#world, shop, this.#plan, this.#jumped, ended);
    await checkAllBooks(this.#world);
  }

  /** @param time the time of day in Berlin, the bank's time zone. The clock never goes back. */
  #moveTo(time: string): void {
    const now = this.#world.clock.now().getTime();
    const there = Temporal.Instant.fromEpochMilliseconds(now)
      .toZonedDateTimeISO("Europe/Berlin")
      .withPlainTime(time).epochMilliseconds;
    if (there > now) this.#world.clock.advance(there - now);
  }

  #nextMorning(): void {
    const now = this.#world.clock.now().getTime();
    const next = Temporal.Instant.fromEpochMilliseconds(now)
      .toZonedDateTimeISO("Europe/Berlin")
      .add({ days: 1 })
      .withPlainTime("08:00:00").epochMilliseconds;
    this.#world.clock.advance(next - now);
  }
}
