/** Actions of merchants after a payment: refunds, chargebacks by hand, subscriptions, mandates, imports. */
import type { Json } from "../support/service.ts";
import { DAY_MS, SECOND_MS, type Act, type Stage } from "./stage.ts";
import type { Shop } from "./shops.ts";

const PAYMENTS = `
  select id, gateway_id, merchant_transaction_id as reference, status, (amount * 100)::integer as cents, (refund_claimed * 100)::integer as claimed
    from transactions
   where tenant = $1 and type <> 'sdd_refund' and source <> 'csv_import' and status in ('approved', 'refunded') and amount > 0
   order by merchant_transaction_id`;
const WAITING = `
  select id from transactions
   where tenant = $1 and type <> 'sdd_refund' and source <> 'csv_import' and status = 'pending' and amount > 0 order by merchant_transaction_id`;
const SUBSCRIPTIONS = "select id from subscriptions where tenant = $1 order by id";
const LIVE = "select id from subscriptions where tenant = $1 and status <> 'CANCELLED' order by id";
const UNSCHEDULED = `
  select id from subscriptions
   where tenant = $1 and billing_frequency is null and next_billing_date is null and status <> 'CANCELLED' order by id`;
const OWING = `
  select distinct u.id from subscriptions u join billing_cycles c on c.tenant = u.tenant and c.subscription_id = u.id
   where u.tenant = $1 and u.status <> 'CANCELLED' and c.status in ('retry', 'failed') order by 1`;
/** A renewal of the subscription waits for the bank or for a retry. */
const WITH_WAITING = `
  select distinct u.id, u.mandate_id from subscriptions u join billing_cycles c on c.tenant = u.tenant and c.subscription_id = u.id
   where u.tenant = $1 and u.status <> 'CANCELLED' and c.status in ('pending', 'retry') order by 1`;
const MANDATES =
  "select id, reference, status from mandates where tenant = $1 and status <> 'pending' order by id";
const ACTIVE_MANDATES =
  "select id, reference, status from mandates where tenant = $1 and status = 'active' order by id";
const MANDATES_IN_USE = `
  select m.id, m.reference, m.status from mandates m
   where m.tenant = $1 and m.status = 'active' and exists (
     select from subscriptions u join billing_cycles c on c.tenant = u.tenant and c.subscription_id = u.id
      where u.tenant = m.tenant and u.mandate_id = m.id and u.status <> 'CANCELLED' and c.status in ('pending', 'retry'))
   order by m.id`;
const ALREADY_RECORDED = /already has the chargeback ([0-9a-f-]+)/;
const IBANS = ["NL91ABNA0417164300", "DE89370400440532013000"] as const;

export const MERCHANTS = {
  refund: 10,
  refundTwice: 5,
  refundRest: 3,
  chargeback: 3,
  chargebackTwice: 1,
  chargebackTooEarly: 1,
  cancelSubscription: 3,
  collect: 4,
  collectUnscheduled: 5,
  amend: 3,
  cancelMandate: 2,
  importPayments: 2,
  importChargebacks: 2,
  importMandates: 1,
  trespass: 2,
} as const;

