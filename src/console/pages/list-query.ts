/** The query of a list in the console: blank fields of a form are ignored, invalid ones are reported and omitted. */
import { daysOf, type Days } from "../../db/days.ts";
import { Type, type Static, type TObject } from "../../lib/schema.ts";
import type { Html } from "../../files/html.ts";
import { amountFields, oneOf } from "../../http/fields.ts";
import { queryCheck } from "../../http/validation.ts";
import type { FieldMessages } from "../../refusals.ts";
import { callout } from "../design/blocks.ts";
import { daysOfPeriod, NAMED_PERIODS, type Period } from "../periods.ts";
import type { Words } from "../words.ts";

export interface GivenQuery<Query = unknown> {
  /** The valid parameters, as in the address. */
  readonly usable: Readonly<Record<string, string>>;
  /** The same as the API's query. */
  readonly asked: Query;
  /** Why the others are invalid. */
  readonly problems: FieldMessages;
  /** Parameters that the list does not have. */
  readonly unknown: readonly string[];
}

/**
 * Reads a query by the rules of the API's own list. One that has days may also have a `period`
 * or a `zone`: read them with `daysAsked`.
 * @returns a function, made once for each list.
 */
export function listQueryOf<S extends TObject>(schema: S): (given: unknown) => GivenQuery<Static<S>> {
  const hasDays = "from" in schema.properties && "to" in schema.properties;
  const known = hasDays
    ? Type.Object({
        ...schema.properties,
        period: Type.Optional(oneOf(NAMED_PERIODS)),
        zone: Type.Optional(oneOf(["UTC"])),
      })
    : schema;
  const check = queryCheck(known, { closed: true });
  const amounts = amountFields(schema);
  return (given) => {
    const filled = Object.entries(boxesAsLists(given ?? {})).filter(([, value]) => value.trim() !== "");
    // The decimals of an amount may follow a comma, as in forms.
    const trimmed = filled.map(
      ([name, value]) => [name, amounts.has(name) ? value.trim().replace(",", ".") : value.trim()] as const,
    );
    const read: Record<string, unknown> = Object.fromEntries(trimmed);
    // Validation replaces texts by their values.
    const problems: Record<string, FieldMessages[string]> = { ...check(read)?.fields };
    if (hasDays && "period" in read && ("from" in read || "to" in read))
      problems["period"] ??= ["Give either a period or from and to."];
    const isUsable = ([name]: readonly [string, unknown]) => !(name in problems);
    return {
      usable: Object.fromEntries(trimmed.filter(isUsable)),
      asked: Object.fromEntries(Object.entries(read).filter(isUsable)) as Static<S>,
      problems,
      unknown: Object.keys(problems).filter((name) => !(name in known.properties)),
    };
  };
}

/** Each box of a form has its own name: `columns.date=1` adds `date` to the list `columns`. */
function boxesAsLists(given: object): Readonly<Record<string, string>> {
  const lists: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") continue;
    const [list = "", one] = name.split(".");
    const added = one ?? value;
    lists[list] = Object.hasOwn(lists, list) ? `${lists[list]},${added}` : added;
  }
  return lists;
}

/**
 * The days in an address: a period by its name, or a range. They are in the person's time zone, or in UTC if the
 * address says so.
 */
export function daysAsked(
  { usable: { period, from, to, zone } }: Pick<GivenQuery, "usable">,
  words: Pick<Words, "today" | "timeZone">,
  now: Date,
): Days {
  const span = period === undefined ? { from, to } : daysOfPeriod(period as Period, words.today(now));
  return daysOf(span.from, span.to, zone ?? words.timeZone);
}

/** Omitted filters, each with what it should be. */
export function problems(
  { say }: Pick<Words, "say">,
  { problems: found, unknown }: GivenQuery,
): readonly Html[] {
  return Object.entries(found).map(([name, messages]) => {
    const why = unknown.includes(name) ? say("noSuchFilter") : String(messages);
    return callout("bad", say("filterLeftOut", { filter: `${name}: ${why}` }));
  });
}
