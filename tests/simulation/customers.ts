/** Actions of customers (start a purchase, pay, pay twice, verify, retrieve) and of their merchants (cancel). */
import type { Json } from "../support/service.ts";
import { IBAN } from "../support/merchant.ts";
import {
  HOUR_MS,
  KEYS_KEPT_MS,
  MINUTE_MS,
  SECOND_MS,
  type Act,
  type Asked,
  type Known,
  type Stage,
} from "./stage.ts";
import type { Shop } from "./shops.ts";
import type { Answer } from "./world.ts";

const LEAD_TAKEN = /already has an active session/;
/** The address of a customer who starts many purchases. */
const SHARED = "ada0@example.com";
const IBANS = Object.values(IBAN);
const AMOUNTS = ["19.90", "5.00", "0.03", "123.45"] as const;
const FREQUENCIES = [
  "WEEKLY",
  "WEEKLY",
  "MONTHLY",
  "MONTHLY",
  "BIWEEKLY",
  "QUARTERLY",
  "SEMIANNUALLY",
  "YEARLY",
] as const;
const TRIALS = [
  { trial_interval_unit: "day", trial_period: 3 },
  { trial_interval_unit: "week", trial_period: 2 },
  { trial_interval_unit: "month", trial_period: 1 },
] as const;

/** The open session without a known payment that expires next. */
const LAPSES_NEXT = `
  select l.email, extract(epoch from s.expires_at)::float8 * 1000 as until_ms
    from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id
   where s.tenant = $1 and s.closed_at is null order by s.expires_at, s.id limit 1`;

/** Frequent, because all other operations need sessions and payments. */
export const CUSTOMERS = {
  create: 14,
  pay: 24,
  payTwice: 6,
  verify: 8,
  comeBack: 8,
  retrieve: 3,
  cancel: 4,
  rush: 10,
  lapse: 3,
} as const;

/** Only in seeds from 10,000 on. */
export const CUSTOMERS_LATER = { payLate: 2 } as const;

