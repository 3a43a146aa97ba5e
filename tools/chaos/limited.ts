/** A signal that aborts with another one, after a time, or on request. */

interface Limited {
  readonly signal: AbortSignal;
  end(): void;
}

export function limited(parent: AbortSignal, ms?: number): Limited {
  const own = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    parent.removeEventListener("abort", end);
    own.abort();
  };
  const timer = ms === undefined ? undefined : setTimeout(end, ms);
  if (parent.aborted) end();
  else parent.addEventListener("abort", end);
  return { signal: own.signal, end };
}
