/** Random numbers from a seed, for the simulations, the chaos runs and the fuzzer. */

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** From `low` up to, not including, `high`, with fractions. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** @throws Error on an empty list. */
  pick<T>(list: readonly T[]): T;
  /** One of the names, by their weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** A separate generator, so that more draws of one do not affect the other. */
  fork(): Random;
}

/** Recorded seeds of the simulations name these sequences: they never change. */
export function seeded(seed: number): Random {
  return generator(mixed(seed));
}

/** The generator of one case of a seed, independent of the cases before it. */
export function seededCase(seed: number, index: number): Random {
  return generator(mixed(seed) ^ Math.imul(index + 1, 0xc2b2ae35));
}

function mixed(seed: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
}

function generator(start: number): Random {
  const next = mulberry32(start);
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    integer: (min, max) => min + below(max - min + 1),
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error("There is nothing to pick from");
      return list[below(list.length)] as T;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const all = Object.entries(weights) as [Name, number][];
      let left = next() * all.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of all) if ((left -= weight) < 0) return name;
      return (all[all.length - 1] as [Name, number])[0];
    },
    fork: () => seeded(below(2 ** 31)),
  };
}

/** Small, fast, and good enough for choices. */
function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let scrambled = Math.imul(state ^ (state >>> 15), 1 | state);
    scrambled = (scrambled + Math.imul(scrambled ^ (scrambled >>> 7), 61 | scrambled)) ^ scrambled;
    return ((scrambled ^ (scrambled >>> 14)) >>> 0) / 4_294_967_296;
  };
}
