/** Seeded randomness: each case has its own generator, so that it can be reproduced without those before it. */

export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** The generator of a case (mulberry32 over both numbers). */
export function randomOf(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new Error("there is nothing to pick from");
      return choices[integer(0, choices.length - 1)] as T;
    },
  };
}
