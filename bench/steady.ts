/** Payments at a steady rate, compared with the capacity model of docs/growing.md. */
import { MEASURED } from "../tools/capacity/model.ts";
import { course, type Parts } from "./measures.ts";

const CONNECTIONS = 64;
/** A payment's share of one core, without the client. */
const MS_PER_SECOND = 1_000;
const BYTES_PER_KB = 1_000;

/** @param rates payments per second, measured one after the other. @returns a line for each. */
export async function steadyLines(parts: Parts, rates: readonly number[]): Promise<readonly string[]> {
  const lines: string[] = [
    "| payments a second | reached | p50 / p99 in ms | service: cores (model) | database: cores (model) | log in kB/s (model) |",
    "|---|---|---|---|---|---|",
  ];
  for (const rate of rates) {
    const shown = await course(parts, "create_pay", { perSecond: rate, connections: CONNECTIONS });
    const cores = (ms: number): string => ((shown.perSecond * ms) / MS_PER_SECOND).toFixed(2);
    const kilobytes = (each: number): string => (shown.perSecond * each).toFixed(0);
    lines.push(
      `| ${rate} | ${shown.perSecond.toFixed(1)} | ${shown.p50.toFixed(0)} / ${shown.p99.toFixed(0)} | ${cores(shown.serviceCpuMs)} (${cores(MEASURED.serviceCpuMs)}) | ${cores(shown.databaseCpuMs)} (${cores(MEASURED.databaseCpuMs)}) | ${kilobytes(shown.walBytes / BYTES_PER_KB)} (${kilobytes(MEASURED.walKb)}) |`,
    );
  }
  return lines;
}
