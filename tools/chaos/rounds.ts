/** A round: customers make requests during faults; then all faults end, and the checks run. */
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./ask.ts";
import { decideUnclear, passLeases, passMinutes } from "./bank.ts";
import { hurry, stuck, violations } from "./checks.ts";
import { Client, runClients, type Journey } from "./clients.ts";
import { importOpen } from "./imports.ts";
import { limited } from "./limited.ts";
import { passHours, unbilled } from "./months.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "./scenarios.ts";
import { count, type Tally } from "./tally.ts";
import type { World } from "./world.ts";

export interface RoundOptions {
  readonly random: Random;
  readonly clients: number;
  /** Duration of the faults. */
  readonly faultMs: number;
  /** Skips waits of the service that last a minute. */
  readonly hurry: boolean;
  readonly signal: AbortSignal;
}

/** Nothing may be stuck for longer than this after the faults have ended. */
const RECOVERY_MS_MAX = 60_000;
const LOOK_MS = 250;
const TOLD_MAX = 20;

export async function runRound(
  world: World,
  scenario: Scenario,
  journeys: Journey[],
  tally: Tally,
  options: RoundOptions,
): Promise<void> {
  const random = options.random.fork();
  const healed = await strikeUnderLoad(world, scenario, journeys, tally, { ...options, random });
  await recover(world, journeys, tally, healed, { ...options, random });
  tally.recoveryMs = Math.max(tally.recoveryMs, performance.now() - healed);
  tally.rounds += 1;
  if (options.signal.aborted) return;
  tell(tally, await violations(world, journeys));
  for (const instance of [...world.instances, ...(world.bank?.carriers ?? [])])
    tell(tally, instance.takeFalls());
}

/** @returns the time when all faults had ended. */
async function strikeUnderLoad(
  world: World,
  scenario: Scenario,
  journeys: Journey[],
  tally: Tally,
  { random, clients, faultMs, signal }: RoundOptions,
): Promise<number> {
  const over = limited(signal, faultMs);
  const load = limited(signal);
  const loading = runClients(world, tally, journeys, {
    random: random.fork(),
    clients,
    signal: load.signal,
  });
  try {
    while (!over.signal.aborted)
      await scenario.strike({ world, random, tally, journeys, signal: over.signal });
  } finally {
    over.end();
    load.end();
    await world.heal();
    for (const [name, times] of world.proxy.takeSwallowed())
      count(tally.faults, `answer lost: ${name}`, times);
    for (const [name, times] of world.bank?.sftp.takeFaults() ?? []) count(tally.faults, name, times);
  }
  const healed = performance.now();
  await loading;
  return healed;
}

/** Waits until every instance serves on every connection and nothing is open. */
async function recover(
  world: World,
  journeys: readonly Journey[],
  tally: Tally,
  healed: number,
  options: RoundOptions,
): Promise<void> {
  const deadline = healed + RECOVERY_MS_MAX;
  const late = limited(options.signal, deadline - performance.now());
  const silent = await Promise.all(
    world.instances.map(async ({ name, url }) => ((await usable(world, url, late.signal)) ? [] : [name])),
  );
  await importOpen({ world, tally, ...options, signal: late.signal });
  late.end();
  if (options.signal.aborted) return;
  tell(
    tally,
    silent.flat().map((name) => `${name} does not answer ${RECOVERY_MS_MAX / 1_000} s after healing`),
  );
  const early = await hurry(world, { all: options.hurry });
  if (early > 0) count(tally.notes, "asked again before its time", early);
  if (world.bank !== null) await passLeases(world, world.bank);
  let open: readonly string[] = [];
  const until = world.billing.time;
  while (!options.signal.aborted) {
    await verifyOpen(world, journeys, tally, options);
    if (world.bank !== null) {
      await passMinutes(world, world.bank, tally);
      await decideUnclear(world, world.bank, tally);
    }
    const due = await unbilled(world, until);
    open = [...(await stuck(world)), ...due];
    if (open.length === 0) return;
    if (performance.now() > deadline) break;
    // Work that was in flight when a process died is resolved, and retried, in the merchant's time.
    if (due.length > 0) await passHours({ world, tally, ...options }, 1);
    await sleep(LOOK_MS);
  }
  if (!options.signal.aborted)
    tell(
      tally,
      open.map((what) => `stuck ${RECOVERY_MS_MAX / 1_000} s after healing: ${what}`),
    );
}

/** More concurrent requests than the pool has connections, to use all of them. */
const PROBES = 12;

/** False when it is not before the signal aborts. */
async function usable(world: World, url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answers = await Promise.all(
      Array.from({ length: PROBES }, async (_, index) => {
        const shop = world.shops[index % world.shops.length];
        const { merchant } = shop ?? {};
        if (shop === undefined || merchant === undefined) return false;
        const { status } = await ask(url, "GET", `management/campaigns/${merchant.campaignId}/`, undefined, {
          key: shop.keys[index % shop.keys.length] ?? merchant.key,
          timeoutMs: 10_000,
        });
        return status === 200;
      }),
    );
    if (answers.every(Boolean)) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

/** Customers continue interrupted verifications. */
async function verifyOpen(
  world: World,
  journeys: readonly Journey[],
  tally: Tally,
  { random, signal }: RoundOptions,
): Promise<void> {
  const waiting = await world.rows(
    `select l.email from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id
       join transactions t on t.tenant = s.tenant and t.id = s.open_transaction_id
      where s.status = 'AWAITING_VERIFICATION' and t.status = 'awaiting_verification'`,
  );
  const emails = new Set(waiting.map((row): string => row["email"]));
  const client = new Client(world, tally, random, signal);
  for (const journey of journeys) if (emails.has(journey.email)) await client.verify(journey);
}

function tell(tally: Tally, found: readonly string[]): void {
  const fresh = found.filter((what) => !tally.violations.includes(what));
  tally.violations.push(...fresh.slice(0, TOLD_MAX));
  if (fresh.length > TOLD_MAX) tally.violations.push(`… and ${fresh.length - TOLD_MAX} more`);
}