export function customers(
  stage: Stage,
): Readonly<Record<keyof typeof CUSTOMERS | keyof typeof CUSTOMERS_LATER | "purchase", Act>> {
  const { world, promises, sessions, random, request, number } = stage;
  const { bank, violations } = world;
  const creations = new Map<string, { readonly shop: Shop; readonly body: Json; readonly atMs: number }>();

  /** The addresses that start more than one purchase. */
  const regulars = new Set([SHARED]);

  const creation = (shop: Shop, lead: string | null): Json => {
    const type = random().weighted({ ONE_OFF: 35, RECURRING: 45, TRIAL_RECURRING: 20 });
    const email = lead ?? (random().chance(0.25) ? SHARED : `ada${number()}@example.com`);
    return {
      // Distinguishes this creation from others in the service's records.
      customer_ip: `10.${shop.tenant % 200}.${number() >> 8}.${number() & 255}`,
      lead: { first_name: "Ada", last_name: "Example", email, country: "DE" },
      gateway_id: random().pick(shop.gateways),
      amount: random().pick(AMOUNTS),
      currency: "EUR",
      billing_type: type,
      max_payment_attempts: 1 + random().below(3),
      expires_in: random().pick([1_800, 7_200, 259_200, 2_592_000]),
      ...(type === "ONE_OFF" || random().chance(0.3)
        ? {}
        : { billing_frequency: random().pick(FREQUENCIES) }),
      ...(type === "TRIAL_RECURRING"
        ? { ...random().pick(TRIALS), trial_price: random().pick(["0.00", "1.00"]) }
        : {}),
    };
  };
  /** @param lead null: a new customer, or the shared one. */
  const create = (whose = stage.shop(), lead: string | null = null) => {
    // A creation without a response is sent again unchanged.
    for (const [key, { atMs }] of creations) if (world.nowMs() - atMs > KEYS_KEPT_MS) creations.delete(key);
    const own = [...creations.keys()].filter((key) => creations.get(key)?.shop === whose);
    const key =
      lead === null && own.length > 0 && random().chance(0.25)
        ? random().pick(own)
        : random().chance(0.6)
          ? `create-${whose.name}-${number()}`
          : null;
    const before = key === null ? undefined : creations.get(key);
    const body = before?.body ?? creation(whose, lead);
    const startedMs = before?.atMs ?? world.nowMs();
    if (key !== null && before === undefined) creations.set(key, { shop: whose, body, atMs: startedMs });
    return request(whose, {
      what: "create",
      path: "payment-sessions/",
      body,
      key: true,
      idempotencyKey: key,
      onResponse({ status, body: told }) {
        // Any other address starts one purchase, so without a repeated key a conflict must not occur.
        if (status === 409 && key === null && !regulars.has(body["lead"].email))
          violations.push(`a creation was refused for what another one did: ${told["detail"]}`);
        if (status === 409 && LEAD_TAKEN.test(told["detail"]))
          promises.leadTaken({
            tenant: whose.tenant,
            email: body["lead"].email,
            fromMs: startedMs,
            toMs: world.nowMs(),
          });
        if (status !== 201) return;
        const token: string = told["session_token"];
        const id = stage.idOf(token);
        promises.session(id, "there");
        const isKept = world.nowMs() - startedMs < KEYS_KEPT_MS;
        const twice = key === null || !isKept ? null : promises.created(key, token);
        if (twice !== null) violations.push(twice);
        if (sessions.some((known) => known.id === id)) return;
        const endsMs = world.nowMs() + body["expires_in"] * SECOND_MS;
        sessions.push({
          shop: whose,
          token,
          id,
          endsMs,
          payableUntilMs: endsMs,
          status: "open",
        });
      },
    });
  };

  /** Usually a session that can be paid, most often the newest. */
  const withSession = async (work: (known: Known) => Promise<unknown>, wanted = "open"): Promise<void> => {
    const live = sessions.filter((one) => one.status === wanted && one.payableUntilMs > world.nowMs());
    const list = live.length > 0 && random().chance(0.8) ? live : sessions;
    const newest = list[list.length - 1];
    if (newest === undefined) await create();
    else await work(random().chance(0.6) ? newest : random().pick(list));
  };
  const returned = ({ shop, token }: Known) =>
    bank.of(shop.tenant).some(({ returnUrl, state }) => returnUrl.includes(token) && state === "returned");
  /** Checks that a success has a charge. @param startedMs when a payment without a key was requested. */
  const heardOfPayment =
    (known: Known, startedMs: number | null) =>
    ({ status, body }: Answer) => {
      if (status === 410) known.status = "over";
      if (status !== 200) return;
      promises.order(known.id, body["order"].order_number);
      if (body["status"] === "completed") {
        known.status = "over";
        promises.session(known.id, "COMPLETED");
        if (bank.chargesOf(known.token).length === 0 && !returned(known))
          violations.push(`MONEY-2: success without a charge: ${known.id}`);
      }
      if (body["status"] === "awaiting_verification") {
        if (known.status === "open" && random().chance(0.6)) stage.soon.push(() => comeBack(known));
        known.status = "awaiting";
        known.payableUntilMs = Math.max(known.payableUntilMs, world.nowMs() + HOUR_MS);
      } else if (body["status"] === "declined") known.status = "open";
      if (startedMs !== null) {
        const transactionId: string = body["transaction"].id;
        promises.paymentBegan({ sessionId: known.id, transactionId, startedMs, endsMs: known.endsMs });
      }
    };
  const ask = (known: Known, asked: Asked) => request(known.shop, asked);
  const payOnce = (known: Known, idempotencyKey: string | null, iban: string = IBAN.approved) => {
    const reference = random().chance(0.2) ? `ref-${random().below(4)}` : null;
    const heard = heardOfPayment(known, idempotencyKey === null ? world.nowMs() : null);
    return ask(known, {
      what: "pay",
      path: `payment-sessions/${known.token}/pay/`,
      body: {
        iban,
        iban_holder_name: "Ada Example",
        ...(reference === null ? {} : { tenant_reference_id: reference }),
      },
      idempotencyKey,
      onResponse(answer) {
        if (reference === null && answer.status === 409 && answer.body["code"] === "tenant_reference_taken")
          violations.push(`a payment of ${known.id} was refused for the reference of another one`);
        heard(answer);
      },
    });
  };
  const verifyOnce = (known: Known) =>
    ask(known, {
      what: "verify",
      path: `payment-sessions/${known.token}/verify/`,
      body: {},
      idempotencyKey: random().chance(0.3) ? stage.keyOrNone() : null,
      onResponse: heardOfPayment(known, null),
    });

  /** The customer returns from the bank's page, usually after a decision, at times in a second window as well. */
  const comeBack = async (known: Known): Promise<void> => {
    if (random().chance(0.8)) bank.decideOn(known.token);
    await verifyOnce(known);
    if (random().chance(0.3)) await verifyOnce(known);
  };

  /**
   * Several customers of a merchant start purchases at the same time and pay at the same time, so that their calls
   * share statements.
   */
  const rush = (): Promise<void> => {
    const shop = stage.shop();
    stage.soon.push(() => payAll(shop));
    return stage.crowd(async () => {
      for (let left = 2 + random().below(5); left > 0; left -= 1) await create(shop);
    });
  };
  const payAll = (shop: Shop): Promise<void> =>
    stage.crowd(async () => {
      const payable = sessions.filter((known) => known.shop === shop && known.status === "open");
      for (const [index, known] of payable.slice(-8).entries())
        await payOnce(known, random().chance(0.3) ? stage.keyOrNone() : null, IBANS[index]);
    });

  /** Lets a session expire. Its customer starts another purchase while the service ends the first one. */
  const lapse = async (): Promise<void> => {
    const shop = stage.shop();
    const [next] = await world.rows(LAPSES_NEXT, [shop.tenant]);
    if (next === undefined) return;
    const wait = next["until_ms"] + random().pick([2, 5, 30]) * MINUTE_MS - world.nowMs();
    if (wait > 0) stage.leap(wait);
    regulars.add(next["email"]);
    await create(shop, next["email"]);
    // The new creation is somewhere on its way when a job ends the session.
    for (let steps = random().below(10); steps > 0; steps -= 1) await world.gate.step();
    for (const job of ["expire-sessions", "recover-payments"])
      if (random().chance(0.8)) await stage.work(stage.instance(), job);
    if (random().chance(0.2)) await create(shop, next["email"]);
  };

  return {
    create: () => create(),
    rush,
    lapse,
    async purchase() {
      for (const shop of stage.shops) {
        const before = sessions.length;
        await create(shop);
        while (await world.gate.step());
        const known = sessions[before];
        if (known !== undefined) await payOnce(known, null);
        while (await world.gate.step());
      }
    },
    pay: () => withSession((known) => payOnce(known, stage.keyOrNone())),
    /** Pays when the session has expired, possibly before the service has ended it. */
    async payLate() {
      const [next] = sessions
        .filter(({ status }) => status === "open")
        .toSorted((a, b) => a.endsMs - b.endsMs);
      if (next === undefined) return;
      const wait = next.endsMs + random().pick([2, 5, 30]) * MINUTE_MS - world.nowMs();
      if (wait > 0) stage.leap(wait);
      await payOnce(next, null);
    },
    payTwice: () =>
      withSession(async (known) => {
        const key = random().chance(0.4) ? stage.keyOrNone() : null;
        await payOnce(known, key);
        await payOnce(known, key);
      }),
    verify: () => withSession(verifyOnce, "awaiting"),
    comeBack: () => withSession(comeBack, "awaiting"),
    retrieve: () =>
      withSession((known) =>
        ask(known, {
          what: "retrieve",
          path: `payment-sessions/${known.token}/`,
          method: "GET",
          onResponse({ status, body }) {
            if (status === 200 && body["status"] === "COMPLETED") promises.session(known.id, "COMPLETED");
          },
        }),
      ),
    cancel: () =>
      withSession(
        (known) =>
          ask(known, {
            what: "cancel",
            path: `payment-sessions/${known.token}/cancel/`,
            key: true,
            idempotencyKey: stage.keyOrNone(),
            onResponse({ status }) {
              if (status !== 200) return;
              known.status = "over";
              promises.session(known.id, "EXPIRED");
            },
          }),
        random().chance(0.5) ? "awaiting" : "open",
      ),
  };
}
