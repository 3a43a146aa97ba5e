/** Limits concurrent uploads: further ones wait a while with their bodies unread, then get a 503 with Retry-After. */
import { Refusal } from "../refusals.ts";

export interface UploadPlaces {
  /**
   * Waits for a place; the returned function releases it.
   * @param lane uploads in one lane run one at a time: files of one kind and tenant.
   * @param gone aborts the wait when the client disconnects.
   * @throws Refusal unavailable with the number of seconds to wait.
   */
  take(lane: string, gone: AbortSignal): Promise<() => void>;
}

interface UploadPlacesOptions {
  readonly atOnce: number;
  readonly atOncePerLane: number;
  readonly waiting: number;
  readonly waitingPerLane: number;
  readonly waitMs: number;
}

/**
 * Reading a file keeps one processor busy, so more at once would only compete. A tenant never has all places, as there
 * are three kinds.
 */
const PLACES: UploadPlacesOptions = {
  atOnce: 4,
  atOncePerLane: 1,
  waiting: 64,
  waitingPerLane: 32,
  waitMs: 30_000,
};
const RETRY_AFTER_S = 30;

interface Waiting {
  readonly lane: string;
  begin(): void;
}

/** Places of this process. */
export function uploadPlaces(options: UploadPlacesOptions = PLACES): UploadPlaces {
  const reading = new Map<string, number>();
  let waiting: readonly Waiting[] = [];
  const count = (lane: string) => reading.get(lane) ?? 0;
  const isFree = (lane: string): boolean => {
    const all = [...reading.values()].reduce((sum, ofLane) => sum + ofLane, 0);
    return all < options.atOnce && count(lane) < options.atOncePerLane;
  };
  const occupy = (lane: string): (() => void) => {
    reading.set(lane, count(lane) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      if (count(lane) === 1) reading.delete(lane);
      else reading.set(lane, count(lane) - 1);
      callNext();
    };
  };
  const callNext = (): void => {
    const next = waiting.find(({ lane }) => isFree(lane));
    if (next === undefined) return;
    waiting = waiting.filter((other) => other !== next);
    next.begin();
  };
  const wait = (lane: string, gone: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting = waiting.filter((other) => other !== self);
        clearTimeout(timer);
        gone.removeEventListener("abort", giveUp);
      };
      const giveUp = (): void => {
        leave();
        reject(busy());
      };
      const self: Waiting = {
        lane,
        begin() {
          leave();
          resolve(occupy(lane));
        },
      };
      const timer = setTimeout(giveUp, options.waitMs);
      timer.unref();
      gone.addEventListener("abort", giveUp);
      waiting = [...waiting, self];
    });
  return {
    async take(lane, gone) {
      if (isFree(lane)) return occupy(lane);
      const ofLane = waiting.filter((other) => other.lane === lane).length;
      if (gone.aborted || waiting.length >= options.waiting || ofLane >= options.waitingPerLane) throw busy();
      return wait(lane, gone);
    },
  };
}

function busy(): Refusal {
  const detail = "Other files are being read. Try again shortly.";
  return new Refusal("unavailable", { detail, retryAfter: RETRY_AFTER_S });
}
