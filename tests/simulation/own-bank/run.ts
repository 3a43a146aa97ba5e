/** One run over the merchant's own bank: five weeks of payments, files, statements, refunds and changes, from a seed. */
import type { Clock } from "../../../src/lib/clock.ts";
import { checkBooks } from "../../../src/books/check.ts";
import { isTargetDay } from "../../../src/banking/target.ts";
import { lead } from "../../support/merchant.ts";
import {
  bankMerchant,
  content,
  markSent,
  outgoing,
  uploadFile,
  type BankMerchant,
} from "../../support/sepa-bank.ts";
import type { Json, Service } from "../../support/service.ts";
import { seeded, type Random } from "../random.ts";
import { booking, deliveries, namesMandateOnly, shuffled, statusReport, type Booking } from "./messages.ts";
import { createBankModel, type BankModel } from "./model.ts";

export interface BankRun {
  readonly seed: number;
  readonly violations: readonly string[];
  /** What happened how often. */
  readonly reached: Readonly<Record<string, number>>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 35;
const IBANS = [
  "DE89370400440532013000",
  "NL91ABNA0417164300",
  "DE62370400440532013001",
  "DE35370400440532013002",
];
const CREDITORS = ["DE98ZZZ09999999999", "AT61ZZZ01234567890"];
const JOBS = /^(sepa-collect|sepa-assume|gateway-news|recover-|renew-|follow-|expire-)/;

type Moving = Clock & { advance(ms: number): void };

/** @param clock the service's, which this moves. It stands at 08:00 UTC of a day. */
export async function simulateBank(service: Service, clock: Moving, seed: number): Promise<BankRun> {
  const random = seeded(seed);
  const firstSequenceType = random.pick(["RCUR", "FRST"]);
  const merchant = await bankMerchant(
    service,
    {
      first_sequence_type: firstSequenceType,
      pre_notification_days: random.pick([0, 0, 2]),
      batch_booking: false,
      lead_days: 1,
    },
    random.chance(0.3) ? { completed_event_at: "acceptance" } : {},
  );
  const bank = createBankModel(random.fork(), firstSequenceType);
  const run = new Run(service, clock, random, merchant, bank);
  for (let day = 0; day < DAYS && run.violations.length === 0; day += 1) await run.day();
  if (run.violations.length === 0) await run.quiet();
  return { seed, violations: [...new Set(run.violations)], reached: run.reached };
}

class Run {
  readonly violations: string[] = [];
  readonly reached: Record<string, number> = {};
  readonly #carried = new Set<string>();
  #waiting: { readonly xml: string; readonly booked: readonly Booking[] }[] = [];
  readonly #service: Service;
  readonly #clock: Moving;
  readonly #random: Random;
  readonly #merchant: BankMerchant;
  readonly #bank: BankModel;

  constructor(service: Service, clock: Moving, random: Random, merchant: BankMerchant, bank: BankModel) {
    this.#service = service;
    this.#clock = clock;
    this.#random = random;
    this.#merchant = merchant;
    this.#bank = bank;
  }

  /** 08:00 the merchant's people work, 12:00 files are written and carried, 18:00 the bank's files come; then night. */
  async day(): Promise<void> {
    for (let count = this.#random.below(4); count > 0; count -= 1) await this.#act();
    this.#clock.advance(4 * HOUR_MS + 5 * 60_000);
    await this.#jobs();
    await this.#carry();
    for (let count = this.#random.below(2); count > 0; count -= 1) await this.#act();
    this.#clock.advance(6 * HOUR_MS);
    await this.#bankDay();
    await this.#jobs();
    await this.#check();
    this.#clock.advance(DAY_MS - 10 * HOUR_MS - 5 * 60_000);
  }

  /** Everything comes to its end: what the bank did is what the records say. */
  async quiet(): Promise<void> {
    for (const { id } of await this.#service.rows(
      "select id from subscriptions where gateway_id = $1 and status <> 'CANCELLED'",
      [this.#merchant.accountId],
    )) {
      await this.#post(`subscriptions/${id}/cancel/`);
    }
    for (let day = 0; day < 25; day += 1) {
      this.#clock.advance(4 * HOUR_MS + 5 * 60_000);
      await this.#jobs();
      await this.#carry();
      this.#clock.advance(6 * HOUR_MS);
      await this.#bankDay(true);
      await this.#jobs();
      this.#clock.advance(DAY_MS - 10 * HOUR_MS - 5 * 60_000);
    }
    await this.#check();
    await this.#compare();
  }

  get #today(): string {
    return this.#clock.now().toISOString().slice(0, 10);
  }

  #count(what: string): void {
    this.reached[what] = (this.reached[what] ?? 0) + 1;
  }

