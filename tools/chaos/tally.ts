/** The counts of a scenario: faults, requests and responses, time to recover, and violations. */

export interface Tally {
  readonly faults: Map<string, number>;
  readonly answers: Map<string, number>;
  slowestMs: number;
  rounds: number;
  recoveryMs: number;
  readonly violations: string[];
  /** Remarks that are not violations. */
  readonly notes: Map<string, number>;
}

export function newTally(): Tally {
  return {
    faults: new Map(),
    answers: new Map(),
    slowestMs: 0,
    rounds: 0,
    recoveryMs: 0,
    violations: [],
    notes: new Map(),
  };
}

export function count(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0);
}

/** `kill 3, pause 2` */
export function listed(counts: ReadonlyMap<string, number>): string {
  const parts = [...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, n]) => `${name} ${n}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}
