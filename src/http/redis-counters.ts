/**
 * The sliding log shared by all instances through Redis or Valkey; if it does not answer in time, each instance counts
 * on its own.
 */
import { hash } from "node:crypto";
import { createClient, defineScript, type CommandParser } from "redis";
import type { Log } from "../lib/log.ts";
import type { Limit } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { Counters, Hit } from "./rate-limit.ts";

interface RedisCountersOptions {
  /** Used while Redis does not answer. */
  readonly memory: Counters;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "rateLimitFallback" | "rateLimitStore">;
}

/** A request waits no longer than this for its counter. */
const ANSWER_TIMEOUT_MS = 100;
const CONNECT_TIMEOUT_MS = 1_000;
const RECONNECT_AFTER_MS = 1_000;
/** More unanswered commands than this mean that Redis is too slow. */
const COMMANDS_WAITING_MAX = 10_000;

/**
 * Counters in the Redis at `url` (redis: or rediss:). An outage is logged once when it begins and once when it ends.
 * @throws Error when `url` is invalid; never because Redis is down.
 */
export async function redisCounters(url: string, options: RedisCountersOptions): Promise<Counters> {
  const { memory, metrics } = options;
  const connection = new Connection(url, options);
  await connection.open();
  return {
    async hit(key, limit) {
      const shared = await connection.hit(key, limit);
      if (shared !== null) return shared;
      metrics.rateLimitFallback();
      return memory.hit(key, limit);
    },
    async close() {
      connection.close();
      await memory.close();
    },
  };
}

type Client = ReturnType<typeof newClient>;

/**
 * Either up or down: the first command without an answer closes the connection and fails every other waiting command,
 * and requests do not use Redis until a new connection has answered.
 */
class Connection {
  readonly #url: string;
  readonly #options: RedisCountersOptions;
  #client: Client | null = null;
  #retry: NodeJS.Timeout | undefined;
  #outageLogged = false;
  #closed = false;

  constructor(url: string, options: RedisCountersOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Null when Redis does not answer; this process counts then. */
  async hit(key: string, limit: Limit): Promise<Hit | null> {
    const client = this.#client;
    if (client === null) return null;
    try {
      return await within(ANSWER_TIMEOUT_MS, client.slidingLog(keyOf(key, limit), limit));
    } catch (error) {
      this.#lost(client, error);
      return null;
    }
  }

  /**
   * Connects now, and retries until it succeeds.
   * @throws Error when the address is invalid.
   */
  async open(): Promise<void> {
    const client = newClient(this.#url);
    client.on("error", (error: unknown) => this.#lost(client, error));
    try {
      await within(CONNECT_TIMEOUT_MS, client.connect());
      await within(ANSWER_TIMEOUT_MS, client.ping());
    } catch (error) {
      client.destroy();
      this.#down(error);
      return;
    }
    if (this.#closed) client.destroy();
    else this.#up(client);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#client?.destroy();
    this.#client = null;
  }

  #up(client: Client): void {
    const { log, metrics } = this.#options;
    this.#client = client;
    metrics.rateLimitStore(true);
    if (this.#outageLogged) log.warn("the shared rate-limit counters are available again");
    this.#outageLogged = false;
  }

  #lost(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.destroy();
    this.#down(error);
  }

  #down(error: unknown): void {
    if (this.#closed) return;
    const { log, metrics } = this.#options;
    metrics.rateLimitStore(false);
    if (!this.#outageLogged) {
      const reason = error instanceof Error ? `${error.name} ${error.message}`.trim() : String(error);
      log.warn("the shared rate-limit counters do not answer; this process counts on its own", { reason });
    }
    this.#outageLogged = true;
    this.#retry = setTimeout(() => void this.open(), RECONNECT_AFTER_MS).unref();
  }
}

/** Reconnecting is done here: the client's own mechanism would keep commands waiting for a frozen Redis. */
function newClient(url: string) {
  return createClient({
    url,
    scripts: { slidingLog: SLIDING_LOG },
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_WAITING_MAX,
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });
}

/** Addresses and key ids are hashed, so they are not in Redis; another limit begins another log. */
function keyOf(key: string, { count, windowMs }: Limit): string {
  return `payment-sessions:limit:${hash("sha256", `${count} ${windowMs} ${key}`, "base64url").slice(0, 22)}`;
}

/**
 * Limits the time of a promise.
 * @throws Error when it takes longer than `ms`.
 */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // When this process itself was busy, the answer may already be in the socket: it is read first.
    timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A list of the times of the counted hits, in microseconds of Redis' own clock so that all instances agree. Anything
 * but a list of past times (foreign data, a clock that was set back) is deleted, so that it cannot lock out a caller.
 */
const SLIDING_LOG = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local key, count, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000
    local time = redis.call('time')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

    local oldest = tonumber(redis.pcall('lindex', key, 0))
    local newest = tonumber(redis.pcall('lindex', key, -1))
    if not oldest or not newest or newest > now then
      redis.call('del', key)
      oldest = nil
    end
    while oldest and oldest <= now - window do
      redis.call('lpop', key)
      oldest = tonumber(redis.call('lindex', key, 0))
    end

    local size = redis.call('llen', key)
    if size >= count then return {0, 0, oldest + window - now, newest + window - now} end
    redis.call('rpush', key, string.format('%.0f', now))
    redis.call('pexpire', key, ARGV[2])
    return {1, count - size - 1, 0, window}`,
  parseCommand(parser: CommandParser, key: string, { count, windowMs }: Limit) {
    parser.pushKey(key);
    parser.push(String(count), String(windowMs));
  },
  transformReply(reply: readonly number[]): Hit {
    const [allowed = 0, remaining = 0, retryAfter = 0, reset = 0] = reply;
    return {
      allowed: allowed === 1,
      remaining,
      retryAfterMs: Math.ceil(retryAfter / 1_000),
      resetMs: Math.ceil(reset / 1_000),
    };
  },
});
