/** Measures work independently of the machine's load. */

/** The processor time, in milliseconds, that this process uses for synchronous work. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
