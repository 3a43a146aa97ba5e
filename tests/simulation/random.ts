/** Chance that a seed repeats: numbers, choices and the ids of the service. */
import { readable, type Ids } from "../../src/lib/ids.ts";

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** @throws Error on an empty list. */
  pick<T>(list: readonly T[]): T;
  /** One of the names, by their weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** A generator of its own, so that more draws here change nothing there. */
  fork(): Random;
}

/** Mulberry32: small, fast, and good enough to choose with. */
export function seeded(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
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

/**
 * Ids that sort by the order in which they were drawn, as those of the service do by time.
 * @param tenant in whose name something is drawn: the first reference of each tenant is the same, and the second …; null:
 * no one tenant's, which is any reference.
 */
export function seededIds(
  current: () => Random,
  tenant: () => number | null = () => null,
): Ids & { restart(seed: number): void } {
  let drawn = 0;
  let common = 0;
  const references = new Map<string, number>();
  const bytes = (length: number): Buffer => {
    const random = current();
    return Buffer.from(Array.from({ length }, () => random.below(256)));
  };
  return {
    restart(seed) {
      common = seed;
      references.clear();
    },
    uuid() {
      drawn += 1;
      const hex = `0190${drawn.toString(16).padStart(8, "0")}7${bytes(2).toString("hex").slice(0, 3)}8${bytes(8).toString("hex").slice(0, 15)}`;
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    secret: bytes,
    reference(length) {
      const whose = tenant();
      if (whose === null) return readable(bytes(length));
      const place = `${whose} ${length}`;
      const number = (references.get(place) ?? 0) + 1;
      references.set(place, number);
      const random = seeded(Math.imul(common, 1_000_003) ^ (number << 5) ^ length);
      return readable(Buffer.from(Array.from({ length }, () => random.below(256))));
    },
    fraction: () => current().next(),
  };
}
