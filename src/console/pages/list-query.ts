/** The query of a list in the console: blank fields of a form say nothing, wrong ones are named and left out. */
import type { TSchema } from "../../lib/schema.ts";
import type { Html } from "../../files/html.ts";
import { queryCheck } from "../../http/validation.ts";
import type { FieldMessages } from "../../refusals.ts";
import { callout } from "../design/blocks.ts";

export interface GivenQuery {
  /** What the list is asked, as the API would take it. */
  readonly usable: Readonly<Record<string, string>>;
  /** Why the rest is not. */
  readonly problems: FieldMessages;
}

/** Reads a query by the rules of the API's own list. @returns a function, made once for each list. */
export function listQueryOf(schema: TSchema): (given: unknown) => GivenQuery {
  const check = queryCheck(schema, { closed: true });
  return (given) => {
    const filled = Object.entries(given ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
    );
    const trimmed = filled.map(([name, value]) => [name, value.trim()] as const);
    // The check may replace texts by what they stand for.
    const problems = check(Object.fromEntries(trimmed))?.fields ?? {};
    return { usable: Object.fromEntries(trimmed.filter(([name]) => !(name in problems))), problems };
  };
}

/** Filters that could not be read, each with what it should be. */
export function problems({ problems: found }: GivenQuery): readonly Html[] {
  return Object.entries(found).map(([name, messages]) => callout("bad", `${name}: ${String(messages)}`));
}
