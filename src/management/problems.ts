/** Collects the problems of a record's fields, so that all are reported at once (contract: Field errors). */
import { FieldErrors, type FieldMessages } from "../refusals.ts";

export type Problems = Readonly<Record<string, string | readonly string[] | FieldMessages | null>>;

/** The messages of each field that has a problem; null means none. */
export function messagesOf(problems: Problems): FieldMessages {
  const wrong = Object.entries(problems).flatMap(([field, problem]) =>
    problem === null ? [] : [[field, typeof problem === "string" ? [problem] : problem] as const],
  );
  return Object.fromEntries(wrong);
}

/** The problem of another record's id in a request; none if it is absent or null. */
export function noSuch(given: unknown, isUsable: boolean, noun: string): string | null {
  return given === undefined || given === null || isUsable ? null : `No such ${noun}.`;
}

/** @throws FieldErrors naming each field that has a problem. */
export function refuseProblems(problems: Problems): void {
  const fields = messagesOf(problems);
  if (Object.keys(fields).length > 0) throw new FieldErrors(fields);
}
