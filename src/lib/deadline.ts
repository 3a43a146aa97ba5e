/** Work with a deadline, without leaving a timer behind; `AbortSignal.timeout` keeps its listeners until it fires. */

/** Runs `work` with a signal that aborts with a `TimeoutError` after `ms` milliseconds. */
export async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException("The deadline has passed.", "TimeoutError"));
  }, ms).unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
