/** How everybody in the simulation calls the service: in a tenant's name, with keys that are used again, and what was heard. */
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
  /** When its time is over, as its creation says. */
  readonly endsMs: number;
  /** And as far as its merchant knows. */
  payableUntilMs: number;
  /** As its merchant heard last. */
  status: "open" | "awaiting" | "over";
}

export interface Asked {
  readonly what: string;
  readonly path: string;
  readonly method?: Method;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly page?: Readonly<Record<string, string>>;
  /** Sends the merchant's key. */
  readonly key?: boolean;
  readonly idempotencyKey?: string | null;
  /** Has no key, and does the same when it is sent again: as a client does that has heard nothing. */
  readonly repeats?: boolean;
  readonly heard?: (answer: Answer) => void;
  /** Its key was forgotten while it was under way: it may be carried out once more, after what was asked for since. */
  readonly forgotten?: () => void;
}

/** A request as it went out: with an Idempotency-Key it may go out again. */
interface Sent extends Asked {
  readonly shop: Shop;
  readonly atMs: number;
}

export type Act = () => Promise<unknown>;

export interface Stage {
  readonly world: World;
  readonly promises: Promises;
  readonly sessions: Known[];
  /** What somebody does next: a customer who was sent to the bank comes back, a client that has heard nothing asks again. */
  readonly soon: Act[];
  readonly random: () => Random;
  /** Those that are at work in this run, and one of them. */
  readonly shops: readonly Shop[];
  readonly shop: () => Shop;
  readonly instance: () => Instance;
  /** A new number in this run. */
  readonly number: () => number;
  /** Nothing, a new Idempotency-Key, or one that was used before, maybe by another merchant or for something else. */
  readonly keyOrNone: () => string | null;
  readonly request: (shop: Shop, asked: Asked) => Promise<unknown>;
  /** Everything that begins meanwhile goes to one instance, this one or any. */
  readonly crowd: (work: () => Promise<unknown>, at?: Instance) => Promise<void>;
  /** Sends again what went out under a key less than half a day ago; with other data now and then. */
  readonly again: () => Promise<void>;
  /** Lets time go on; keys may be forgotten meanwhile. */
  readonly leap: (ms: number) => void;
  /** One pass of one of the jobs that matter, or of all. */
  readonly work: (instance: Instance, job: string | null) => Promise<void>;
  readonly jobNames: readonly string[];
  readonly idOf: (token: string) => string;
  /** One of the shop's rows that the statement finds; `$1` is the tenant. Null when there is none. */
  readonly some: (shop: Shop, text: string) => Promise<Json | null>;
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Less than a day, after which the same key makes another session (contract: Idempotency keys). */
export const KEYS_KEPT_MS = 12 * HOUR_MS;
/** A key that was replaced goes on for so long, at least. */
export const KEY_OVERLAP_MS = 29 * DAY_MS;
/** Of those who have heard nothing. */
const ASKS_AGAIN = 0.5;
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "refresh-banks",
  "refresh-clocks",
  "forget-idempotent-answers",
  "refresh-statistics",
]);

/** @param swarm says how many merchants are at work, and whether what has no key is sent again, too. */
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
  /** As a client does that has heard nothing: the same under its key, when whoever ran it may be dead. */
  const sendAgain = async (sent: Sent): Promise<unknown> => {
    world.advance(61 * SECOND_MS);
    return isKept(sent) ? send(sent) : undefined;
  };
  const send = (sent: Sent, other = false) => {
    const { what, path, body, form, page, key, method = "POST", idempotencyKey = null, shop } = sent;
    const at = instance();
    const mine = { ...sent };
    const given = other
      ? { ...(body as object | undefined), customer_ip: "10.9.9.9", reason: "another" }
      : body;
    const work = async (): Promise<void> => {
      // The answer of a rotation that is under way may be heard before this request is there with the old key.
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
      if (!other) sent.heard?.(answer);
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
        }
        for (const { what, shop, forgotten } of underWay) {
          // One that comes so late under its key is another rotation, and ends the key that the first one left.
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

/** Keys are kept apart by who calls: a merchant's API key, or a session. */
function scope({ key, path }: Sent): string {
  return key === true ? "" : (path.split("/")[1] ?? "");
}
