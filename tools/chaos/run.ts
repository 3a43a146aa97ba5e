/** A run: one scenario after the other until the time has passed, with the results of each. */
import type { Journey } from "./clients.ts";
import { seeded } from "../random.ts";
import { runRound, type RoundOptions } from "./rounds.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { newTally, type Tally } from "./tally.ts";
import { startWorld } from "./world.ts";

interface ChaosOptions {
  readonly seed: number;
  readonly totalMs: number;
  /** Duration of the faults in a round. */
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
  /** Why it did not run. */
  skipped: string | null;
}

/** Runs until the time has passed or the signal aborts; everything it started has ended when it returns. */
export async function runChaos(
  options: ChaosOptions,
  signal: AbortSignal,
  onRound: (report: ScenarioReport) => void,
): Promise<readonly ScenarioReport[]> {
  const deadline = performance.now() + options.totalMs;
  const random = seeded(options.seed);
  const chosen = SCENARIOS.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const reports = chosen.map(newReport);
  const journeys: Journey[] = [];
  const world = await startWorld({ random: random.fork(), instances: options.instances });
  try {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const report = reports[turn % reports.length];
      const leftMs = deadline - performance.now();
      if (report === undefined || leftMs < options.faultMs / 2) break;
      if (reports.every(({ skipped }) => skipped !== null)) break;
      if (report.skipped !== null) continue;
      const { scenario } = report;
      const faultMs = Math.min(Math.max(options.faultMs, scenario.lastsMs ?? 0), leftMs);
      const round = { ...options, random, faultMs, signal };
      report.skipped = scenario.missing?.(world) ?? null;
      if (scenario.diskMegabytes !== undefined) report.skipped = await onSmallDisk(report, round, options);
      else if (report.skipped === null) await runRound(world, scenario, journeys, report.tally, round);
      onRound(report);
    }
  } finally {
    await world.close();
  }
  return reports;
}

/** Runs a round in a separate world. @returns the reason if that is not possible. */
async function onSmallDisk(
  { scenario, tally }: PlannedReport,
  round: RoundOptions,
  { instances }: ChaosOptions,
): Promise<string | null> {
  const mounted = await mountSmallDisk(scenario.diskMegabytes ?? 0).catch((error: Error) => error);
  if (mounted instanceof Error) return `no small disk can be mounted (${mounted.message.trim()})`;
  try {
    const world = await startWorld({ random: round.random.fork(), instances, disk: mounted });
    try {
      await runRound(world, scenario, [], tally, round);
    } finally {
      await world.close();
    }
    return null;
  } finally {
    await mounted.remove();
  }
}

type PlannedReport = ScenarioReport & { readonly scenario: Scenario };

function newReport(scenario: Scenario): PlannedReport {
  return { scenario, name: scenario.name, tally: newTally(), skipped: null };
}
