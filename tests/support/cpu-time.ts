/** Measures work independently of the machine's load. */

/** CPU milliseconds that this process spends on synchronous work. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
