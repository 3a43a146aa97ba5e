/** Processor time and memory of running processes, from Linux's /proc; zeros on other systems. */
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";

/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick is. */
const TICK_MS = 10;
const KIB_PER_MIB = 1024;

interface Stat {
  readonly parent: number;
  readonly cpuMs: number;
  /** Of children that have ended and were waited for. */
  readonly endedCpuMs: number;
}

function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in brackets and may contain anything; the numbers follow its last bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) * TICK_MS;
    return { parent: Number(fields[1]), cpuMs: ticks(11), endedCpuMs: ticks(13) };
  } catch {
    return null;
  }
}

/** Processor time that a process has had so far. */
export function cpuMsOf(pid: number): number {
  return statOf(pid)?.cpuMs ?? 0;
}

/** Processor time of a process and of all its children, running and ended. */
export function cpuMsOfFamily(pid: number): number {
  let sum = (statOf(pid)?.cpuMs ?? 0) + (statOf(pid)?.endedCpuMs ?? 0);
  for (const name of processNames()) {
    const stat = statOf(Number(name));
    if (stat?.parent === pid) sum += stat.cpuMs;
  }
  return sum;
}

function processNames(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

export interface Memory {
  readonly residentMb: number;
  readonly highestMb: number;
}

export function memoryOf(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "latin1");
    const mb = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / KIB_PER_MIB;
    return { residentMb: mb("VmRSS"), highestMb: mb("VmHWM") };
  } catch {
    return { residentMb: 0, highestMb: 0 };
  }
}

const LOOK_MS = 100;

/** Samples the total memory of the processes. @returns the maximum. */
export function highestResident(pids: readonly number[]): { stop(): number } {
  let highestMb = 0;
  const look = (): void => {
    const residentMb = pids.reduce((sum, pid) => sum + memoryOf(pid).residentMb, 0);
    highestMb = Math.max(highestMb, residentMb);
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return highestMb;
    },
  };
}

/** Resident memory of a process and its descendants, except the database server's. */
export function residentMbOfFamily(pid: number): number {
  const names = processNames();
  const ofOne = (one: number): number =>
    processCommand(one).includes("postgres")
      ? 0
      : names
          .map(Number)
          .filter((other) => statOf(other)?.parent === one)
          .reduce((sum, child) => sum + ofOne(child), memoryOf(one).residentMb);
  return ofOne(pid);
}

/** The database server's first process, if it runs on this machine; null when it does not. */
export async function postmasterOf(databaseUrl: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = rows[0]?.pid ?? 0;
  const isHere = processCommand(pid).includes("postgres");
  const parent = isHere ? (statOf(pid)?.parent ?? null) : null;
  await client.end();
  return parent;
}

function processCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1");
  } catch {
    return "";
  }
}
