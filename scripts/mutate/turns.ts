/** Schedules work: several at once, or one alone. */
export class Turns {
  readonly #running = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /** Runs `work` at the same time as others, once nothing runs alone. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    for (let seen = null; seen !== this.#alone;) {
      seen = this.#alone;
      await seen;
    }
    const running = work();
    const ended = running.catch(() => {});
    this.#running.add(ended);
    try {
      return await running;
    } finally {
      this.#running.delete(ended);
    }
  }

  /** Runs `work` when all others have ended; later ones wait for it. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#alone;
    const running = before.then(() => Promise.all(this.#running)).then(work);
    this.#alone = running.catch(() => {});
    return running;
  }
}
