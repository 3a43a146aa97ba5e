/** The operations and faults of a seed, and how common each is. Rare paths are common in some seeds. */
import type { BankHabits } from "./bank.ts";
import type { Random } from "../../tools/random.ts";
import { LATER_THEMES, NEWEST_THEMES, THEMES, type Theme } from "./themes.ts";

/** How much goes wrong in a run. */
export interface Trouble {
  /** Of the calls to the database. */
  readonly database: number;
  /** Of the writes that fail: those that the database carries out later all the same. */
  readonly late: number;
  readonly kills: number;
  readonly killsAtSteps: number;
  readonly bank: number;
  /** Of the news that was acknowledged: what is told again when anybody asks. */
  readonly repeats: number;
  readonly receivers: boolean;
  /** Answers that never reach the caller. */
  readonly lostAnswers: number;
  /** How likely a call waits for others to travel with. */
  readonly crowding: number;
}

export const NO_TROUBLE: Trouble = {
  database: 0,
  late: 0,
  kills: 0,
  killsAtSteps: 0,
  bank: 0,
  repeats: 0,
  receivers: false,
  lostAnswers: 0,
  crowding: 0,
};

export interface Swarm {
  readonly trouble: Trouble;
  /** Operations by name, with how often. */
  readonly weights: Readonly<Record<string, number>>;
  readonly bank: BankHabits;
  readonly operations: number;
  /** How many may be under way at once. */
  readonly inFlight: number;
  /** How readily another one begins. */
  readonly eagerness: number;
  /** How many merchants are at work. */
  readonly shops: number;
  /** Purchases of each of them before the trouble begins. */
  readonly before: number;
  /** What each merchant has chosen at first for subscriptions whose payment is charged back. */
  readonly afterChargeback: "cancel" | "past_due" | "keep";
  readonly afterRefund: "cancel" | "keep";
  /** Whether renewals wait for their notice. */
  readonly noticeCheck: "report" | "refuse";
  /** For how many days after a payment its refunds are held at first. */
  readonly refundHoldDays: number;
  /** How far the second instance's clock is from the database's, in ms; null: anything up to a minute. */
  readonly skewMs: number | null;
  /** Whether calls without a key are sent again when nobody heard of them. */
  readonly repeats: boolean;
}

const OPERATIONS_MIN = 30;
const OPERATIONS_SPREAD = 31;
const IN_FLIGHT_MAX = 6;
/** Nothing happens without them. */
const ALWAYS: ReadonlySet<string> = new Set(["create", "pay", "work"]);

/** Of so many seeds one has a theme. */
const THEME_EVERY = 3;
/** From here on seeds have operations and themes that those before do not: they play as they did. */
export const LATER_FROM = 10_000;
/** And from here on those have more again. */
export const NEWEST_FROM = 30_000;
const RARE = 0.1;
const THEME_OPERATIONS = 90;

type Weights = Readonly<Record<string, number>>;

/** @param all weights of operations, as common as they are on average: of all seeds, of later and of the newest ones besides. */
export function swarmOf(
  random: Random,
  [old, later, newest]: readonly [Weights, Weights, Weights],
  seed: number,
): Swarm {
  const isNewest = seed >= NEWEST_FROM;
  const weights = { ...old, ...(seed < LATER_FROM ? {} : later), ...(isNewest ? newest : {}) };
  const drawn = { ...drawnSwarm(random, weights), repeats: isNewest };
  const theme = themeOf(seed);
  if (theme === undefined) return drawn;
  const { acts, trouble, ...rest } = theme;
  const rare = Object.entries(weights).map(([name, weight]) => [name, weight * RARE]);
  const all = { ...(Object.fromEntries(rare) as Readonly<Record<string, number>>), ...acts };
  return {
    ...drawn,
    ...rest,
    trouble: { ...drawn.trouble, ...trouble },
    weights: all,
    operations: THEME_OPERATIONS,
  };
}

/** Every third seed has one in turn; of the later seeds the next one has a later one, and of the newest the third one its own. */
function themeOf(seed: number): Theme | undefined {
  const turn = Math.floor(seed / THEME_EVERY);
  const themes = [THEMES, seed < LATER_FROM ? [] : LATER_THEMES, seed < NEWEST_FROM ? [] : NEWEST_THEMES];
  const own = themes[seed % THEME_EVERY] ?? [];
  return own[turn % own.length];
}

function drawnSwarm(random: Random, weights: Readonly<Record<string, number>>): Swarm {
  const some = (share: number): number => share * random.pick([0, 0.3, 1, 1, 3]);
  return {
    trouble: {
      database: random.pick([0, 0.01, 0.04]),
      late: random.pick([0, 0, 0.3]),
      kills: random.pick([0, 0.004, 0.015]),
      killsAtSteps: random.pick([0, 0.02, 0.08]),
      bank: random.pick([0, 0.1, 0.3, 0.5]),
      repeats: random.pick([0, 0.2]),
      receivers: random.chance(0.5),
      lostAnswers: random.pick([0, 0.1]),
      crowding: random.pick([0, 0.5, 0.9]),
    },
    weights: Object.fromEntries(
      Object.entries(weights).map(([name, weight]) => [
        name,
        weight * (ALWAYS.has(name) ? 1 : random.pick([0, 0.3, 1, 1, 1, 4])),
      ]),
    ),
    bank: {
      firsts: { charged: 45, pending: some(20), refused: some(15), awaiting: some(25) },
      renewals: { charged: 50, pending: some(25), refused: some(20), awaiting: some(3) },
      refunds: { given: 60, pending: some(25), refused: some(15) },
      laterPending: random.pick([0.1, 0.3, 0.8]),
      settles: random.pick([0.3, 0.7, 0.9]),
      confirms: random.pick([0.5, 0.8]),
      reasons: random.pick(["all", "all", "all", "funds", "technology", "ends"] as const),
      parts: random.pick([0, 0.3]),
    },
    operations: OPERATIONS_MIN + random.below(OPERATIONS_SPREAD),
    inFlight: 1 + random.below(IN_FLIGHT_MAX),
    eagerness: random.pick([0.1, 0.3, 0.6]),
    shops: random.pick([1, 1, 2]),
    before: random.pick([0, 0, 2, 4]),
    afterRefund: random.pick(["cancel", "keep", "keep"] as const),
    afterChargeback: random.pick(["cancel", "cancel", "past_due", "keep"] as const),
    noticeCheck: "report",
    refundHoldDays: 0,
    skewMs: null,
    repeats: false,
  };
}
