/** What a process of the service that a test starts takes from this one's environment: nothing else reaches it. */

/** With the cache of compiled modules it starts in half the time. */
export function childEnv(): Readonly<Record<string, string>> {
  const { PATH = "", NODE_COMPILE_CACHE: cache } = process.env;
  return cache === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE: cache };
}
