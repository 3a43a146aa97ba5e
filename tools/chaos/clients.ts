/** Customers and merchants who use the failing service, and record the responses. */
import { setTimeout as sleep } from "node:timers/promises";
import { IBAN } from "../../tests/support/merchant.ts";
import { ask, classOf, type Answer, type AskOptions } from "./ask.ts";
import type { Random } from "../random.ts";
import { count, type Tally } from "./tally.ts";
import type { Shop, World } from "./world.ts";

/** One session as its merchant knows it from 2xx responses. */
export interface Journey {
  readonly shop: Shop;
  readonly email: string;
  token: string | null;
  /** Reported as paid, by this transaction. */
  completed: string | null;
  cancelled: boolean;
  /** Transactions that were reported as declined. */
  readonly declined: string[];
  readonly refunds: { readonly id: string; readonly status: string; readonly amount: string }[];
  readonly activities: string[];
}

/** Nothing was done: too many requests, or a request that did not arrive while its instance was paused. */
const LATER: ReadonlySet<number> = new Set([429, 408]);

/** Runs this many concurrent customers until the signal aborts; requests in flight are finished. */
export async function runClients(
  world: World,
  tally: Tally,
  journeys: Journey[],
  {
    random,
    clients,
    signal,
  }: { readonly random: Random; readonly clients: number; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const own = random.fork();
      while (!signal.aborted) {
        const journey = newJourney(own.pick(world.shops));
        journeys.push(journey);
        await new Client(world, tally, own, signal).travel(journey);
      }
    }),
  );
}

let people = 0;

export function newJourney(shop: Shop): Journey {
  people += 1;
  const email = `${shop.mark}-${people}@example.com`;
  return {
    shop,
    email,
    token: null,
    completed: null,
    cancelled: false,
    declined: [],
    refunds: [],
    activities: [],
  };
}

const AMOUNT = "19.90";
const IBANS = [
  ...Array.from({ length: 5 }, () => IBAN.approved),
  IBAN.approvedDutch,
  IBAN.pending,
  IBAN.returned,
  IBAN.declined,
  IBAN.insufficientFunds,
  IBAN.chargedBack,
  IBAN.verification,
  IBAN.verification,
  IBAN.verificationFails,
  IBAN.answerLost,
  IBAN.answerLost,
  IBAN.notCharged,
  IBAN.slow,
  IBAN.unreachable,
] as const;
const TRIES = 5;
const ATTEMPTS = 2;

/** One customer with the merchant's server behind them. */
export class Client {
  readonly #world: World;
  readonly #tally: Tally;
  readonly #random: Random;
  readonly #signal: AbortSignal;

  constructor(world: World, tally: Tally, random: Random, signal: AbortSignal) {
    this.#world = world;
    this.#tally = tally;
    this.#random = random;
    this.#signal = signal;
  }

  async travel(journey: Journey): Promise<void> {
    const random = this.#random;
    await this.create(journey);
    if (journey.token === null) return;
    if (random.chance(0.08)) return this.cancel(journey);
    for (
      let attempt = 0;
      attempt < ATTEMPTS && journey.completed === null && !this.#signal.aborted;
      attempt += 1
    ) {
      const open = await this.pay(journey, attempt, attempt === 0 ? random.pick(IBANS) : IBAN.approved);
      if (!open) break;
    }
    const steps = [
      [0.3, () => this.retrieve(journey)],
      [journey.completed === null ? 0 : 0.35, () => this.refund(journey)],
      [0.35, () => this.postback(journey)],
      [0.1, () => this.trespass(journey)],
    ] as const;
    for (const [probability, step] of steps)
      if (random.chance(probability) && !this.#signal.aborted) await step();
  }

  async create(journey: Journey): Promise<void> {
    const { merchant, mark, billing } = journey.shop;
    const body = {
      lead: { first_name: mark, last_name: "Example", email: journey.email, country: "DE" },
      gateway_id: merchant.gatewayId,
      amount: AMOUNT,
      currency: "EUR",
      ...billing,
    };
    const answer = await this.#insist(
      "payment-sessions/",
      body,
      this.#asMerchant(journey, `create-${journey.email}`),
    );
    if (answer.status !== 201) return this.#unexpected(answer, [409], "create", journey);
    journey.token = answer.body["session_token"];
  }

