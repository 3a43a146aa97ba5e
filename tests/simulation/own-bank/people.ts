/**
 * Daily actions of customers and of the merchant's people: pay, subscribe, refund, cancel, amend, change the account.
 */
import { BILLING_FREQUENCIES } from "../../../src/subscriptions/billing-terms.ts";
import { must } from "../../../src/lib/assert.ts";
import { readSessionToken } from "../../../src/tenants/signed-address.ts";
import type { Json } from "../../support/service.ts";
import { ABROAD, CREDITORS, CUSTOMERS, ACCOUNTS, type Shop, type ShopGateway } from "./shop.ts";
import { isWeekly, type Plan } from "./trouble.ts";
import type { Answer, World } from "./world.ts";

/** All units of a trial; without a price, for nothing, and for some money. */
const TRIALS: readonly {
  readonly trial_interval_unit: "day" | "week" | "month";
  readonly trial_period: number;
  readonly trial_price?: string;
}[] = [
  { trial_interval_unit: "day", trial_period: 3 },
  { trial_interval_unit: "day", trial_period: 3, trial_price: "1.00" },
  { trial_interval_unit: "week", trial_period: 1, trial_price: "0.00" },
  { trial_interval_unit: "week", trial_period: 1, trial_price: "1.00" },
  { trial_interval_unit: "month", trial_period: 1 },
];
/** Weekly ones have several renewals in a run. */
const FREQUENCIES = ["WEEKLY", ...BILLING_FREQUENCIES] as const;

export interface People {
  act(): Promise<void>;
  cancelAllSubscriptions(): Promise<void>;
}

