/** The environment of a service process that a test starts: only these variables of this process are passed on. */

/** With the compile cache it starts in half the time. */
export function childEnv(): Readonly<Record<string, string>> {
  const { PATH = "", NODE_COMPILE_CACHE: cache } = process.env;
  return cache === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE: cache };
}
