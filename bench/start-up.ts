/** How long a start takes on a database that is there already, and what an idle process then holds. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf, residentMbOfFamily } from "./processes.ts";
import { startInstance, type ServiceOptions } from "./service.ts";

/** Long enough for the first passes of the jobs. What starting has left, some 13 MB, V8 throws away only after two minutes. */
const IDLE_MS = 10_000;

export interface StartUp {
  readonly readyMs: number;
  readonly idleMb: number;
  /** With everything else that `npm start` leaves running: npm. Without the database server. */
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