  /** @returns whether another attempt is possible. */
  async pay(journey: Journey, attempt: number, iban: string): Promise<boolean> {
    const keyed = this.#random.chance(0.5);
    const body = {
      iban,
      iban_holder_name: "Ada Example",
      ...(this.#random.chance(0.3) ? { tenant_reference_id: `${journey.email}-${attempt}` } : {}),
    };
    const headers = { "idempotency-key": `pay-${attempt}-${journey.email}` };
    const path = `payment-sessions/${journey.token}/pay/`;
    const answer = await this.#insist(path, body, keyed ? { headers } : {});
    if (answer.status !== 200) {
      this.#unexpected(answer, [409, 410], "pay", journey);
      return false;
    }
    this.#told(journey, answer);
    if (answer.body["status"] === "awaiting_verification") await this.verify(journey);
    return answer.body["retry_allowed"] === true;
  }

  async verify(journey: Journey): Promise<Answer> {
    const answer = await this.#insist(`payment-sessions/${journey.token}/verify/`, undefined, {});
    if (answer.status === 200) this.#told(journey, answer);
    else this.#unexpected(answer, [409, 410], "verify", journey);
    return answer;
  }

  #told(journey: Journey, { body }: Answer): void {
    const id: unknown = body["transaction"]?.["id"];
    if (typeof id !== "string") return;
    if (body["status"] === "completed") {
      if (journey.completed !== null && journey.completed !== id)
        this.#tally.violations.push(
          `${journey.email} was told to be paid by ${journey.completed} and by ${id}`,
        );
      journey.completed = id;
    } else if (body["status"] === "declined" && body["error_details"]?.["code"] !== "gateway_unavailable") {
      journey.declined.push(id);
    }
  }

  async cancel(journey: Journey): Promise<void> {
    const path = `payment-sessions/${journey.token}/cancel/`;
    const answer = await this.#insist(path, undefined, this.#asMerchant(journey));
    if (answer.status === 200) journey.cancelled = answer.body["status"] === "EXPIRED";
    else this.#unexpected(answer, [409, 410], "cancel", journey);
  }

  /** Reads return what was acknowledged, at any instance. */
  async retrieve(journey: Journey): Promise<void> {
    const paid = journey.completed !== null;
    const answer = await this.#call("GET", `payment-sessions/${journey.token}/`);
    if (answer.status !== 200) return this.#unexpected(answer, [], "retrieve", journey);
    const { status } = answer.body;
    if (paid && status !== "COMPLETED")
      this.#tally.violations.push(`${journey.email} was told to be paid and is read as ${status}`);
  }

  async refund(journey: Journey): Promise<void> {
    const amount = this.#random.pick(["5.00", AMOUNT]);
    const path = `management/transactions/${journey.completed}/refunds/`;
    const answer = await this.#insist(path, { amount }, this.#asMerchant(journey, `refund-${journey.email}`));
    if (answer.status !== 201) return this.#unexpected(answer, [400, 409], "refund", journey);
    journey.refunds.push({
      id: answer.body["id"],
      status: answer.body["status"],
      amount: answer.body["amount"],
    });
  }

  async postback(journey: Journey): Promise<void> {
    const body = { id: journey.email, our_ref: journey.token, status: "sale" };
    const answer = await this.#insist(journey.shop.postbackPath, body, {});
    if (answer.status === 200) journey.activities.push(answer.body["activity_id"]);
    else this.#unexpected(answer, [], "postback", journey);
  }

  /** The other merchant's key can neither read nor change this one's records. */
  async trespass(journey: Journey): Promise<void> {
    const other = this.#world.shops.find((shop) => shop !== journey.shop);
    const key = this.#random.pick(other?.keys ?? []);
    const [method, path] = this.#random.pick([
      ["POST", `payment-sessions/${journey.token}/cancel/`],
      ["POST", `management/transactions/${journey.completed ?? "none"}/refunds/`],
      ["GET", `management/transactions/${journey.completed ?? "none"}/refunds/`],
    ] as const);
    const answer = await this.#call(method, path, undefined, { key });
    if (answer.status >= 200 && answer.status < 300)
      this.#tally.violations.push(`${method} ${path} of ${journey.shop.mark} was allowed to ${other?.mark}`);
    const list = await this.#call("GET", "reconciliation/transactions/?start_date=2020-01-01", undefined, {
      key,
    });
    if (list.text.includes(`${journey.shop.mark}-`))
      this.#tally.violations.push(`the transactions of ${other?.mark} show those of ${journey.shop.mark}`);
  }

  #asMerchant({ shop }: Journey, idempotencyKey?: string): AskOptions {
    // The API key identifies the caller: a request is repeated with the same one.
    const key = shop.keys[people % shop.keys.length] ?? shop.merchant.key;
    return {
      key: idempotencyKey === undefined ? key : shop.merchant.key,
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
    };
  }

  /** Repeats a request, perhaps at another instance, until there is a conclusive response. */
  async #insist(path: string, body: unknown, options: AskOptions): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#call("POST", path, body, options);
      const running = answer.status === 409 && answer.text.includes("Idempotency-Key");
      const passing = answer.status === 0 || answer.status === 503 || LATER.has(answer.status) || running;
      if (!passing || tries === TRIES) return answer;
      const pauseMs = 100 * tries + this.#random.between(0, 200);
      await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => {});
      if (this.#signal.aborted) return answer;
    }
  }

  async #call(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    const { url } = this.#random.pick(this.#world.instances);
    // Some clients time out earlier than the service.
    const timeoutMs = this.#random.chance(0.1) ? this.#random.between(200, 3_000) : undefined;
    const answer = await ask(
      url,
      method,
      path,
      body,
      timeoutMs === undefined ? options : { ...options, timeoutMs },
    );
    count(this.#tally.answers, classOf(answer));
    if (answer.status !== 0) this.#tally.slowestMs = Math.max(this.#tally.slowestMs, answer.ms);
    // No server: without a pause a client would only fill the log.
    if (answer.status === 0) await sleep(50);
    if (answer.status >= 500 && answer.status !== 503)
      this.#tally.violations.push(
        `${method} ${path.replace(/ps_[\w-]+/, "ps_…")} answered ${answer.status}: ${answer.text.slice(0, 200)}`,
      );
    return answer;
  }

  #unexpected(answer: Answer, expected: readonly number[], what: string, { email }: Journey): void {
    const { status } = answer;
    if (status === 0 || status >= 500 || LATER.has(status) || expected.includes(status)) return;
    this.#tally.violations.push(`${what} of ${email} answered ${status}: ${answer.text.slice(0, 200)}`);
  }
}
