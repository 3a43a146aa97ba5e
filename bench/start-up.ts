/** The duration of a start on an existing database, and the memory of an idle process. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf, residentMbOfFamily } from "./processes.ts";
import { startInstance, type ServiceOptions } from "./service.ts";

/** Long enough for the first passes of the jobs. V8 frees 13 MB of the start only after two minutes. */
const IDLE_MS = 10_000;

export interface StartUp {
  readonly readyMs: number;
  readonly idleMb: number;
  /** Includes npm, which `npm start` leaves running, but not the database server. */
  readonly idleWithNpmMb: number;
}

/** Starts one process and ends it again, alone and with `npm start`. */
export async function startUp(options: ServiceOptions): Promise<StartUp> {
  const instance = await startInstance(options);
  await sleep(IDLE_MS);
  const { residentMb: idleMb } = memoryOf(instance.pid);
  await instance.stop();
  const withNpm = await startInstance({ ...options, throughNpm: true });
  await sleep(IDLE_MS);
  const idleWithNpmMb = residentMbOfFamily(withNpm.pid);
  await withNpm.stop();
  return { idleMb, idleWithNpmMb, readyMs: instance.readyMs };
}
