/** A mutant: one small change of the source or of one SQL statement, and its stored form. */
import { createHash } from "node:crypto";

export interface Mutant {
  /** The same in every run, even if lines above it have moved: made of its file, line, operator and words. */
  readonly key: string;
  /** Below the repository, `src/subscriptions/renew.ts`. */
  readonly file: string;
  /** The SQL statement that is changed; null for a change of the file itself. */
  readonly statement: string | null;
  /** Counted from 1, in the file or in the statement. */
  readonly lineNo: number;
  /** The whole line of the change, trimmed. */
  readonly line: string;
  readonly operator: string;
  readonly change: Change;
}

/** Replaces the characters from `start` up to `end` with `to`. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

export interface Proposal extends Change {
  readonly operator: string;
}

/** The text with the change in it. */
export function changed(text: string, { start, end, to }: Change): string {
  return text.slice(0, start) + to + text.slice(end);
}

/** Adds places and keys to proposals, without those that change nothing and duplicates. */
export function mutantsOf(
  file: string,
  statement: string | null,
  text: string,
  proposals: readonly Proposal[],
): readonly Mutant[] {
  const results = new Set<string>();
  const counted = new Map<string, number>();
  const mutants: Mutant[] = [];
  for (const { operator, ...change } of proposals.toSorted((a, b) => a.start - b.start)) {
    const result = changed(text, change);
    if (result === text || results.has(result)) continue;
    results.add(result);
    const before = text.lastIndexOf("\n", change.start - 1) + 1;
    const end = text.indexOf("\n", change.start);
    const line = text.slice(before, end === -1 ? text.length : end).trim();
    const from = text.slice(change.start, change.end);
    const words = [file, statement ?? "", operator, line, from, change.to].join("\0");
    const earlier = counted.get(words) ?? 0;
    counted.set(words, earlier + 1);
    const key = createHash("sha256").update(`${words}\0${earlier}`).digest("hex").slice(0, 12);
    const lineNo = text.slice(0, before).split("\n").length;
    mutants.push({ key, file, statement, lineNo, line, operator, change });
  }
  return mutants;
}

/** `src/subscriptions/renew.ts:12 boundary: a < b → a <= b`, on one line. */
export function describe(mutant: Mutant, text: string): string {
  const { start, end, to } = mutant.change;
  const place =
    mutant.statement === null
      ? `${mutant.file}:${mutant.lineNo}`
      : `${mutant.file} ${mutant.statement}:${mutant.lineNo}`;
  return `${mutant.key} ${place} ${mutant.operator}: ${short(text.slice(start, end))} → ${short(to)}`;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 60)} … ${line.slice(-35)}` : line;
}
