/** How long a start takes on a database that is there already, and what an idle process then holds. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "./processes.ts";
import { startInstance, type ServiceOptions } from "./service.ts";

/** Long enough for the first passes of the jobs, and for what starting has left to be thrown away. */
const IDLE_MS = 10_000;

export interface StartUp {
  readonly readyMs: number;
  readonly idleMb: number;
}

/** Starts one process and ends it again. */
export async function startUp(options: ServiceOptions): Promise<StartUp> {
  const instance = await startInstance(options);
  await sleep(IDLE_MS);
  const { residentMb: idleMb } = memoryOf(instance.pid);
  await instance.stop();
  return { idleMb, readyMs: instance.readyMs };
}
