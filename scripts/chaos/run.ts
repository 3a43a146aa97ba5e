/** A run: one scenario after the other until the time is over, and what each of them has seen. */
import type { Journey } from "./clients.ts";
import { seededRandom } from "./random.ts";
import { runRound } from "./rounds.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { newTally, type Tally } from "./tally.ts";
import { startWorld } from "./world.ts";

export interface ChaosOptions {
  readonly seed: number;
  readonly totalMs: number;
  /** How long faults strike in a round. */
  readonly faultMs: number;
  readonly hurry: boolean;
  readonly instances: number;
  readonly clients: number;
  /** Names of scenarios; all when empty. */
  readonly only: readonly string[];
}

export interface ScenarioReport {
  readonly name: string;
  readonly tally: Tally;
  /** Why it was not played. */
  skipped: string | null;
}

/** Runs until the time is over or the signal aborts; whatever it started is gone when it returns. */
export async function runChaos(
  options: ChaosOptions,
  signal: AbortSignal,
  onRound: (report: ScenarioReport) => void,
): Promise<readonly ScenarioReport[]> {
  const deadline = performance.now() + options.totalMs;
  const random = seededRandom(options.seed);
  const chosen = SCENARIOS.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const reports = chosen.map(newReport);
  const journeys: Journey[] = [];
  const world = await startWorld({ random: random.branch(), instances: options.instances });
  try {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const report = reports[turn % reports.length];
      const leftMs = deadline - performance.now();
      if (report === undefined || leftMs < options.faultMs / 2) break;
      report.skipped = report.scenario.missing?.(world) ?? null;
      if (report.skipped !== null) {
        if (reports.every(({ skipped }) => skipped !== null)) break;
        continue;
      }
      const faultMs = Math.min(Math.max(options.faultMs, report.scenario.lastsMs ?? 0), leftMs);
      await runRound(world, report.scenario, journeys, report.tally, { ...options, random, faultMs, signal });
      onRound(report);
    }
  } finally {
    await world.close();
  }
  return reports;
}

function newReport(scenario: Scenario): ScenarioReport & { readonly scenario: Scenario } {
  return { scenario, name: scenario.name, tally: newTally(), skipped: null };
}
