/** What a seed is made of: which operations and faults it has, and how common each is. Rare paths are common in some seeds. */
import type { BankHabits } from "./bank.ts";
import type { Random } from "../../tools/random.ts";
import { LATER_THEMES, THEMES, type Theme } from "./themes.ts";

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
const RARE = 0.1;
const THEME_OPERATIONS = 90;

/** @param old weights of all operations, as common as they are on average. @param later those that later seeds have besides. */
export function swarmOf(
  random: Random,
  old: Readonly<Record<string, number>>,
  later: Readonly<Record<string, number>>,
  seed: number,
): Swarm {
  const weights = seed < LATER_FROM ? old : { ...old, ...later };
  const drawn = drawnSwarm(random, weights);
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

/** Every third seed has one in turn, and of the later seeds the next one has a later one. */
function themeOf(seed: number): Theme | undefined {
  const turn = Math.floor(seed / THEME_EVERY);
  if (seed % THEME_EVERY === 0) return THEMES[turn % THEMES.length];
  return seed >= LATER_FROM && seed % THEME_EVERY === 1
    ? LATER_THEMES[turn % LATER_THEMES.length]
    : undefined;
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
  };
}
