/**
 * Statements that are asked for at once, as by a page, share a few connections: PostgreSQL plans a statement on each
 * connection that it comes to, which takes longer than most of them run.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** More make a page no faster on two cores, and each has to plan all that it is given. */
const LANES_MAX = 4;

/** Uses a connection; `discard` says that it is broken. */
type Work<Client, T> = (client: Client, discard: (error: Error) => void) => Promise<T>;

interface Waiting<Client> {
  readonly work: Work<Client, unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs what is asked for in one turn in few lanes, each on one connection, always in the same order. The connections go
 * back in the reverse order: a pool that lends the last one first lends each lane the same one for the next page, on
 * which its statements are planned.
 * @param use lends a connection to the work, and takes it back at its end.
 * @param hasRoom whether so many connections are free that some may wait for others to go back first.
 */
export function atOnce<Client>(use: <T>(work: Work<Client, T>) => Promise<T>, hasRoom: () => boolean) {
  let asked: Waiting<Client>[] = [];

  const begin = (): void => {
    const all = asked;
    asked = [];
    const lanes = Array.from({ length: Math.min(LANES_MAX, all.length) }, (_, lane) => ({
      waiting: all.filter((__, at) => at % LANES_MAX === lane),
      ended: Promise.withResolvers<void>(),
    }));
    lanes.forEach(({ waiting, ended }, lane) => {
      void run(waiting, lanes[lane + 1]?.ended.promise).then(ended.resolve);
    });
  };

  /** @param behind the end of the lane whose connection goes back first. */
  const run = async (waiting: Waiting<Client>[], behind: Promise<void> | undefined): Promise<void> => {
    // After an error the rest gets another connection: this one may be broken.
    while (waiting.length > 0) {
      const last: { settle: (() => void) | null } = { settle: null };
      try {
        await use(async (client, discard) => {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            last.settle?.();
            const one = next;
            try {
              const result = await one.work(client, discard);
              last.settle = () => one.resolve(result);
            } catch (error) {
              last.settle = () => one.reject(error);
              throw error;
            }
          }
          if (behind === undefined || !hasRoom()) return;
          last.settle?.();
          await behind;
        });
      } catch (error) {
        // There was no connection.
        if (last.settle === null) for (const one of waiting.splice(0)) one.reject(error);
      }
      // Only now: what the caller asks for next finds the connection free.
      last.settle?.();
    }
  };

  return <T>(work: Work<Client, T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const as = AsyncLocalStorage.snapshot();
    asked.push({
      work: (client, discard) => as(() => work(client, discard)),
      resolve,
      reject,
    });
    if (asked.length === 1) queueMicrotask(begin);
    return promise;
  };
}
