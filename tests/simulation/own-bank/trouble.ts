/** The faults of a seed and their frequency. Most seeds have some, none has all. */
import type { Random } from "../../../tools/random.ts";

export interface Trouble {
  /** At a step of `Deps.reached`: the process is killed. */
  readonly crashes: number;
  /** At a commit: the connection is cut before or after it. */
  readonly database: number;
}

export const NO_TROUBLE: Trouble = { crashes: 0, database: 0 };

/** The frequency of events, from 0 (never in this seed) to 1. */
export interface Habits {
  readonly rejects: number;
  readonly returns: number;
  /** Returns that are reinstated, repeated or partial. */
  readonly odd: number;
  /** Debits that the bank never reports, and payments of rejected debits. */
  readonly contradicts: number;
  readonly fees: number;
  /** Returns with few of our ids. */
  readonly vague: number;
  readonly strangers: number;
  /** Status reports without news. */
  readonly noise: number;
  readonly sums: number;
  /** Sums less a fee, or in two parts. */
  readonly splits: number;
  readonly resent: number;
  readonly late: number;
  readonly pages: number;
  readonly refunds: number;
  readonly byHand: number;
  readonly changes: number;
  readonly mandates: number;
  readonly clumsy: number;
  readonly atOnce: number;
  /** Files that are carried late, forgotten, or of which it is uncertain whether they were carried. */
  readonly carelessCarrying: number;
}

const RATES = [0, 0, 0.3, 0.7, 1] as const;

export interface Plan {
  readonly start: Date;
  readonly days: number;
  readonly habits: Habits;
  readonly trouble: Trouble;
  readonly firstSequenceType: "RCUR" | "FRST";
  readonly noticeDays: number;
  readonly leadDays: number;
  readonly batchBooking: boolean;
  /** After so many TARGET days silence counts as settlement; null: never. */
  readonly assumeAfter: number | null;
  readonly transport: "manual" | "directory";
  readonly completedAt: "acceptance" | "settlement";
  /** Whether the account also has a B2B gateway. */
  readonly secondGateway: boolean;
  /** Whether the first merchant also has an account at another bank. */
  readonly secondBank: boolean;
  /** Whether three years pass in the middle of the run. */
  readonly jumps: boolean;
  readonly acts: number;
  /** Whether some customers have accounts outside the EEA, for which a file has to contain the holder's address. */
  readonly abroad: boolean;
  /** The older version has no addresses. */
  readonly messageVersion: "pain.008.001.08" | "pain.008.001.02";
  /** Whether changing an account's creditor also changes the scheme of its new mandates. */
  readonly changesScheme: boolean;
  /** The number of approvals that a file needs. */
  readonly approvals: 0 | 1;
  readonly trait: Trait;
  /** The difference between the second instance's clock and the database's, in ms; null: there is one instance. */
  readonly skewMs: number | null;
  /** Whether subscriptions may begin with a trial, and mandates are imported. */
  readonly trials: boolean;
  readonly extra: Extra;
}

const TRAITS = ["collects", "forgets", "silence"] as const;
const WEEKLY_TRAITS = ["weeks", "notices", "amends", "contradicts"] as const;
const ALL_TRAITS = [...TRAITS, ...WEEKLY_TRAITS, "reverses"] as const;
/** One seed in this many has a trait. */
const TRAIT_EVERY = 4;
/**
 * Earlier seeds play as they did when planted bugs were found with them. From here on every second seed has a trait, in
 * turn.
 */
