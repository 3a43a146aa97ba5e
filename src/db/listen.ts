/**
 * Notifies other instances of new work and listens to them: LISTEN/NOTIFY on a dedicated connection that reconnects
 * after a loss.
 */
import pg from "pg";

interface Listener {
  /**
   * Notifies all listeners, including this process; call it after the commit. Not a trigger, because a transaction that
   * notifies delays every other one that does until its commit is on disk. Several calls become one notification.
   */
  announce(): void;
  close(): Promise<void>;
}

interface ListenOptions {
  /** Called for every notification, and after each reconnection: something may have been missed. */
  readonly onNotice: () => void;
  readonly onLost: (error: Error) => void;
}

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A notification takes a moment; after this time the connection counts as dead, and another one is opened. */
const ANSWER_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const CHANNEL = /^[a-z_]+$/;

/**
 * Listens until closed. Correctness must not depend on it: notifications can be lost.
 * @param channel lower-case letters and `_`.
 */
export function listen(url: string, channel: string, options: ListenOptions): Listener {
  if (!CHANNEL.test(channel)) throw new Error(`${channel} is not a channel`);
  let client: pg.Client | null = null;
  let connecting: Promise<void> = Promise.resolve();
  let closed = false;
  let retry: NodeJS.Timeout | undefined;
  let announcing = false;
  let again = false;

  const lost = (of: pg.Client, error: Error): void => {
    if (closed || client !== of) return;
    client = null;
    options.onLost(error);
    of.end().catch(() => {});
    retry = setTimeout(() => {
      connecting = connect();
    }, RECONNECT_MS);
  };
  const connect = async (): Promise<void> => {
    const made = createClient(url);
    client = made;
    made.on("error", (error) => lost(made, error));
    made.on("end", () => lost(made, new Error("The connection was ended")));
    made.on("notification", options.onNotice);
    try {
      await made.connect();
      await made.query(`listen ${channel}`);
      options.onNotice();
    } catch (error) {
      lost(made, asError(error));
    }
  };
  const announce = async (): Promise<void> => {
    announcing = true;
    for (let on = client; again && on !== null; on = client) {
      again = false;
      const to = on;
      await to.query(`notify ${channel}`).catch((error: unknown) => lost(to, asError(error)));
    }
    announcing = false;
  };
  connecting = connect();

  return {
    announce() {
      again = true;
      if (!announcing && !closed) void announce();
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}

function createClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "payment-session-service-listener",
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
