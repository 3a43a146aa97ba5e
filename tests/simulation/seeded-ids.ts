/** Ids of the service, drawn from a seed. */
import { readableText, type Ids } from "../../src/lib/ids.ts";
import { seeded, type Random } from "../../tools/random.ts";

/**
 * More than the ids that are drawn before the first seed, so that a seed draws the same ids whatever was played before
 * it.
 */
const DRAWN_BEFORE = 1_000_000;

/**
 * Ids that sort by the order in which they were drawn, like the service's real ids by time. @param tenant on whose
 * behalf an id is drawn. Each tenant gets the same sequence of references; null: no particular tenant, any reference.
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
      drawn = DRAWN_BEFORE;
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
      if (whose === null) return readableText(bytes(length));
      const place = `${whose} ${length}`;
      const number = (references.get(place) ?? 0) + 1;
      references.set(place, number);
      const random = seeded(Math.imul(common, 1_000_003) ^ (number << 5) ^ length);
      return readableText(Buffer.from(Array.from({ length }, () => random.below(256))));
    },
    fraction: () => current().next(),
  };
}
