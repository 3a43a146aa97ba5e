/** Nine weeks of a shop in test mode, for pictures of the console and for walking through it: the same each time. */
import { DAY_MS, HOUR_MS, later, manualClock } from "../src/lib/clock.ts";
import type { Json, Service } from "../tests/support/service.ts";
import { seeded } from "../tools/random.ts";
import { SAMPLE_SHOP } from "./sample-shop.ts";

/** The test accounts (docs/api.md, The sandbox), each with its share of the payments. */
const ACCOUNTS = {
  DE89370400440532013000: 60,
  NL91ABNA0417164300: 12,
  DE08370400440532013003: 10,
  DE34370400440532013020: 6,
  DE62370400440532013001: 3,
  DE93370400440532013025: 2,
  DE35370400440532013002: 3,
  DE78370400440532013004: 4,
};
const RETURNED = "DE35370400440532013002";
const NAMES = [
  ["Ada", "Müller", "DE"],
  ["Jürgen", "Schneider", "DE"],
  ["Lucía", "García", "ES"],
  ["Paweł", "Kowalski", "PL"],
  ["Anaïs", "Dubois", "FR"],
  ["Björn", "van den Berg", "NL"],
  ["Małgorzata", "Świątek", "PL"],
  ["Nuno", "Ferreira", "PT"],
  ["Hélène", "de la Cruz", "FR"],
  ["Sofía", "Sánchez-Ortega", "ES"],
  ["Grace", "O'Brien", "IE"],
  ["Greta", "Papadopoulou-Konstantinidou", "AT"],
] as const;
const AMOUNTS = ["9.90", "19.90", "29.00", "49.50", "120.00", "249.00"] as const;
const FIRST_DAY = new Date("2026-09-25T07:30:00Z");
const DAYS = 63;

export function sampleClock(): ReturnType<typeof manualClock> {
  return manualClock(FIRST_DAY);
}

export interface SampleWeeks {
  readonly tenantId: string;
  readonly key: string;
  /** The order whose webhook the shop's server did not take. */
  readonly unheard: string;
}

/** Plays them. @param down switches the shop's server off and on again. */
export async function playWeeks(
  service: Service,
  clock: ReturnType<typeof manualClock>,
  operatorKey: string,
  shop: { readonly hooks: string; readonly down: (isDown: boolean) => void },
): Promise<SampleWeeks> {
  const made = async (as: string, path: string, body: object): Promise<Json> => {
    const answer = await service.post(path, body, { key: as });
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const { id: tenantId, api_key: key } = await made(operatorKey, "management/tenants/", SAMPLE_SHOP);
  const sandbox = { name: "Sandbox", adapter: "sandbox", test_mode: true };
  const { id: gateway } = await made(key, "management/gateways/", sandbox);
  await made(key, "management/webhook-profiles/", { name: "Shop", url: shop.hooks });
  const plan = { name: "Coffee every month", price: "19.90", currency: "EUR", billing_type: "RECURRING" };
  await made(key, "management/offers/", { ...plan, billing_frequency: "MONTHLY" });
  const random = seeded(9);
  let order = 1_000;
  const pays = async (iban: string): Promise<string> => {
    order += 1;
    const [first, last, country] = random.pick(NAMES);
    const email = `${first}.${last}.${order}@example.com`.normalize("NFD").replaceAll(/[^\w.@-]/g, "");
    const isMonthly = random.chance(0.35);
    const session = await made(key, "payment-sessions/", {
      gateway_id: gateway,
      amount: random.pick(AMOUNTS),
      currency: "EUR",
      billing_type: isMonthly ? "RECURRING" : "ONE_OFF",
      ...(isMonthly ? { billing_frequency: "MONTHLY" } : {}),
      lead: { first_name: first, last_name: last, email: email.toLowerCase(), country },
    });
    await service.post(`payment-sessions/${session["session_token"]}/pay/`, {
      iban,
      iban_holder_name: `${first} ${last}`,
      tenant_reference_id: `order-${order}`,
    });
    return `order-${order}`;
  };
  for (let day = 0; day < DAYS; day += 1) {
    const count = random.integer(2, 4);
    for (let one = 0; one < count; one += 1) await pays(random.weighted(ACCOUNTS));
    // In the last full week more of them come back than usual.
    if (day >= DAYS - 11 && day < DAYS - 5 && day % 2 === 0) await pays(RETURNED);
    for (const ms of [HOUR_MS, DAY_MS - HOUR_MS]) {
      clock.advance(ms);
      await runJobs(service);
    }
  }
  await pays("DE89370400440532013000");
  shop.down(true);
  const unheard = await pays("DE89370400440532013000");
  await runJobs(service);
  shop.down(false);
  await pays("DE08370400440532013003");
  return { tenantId, key, unheard };
}

/** A debit of a company with an account at a bank: credited yesterday, and reversible. */
export async function playDebit(
  service: Service,
): Promise<{ readonly tenantId: string; readonly key: string; readonly payment: string }> {
  const bank = await import("../tests/support/sepa-bank.ts");
  const { moveTo, read } = await import("../tests/support/treasury.ts");
  const merchant = await bank.bankMerchant(service, { reversal_days: 5 });
  const { transaction } = await bank.payAt(merchant);
  const accounts = await service.get("management/sepa-accounts/", { key: merchant.key });
  await moveTo(service, merchant, accounts.body["results"][0].next_file_at);
  const [file] = await bank.outgoing(service, merchant);
  await bank.markSent(service, merchant, file?.["id"]);
  const credit = { amount: "19.90", endToEndId: transaction.merchant_transaction_id };
  const day = file?.["due_date"];
  await read(service, merchant, bank.camt("camt.053", day, [["collection", credit]]));
  await moveTo(service, merchant, later(new Date(`${day}T12:00:00Z`), DAY_MS).toISOString());
  return { tenantId: merchant.tenantId, key: merchant.key, payment: transaction.id };
}

/** What is due now. */
export async function runJobs(service: Service): Promise<void> {
  for (const job of service.app.jobs) while ((await job.runOnce(job.batch)) >= job.batch);
  while ((await service.rows("select from webhook_deliveries where locked_until is not null")).length > 0);
}
