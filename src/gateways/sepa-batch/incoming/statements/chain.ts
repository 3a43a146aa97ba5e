/** Whether each statement of an account follows the one before it: by its number, and by its opening balance. Pure. */
import type { IsoDate } from "../../../../lib/dates.ts";

/** A statement, or a page of one. Amounts are signed whole cents. */
export interface Link {
  readonly id: string;
  readonly endsOn: IsoDate;
  readonly sequence: number | null;
  readonly opening: number | null;
  readonly closing: number | null;
}

/** Pages of one statement, and a statement that was delivered twice. */
interface Whole {
  readonly first: Link;
  readonly endsOn: IsoDate;
  readonly sequence: number | null;
  readonly opening: number | null;
  readonly closing: number | null;
}

/**
 * What is missing before a statement, in words, by the id of its first page.
 * @param links all of one account from some day on, in any order; of the first day nothing is said.
 */
export function gapsOf(links: readonly Link[]): ReadonlyMap<string, string> {
  const gaps = new Map<string, string>();
  let before: Whole | null = null;
  for (const whole of wholes(links)) {
    const gap = before === null ? null : gapBetween(before, whole);
    if (gap !== null) gaps.set(whole.first.id, gap);
    before = whole;
  }
  return gaps;
}

function wholes(links: readonly Link[]): readonly Whole[] {
  const inOrder = links.toSorted(
    (a, b) =>
      a.endsOn.localeCompare(b.endsOn) || (a.sequence ?? 0) - (b.sequence ?? 0) || a.id.localeCompare(b.id),
  );
  const groups = Map.groupBy(inOrder, keyOf);
  return [...groups.values()].map((pages) => {
    const [first] = pages as [Link, ...Link[]];
    return {
      first,
      endsOn: first.endsOn,
      sequence: first.sequence,
      opening: only(
        pages.map(({ opening }) => opening),
        first.sequence,
      ),
      closing: only(
        pages.map(({ closing }) => closing),
        first.sequence,
      ),
    };
  });
}

/** A number is of its year; without one, what a day has is one: its order is not known. */
function keyOf({ endsOn, sequence }: Link): string {
  return sequence === null ? endsOn : `${endsOn.slice(0, 4)}/${sequence}`;
}

/** Of pages the balance that one has; of several statements without numbers the order is unknown. */
function only(balances: readonly (number | null)[], sequence: number | null): number | null {
  if (sequence === null && balances.length > 1) return null;
  return balances.find((balance) => balance !== null) ?? null;
}

function gapBetween(before: Whole, after: Whole): string | null {
  const missing = missingNumbers(before, after);
  if (missing !== null) return missing;
  if (before.closing === null || after.opening === null || before.closing === after.opening) return null;
  return "its opening balance is not the closing balance of the statement before it";
}

function missingNumbers(before: Whole, after: Whole): string | null {
  if (before.sequence === null || after.sequence === null) return null;
  const restarted = after.sequence <= before.sequence && after.endsOn.slice(0, 4) > before.endsOn.slice(0, 4);
  const from = restarted ? 1 : before.sequence + 1;
  const to = after.sequence - 1;
  if (to < from) return null;
  return from === to ? `statement ${from} is missing` : `statements ${from} to ${to} are missing`;
}
