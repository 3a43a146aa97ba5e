/**
 * Mutants that change nothing that anybody could see, each with the reason: read and decided by hand. They are not counted. An entry that
 * no mutant answers to any more is an error: its code has changed, so look again.
 */
import type { Mutant } from "./mutant.ts";

export interface Harmless {
  readonly file: string;
  /** The statement's name; absent for TypeScript. */
  readonly statement?: string;
  readonly operator: string;
  /** A part of the line of the change. */
  readonly line: string;
  /** What is put there, where the line has several mutants of the operator. */
  readonly to?: string;
  readonly reason: string;
}

export const HARMLESS: readonly Harmless[] = [];

/** The entry that a mutant answers to; null when it is not harmless. */
export function harmlessEntry(mutant: Mutant, entries: readonly Harmless[] = HARMLESS): Harmless | null {
  return (
    entries.find(
      ({ file, statement, operator, line, to }) =>
        mutant.file === file &&
        mutant.statement === (statement ?? null) &&
        mutant.operator === operator &&
        mutant.line.includes(line) &&
        (to === undefined || mutant.change.to === to),
    ) ?? null
  );
}
