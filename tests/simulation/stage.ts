/**
 * Sends the simulation's requests to the service on behalf of a merchant, with keys that are used again, and keeps the
 * responses.
 */
import { must } from "../../src/lib/assert.ts";
import { readSessionToken } from "../../src/tenants/signed-address.ts";
import type { Json } from "../support/service.ts";
import type { Promises } from "./promises.ts";
import type { Random } from "../../tools/random.ts";
import type { Shop } from "./shops.ts";
import type { Swarm } from "./swarm.ts";
import { isExpected, type Answer, type Instance, type Method, type World } from "./world.ts";

/** A session as its merchant knows it. */
export interface Known {
  readonly shop: Shop;
  readonly token: string;
  readonly id: string;
  /** When it expires, according to the response to its creation. */
  readonly endsMs: number;
  /** Until when it can be paid, as far as its merchant knows. */
  payableUntilMs: number;
  /** The last status that its merchant knows. */
  status: "open" | "awaiting" | "over";
}

export interface Asked {
  readonly what: string;
  readonly path: string;
  readonly method?: Method;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly page?: Readonly<Record<string, string>>;
  /** Whether to send the merchant's API key. */
  readonly key?: boolean;
  readonly idempotencyKey?: string | null;
  /** Has no key and may be repeated without harm, as by a client that got no response. */
  readonly repeats?: boolean;
  readonly onResponse?: (answer: Answer) => void;
  /** Called when its key was forgotten while it was running: it may be carried out again, after later requests. */
  readonly forgotten?: () => void;
}

/** A request as it was sent. With an Idempotency-Key it may be sent again. */
interface Sent extends Asked {
  readonly shop: Shop;
  readonly atMs: number;
}

export type Act = () => Promise<unknown>;

export interface Stage {
  readonly world: World;
  readonly promises: Promises;
  readonly sessions: Known[];
  /** Operations that follow soon: a customer returns from the bank, a client without a response asks again. */
  readonly soon: Act[];
  readonly random: () => Random;
  /** The merchants of this run; `shop` picks one. */
  readonly shops: readonly Shop[];
  readonly shop: () => Shop;
  readonly instance: () => Instance;
  /** A number that is new in this run. */
  readonly number: () => number;
  /** Null, a new Idempotency-Key, or one that was used before, possibly by another merchant or for another request. */
  readonly keyOrNone: () => string | null;
  readonly request: (shop: Shop, asked: Asked) => Promise<unknown>;
  /** Sends everything that `work` starts to one instance, the given one or any. */
  readonly crowd: (work: () => Promise<unknown>, at?: Instance) => Promise<void>;
  /** Repeats a request that was sent under a key less than half a day ago, at times with other data. */
  readonly again: () => Promise<void>;
  /** Advances the time. Keys may be forgotten. */
  readonly leap: (ms: number) => void;
  /** One pass of the named job, or of all jobs that matter. */
  readonly work: (instance: Instance, job: string | null) => Promise<void>;
  readonly jobNames: readonly string[];
  readonly idOf: (token: string) => string;
  /** One of the shop's rows that the statement returns (`$1` is the tenant). Null if there is none. */
  readonly some: (shop: Shop, text: string) => Promise<Json | null>;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Less than a day, after which the same key creates another session (contract: Idempotency keys). */
export const KEYS_KEPT_MS = 12 * HOUR_MS;
/** A replaced key stays valid for at least this time. */
export const KEY_OVERLAP_MS = 29 * DAY_MS;
/** The chance that a client without a response asks again. */
const ASKS_AGAIN = 0.5;
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "refresh-banks",
  "refresh-clocks",
  "forget-idempotent-answers",
  "refresh-statistics",
]);

/**
 * Another body for the key of this one, and always the same: it has an effect if it is the first to arrive, and the
 * invariants tell it by its marks.
 */
function otherThan(body: unknown): { readonly customer_ip: string; readonly reason: string } {
  const { customer_ip: ip, reason } = (body ?? {}) as Json;
  return {
    ...(body as object | undefined),
    customer_ip: ip === undefined ? "11.9.9.9" : String(ip).replace(/^10/, "11"),
    reason: `not ${String(reason ?? "given")}`,
  };
}

