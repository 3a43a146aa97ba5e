/** What customers, merchants, workers, the bank and time do, each chosen by the seed. */
import { must } from "../../src/lib/assert.ts";
import { readSessionToken } from "../../src/lib/session-token.ts";
import type { Json } from "../support/service.ts";
import { IBAN } from "../support/merchant.ts";
import type { Promises } from "./promises.ts";
import { isExpected, type Answer, type Instance, type World } from "./world.ts";

/** A session as its merchant knows it. */
interface Known {
  readonly token: string;
  readonly id: string;
  /** No payment may begin after this. */
  payableUntilMs: number;
}

/** A request as it went out: with a key it may go out again. */
interface Sent {
  readonly what: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: boolean;
  readonly method: "GET" | "POST";
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  readonly heard: (answer: Answer) => void;
}

export interface Cast {
  /** The names of all that can be done, with how often. */
  readonly weights: Readonly<Record<string, number>>;
  /** Starts something of this name, and returns when it waits or is done. */
  act(name: string): Promise<void>;
  /** One pass of one of the jobs that matter, or of all. */
  work(instance: Instance, name: string | null): Promise<void>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Less than a day, after which the same key makes another session (contract: Idempotency keys). */
const KEYS_KEPT_MS = 12 * HOUR_MS;
const CLOCKS_APART_MS = 3 * SECOND_MS;
const LEAD_TAKEN = /already has an active session/;
const AMOUNTS = ["19.90", "5.00", "0.03", "123.45"] as const;
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "refresh-banks",
  "refresh-clocks",
  "forget-idempotent-answers",
  "refresh-statistics",
]);
const DUE_NEXT = `
  select min(at) as at from (
    select next_billing_date::timestamptz as at from subscriptions where status <> 'CANCELLED'
     union all
    select next_attempt_at from billing_cycles where status = 'retry'
  ) due`;
const CHANGE_SETTING = `
  update gateways set completed_event_at = case completed_event_at when 'settlement' then 'acceptance' else 'settlement' end
   where id = $1`;
const RECOVERIES = ["recover-payments", "recover-refunds", "recover-rebills"] as const;
/** Often, for what everything else needs. */
const WEIGHTS = {
  create: 16,
  pay: 22,
  payTwice: 8,
  verify: 7,
  retrieve: 3,
  cancel: 4,
  refund: 12,
  refundTwice: 6,
  chargeback: 3,
  cancelSubscription: 2,
  collect: 3,
  collectUnscheduled: 8,
  work: 12,
  workAll: 5,
  workEverywhere: 3,
  recover: 9,
  again: 8,
  renew: 8,
  bankWorks: 8,
  bankChargesBack: 3,
  bankTellsOfStranger: 1,
  changeSetting: 3,
  customerDecides: 7,
  lateCall: 3,
  tick: 8,
  jump: 6,
  month: 2,
} as const;