/** @param shops most actions are for the first; the second has customers with the same references. */
export function createPeople(
  world: World,
  shops: readonly [Shop, Shop],
  {
    habits,
    abroad,
    changesScheme,
    trait,
    trials,
    extra,
  }: Pick<Plan, "habits" | "abroad" | "changesScheme" | "trait" | "trials" | "extra">,
): People {
  const { random, coverage } = world;
  let people = 0;
  let references = 0;

  const post = async (shop: Shop, path: string, body: unknown = {}) => {
    const answer = await world.call("POST", `management/${path}`, { key: shop.key, body });
    coverage.count(`act ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")} ${answer.status}`);
    return answer;
  };

  const pay = async (shop: Shop, recurring: boolean): Promise<void> => {
    people += 1;
    const customer = abroad ? customerAbroad(people) : null;
    const gateway = random.pick(shop.gateways);
    const frequency = isWeekly(trait) && random.chance(0.8) ? "WEEKLY" : random.pick(FREQUENCIES);
    const isUnscheduled = (trait === "collects" || extra === "meanwhile") && people % 2 === 0;
    const trial = trials && recurring && !isUnscheduled && random.chance(0.4) ? random.pick(TRIALS) : null;
    const created = await world.call("POST", "payment-sessions/", {
      key: shop.key,
      body: {
        lead: {
          first_name: "Ada",
          last_name: "Example",
          email: `ada${people}@example.com`,
          country: "DE",
          ...(customer === null ? {} : { city: customer.city, country: "CH" }),
        },
        gateway_id: gateway.id,
        amount: random.pick(["19.90", "5.00", "120.00"]),
        currency: "EUR",
        billing_type: trial !== null ? "TRIAL_RECURRING" : recurring ? "RECURRING" : "ONE_OFF",
        ...(recurring && !isUnscheduled ? { billing_frequency: frequency } : {}),
        ...trial,
      },
      idempotencyKey: `pay-${people}`,
    });
    if (created.status !== 201)
      return world.wrong(`a session was answered ${created.status}: ${created.text}`);
    const told = earliest(world, gateway);
    const token: string = created.body["session_token"];
    const iban = random.pick(CUSTOMERS);
    const { body } = await world.call("POST", `payment-sessions/${token}/pay/`, {
      body: { iban: customer === null ? iban : ABROAD, iban_holder_name: "Ada Example" },
    });
    if (customer !== null) coverage.count(`act pay from abroad ${body["status"]}`);
    const type = isUnscheduled ? "unscheduled" : frequency;
    coverage.count(`act pay ${recurring ? type : "ONE_OFF"} ${body["status"]}`);
    if (trial !== null)
      coverage.count(
        `act pay trial of a ${trial.trial_interval_unit} for ${trial.trial_price ?? "nothing"} ${body["status"]}`,
      );
    const [row] = await world.rows(
      `select t.merchant_transaction_id as reference, t.mandate_id as mandate from transactions t join sessions s on s.tenant = t.tenant and s.id = t.session_id
        where t.tenant = $1 and s.id = $2 order by t.created_at desc limit 1`,
      [shop.tenant, must(readSessionToken(world.app.deps.keys, token), "a session's token").sessionId],
    );
    if (row === undefined) return;
    shop.bank.promised(row["reference"], told);
    const hasTown = customer !== null && /\p{L}/u.test(customer.city);
    if (customer !== null && !hasTown && body["transaction"]?.["status"] === "pending")
      world.wrong(`MANDATE-7: ${row["reference"]} was accepted from a place that no file can name`);
    shop.agreed.set(row["mandate"], { noticeDays: gateway.settings["pre_notification_days"], hasTown });
  };

  /** Customers of both merchants get the same references. */
  const twins = async (): Promise<void> => {
    const recurring = random.chance(0.3);
    const drawn = await world.drawing([], () => pay(shops[0], recurring));
    await world.drawing(drawn, () => pay(shops[1], recurring));
    const [equal] = await world.rows(
      "select count(*)::integer as n from (select 1 as one from transactions group by merchant_transaction_id having count(*) > 1) t",
    );
    if (equal?.["n"] > 0) coverage.count("two tenants have equal references");
  };

  const payments = (shop: Shop, statuses: readonly string[]): Promise<readonly Json[]> =>
    world.rows(
      `select id, merchant_transaction_id as reference from transactions
        where tenant = $1 and status = any ($2::text[]) and type <> 'sdd_refund' order by merchant_transaction_id`,
      [shop.tenant, statuses],
    );

  /** The cents that are not refunded yet, not even by a pending refund. */
  const roomOf = async (shop: Shop, id: string): Promise<number> => {
    const [row] = await world.rows(
      `select (t.amount * 100 - coalesce((select sum(r.amount) * 100 from transactions r
                where r.tenant = t.tenant and r.original_id = t.id and r.status <> 'declined'), 0))::integer as room
         from transactions t where t.tenant = $1 and t.id = $2`,
      [shop.tenant, id],
    );
    return row?.["room"] ?? 0;
  };

  /** Reverses a recent debit, at times by two requests at once, or at the same time as a refund by transfer. */
  const reverse = async (shop: Shop, one: Json): Promise<void> => {
    references += 2;
    const send = (n: number, body: object) => () =>
      world.send("POST", refundPath(one), {
        key: shop.key,
        body,
        idempotencyKey: `reverse-${references + n}`,
      });
    const reversal = { way: "reversal" };
    const other = random.pick([reversal, {}]);
    const answers = random.chance(habits.atOnce)
      ? await world.turns.together(send(0, reversal), send(1, other))
      : [await world.call("POST", refundPath(one), { key: shop.key, body: reversal })];
    for (const answer of answers)
      coverage.count(`act reverse ${answer?.status ?? "no answer"} ${answer?.body["status"] ?? ""}`);
  };

  /** The customer may still take it back, or it was debited at another account than the one given at the payment. */
  const isUrgent = (shop: Shop, { reference }: Json): boolean =>
    (isAfterCutOff(world) && shop.bank.mayComeBack(reference, world.today())) || shop.moved.has(reference);

  const refundPath = ({ id }: Json) => `management/transactions/${id}/refunds/`;
  const refund = async (shop: Shop): Promise<void> => {
    const paid = await payments(shop, ["approved"]);
    if (paid.length === 0) return;
    // Refunds of recent debits are refused, which is tried at times.
    const urgent = extra === "meanwhile" ? paid.filter((one) => isUrgent(shop, one)) : [];
    if (extra === "meanwhile" && urgent.length === 0 && random.chance(0.7)) return pay(shop, false);
    const some = random.chance(0.8) ? paid.slice(0, Math.ceil(paid.length / 3)) : paid;
    const one = random.pick(urgent.length > 0 && random.chance(0.7) ? urgent : some);
    if (trait === "reverses" && random.chance(0.8)) return reverse(shop, random.pick(paid.slice(-5)));
    const body: { readonly amount?: string } = random.chance(0.5) ? {} : { amount: "2.50" };
    if (!random.chance(habits.atOnce)) {
      const room = await roomOf(shop, one["id"]);
      const { text } = await post(shop, `transactions/${one["id"]}/refunds/`, body);
      const wanted = body.amount === undefined ? room : 250;
      if (/"AM02"/.test(text) && wanted > 0 && wanted <= room)
        world.wrong(
          `MONEY-5: ${wanted} of ${room} cents of ${one["reference"]} may not be given back: ${text}`,
        );
      return;
    }
    references += 2;
    const send = (n: number) => () =>
      world.send("POST", refundPath(one), {
        key: shop.key,
        body,
        idempotencyKey: `at-once-${references + n}`,
      });
    const answers = await world.turns.together(send(0), send(1));
    world.say(`two refunds at once ${answers.map((answer) => answer?.status ?? "none").join(" ")}`);
    for (const answer of answers) coverage.count(`act refund at once ${answer?.status ?? "no answer"}`);
  };

  const chargeback = async (shop: Shop): Promise<void> => {
    const some = await payments(shop, random.chance(0.6) ? ["approved"] : ["pending"]);
    if (some.length === 0) return;
    const { id, reference } = random.pick(some) as { id: string; reference: string };
    const { status } = await post(shop, "chargebacks/", { transaction_id: id });
    if (status >= 300) return;
    shop.byHand.set(reference, "charged_back");
    shop.bank.stopped(reference, world.clock.now().getTime());
  };

  /**
   * Imports chargebacks of payments that are settled, wait for the bank, or were returned; at times twice at once, or
   * together with a chargeback by hand. A payment gets one chargeback, and only while it counts as paid.
   */
  const importChargebacks = async (shop: Shop): Promise<void> => {
    const before = random.pick(["approved", "pending", "charged_back"] as const);
    const some = await payments(shop, [before]);
    if (some.length === 0) return;
    const { id, reference } = random.pick(some.slice(-12)) as { id: string; reference: string };
    const [row] = await world.rows("select amount::text from transactions where tenant = $1 and id = $2", [
      shop.tenant,
      id,
    ]);
    const csv = [
      "merchant_transaction_id,amount,report_date,reason_code,currency",
      `${reference},${row?.["amount"]},${world.today()},MD06,EUR`,
    ].join("\n");
    references += 1;
    const file = () => world.sendChargebacks(shop.key, random.pick(shop.gateways).id, csv);
    const hand = () =>
      world.send("POST", "management/chargebacks/", {
        key: shop.key,
        body: { transaction_id: id },
        idempotencyKey: `chargeback-${references}`,
      });
    const answers = random.chance(habits.atOnce * 0.5)
      ? await world.turns.together(file, random.chance(0.5) ? file : hand)
      : [await world.turns.alone(random.chance(before === "charged_back" ? 0.5 : 1) ? file : hand)];
    const made = answers.map((answer) => (answer === null ? "no answer" : chargebackIn(answer)));
    world.say(`chargebacks of ${reference}, which is ${before}: ${made.join(", ")}`);
    for (const one of made) coverage.count(`act chargeback of one that is ${before}: ${one}`);
    const count = made.filter((one) => one.endsWith("made")).length;
    if (count > 1 || (count > 0 && before !== "approved"))
      world.wrong(
        `MONEY-9: ${reference} was ${before}, and has ${count} more chargebacks: ${made.join(", ")}`,
      );
    const [now] = await world.rows("select status from transactions where tenant = $1 and id = $2", [
      shop.tenant,
      id,
    ]);
    if (before === "charged_back" || now?.["status"] !== "charged_back") return;
    shop.byHand.set(reference, "charged_back");
    shop.bank.stopped(reference, world.clock.now().getTime());
  };

  /** Stops a waiting payment or refund. One that is already in a file cannot be stopped. */
  const stop = async (shop: Shop): Promise<void> => {
    const some = await world.rows(
      `select id, merchant_transaction_id as reference from transactions
        where tenant = $1 and status = 'pending' order by merchant_transaction_id`,
      [shop.tenant],
    );
    if (some.length === 0) return;
    const { id, reference } = random.pick(some) as { id: string; reference: string };
    const { status } = await post(shop, `transactions/${id}/cancel/`);
    if (status === 200) shop.bank.stopped(reference, world.clock.now().getTime());
  };

  /**
   * Imports another provider's mandates, whose former reference the bank knows; at times the same file again, or one
   * with a mandate that has long been unused.
   */
  const importMandates = async (shop: Shop): Promise<void> => {
    const reference = `OLD-${shop.name}-${random.below(6)}`;
    const used = random.pick(["", "2026-10-01", "2024-02-01"]);
    const signed = "2024-01-05";
    const text = [
      "reference,signed_on,holder_name,iban,email,last_used_on,original_reference,original_creditor_identifier",
      `${reference},${signed},Ada Example,${CUSTOMERS[0]},old${shop.name}@example.com,${used},WAS-${reference},${CREDITORS[1]}`,
    ].join("\n");
    const { status, body } = await world.importMandates(shop.key, text);
    if (status !== 201) return world.wrong(`an import of mandates was answered ${status}`);
    coverage.count(
      `act import mandates ${["created", "duplicate", "rejected"].find((one) => body[one] > 0)}`,
    );
    shop.imported.add(reference);
  };

  const mandatesOf = async (shop: Shop): Promise<readonly Json[]> =>
    world.rows(
      `select m.id, m.reference, (select array_agg(original_reference) from mandate_amendments a
                where a.tenant = m.tenant and a.mandate_id = m.id and original_reference is not null) as formers,
              exists (select from transactions t join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
                       where t.tenant = m.tenant and t.mandate_id = m.id and c.state = 'accepted') as waits,
              exists (select from subscriptions u where u.tenant = m.tenant and u.mandate_id = m.id and u.status <> 'CANCELLED') as renews
         from mandates m where tenant = $1 and status = 'active' order by reference`,
      [shop.tenant],
    );

  const endMandate = (shop: Shop, { reference, formers }: Json, kept: readonly string[]): void => {
    const now = world.clock.now().getTime();
    for (const one of [reference, ...((formers as readonly string[] | null) ?? [])])
      shop.bank.ended(one, kept, now);
  };

  const rememberMoved = async ({ tenant, moved }: Shop, mandateId: string): Promise<void> => {
    const rows = await world.rows(
      `select c.reference from sepa_collections c
         join transactions t on t.tenant = c.tenant and t.merchant_transaction_id = c.reference
        where c.tenant = $1 and t.mandate_id = $2 and c.state = 'accepted' and c.refund_of is null`,
      [tenant, mandateId],
    );
    for (const { reference } of rows) moved.add(reference);
  };

  const mandate = async (shop: Shop): Promise<void> => {
    const all = await mandatesOf(shop);
    if (all.length === 0) return;
    // Often a mandate with a waiting debit, so that it changes between the payment and the file.
    const waiting = all.filter((candidate) => candidate["waits"]);
    const renewed = all.filter((candidate) => candidate["renews"]);
    const others = trait === "amends" && renewed.length > 0 ? renewed : all;
    const one = random.pick(waiting.length > 0 && random.chance(0.5) ? waiting : others);
    if (random.chance(trait === "amends" ? 0.03 : 0.2)) {
      const { status, body } = await post(shop, `mandates/${one["id"]}/cancel/`);
      if (status === 200 && body["status"] === "cancelled") endMandate(shop, one, []);
      return;
    }
    references += 1;
    const change = random.pick([
      { iban: random.pick(CUSTOMERS) },
      { iban: random.pick(CUSTOMERS) },
      { holder_name: "Grace Example" },
      { reference: `NEW-${shop.name}-${references}` },
      { creditor_identifier: random.pick(CREDITORS) },
      ...(trait === "amends" ? [{ creditor_identifier: random.pick(CREDITORS) }] : []),
      ...(extra === "meanwhile" ? CUSTOMERS.slice(1).map((iban) => ({ iban })) : []),
    ]);
    const moved = abroad && references % 2 === 0 && "iban" in change;
    const { status } = await post(shop, `mandates/${one["id"]}/amend/`, moved ? { iban: ABROAD } : change);
    if (moved) coverage.count(`act amend to an account abroad ${status}`);
    if (moved && status === 200 && shop.agreed.get(one["id"])?.hasTown === false)
      world.wrong(`MANDATE-7: ${one["reference"]} was moved abroad, and nobody knows where its holder lives`);
    coverage.count(`act amend ${Object.keys(change)[0]}`);
    if (status === 200 && "reference" in change) shop.bank.renamed(one["reference"], change.reference);
    if (status === 200 && "iban" in change && extra === "meanwhile") await rememberMoved(shop, one["id"]);
  };

  const subscriptions = (shop: Shop): Promise<readonly Json[]> =>
    world.rows(
      `select s.id, m.reference, (select array_agg(original_reference) from mandate_amendments a
                where a.tenant = m.tenant and a.mandate_id = m.id and original_reference is not null) as formers,
              (select t.merchant_transaction_id from transactions t
                where t.tenant = s.tenant and t.subscription_id = s.id and t.type = 'sdd_sale' order by t.created_at limit 1) as first,
              (select array_agg(t.merchant_transaction_id) from transactions t
                where t.tenant = s.tenant and t.subscription_id = s.id) as requested
         from subscriptions s join mandates m on m.tenant = s.tenant and m.id = s.mandate_id
        where s.tenant = $1 and s.status <> 'CANCELLED' order by s.id`,
      [shop.tenant],
    );

  const cancelSubscription = async (shop: Shop, one: Json, atPeriodEnd: boolean): Promise<void> => {
    const { status, body } = await post(shop, `subscriptions/${one["id"]}/cancel/`, {
      at_period_end: atPeriodEnd,
    });
    // Without a schedule it ends at once in either way; at the end of the period what was requested before is kept.
    const kept = atPeriodEnd ? (one["requested"] ?? []) : [one["first"]];
    if (status === 200 && body["status"] === "CANCELLED") endMandate(shop, one, kept);
  };

  /** @param mayFail whether 400 is allowed, because the bank's profile may not fit other settings. */
  const patch = async (
    shop: Shop,
    gateway: ShopGateway,
    changes: Json,
    what: string,
    mayFail = false,
  ): Promise<void> => {
    const path = `management/gateways/${gateway.id}/`;
    const settings = { ...gateway.settings, ...changes };
    const { status, text } = await world.call("PATCH", path, { key: shop.key, body: { settings } });
    coverage.count(`act ${what} changed ${status}`);
    if (mayFail && status === 400) return;
    if (status !== 200) return world.wrong(`the gateway's ${what} was answered ${status}: ${text}`);
    gateway.settings = settings;
    gateway.ibans.add(settings["creditor_iban"] as string);
  };

  const change = async (shop: Shop): Promise<void> => {
    const gateway = random.pick(shop.gateways);
    const what = random.weighted({
      creditor: 4,
      account: extra === "meanwhile" ? 8 : extra === "banks" ? 0 : 3,
      notice: trait === "notices" ? 60 : extra === "meanwhile" ? 0 : 3,
      event: 3,
    });
    if (what === "creditor") {
      const { scheme } = gateway.settings as { scheme: string };
      const other = scheme === "CORE" ? "B2B" : "CORE";
      const creditor = {
        creditor_identifier: random.pick(CREDITORS),
        scheme: changesScheme ? other : scheme,
      };
      return patch(shop, gateway, creditor, "creditor identifier");
    }
    if (what === "notice")
      return patch(shop, gateway, { pre_notification_days: random.pick([0, 2, 5, 10, 14]) }, "notice");
    if (what === "account") {
      const iban = shop.name === "A" ? random.pick([ACCOUNTS.A, ACCOUNTS.formerA]) : ACCOUNTS.B;
      return patch(shop, gateway, { creditor_iban: iban }, "account");
    }
    const completed_event_at = random.pick(["acceptance", "settlement"]);
    await world.call("PATCH", `management/gateways/${gateway.id}/`, {
      key: shop.key,
      body: { completed_event_at },
    });
  };

  /**
   * Changes other settings while debits, refunds and files wait: the bank's profile, the format of files, the
   * merchant's record.
   */
  const changeMore = async (shop: Shop): Promise<void> => {
    const gateway = random.pick(shop.gateways);
    const what = random.pick(["profile", "file", "lead", "tenant", "tenant"] as const);
    if (what === "profile") {
      const bank_profile = random.pick(["generic", "sparkasse", "volksbank", "commerzbank", "deutsche_bank"]);
      return patch(shop, gateway, { bank_profile }, "bank profile", true);
    }
    if (what === "file") {
      const changes = random.pick<Json>([
        { batch_booking: random.chance(0.5) },
        { message_version: random.pick(["pain.008.001.08", "pain.008.001.02"]) },
        { max_transactions_per_block: random.pick([1, 2, 50]), max_blocks_per_file: random.pick([1, 2, 10]) },
      ]);
      return patch(shop, gateway, changes, "form of files", true);
    }
    if (what === "lead")
      return patch(
        shop,
        gateway,
        { lead_days: random.pick([1, 2, 3]), cut_off: random.pick(["11:30", "12:00"]) },
        "lead time",
        true,
      );
    const body = random.pick<Json>([
      { subscription_after_chargeback: random.pick(["cancel", "past_due", "keep"]) },
      { subscription_after_refund: random.pick(["cancel", "keep"]) },
      { closed_day: random.pick(["next", "previous"]) },
      { retry_days: random.pick<Json>([[3, 7], ["salary_day"], [1, "salary_day"], []]) },
      { pre_notification_days: random.pick([1, 14, 30]) },
      { refund_hold_days: random.pick([0, 0, 1, 3]) },
      { name: `Shop ${shop.name} ${people}` },
    ]);
    const { status, text } = await world.call("PATCH", "management/tenant/", { key: shop.key, body });
    coverage.count(`act ${Object.keys(body)[0]} of the merchant changed ${status}`);
    if (status !== 200) world.wrong(`the merchant's settings were answered ${status}: ${text}`);
  };

  /** Files are carried by hand from now on, or by a folder; what was on its way is taken care of later. */
  const changeTransport = async (shop: Shop): Promise<void> => {
    const [gateway] = shop.gateways;
    if (gateway === undefined) return;
    const kind = gateway.transport === "manual" ? "directory" : "manual";
    await patch(shop, gateway, { transport: { kind } }, "transport");
    gateway.transport = kind;
  };

  const collect = async (shop: Shop): Promise<void> => {
    const all = await world.rows(
      "select id from subscriptions where tenant = $1 and status <> 'CANCELLED' and billing_frequency is null order by id",
      [shop.tenant],
    );
    if (all.length > 0) await post(shop, `subscriptions/${random.pick(all)["id"]}/collect/`);
  };

  const subscription = async (shop: Shop): Promise<void> => {
    const all = await subscriptions(shop);
    if (all.length > 0) await cancelSubscription(shop, random.pick(all), random.chance(0.3));
  };

  return {
    async act() {
      const shop = random.chance(0.8) ? shops[0] : shops[1];
      const what = random.weighted({
        ...(isWeekly(trait) ? { pay: 8, subscribe: 60, twins: 4 } : { pay: 34, subscribe: 24, twins: 10 }),
        refund: 70 * habits.refunds,
        chargeback: 8 * habits.byHand,
        stop: 8 * habits.byHand,
        mandate: 26 * habits.mandates,
        subscription: 8 * habits.mandates,
        change: (extra === "meanwhile" ? 20 : 12) * habits.changes,
        collect: trait === "collects" ? 40 : extra === "meanwhile" ? 30 : 0,
        importMandates: trials ? 4 : 0,
        importChargebacks: extra === "files" ? 40 : 0,
        changeMore: extra === "settings" ? 30 : 0,
        changeTransport: extra === "transports" ? 14 : 0,
      });
      switch (what) {
        case "pay":
          return pay(shop, false);
        case "subscribe":
          return pay(shop, true);
        case "twins":
          return twins();
        case "refund":
          return refund(shop);
        case "chargeback":
          return chargeback(shop);
        case "stop":
          return stop(shop);
        case "mandate":
          return mandate(shop);
        case "subscription":
          return subscription(shop);
        case "change":
          return change(shop);
        case "collect":
          return collect(shop);
        case "importMandates":
          return importMandates(shop);
        case "importChargebacks":
          return importChargebacks(shop);
        case "changeMore":
          return changeMore(shop);
        case "changeTransport":
          return changeTransport(shop);
      }
    },
    async cancelAllSubscriptions() {
      for (const shop of shops)
        for (const one of await subscriptions(shop)) await cancelSubscription(shop, one, false);
    },
  };
}

/** The outcome in a response to a chargeback, or to an import with one. */
function chargebackIn({ status, body }: Answer): string {
  if (body["kind"] !== "chargebacks") return status === 201 ? "by hand, made" : `by hand, ${status}`;
  const what = ["created", "duplicate", "rejected"].find((one) => body[one] > 0) ?? status;
  return what === "created" ? "in a file, made" : `in a file, ${what}`;
}

/** Every third customer lives abroad, some of them in a city whose name a bank cannot print. */
function customerAbroad(number: number): { readonly city: string } | null {
  return number % 3 === 0 ? { city: number % 2 === 0 ? "Zürich" : "…" } : null;
}

/** Whether a refund is sent on the next day only. */
function isAfterCutOff({ clock }: World): boolean {
  const now = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime());
  return now.toZonedDateTimeISO("Europe/Berlin").hour >= 12;
}

/** The first day on which a customer who is notified today may be debited. */
function earliest(world: World, { settings }: ShopGateway): string {
  const today = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime())
    .toZonedDateTimeISO("Europe/Berlin")
    .toPlainDate();
  return today.add({ days: settings["pre_notification_days"] as number }).toString();
}