/** @param swarm the number of merchants, and whether requests without a key are repeated. */
export function createStage(
  world: World,
  promises: Promises,
  { shops, repeats }: Pick<Swarm, "shops" | "repeats">,
): Stage {
  const { gate, violations } = world;
  const keys: string[] = [];
  const keyed: Sent[] = [];
  const { keys: keyring } = (world.instances[0] as Instance).app.deps;
  let made = 0;

  const random = () => world.random();
  const number = () => (made += 1);
  let crowded: Instance | null = null;
  const soon: Act[] = [];
  const instance = (): Instance => crowded ?? random().pick(world.instances);
  const underWay = new Set<Sent>();
  const isKept = ({ atMs }: Sent) => world.nowMs() - atMs < KEYS_KEPT_MS;
  /**
   * Repeats a request like a client without a response: the same under its key, when the instance that ran it may be
   * dead.
   */
  const sendAgain = async (sent: Sent): Promise<unknown> => {
    world.advance(61 * SECOND_MS);
    return isKept(sent) ? send(sent) : undefined;
  };
  const send = (sent: Sent, other = false) => {
    const { what, path, body, form, page, key, method = "POST", idempotencyKey = null, shop } = sent;
    const at = instance();
    const mine = { ...sent };
    const given = other ? otherThan(body) : body;
    const work = async (): Promise<void> => {
      // A running rotation may be acknowledged before this request arrives with the old key.
      const keyEndsMs = Math.min(shop.keyEndsMs, world.nowMs() + KEY_OVERLAP_MS);
      underWay.add(mine);
      const answer = await world.call(at, method, path, {
        ...(given === undefined ? {} : { body: given }),
        ...(form === undefined ? {} : { form }),
        ...(page === undefined ? {} : { page }),
        ...(key === true ? { key: shop.key } : {}),
        idempotencyKey,
      });
      underWay.delete(mine);
      if (answer === null) {
        const mayAsk = idempotencyKey !== null || (repeats && sent.repeats === true);
        if (mayAsk && random().chance(ASKS_AGAIN)) soon.push(() => sendAgain(sent));
        return;
      }
      if (answer.status === 401 && world.nowMs() <= keyEndsMs && !shop.keyUnsure)
        violations.push(`${what} of ${shop.name} was refused for its key`);
      if (idempotencyKey !== null && answer.status >= 200 && answer.status < 300) {
        const words = promises.answered({
          key: `${shop.name} ${scope(sent)} ${idempotencyKey}`,
          signature: `${method} ${path} ${JSON.stringify(given)}`,
          id: answer.body["session_token"] ?? answer.body["id"] ?? null,
          sentMs: sent.atMs,
          nowMs: world.nowMs(),
        });
        if (words !== null) violations.push(`${words} (${what})`);
      }
      if (!other) sent.onResponse?.(answer);
    };
    return gate.start(`${what}#${number()}@${at.process.name}`, at.process, work, shop.tenant);
  };

  return {
    world,
    promises,
    sessions: [],
    soon,
    random,
    number,
    instance,
    shops: world.shops.slice(0, shops),
    shop: () => random().pick(world.shops.slice(0, shops)),
    keyOrNone() {
      if (!random().chance(0.5)) return null;
      if (keys.length > 0 && random().chance(0.3)) return random().pick(keys);
      keys.push(`key-${made}-${random().below(1_000)}`);
      return keys[keys.length - 1] ?? null;
    },
    request(shop, asked) {
      const sent: Sent = { ...asked, shop, atMs: world.nowMs() };
      if ((sent.idempotencyKey ?? null) !== null) keyed.push(sent);
      return send(sent);
    },
    async crowd(work, at) {
      crowded = at ?? random().pick(world.instances);
      try {
        await work();
      } finally {
        crowded = null;
      }
    },
    async again() {
      const kept = keyed.filter(isKept);
      if (kept.length === 0) return;
      if (random().chance(0.7)) world.advance(61 * SECOND_MS);
      const newest = kept[kept.length - 1] as Sent;
      const sent = random().chance(0.6) ? newest : random().pick(kept);
      await send(sent, sent.body !== undefined && random().chance(0.15));
    },
    leap(ms) {
      if (ms >= KEYS_KEPT_MS) {
        for (const { body, idempotencyKey } of keyed) {
          const { customer_ip: ip, reason } = (body ?? {}) as Json;
          promises.forgotten.add(ip ?? reason ?? idempotencyKey);
          const other = otherThan(body);
          promises.forgotten.add(other.customer_ip).add(other.reason);
        }
        for (const { what, shop, forgotten } of underWay) {
          // A rotation that arrives after its key was forgotten makes another key, and ends the previous one.
          if (what === "rotate-key") shop.keyUnsure = true;
          forgotten?.();
        }
      }
      world.advance(ms);
    },
    async work({ process, app }, job) {
      const jobs = app.jobs.filter(
        (one) => !WITHOUT_EFFECT.has(one.name) && (job === null || one.name === job),
      );
      await gate.start(`${job ?? "jobs"}#${number()}@${process.name}`, process, async () => {
        for (const one of jobs) {
          const actor = gate.current();
          if (actor !== undefined) actor.cause = one.name;
          try {
            gate.assertAlive();
            await one.runOnce(one.batch);
          } catch (error) {
            if (!isExpected(error))
              violations.push(
                `CALL-3: ${one.name} failed: ${error instanceof Error ? error.stack : String(error)}`,
              );
          }
        }
      });
    },
    jobNames: (world.instances[0] as Instance).app.jobs
      .map((job) => job.name)
      .filter((job) => !WITHOUT_EFFECT.has(job)),
    idOf: (token) => must(readSessionToken(keyring, token), "a session's token").sessionId,
    async some({ tenant }, text) {
      const rows = await world.rows(text, [tenant]);
      return rows.length === 0 ? null : random().pick(rows);
    },
  };
}

/** The owner of a key: a merchant's API key, or a session. */
function scope({ key, path }: Sent): string {
  return key === true ? "" : (path.split("/")[1] ?? "");
}