  async #jobs(): Promise<void> {
    for (const job of this.#service.app.jobs) {
      if (JOBS.test(job.name)) await job.runOnce(job.batch);
    }
  }

  async #post(path: string, body: unknown = {}): Promise<Json> {
    const { status, body: answer } = await this.#service.post(`management/${path}`, body, {
      key: this.#merchant.key,
    });
    if (status >= 500) this.violations.push(`CALL-3: ${path} answered ${status}`);
    this.#count(`${path.replaceAll(/[0-9a-f-]{36}/g, "ID")} ${status}`);
    return answer;
  }

  async #act(): Promise<void> {
    const what = this.#random.weighted({
      pay: 40,
      subscribe: 22,
      refund: 25,
      refundMany: 6,
      chargeback: 4,
      cancelMandate: 3,
      amend: 14,
      creditor: 2,
      event: 3,
    });
    if (what === "pay" || what === "subscribe") return this.#pay(what === "subscribe");
    if (what === "creditor") return this.#changeCreditor();
    if (what === "event") return this.#changeEvent();
    if (what === "cancelMandate" || what === "amend") return this.#changeMandate(what);
    const paid = await this.#transactions("approved");
    if (paid.length === 0) return;
    const one = this.#random.pick(paid);
    if (what === "chargeback") await this.#post("chargebacks/", { transaction_id: one["id"] });
    else if (what === "refund") await this.#refund(one);
    else await Promise.all([this.#refund(one), this.#refund(one), this.#refund(one)]);
  }

  async #pay(recurring: boolean): Promise<void> {
    const token = await this.#merchant.session({
      gateway_id: this.#merchant.accountId,
      lead: lead(),
      amount: this.#random.pick(["19.90", "5.00", "120.00"]),
      ...(recurring ? { billing_type: "RECURRING", billing_frequency: "WEEKLY" } : {}),
    });
    const { body } = await this.#merchant.pay(token, this.#random.pick(IBANS));
    this.#count(`pay ${body["status"]}`);
  }

  #refund(one: Json): Promise<unknown> {
    const part = this.#random.chance(0.5) ? {} : { amount: "2.50" };
    return this.#post(`transactions/${one["id"]}/refunds/`, part);
  }

  async #changeMandate(what: "cancelMandate" | "amend"): Promise<void> {
    const { body } = await this.#service.get("management/mandates/?status=active", {
      key: this.#merchant.key,
    });
    const all = body["results"] as readonly Json[];
    if (all.length === 0) return;
    const { id, reference } = this.#random.pick(all);
    if (what === "cancelMandate") {
      const { status } = await this.#post(`mandates/${id}/cancel/`);
      if (status === "cancelled") this.#bank.cancelled(reference, this.#clock.now().getTime());
      return;
    }
    await this.#post(`mandates/${id}/amend/`, { iban: this.#random.pick(IBANS) });
  }

  async #changeCreditor(): Promise<void> {
    const path = `management/gateways/${this.#merchant.accountId}/`;
    const { body } = await this.#service.get(path, { key: this.#merchant.key });
    const settings = { ...body["settings"], creditor_identifier: this.#random.pick(CREDITORS) };
    const { status } = await this.#service.call("PATCH", path, { settings }, { key: this.#merchant.key });
    this.#count(`creditor changed ${status}`);
  }

  async #changeEvent(): Promise<void> {
    const completed_event_at = this.#random.pick(["acceptance", "settlement"]);
    const path = `management/gateways/${this.#merchant.accountId}/`;
    await this.#service.call("PATCH", path, { completed_event_at }, { key: this.#merchant.key });
  }

  async #transactions(status: string | null): Promise<readonly Json[]> {
    return this.#service.rows(
      `select t.id, t.merchant_transaction_id as reference, t.status, t.type, (t.amount * 100)::integer as cents
         from transactions t join gateways g on g.tenant = t.tenant and g.id = t.gateway_id
        where g.id = $1 and ($2::text is null or t.status = $2) and (t.type <> 'sdd_refund' or $2 is null)
        order by t.merchant_transaction_id`,
      [this.#merchant.accountId, status],
    );
  }

  /** Files are downloaded and handed to the bank on the day, or the day after. */
  async #carry(): Promise<void> {
    for (const file of await outgoing(this.#service, this.#merchant)) {
      const id: string = file["id"];
      if (this.#carried.has(id) || file["status"] !== "ready" || this.#random.chance(0.2)) continue;
      const xml = await content(this.#service, this.#merchant, id);
      this.#bank.handedOut(xml, Date.parse(file["created_at"]));
      this.#carried.add(id);
      this.#count(`file ${file["kind"]}`);
      await markSent(this.#service, this.#merchant, id);
      const rejection = this.#bank.take(xml, this.#clock.now().getTime());
      if (rejection === null) continue;
      this.#count(`rejected ${rejection.level}`);
      this.#waiting.push({ xml: statusReport(this.#random, this.#today, rejection), booked: [] });
    }
  }

  async #bankDay(all = false): Promise<void> {
    const day = this.#today;
    if (isTargetDay(day)) {
      const booked = [...this.#bank.book(day)];
      for (const { kind } of booked) this.#count(`booked ${kind}`);
      if (booked.length > 0 && this.#random.chance(0.3)) {
        booked.push(booking("foreign", { reference: "INVOICE 4711", cents: 4_711, mandate: "" }, ""));
      }
      for (const xml of deliveries(this.#random, day, booked)) this.#waiting.push({ xml, booked });
    }
    const ready = shuffled(
      this.#random,
      this.#waiting.filter(() => all || this.#random.chance(0.8)),
    );
    this.#waiting = this.#waiting.filter((file) => !ready.includes(file));
    for (const { xml, booked } of ready) await this.#deliver(xml, booked);
  }

  async #deliver(xml: string, booked: readonly Booking[]): Promise<void> {
    const { status, body } = await uploadFile(this.#service, this.#merchant, xml);
    if (status !== 201 && status !== 200) {
      this.violations.push(
        `CALL-3: a bank's file was answered ${status}: ${JSON.stringify(body).slice(0, 300)}`,
      );
      return;
    }
    const certain = booked.filter((one) => !namesMandateOnly(one));
    this.#bank.told(certain, this.#clock.now().getTime());
    for (const file of body["files"] as readonly Json[]) {
      for (const [result, count] of Object.entries((file["report"] ?? {}) as Json)) {
        if (typeof count !== "number") continue;
        this.#count(`entry ${result}`);
        const foreign = booked.filter(({ kind }) => kind === "foreign").length;
        if (result === "ignored" && count > foreign)
          this.violations.push(`FILE-1: ${count - foreign} entries about ours were ignored`);
      }
    }
  }

  async #check(): Promise<void> {
    this.violations.push(...this.#bank.wrongs);
    const { differences } = await checkBooks(this.#service.db);
    const tenant = this.#merchant.tenantId;
    // A loss is no disagreement of the records: it is named, and the bank's model knows it as well.
    const ours = differences.filter(
      (words) => words.includes(tenant) && !/went back twice|loss/i.test(words),
    );
    this.violations.push(...ours.map((words) => `books check: ${words}`));
  }

  /** The records of each collection and refund are what the bank did; what is not is on a list that a person sees. */
  async #compare(): Promise<void> {
    const { body } = await this.#service.get("management/unmatched/?page_size=1000", {
      key: this.#merchant.key,
    });
    const listed = JSON.stringify(body["results"]);
    for (const { reference, status, type } of await this.#transactions(null)) {
      const debit = this.#bank.debits.get(reference);
      if (status === "pending" || status === "submitted" || status === "unresolved") {
        this.violations.push(
          `LIVE-2: ${reference} (${type}) is still ${status}; the bank has ${debit?.state ?? "nothing"}`,
        );
      }
      if (debit === undefined || type === "sdd_refund") continue;
      const wanted = WANTED[debit.state] ?? [];
      const seen = listed.includes(reference) || listed.includes(debit.mandate);
      if (!wanted.includes(status) && !seen)
        this.violations.push(`MONEY-2: ${reference} is ${status}; at the bank it is ${debit.state}`);
    }
  }
}

/** What our record may say of a collection in each of the bank's states; a chargeback by hand may come before the bank's. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  waiting: [],
  rejected: ["declined", "charged_back"],
  settled: ["approved", "refunded", "charged_back"],
  returned: ["charged_back"],
  withdrawn: ["charged_back"],
};