const ALL_TRAITS_FROM = 1_000;
/** From here on every second seed needs an approval of its files. */
const APPROVALS_FROM = 2_000;
/** From here on every second seed has refunds by reversal and no other trait. */
const REVERSALS_FROM = 3_000;
/** From here on there are two instances, trials and imported mandates. */
const INSTANCES_FROM = 30_000;
/** From here on every seed has an extra in addition to its trait. */
export const EXTRAS_FROM = 40_000;
/** From here on second movements of a day may be on another page of the same statement. */
const PAGES_FROM = 41_000;
const EXTRAS = ["seconds", "files", "settings", "pauses"] as const;
/** From here on every seventh seed has the extra `meanwhile` instead. */
const MEANWHILE_FROM = 42_000;
/** From here on two more of seven seeds have the extras `transports` and `banks`. */
const TRANSPORTS_FROM = 43_000;
const SKEWS_MS = [-60_000, -20_000, 20_000, 60_000] as const;
/**
 * A trait that only some seeds have.
 * `collects`: subscriptions without a schedule, which people collect at any time, also twice a day.
 * `forgets`: downloaded files are left lying for days.
 * `silence`: the bank never books or reports some collections.
 * The next four have mostly weekly subscriptions.
 * `weeks`: a notice period of two weeks, and nothing delays a debit.
 * `notices`: the account's notice period changes repeatedly.
 * `amends`: mandates change between their debits, and the bank names only the mandate.
 * `contradicts`: the bank pays rejected debits late and returns them; it credits twice and returns one of the credits;
 * and it reports all this in many files, some of them late.
 * `reverses`: people refund debits by reversal while they can.
 */
export type Trait = (typeof TRAITS)[number] | (typeof WEEKLY_TRAITS)[number] | "reverses" | "none";
/**
 * What seeds from 40,000 on have in addition to their trait.
 * `seconds`: the bank books two movements of the same kind on one day.
 * `files`: people import chargebacks before and after the bank reports the return, and charge back by hand.
 * `settings`: settings of the account and the merchant change all the time.
 * `pauses`: an instance is paused for longer than its leases last, another takes over its work, and then the first one
 * continues.
 * `meanwhile` (from 42,000 on): account, creditor and mandates change while debits wait; people refund payments that
 * the bank returns on the same evening, and payments that were moved to another account before the debit; they collect
 * again before the first debit is booked.
 * `transports` (from 43,000 on): files are delivered by hand, then through a folder, and so on.
 * `banks` (from 43,000 on): a merchant has accounts at two banks that give the same ids, and uploads files to the wrong
 * account.
 */
export type Extra = (typeof EXTRAS)[number] | "meanwhile" | "transports" | "banks" | "none";
/** In TARGET days. */
const SILENCE_DAYS = 3;

type Given = Partial<Omit<Plan, "habits">> & { readonly habits?: Partial<Habits> };
const WEEKS: Given = { noticeDays: 0, jumps: false, days: 35 };
/** The settings that a trait needs to show. */
const GIVEN: Partial<Record<Trait, Given>> = {
  forgets: { assumeAfter: SILENCE_DAYS },
  silence: { assumeAfter: SILENCE_DAYS },
  weeks: {
    ...WEEKS,
    noticeDays: 14,
    days: 49,
    acts: 2,
    transport: "manual",
    trouble: NO_TROUBLE,
    habits: { changes: 0, carelessCarrying: 0, refunds: 0 },
  },
  notices: { ...WEEKS, noticeDays: 10, acts: 3, habits: { changes: 1, carelessCarrying: 0 } },
  amends: {
    ...WEEKS,
    noticeDays: 5,
    acts: 4,
    habits: { mandates: 1, vague: 1, returns: 0.7, rejects: 1, refunds: 0 },
  },
  contradicts: {
    ...WEEKS,
    acts: 4,
    habits: { contradicts: 1, rejects: 1, odd: 0.7, refunds: 0, late: 0.7, resent: 1 },
  },
  reverses: {
    messageVersion: "pain.008.001.08",
    jumps: false,
    acts: 4,
    habits: { refunds: 1, returns: 0.7 },
  },
};

/** The settings that an extra needs to show. */
const GIVEN_EXTRAS: Partial<Record<Extra, Given>> = {
  seconds: { habits: { odd: 1, returns: 0.7, resent: 0.7, fees: 1, pages: 0, refunds: 1 } },
  files: { acts: 4, habits: { returns: 1, byHand: 1, atOnce: 0.7 } },
  settings: { acts: 4, abroad: true, habits: { changes: 1, mandates: 0.7 } },
  pauses: { acts: 3, transport: "directory" },
  meanwhile: {
    days: 35,
    acts: 5,
    noticeDays: 0,
    jumps: false,
    assumeAfter: null,
    firstSequenceType: "FRST",
    trouble: NO_TROUBLE,
    habits: { returns: 1, odd: 1, refunds: 1, changes: 1, mandates: 0.7, carelessCarrying: 0, late: 0.3 },
  },
  transports: { acts: 3, transport: "directory" },
  banks: { acts: 4, secondGateway: false, secondBank: true },
};

