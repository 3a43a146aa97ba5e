/** Shows the progress of a long command: a bar in a terminal, occasional lines elsewhere. */

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface Progress {
  at(done: number, all: number): void;
  /** Keeps the last state on the screen. */
  end(): void;
}

const BAR_WIDTH = 30;
const REDRAWN_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/**
 * Starts a progress display.
 * @param what is counted, such as `values`; @param nowMs a monotonic clock.
 */
export function progressOn(screen: Screen, what: string, nowMs: () => number): Progress {
  const terminal = screen.isTTY === true;
  let last = -Infinity;
  let text = "";
  let shown = "";
  const show = () => {
    if (text === shown) return;
    screen.write(terminal ? `\r${text.slice(0, (screen.columns ?? 80) - 1)}\u001B[K` : `${text}\n`);
    shown = text;
  };
  return {
    at(done, all) {
      const share = all === 0 ? 1 : done / all;
      const full = Math.floor(share * BAR_WIDTH);
      const bar = terminal ? `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}] ` : "";
      text = `${bar}${done} of ${all} ${what} (${Math.floor(share * 100)} %)`;
      const now = nowMs();
      if (now - last < (terminal ? REDRAWN_EVERY_MS : LINE_EVERY_MS)) return;
      last = now;
      show();
    },
    end() {
      show();
      if (terminal && shown !== "") screen.write("\n");
    },
  };
}
