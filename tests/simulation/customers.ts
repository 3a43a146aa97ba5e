/** What customers do: they begin purchases, pay, pay twice, verify, look again. And their merchants, who may cancel. */
import type { Json } from "../support/service.ts";
import { IBAN } from "../support/merchant.ts";
import { HOUR_MS, KEYS_KEPT_MS, SECOND_MS, type Act, type Asked, type Known, type Stage } from "./stage.ts";
import type { Shop } from "./shops.ts";
import type { Answer } from "./world.ts";

const CLOCKS_APART_MS = 3 * SECOND_MS;
const LEAD_TAKEN = /already has an active session/;
/** The address of a customer who begins many purchases. */
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

/** Often, for what everything else needs. */
export const CUSTOMERS = {
  create: 14,
  pay: 24,
  payTwice: 6,
  verify: 8,
  comeBack: 8,
  retrieve: 3,
  cancel: 4,
  rush: 10,
} as const;

export function customers(stage: Stage): Readonly<Record<keyof typeof CUSTOMERS | "purchase", Act>> {
  const { world, promises, sessions, random, request, number } = stage;
  const { bank, violations } = world;
  const creations = new Map<string, { readonly shop: Shop; readonly body: Json; readonly atMs: number }>();

  const creation = (shop: Shop): Json => {
    const type = random().weighted({ ONE_OFF: 35, RECURRING: 45, TRIAL_RECURRING: 20 });
    const email = random().chance(0.25) ? SHARED : `ada${number()}@example.com`;
    return {
      // Tells one creation from another in the service's records.
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
  const create = (whose = stage.shop()) => {
    // A creation whose answer did not come is sent again as it was.
    for (const [key, { atMs }] of creations) if (world.nowMs() - atMs > KEYS_KEPT_MS) creations.delete(key);
    const own = [...creations.keys()].filter((key) => creations.get(key)?.shop === whose);
    const key =
      own.length > 0 && random().chance(0.25)
        ? random().pick(own)
        : random().chance(0.6)
          ? `create-${whose.name}-${number()}`
          : null;
    const before = key === null ? undefined : creations.get(key);
    const body = before?.body ?? creation(whose);
    const startedMs = before?.atMs ?? world.nowMs();
    if (key !== null && before === undefined) creations.set(key, { shop: whose, body, atMs: startedMs });
    return request(whose, {
      what: "create",
      path: "payment-sessions/",
      body,
      key: true,
      idempotencyKey: key,
      heard({ status, body: told }) {
        // Whoever is called so creates once, if without a key.
        if (status === 409 && key === null && body["lead"].email !== SHARED)
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
        sessions.push({
          shop: whose,
          token,
          id,
          payableUntilMs: world.nowMs() + body["expires_in"] * SECOND_MS + CLOCKS_APART_MS,
          status: "open",
        });
      },
    });
  };

  /** Mostly one that can be paid, and of those the newest. */
  const withSession = async (work: (known: Known) => Promise<unknown>, wanted = "open"): Promise<void> => {
    const live = sessions.filter((one) => one.status === wanted && one.payableUntilMs > world.nowMs());
    const list = live.length > 0 && random().chance(0.8) ? live : sessions;
    const newest = list[list.length - 1];
    if (newest === undefined) await create();
    else await work(random().chance(0.6) ? newest : random().pick(list));
  };
  const returned = ({ shop, token }: Known) =>
    bank.of(shop.tenant).some(({ returnUrl, state }) => returnUrl.includes(token) && state === "returned");
  /** A success has to have its charge, and no payment begins when its time is over. */
  const heardOfPayment =
    (known: Known, startedMs: number) =>
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
        known.payableUntilMs = Math.max(known.payableUntilMs, world.nowMs() + HOUR_MS + CLOCKS_APART_MS);
      } else if (body["status"] === "declined") known.status = "open";
      if (startedMs > known.payableUntilMs)
        violations.push(`SESSION-7: a payment began after the time of session ${known.id}`);
    };
  const ask = (known: Known, asked: Asked) => request(known.shop, asked);
  const payOnce = (known: Known, idempotencyKey: string | null, iban: string = IBAN.approved) => {
    const reference = random().chance(0.2) ? `ref-${random().below(4)}` : null;
    const heard = heardOfPayment(known, idempotencyKey === null ? world.nowMs() : 0);
    return ask(known, {
      what: "pay",
      path: `payment-sessions/${known.token}/pay/`,
      body: {
        iban,
        iban_holder_name: "Ada Example",
        ...(reference === null ? {} : { tenant_reference_id: reference }),
      },
      idempotencyKey,
      heard(answer) {
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
      heard: heardOfPayment(known, 0),
    });

  /** Having decided at the bank, or not yet; and once more, from another window. */
  const comeBack = async (known: Known): Promise<void> => {
    if (random().chance(0.8)) bank.decideOn(known.token);
    await verifyOnce(known);
    if (random().chance(0.3)) await verifyOnce(known);
  };

  /** Customers of one merchant arrive together, and pay together: what they ask for travels together. */
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

  return {
    create: () => create(),
    rush,
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
          heard({ status, body }) {
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
            heard({ status }) {
              if (status !== 200) return;
              known.status = "over";
              promises.session(known.id, "EXPIRED");
            },
          }),
        random().chance(0.5) ? "awaiting" : "open",
      ),
  };
}