export function merchants(stage: Stage): Readonly<Record<keyof typeof MERCHANTS, Act>> {
  const { world, promises, random, request, number } = stage;
  const { bank, gate } = world;
  /**
   * The bank has charged the payment back. The merchant knows it on paper; usually the bank also reports it over its
   * interface.
   */
  const isBack = (shop: Shop, reference: string): boolean =>
    bank.entry(shop.tenant, reference)?.state === "charged_back" ||
    bank.chargeBack(shop.tenant, reference, random().chance(0.7));
  const chargebackOnce = (shop: Shop, { id, reference }: Json) => {
    const isKnown = bank.onPaper(shop.tenant, reference);
    return request(shop, {
      what: "chargeback",
      path: "management/chargebacks/",
      body: {
        transaction_id: id,
        amount: ((bank.entry(shop.tenant, reference)?.backed ?? 0) / 100).toFixed(2),
      },
      key: true,
      idempotencyKey: stage.keyOrNone(),
      onResponse({ status, body }) {
        const known = ALREADY_RECORDED.exec(String(body["detail"]))?.[1];
        const recorded: string | undefined = status === 201 ? body["id"] : known;
        if (recorded === undefined) return;
        promises.chargeback(recorded, id);
        isKnown();
      },
    });
  };

  /** Picks a payment that can be refunded, in half of the cases the first one, so that refunds meet. */
  const withPayment = async (work: (shop: Shop, payment: Json) => Promise<unknown>): Promise<void> => {
    const shop = stage.shop();
    const payments = await world.rows(PAYMENTS, [shop.tenant]);
    const [first] = payments;
    if (first !== undefined) await work(shop, random().chance(0.5) ? first : random().pick(payments));
  };
  const refundOnce = (shop: Shop, payment: Json, key: string | null, given: number | null = null) => {
    const part = given ?? 1 + random().below(payment["cents"]);
    const amount = given === null && random().chance(0.5) ? {} : { amount: (part / 100).toFixed(2) };
    // Distinguishes this refund from others in the service's records.
    const reason = key === null ? {} : { reason: `${shop.name} ${payment["reference"]} ${key}` };
    return request(shop, {
      what: "refund",
      path: `management/transactions/${payment["id"]}/refunds/`,
      body: { ...amount, ...reason },
      key: true,
      idempotencyKey: key,
      onResponse({ status, body }) {
        if (status === 201 && body["status"] === "approved") promises.transaction(body["id"], ["approved"]);
      },
    });
  };
  const withSubscription = async (
    work: (shop: Shop, id: string) => Promise<unknown>,
    which: string,
  ): Promise<void> => {
    const shop = stage.shop();
    const row = await stage.some(shop, which);
    if (row !== null) await work(shop, row["id"]);
  };
  const collectOnce = (shop: Shop, id: string, idempotencyKey: string | null) => {
    promises.collectionAsked(id, idempotencyKey ?? `collect#${number()}`);
    const path = `management/subscriptions/${id}/collect/`;
    return request(shop, { what: "collect", path, key: true, idempotencyKey });
  };
  const withMandate = async (
    which: string,
    work: (shop: Shop, mandate: Json) => Promise<unknown>,
  ): Promise<void> => {
    const shop = stage.shop();
    const mandate = await stage.some(shop, which);
    if (mandate !== null) await work(shop, mandate);
  };
  /** @param heard called with the number of rejected lines, if the file was accepted. */
  const importFile = (
    shop: Shop,
    kind: string,
    lines: readonly string[],
    heard: (rejected: number) => void,
  ) =>
    request(shop, {
      what: `import-${kind}`,
      path: kind === "mandates" ? "management/mandates/import/" : "management/imports/",
      form: {
        ...(kind === "mandates" ? {} : { kind, gateway_id: shop.gateways[0] ?? "" }),
        file: lines.join("\n"),
      },
      key: true,
      repeats: true,
      onResponse: ({ status, body }) => {
        if (status === 201) heard(body["rejected"]);
      },
    });
  const today = () => new Date(world.nowMs()).toISOString().slice(0, 10);

  return {
    refund: () => withPayment((shop, payment) => refundOnce(shop, payment, stage.keyOrNone())),
    refundTwice: () =>
      withPayment(async (shop, payment) => {
        const key = random().chance(0.4) ? `refund-${number()}` : null;
        await refundOnce(shop, payment, key);
        await refundOnce(shop, payment, key);
      }),
    /** Refunds exactly the rest. */
    refundRest: () =>
      withPayment(async (shop, payment) => {
        const left = payment["cents"] - payment["claimed"];
        if (left > 0) await refundOnce(shop, payment, stage.keyOrNone(), left);
      }),
    chargeback: () =>
      withPayment(async (shop, payment) => {
        if (isBack(shop, payment["reference"])) await chargebackOnce(shop, payment);
      }),
    /** Two people record the same chargeback, possibly while a refund is running. */
    chargebackTwice: () =>
      withPayment(async (shop, payment) => {
        if (!isBack(shop, payment["reference"])) return;
        await chargebackOnce(shop, payment);
        if (random().chance(0.5)) await chargebackOnce(shop, payment);
        else await refundOnce(shop, payment, stage.keyOrNone());
      }),
    /**
     * Records a chargeback of a payment without money: it has to be refused, because the payment may still go to the
     * bank.
     */
    async chargebackTooEarly() {
      // Waits until nothing else runs, because the payment must not settle in between.
      while (await gate.step());
      const shop = stage.shop();
      const payment = await stage.some(shop, WAITING);
      const body = { transaction_id: payment?.["id"] };
      if (payment === null) return;
      await request(shop, { what: "chargeback", path: "management/chargebacks/", body, key: true });
      while (await gate.step());
    },
    cancelSubscription: () =>
      withSubscription(
        (shop, id) =>
          request(shop, {
            what: "cancel-subscription",
            path: `management/subscriptions/${id}/cancel/`,
            body: { at_period_end: random().chance(0.5) },
            key: true,
            idempotencyKey: stage.keyOrNone(),
          }),
        random().pick([LIVE, UNSCHEDULED, UNSCHEDULED, WITH_WAITING, WITH_WAITING, SUBSCRIPTIONS]),
      ),
    collect: () =>
      withSubscription(
        (shop, id) => collectOnce(shop, id, random().chance(0.7) ? `collect-${number()}` : null),
        random().chance(0.7) ? OWING : LIVE,
      ),
    /** Collects under a key. Where processes die, repeats the request when the first one may have died at any step. */
    collectUnscheduled: () =>
      withSubscription(async (shop, id) => {
        const idempotencyKey = `collect-${number()}`;
        await collectOnce(shop, id, idempotencyKey);
        if (world.trouble.kills === 0 || random().chance(0.3)) return;
        for (let steps = 1 + random().below(20); steps > 0; steps -= 1) await gate.step();
        for (const { process } of world.instances) gate.kill(process);
        world.advance(61 * SECOND_MS);
        for (const one of world.instances) await stage.work(one, "recover-renewals");
        // While the first collection is recovered, another is refused; only the key can tell that it was carried out.
        if (random().chance(0.5)) while (await gate.step());
        await collectOnce(shop, id, idempotencyKey);
      }, UNSCHEDULED),
    amend: () =>
      withMandate(random().chance(0.9) ? ACTIVE_MANDATES : MANDATES, (shop, { id }) =>
        request(shop, {
          what: "amend",
          path: `management/mandates/${id}/amend/`,
          body: random().pick<object>([
            { iban: random().pick(IBANS) },
            { reference: `NEW-${number()}` },
            { holder_name: `Ada ${number()}` },
            { creditor_name: `Shop ${number()}`, iban: random().pick(IBANS) },
          ]),
          key: true,
          idempotencyKey: stage.keyOrNone(),
        }),
      ),
    cancelMandate: () =>
      withMandate(random().pick([ACTIVE_MANDATES, MANDATES_IN_USE, MANDATES_IN_USE]), (shop, { id }) =>
        request(shop, {
          what: "cancel-mandate",
          path: `management/mandates/${id}/cancel/`,
          body: { reason: "asked for it" },
          key: true,
          idempotencyKey: stage.keyOrNone(),
          onResponse: ({ status }) => {
            if (status === 200) promises.mandateEnded(id);
          },
        }),
      ),
    /** Imports a processor's file: payments older than this service, and some that this service has made itself. */
    async importPayments() {
      const shop = stage.shop();
      const [gateway] = shop.gateways;
      const own = (await world.rows(PAYMENTS, [shop.tenant])).filter((row) => row["gateway_id"] === gateway);
      const lines = ["adapter_unique_id,merchant_transaction_id,status,amount,date_processed,customer_email"];
      for (let count = 1 + random().below(3); count > 0; count -= 1) {
        const ours = own.length > 0 && random().chance(0.4) ? random().pick(own) : null;
        const name = `EXT-${random().below(6)}`;
        lines.push(
          ours === null
            ? `P-${name},${name},approved,7.00,${today()},ada0@example.com`
            : `B-${ours["reference"]},${ours["reference"]},approved,${(ours["cents"] / 100).toFixed(2)},${today()},`,
        );
      }
      const names = lines.flatMap((line) => /^P-(EXT-\d)/.exec(line)?.[1] ?? []);
      await importFile(shop, "transactions", lines, (rejected) => {
        if (rejected > 0) return;
        for (const one of names) promises.imported(shop.tenant, "payment", one);
      });
    },
    /**
     * Imports chargebacks: of imported payments, before or after those are imported, and of our own payments that the
     * bank has charged back.
     */
    async importChargebacks() {
      const shop = stage.shop();
      const lines = ["merchant_transaction_id,amount,report_date,reason_code,currency"];
      const name = `EXT-${random().below(6)}`;
      const partly = random().chance(0.3) ? "3.00" : "7.00";
      lines.push(`${name},${partly},${today()},MD06,EUR`);
      const own = bank.of(shop.tenant).filter(({ gatewayId }) => gatewayId === shop.gateways[0]);
      const backed = own.filter(({ state }) => state === "charged_back");
      const there = own.filter(
        ({ kind, state }) => kind === "sale" && (state === "charged" || state === "settled"),
      );
      let isKnown = (): void => {};
      if (backed.length > 0 && random().chance(0.7)) {
        const entry = random().pick(backed);
        isKnown = bank.onPaper(shop.tenant, entry.reference);
        lines.push(
          `${entry.reference},${(entry.backed / 100).toFixed(2)},${today()},${entry.reasonCode},EUR`,
        );
      }
      // A line in another currency belongs to another account and is refused.
      if (there.length > 0 && random().chance(0.6))
        lines.push(`${random().pick(there).reference},0.01,${today()},MD06,USD`);
      await importFile(shop, "chargebacks", lines, (rejected) => {
        isKnown();
        if (rejected === 0) promises.imported(shop.tenant, "chargeback", name);
      });
    },
    importMandates: async () => {
      const shop = stage.shop();
      const signed = new Date(world.nowMs() - random().below(1_500) * DAY_MS).toISOString().slice(0, 10);
      const reference = `OLD-${random().below(3)}`;
      const lines = [
        "reference,signed_on,holder_name,iban,email",
        `${reference},${signed},Ada Example,${IBANS[0]},ada0@example.com`,
      ];
      await importFile(shop, "mandates", lines, () => {});
    },
    /** Sends another merchant's ids, as if a list had been sent to the wrong people. */
    async trespass() {
      const [own, other] = random().chance(0.5) ? world.shops : world.shops.toReversed();
      if (own === undefined || other === undefined) return;
      const payment = await stage.some(other, PAYMENTS);
      const subscription = await stage.some(other, SUBSCRIPTIONS);
      const mandate = await stage.some(other, MANDATES);
      const id = (row: Json | null): string => row?.["id"] ?? "0190b3f0-0000-7000-8000-000000000000";
      const [path, body] = random().pick<readonly [string, object]>([
        [`management/transactions/${id(payment)}/refunds/`, {}],
        ["management/chargebacks/", { transaction_id: id(payment) }],
        [`management/subscriptions/${id(subscription)}/collect/`, {}],
        [`management/subscriptions/${id(subscription)}/cancel/`, {}],
        [`management/mandates/${id(mandate)}/amend/`, { holder_name: "Eve" }],
        [`management/mandates/${id(mandate)}/cancel/`, {}],
      ]);
      await request(own, {
        what: "trespass",
        path,
        body,
        key: true,
        idempotencyKey: stage.keyOrNone(),
        onResponse({ status }) {
          if (status >= 200 && status < 300)
            world.violations.push(`${path} of ${other.name} took ${own.name}'s key`);
        },
      });
    },
  };
}
