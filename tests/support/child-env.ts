/** The environment of a service process that a test starts. Only the variables listed here are passed on. */

/** The compile cache halves the time of a start. */
export function childEnv(): Readonly<Record<string, string>> {
  const { PATH = "", NODE_COMPILE_CACHE: cache } = process.env;
  return cache === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE: cache };
}
