/** Randomness that a seed repeats, for choosing faults and what clients do. */

export interface Random {
  /** From 0 up to 1. */
  readonly fraction: () => number;
  /** A number from `low` up to `high`. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** A separate generator, so that its use does not change other draws. */
  branch(): Random;
}

export function seededRandom(seed: number): Random {
  const fraction = mulberry32(seed);
  const random: Random = {
    fraction,
    between: (low, high) => low + fraction() * (high - low),
    chance: (probability) => fraction() < probability,
    pick<T>(from: readonly T[]): T {
      const picked = from[Math.floor(fraction() * from.length)];
      if (picked === undefined) throw new Error("There is nothing to pick from");
      return picked;
    },
    branch: () => seededRandom(Math.floor(fraction() * 2 ** 32)),
  };
  return random;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