export function createCast(world: World, promises: Promises): Cast {
  const { merchant, gate, bank, violations } = world;
  const sessions: Known[] = [];
  const keys: string[] = [];
  const keyed: Sent[] = [];
  const creations = new Map<string, { readonly body: Json; readonly atMs: number }>();
  let made = 0;

  const random = () => world.random();
  const instance = (): Instance => random().pick(world.instances);
  const name = (what: string) => `${what}#${(made += 1)}`;
  const keyOrNone = (): string | null => {
    if (!random().chance(0.4)) return null;
    if (keys.length > 0 && random().chance(0.4)) return random().pick(keys);
    keys.push(`key-${made}-${random().below(1_000)}`);
    return keys[keys.length - 1] ?? null;
  };
  const send = ({ what, path, body, key, method, idempotencyKey, heard }: Sent) => {
    const at = instance();
    return gate.start(`${name(what)}@${at.process.name}`, at.process, async () => {
      const answer = await world.call(at, method, path, {
        ...(body === undefined ? {} : { body }),
        ...(key ? { key: merchant.key } : {}),
        idempotencyKey,
      });
      if (answer !== null) heard(answer);
    });
  };
  const request = (
    what: string,
    path: string,
    body: unknown,
    more: Partial<Pick<Sent, "key" | "idempotencyKey" | "method">>,
    heard: Sent["heard"],
  ) => {
    const sent: Sent = {
      what,
      path,
      body,
      heard,
      key: more.key ?? false,
      method: more.method ?? "POST",
      idempotencyKey: more.idempotencyKey ?? null,
      atMs: world.nowMs(),
    };
    if (sent.idempotencyKey !== null) keyed.push(sent);
    return send(sent);
  };
  /** A request that is under way while a day passes may find its key forgotten. */
  const leap = (ms: number): void => {
    if (ms >= KEYS_KEPT_MS)
      for (const { body, idempotencyKey } of keyed) {
        const { customer_ip: ip, reason } = (body ?? {}) as Json;
        promises.forgotten.add(ip ?? reason ?? idempotencyKey);
      }
    world.advance(ms);
  };
  const { keys: keyring } = (world.instances[0] as Instance).app.deps;
  const idOf = (token: string) => must(readSessionToken(keyring, token), "a session's token").sessionId;

  const creation = (): Json => {
    const lead = {
      first_name: "Ada",
      last_name: "Example",
      email: `ada${random().chance(0.25) ? 0 : (made += 1)}@example.com`,
      country: "DE",
    };
    const type = random().weighted({ ONE_OFF: 45, RECURRING: 40, TRIAL_RECURRING: 15 });
    return {
      // Tells one creation from another in the service's records.
      customer_ip: `10.0.${(made += 1) >> 8}.${made & 255}`,
      lead,
      gateway_id: random().pick(merchant.gateways),
      amount: random().pick(AMOUNTS),
      currency: "EUR",
      billing_type: type,
      max_payment_attempts: 1 + random().below(3),
      expires_in: random().pick([1_800, 7_200, 259_200]),
      ...(type === "ONE_OFF" || random().chance(0.5)
        ? {}
        : { billing_frequency: random().pick(["WEEKLY", "MONTHLY"]) }),
      ...(type === "TRIAL_RECURRING"
        ? { trial_interval_unit: "day", trial_period: 3, trial_price: random().pick(["0.00", "1.00"]) }
        : {}),
    };
  };
  const create = () => {
    // A creation whose answer did not come is sent again as it was.
    for (const [key, { atMs }] of creations) if (world.nowMs() - atMs > KEYS_KEPT_MS) creations.delete(key);
    const idempotencyKey =
      creations.size > 0 && random().chance(0.25)
        ? random().pick([...creations.keys()])
        : random().chance(0.6)
          ? `create-${(made += 1)}`
          : null;
    const body = (idempotencyKey === null ? undefined : creations.get(idempotencyKey)?.body) ?? creation();
    if (idempotencyKey !== null && !creations.has(idempotencyKey))
      creations.set(idempotencyKey, { body, atMs: world.nowMs() });
    const startedMs = idempotencyKey === null ? world.nowMs() : (creations.get(idempotencyKey)?.atMs ?? 0);
    return request(
      "create",
      "payment-sessions/",
      body,
      { key: true, idempotencyKey },
      ({ status, body: told }) => {
        if (status === 409 && LEAD_TAKEN.test(told["detail"]))
          promises.leadTaken({ email: body["lead"].email, fromMs: startedMs, toMs: world.nowMs() });
        if (status !== 201) return;
        const token: string = told["session_token"];
        const id = idOf(token);
        promises.session(id, "there");
        const isKept = world.nowMs() - startedMs < KEYS_KEPT_MS;
        const twice = idempotencyKey === null || !isKept ? null : promises.created(idempotencyKey, token);
        if (twice !== null) violations.push(twice);
        if (sessions.some((known) => known.id === id)) return;
        sessions.push({
          token,
          id,
          payableUntilMs: world.nowMs() + body["expires_in"] * SECOND_MS + CLOCKS_APART_MS,
        });
      },
    );
  };

  const newest = (): Known | null => {
    if (sessions.length === 0) return null;
    return random().chance(0.6) ? (sessions[sessions.length - 1] ?? null) : random().pick(sessions);
  };
  /** A success has to have its charge, and no payment begins when its time is over. */
  const heardOfPayment =
    (known: Known, startedMs: number) =>
    ({ status, body }: Answer) => {
      if (status !== 200) return;
      if (body["status"] === "completed") {
        promises.session(known.id, "COMPLETED");
        if (bank.chargesOf(known.token).length === 0 && !returned(known))
          violations.push(`MONEY-2: success without a charge: ${known.id}`);
      }
      if (body["status"] === "awaiting_verification")
        known.payableUntilMs = Math.max(known.payableUntilMs, world.nowMs() + HOUR_MS + CLOCKS_APART_MS);
      if (startedMs > known.payableUntilMs)
        violations.push(`SESSION-7: a payment began after the time of session ${known.id}`);
    };
  const returned = ({ token }: Known) =>
    bank.entries.values().some(({ returnUrl, state }) => returnUrl.includes(token) && state === "returned");
  const payOnce = (known: Known, idempotencyKey: string | null) =>
    request(
      "pay",
      `payment-sessions/${known.token}/pay/`,
      {
        iban: IBAN.approved,
        iban_holder_name: "Ada Example",
        ...(random().chance(0.2) ? { tenant_reference_id: `ref-${random().below(4)}` } : {}),
      },
      { idempotencyKey },
      heardOfPayment(known, idempotencyKey === null ? world.nowMs() : 0),
    );
  const withSession = async (work: (known: Known) => Promise<unknown>): Promise<void> => {
    const known = newest();
    if (known === null) await create();
    else await work(known);
  };

  /** A payment that could be given back, as the merchant finds it in its lists. */
  const withPayment = async (work: (payment: Json) => Promise<unknown>): Promise<void> => {
    const payments = await world.rows(
      `select id, merchant_transaction_id as reference, (amount * 100)::integer as cents from transactions
        where type <> 'sdd_refund' and status in ('approved', 'refunded') and amount > 0 order by merchant_transaction_id`,
    );
    // Often the same one, so that refunds of one payment meet.
    const [first] = payments;
    if (first !== undefined) await work(random().chance(0.5) ? first : random().pick(payments));
  };
  const refundOnce = (payment: Json, idempotencyKey: string | null) => {
    const part = 1 + random().below(payment["cents"]);
    const amount = random().chance(0.5) ? {} : { amount: (part / 100).toFixed(2) };
    // Tells the refunds of one key from others in the service's records.
    const reason = idempotencyKey === null ? {} : { reason: `${payment["reference"]} ${idempotencyKey}` };
    return request(
      "refund",
      `management/transactions/${payment["id"]}/refunds/`,
      { ...amount, ...reason },
      { key: true, idempotencyKey },
      ({ status, body }) => {
        if (status === 201 && body["status"] === "approved") promises.transaction(body["id"], ["approved"]);
      },
    );
  };
  const collectOnce = (id: string, idempotencyKey: string | null) => {
    promises.collectionAsked(id, idempotencyKey ?? `collect#${(made += 1)}`);
    const path = `management/subscriptions/${id}/collect/`;
    return request("collect", path, undefined, { key: true, idempotencyKey }, () => {});
  };
  const withSubscription = async (work: (id: string) => Promise<unknown>, which = "true"): Promise<void> => {
    const all = await world.rows(`select id from subscriptions where ${which} order by id`);
    if (all.length > 0) await work(random().pick(all)["id"]);
  };

  const work = async ({ process, app }: Instance, job: string | null): Promise<void> => {
    const jobs = app.jobs.filter(
      (one) => !WITHOUT_EFFECT.has(one.name) && (job === null || one.name === job),
    );
    await gate.start(`${name(job ?? "jobs")}@${process.name}`, process, async () => {
      for (const one of jobs) {
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
  };
  const jobNames = (world.instances[0] as Instance).app.jobs
    .map((job) => job.name)
    .filter((job) => !WITHOUT_EFFECT.has(job));

  const acts: Readonly<Record<keyof typeof WEIGHTS, () => Promise<unknown>>> = {
    create,
    pay: () => withSession((known) => payOnce(known, keyOrNone())),
    payTwice: () =>
      withSession(async (known) => {
        const key = random().chance(0.4) ? keyOrNone() : null;
        await payOnce(known, key);
        await payOnce(known, key);
      }),
    verify: () =>
      withSession((known) =>
        request("verify", `payment-sessions/${known.token}/verify/`, {}, {}, heardOfPayment(known, 0)),
      ),
    retrieve: () =>
      withSession((known) =>
        request(
          "retrieve",
          `payment-sessions/${known.token}/`,
          undefined,
          { method: "GET" },
          ({ status, body }) => {
            if (status === 200 && body["status"] === "COMPLETED") promises.session(known.id, "COMPLETED");
          },
        ),
      ),
    cancel: () =>
      withSession((known) =>
        request(
          "cancel",
          `payment-sessions/${known.token}/cancel/`,
          undefined,
          { key: true },
          ({ status }) => {
            if (status === 200) promises.session(known.id, "EXPIRED");
          },
        ),
      ),
    refund: () => withPayment((payment) => refundOnce(payment, keyOrNone())),
    refundTwice: () =>
      withPayment(async (payment) => {
        const key = random().chance(0.4) ? `refund-${(made += 1)}` : null;
        await refundOnce(payment, key);
        await refundOnce(payment, key);
      }),
    chargeback: () =>
      withPayment(async (payment) => {
        // The bank has taken it back; the merchant reads that on paper, and mostly the bank's interface tells of it too.
        const known = bank.entries.get(payment["reference"])?.state === "charged_back";
        if (!known && !bank.chargeBack(payment["reference"], random().chance(0.7))) return;
        const body = { transaction_id: payment["id"] };
        await request(
          "chargeback",
          "management/chargebacks/",
          body,
          { key: true, idempotencyKey: keyOrNone() },
          (answer) => {
            if (answer.status === 201) promises.chargeback(answer.body["id"]);
          },
        );
      }),
    cancelSubscription: () =>
      withSubscription((id) =>
        request(
          "cancel-subscription",
          `management/subscriptions/${id}/cancel/`,
          { at_period_end: random().chance(0.4) },
          { key: true },
          () => {},
        ),
      ),
    collect: () =>
      withSubscription((id) => collectOnce(id, random().chance(0.7) ? `collect-${(made += 1)}` : null)),
    /** Asked for under a key; where processes die, once more when the first one may have, somewhere on its way. */
    collectUnscheduled: () =>
      withSubscription(async (id) => {
        const idempotencyKey = `collect-${(made += 1)}`;
        await collectOnce(id, idempotencyKey);
        if (world.trouble.kills === 0 || random().chance(0.3)) return;
        for (let steps = 1 + random().below(20); steps > 0; steps -= 1) await gate.step();
        for (const { process } of world.instances) gate.kill(process);
        world.advance(61 * SECOND_MS);
        for (const one of world.instances) await work(one, "recover-rebills");
        await collectOnce(id, idempotencyKey);
      }, "billing_frequency is null and next_billing_date is null and status <> 'CANCELLED'"),
    work: () => work(instance(), random().pick(jobNames)),
    workAll: () => work(instance(), null),
    async workEverywhere() {
      const job = random().pick(jobNames);
      for (const one of world.instances) await work(one, job);
    },
    /** Time enough for whatever is under way to count as dead, and both instances take it over. */
    async recover() {
      world.advance(31 * SECOND_MS);
      for (const one of world.instances)
        for (const job of RECOVERIES) if (random().chance(0.6)) await work(one, job);
    },
    /** Who has heard nothing asks again, with the same key, when whoever ran it first may be dead. */
    async again() {
      const kept = keyed.filter(({ atMs }) => world.nowMs() - atMs < KEYS_KEPT_MS);
      if (kept.length === 0) return;
      if (random().chance(0.7)) world.advance(61 * SECOND_MS);
      const newest = kept[kept.length - 1];
      await send(newest !== undefined && random().chance(0.6) ? newest : random().pick(kept));
    },
    /** A day on which something is due, and banks work: both instances collect at once, and recovery is not far. */
    async renew() {
      const [due] = await world.rows(DUE_NEXT);
      const at: Date | null = due?.["at"] ?? null;
      if (at === null) return;
      const weekend = [1, 0, 0, 0, 0, 0, 2][at.getUTCDay()] ?? 0;
      const wait = at.getTime() + weekend * DAY_MS + HOUR_MS - world.nowMs();
      if (wait > 0) leap(wait);
      for (const one of world.instances) await work(one, "renew-subscriptions");
      if (random().chance(0.4)) {
        for (let steps = random().below(12); steps > 0; steps -= 1) await gate.step();
        world.advance(31 * SECOND_MS);
        for (const one of world.instances) await work(one, "recover-rebills");
      }
    },
    bankWorks: async () => bank.work(),
    bankChargesBack: () => withPayment(async (payment) => bank.chargeBack(payment["reference"], true)),
    bankTellsOfStranger: async () => bank.tellOfStranger(),
    /** Receivers are told of what is accepted from now on as the gateway says from now on. */
    changeSetting: () => world.rows(CHANGE_SETTING, [random().pick(merchant.gateways)]),
    customerDecides: async () => bank.decide(),
    lateCall: async () => bank.arriveLate(),
    tick: async () => world.advance(random().pick([0.2, 1, 5, 12, 31, 65]) * SECOND_MS),
    jump: async () =>
      leap(random().pick([-2 * SECOND_MS, 10 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, DAY_MS, 4 * DAY_MS])),
    month: async () => leap(31 * DAY_MS),
  };
  return {
    weights: WEIGHTS,
    work,
    act: async (act) => void (await acts[act as keyof typeof acts]()),
  };
}
