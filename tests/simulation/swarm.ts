/**
 * The operations and faults of a seed, and their frequency. Paths that are rare on average are frequent in some seeds.
 */
import type { BankHabits } from "./bank.ts";
import type { Random } from "../../tools/random.ts";
import { LATER_THEMES, NEWEST_THEMES, THEMES, type Theme } from "./themes.ts";

/** The frequency of faults in a run. */
export interface Trouble {
  /** Share of the calls to the database that fail. */
  readonly database: number;
  /** Share of the failed writes that the database executes later. */
  readonly late: number;
  readonly kills: number;
  readonly killsAtSteps: number;
  readonly bank: number;
  /** Share of the acknowledged news that is reported again. */
  readonly repeats: number;
  readonly receivers: boolean;
  /** Share of the responses that do not reach the caller. */
  readonly lostAnswers: number;
  /** How likely a call waits for others to share its statement. */
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
  /** Operations by name, with their relative frequency. */
  readonly weights: Readonly<Record<string, number>>;
  readonly bank: BankHabits;
  readonly operations: number;
  /** The number of operations that may run at once. */
  readonly inFlight: number;
  /** How readily another operation starts. */
  readonly eagerness: number;
  /** The number of merchants. */
  readonly shops: number;
  /** Purchases of each merchant before the faults begin. */
  readonly before: number;
  /** Each merchant's first setting for subscriptions whose payment is charged back. */
  readonly afterChargeback: "cancel" | "past_due" | "keep";
  readonly afterRefund: "cancel" | "keep";
  /** Whether renewals wait for their notice. */
  readonly noticeCheck: "report" | "refuse";
  /** For how many days after a payment its refunds are held, at first. */
  readonly refundHoldDays: number;
  /** How far the second instance's clock is from the database's, in ms; null: a random difference of up to a minute. */
  readonly skewMs: number | null;
  /** Whether requests without a key are repeated after a lost response. */
  readonly repeats: boolean;
}

const OPERATIONS_MIN = 30;
const OPERATIONS_SPREAD = 31;
const IN_FLIGHT_MAX = 6;
/** Nothing happens without these. */
const ALWAYS: ReadonlySet<string> = new Set(["create", "pay", "work"]);

/** One seed in this many has a theme. */
const THEME_EVERY = 3;
/** Seeds from here on have further operations and themes. Earlier seeds play as before. */
export const LATER_FROM = 10_000;
/** Seeds from here on have still further ones. */
export const NEWEST_FROM = 30_000;
const RARE = 0.1;
const THEME_OPERATIONS = 90;

type Weights = Readonly<Record<string, number>>;

/** @param all average frequency of the operations: of all seeds, of the later seeds, and of the newest. */
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

/**
 * Every third seed has a theme, in turn. Of the later seeds the next one has a later theme, and of the newest the third
 * one a newest theme.
 */
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
