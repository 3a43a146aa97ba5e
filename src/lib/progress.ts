/** Shows how far a long command is: a bar in a terminal, a line now and then anywhere else. */

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface Progress {
  at(done: number, all: number): void;
  /** Leaves the last state standing. */
  end(): void;
}

const BAR_WIDTH = 30;
const REDRAWN_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** @param what is counted, such as `values`; @param nowMs only grows. */
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
