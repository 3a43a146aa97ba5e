/** Work with a deadline that leaves no timer behind; `AbortSignal.timeout` keeps its listeners until it fires. */

/** Gives `work` a signal that aborts after so long, with a `TimeoutError`. */
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