const STARTS = ["2026-11-23", "2026-12-14", "2027-03-08", "2027-04-12"] as const;

export function planOf(random: Random, seed: number): Plan {
  const rate = () => random.pick(RATES);
  const habits: Habits = {
    rejects: rate(),
    returns: rate(),
    odd: rate(),
    contradicts: rate(),
    fees: rate(),
    vague: rate(),
    strangers: rate(),
    noise: rate(),
    sums: rate(),
    splits: rate(),
    resent: rate(),
    late: rate(),
    pages: rate(),
    refunds: random.pick([0, 0.5, 1]),
    byHand: rate(),
    changes: rate(),
    mandates: rate(),
    clumsy: rate(),
    atOnce: rate(),
    carelessCarrying: rate(),
  };
  const plan: Omit<Plan, "secondBank" | "trait" | "approvals" | "skewMs" | "trials" | "extra"> = {
    start: new Date(`${random.pick(STARTS)}T07:00:00Z`),
    days: random.pick([21, 28]),
    habits,
    trouble: { crashes: random.pick([0, 0, 0.02, 0.08]), database: random.pick([0, 0, 0, 0.004, 0.02]) },
    firstSequenceType: random.pick(["RCUR", "FRST"]),
    noticeDays: random.pick([0, 0, 0, 2, 5, 10]),
    leadDays: random.pick([1, 1, 1, 2]),
    batchBooking: random.chance(0.35),
    assumeAfter: random.chance(0.2) ? 3 : null,
    transport: random.chance(0.35) ? "directory" : "manual",
    completedAt: random.chance(0.3) ? "acceptance" : "settlement",
    secondGateway: random.chance(0.35),
    jumps: random.chance(0.12),
    acts: random.pick([2, 3, 4]),
    abroad: random.chance(0.35),
    messageVersion: random.chance(0.3) ? "pain.008.001.02" : "pain.008.001.08",
    changesScheme: random.chance(0.4),
  };
  const trait = traitOf(seed);
  const extra = extraOf(seed);
  const given = GIVEN[trait];
  const more = GIVEN_EXTRAS[extra];
  const approvals = seed >= APPROVALS_FROM && seed % (extra === "none" ? 2 : 3) === 1 ? 1 : 0;
  const trials = seed >= INSTANCES_FROM;
  const skewMs = trials ? random.pick(SKEWS_MS) : null;
  const pages = extra === "seconds" && seed >= PAGES_FROM ? { pages: 1 } : {};
  const ofAll = { ...habits, ...given?.habits, ...more?.habits, ...pages };
  // With a silent bank nothing would settle unless silence counts as settlement.
  const silence = given?.assumeAfter === undefined ? {} : { assumeAfter: given.assumeAfter };
  return {
    secondBank: false,
    ...plan,
    ...given,
    ...more,
    ...silence,
    habits: ofAll,
    trait,
    approvals,
    skewMs,
    trials,
    extra,
  };
}

function extraOf(seed: number): Extra {
  const extra = (seed >= EXTRAS_FROM && nth(EXTRAS, seed)) || "none";
  if (seed >= MEANWHILE_FROM && seed % 7 === 4) return "meanwhile";
  if (seed < TRANSPORTS_FROM) return extra;
  return seed % 7 === 5 ? "transports" : seed % 7 === 6 ? "banks" : extra;
}

function traitOf(seed: number): Trait {
  // Four of eight seeds have a trait, so that each trait meets each extra.
  if (seed >= EXTRAS_FROM) return (seed % 8 >= 4 && nth(ALL_TRAITS, Math.floor(seed / 8))) || "none";
  if (seed >= REVERSALS_FROM && seed % 2 === 0) return "reverses";
  if (seed < ALL_TRAITS_FROM) return (seed % TRAIT_EVERY === 0 && nth(TRAITS, seed / TRAIT_EVERY)) || "none";
  return (seed % 2 === 0 && nth([...TRAITS, ...WEEKLY_TRAITS], seed / 2)) || "none";
}

function nth<Item>(items: readonly Item[], n: number): Item | undefined {
  return items[n % items.length];
}

/** Whether most subscriptions are weekly. */
export function isWeekly(trait: Trait): boolean {
  return WEEKLY_TRAITS.some((one) => one === trait);
}
