/**
 * A merchant's bank behind a failing SFTP server: the bank's books and reports, the processes that transfer files,
 * the person who decides.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import { formatAmount, type Cents } from "../../src/lib/money.ts";
import { addTargetDays, targetDayFrom } from "../../src/sepa/target.ts";
import { readOrder, type Order } from "../../tests/simulation/own-bank/orders.ts";
import { IBAN } from "../../tests/support/merchant.ts";
import { bankOf, camt } from "../../tests/support/sepa-bank.ts";
import type { Json, Service } from "../../tests/support/service.ts";
import { answer } from "../simulated-bank/answer.ts";
import { readPain008 } from "../simulated-bank/read.ts";
import { ask, classOf } from "./ask.ts";
import { Client, newJourney, type Journey } from "./clients.ts";
import type { Instance } from "./instance.ts";
import type { Random } from "../random.ts";
import { LOGIN, startSftp, type ChaosSftp } from "./sftp-server.ts";
import { count, type Tally } from "./tally.ts";
import type { Shop, World } from "./world.ts";

/** The bank's books: what it has accepted. */
interface TakenFile {
  readonly name: string;
  readonly order: Order;
}

export interface Bank {
  readonly sftp: ChaosSftp;
  readonly shop: Shop;
  /** Includes only requested time. */
  time: Date;
  readonly carriers: readonly Instance[];
  readonly taken: TakenFile[];
  /** Names of unreadable files. */
  readonly unreadable: string[];
  /** Its files for the merchant, by name. */
  readonly laid: Map<string, Buffer>;
  balance: number;
}

interface BankParts {
  readonly random: Random;
  readonly shop: Shop;
  readonly service: Service;
  readonly carriers: readonly Instance[];
}

/** The shop's account at the bank, and the server for its files. */
export async function openBank({ random, shop, service, carriers }: BankParts): Promise<Bank> {
  const sftp = await startSftp(random);
  const transport = {
    kind: "sftp",
    host: "127.0.0.1",
    port: sftp.port,
    username: LOGIN.username,
    host_key: sftp.hostKey,
    outbox: "/out",
    inbox: "/in",
    archive: "/archive",
  };
  const { accountId } = await bankOf(
    service,
    shop.merchant,
    { transport },
    { credentials: { password: LOGIN.password }, completed_event_at: "acceptance" },
  );
  return {
    sftp,
    carriers,
    shop: { ...shop, merchant: { ...shop.merchant, gatewayId: accountId } },
    time: new Date(),
    taken: [],
    unreadable: [],
    laid: new Map(),
    balance: 0,
  };
}

/** The bank empties its folder, books the readable files, and provides its reports. */
function workAtTheBank(bank: Bank): void {
  const { outbox, inbox } = bank.sftp;
  for (const [name, bytes] of outbox) {
    if (name.startsWith(".")) continue;
    outbox.delete(name);
    try {
      const order = readOrder(bytes.toString());
      bank.taken.push({ name, order });
      for (const [said, xml] of answersTo(bank, order, bytes.toString())) {
        bank.laid.set(said, Buffer.from(xml));
        inbox.set(said, Buffer.from(xml));
      }
    } catch {
      bank.unreadable.push(name);
    }
  }
}

function answersTo(bank: Bank, order: Order, xml: string): readonly (readonly [name: string, xml: string])[] {
  const id = `CHAOS-${bank.taken.length}`;
  if (order.family === "pain.001") {
    const paid = order.transfers.map(({ reference, cents }) => {
      return ["transferOut", { amount: formatAmount(cents as Cents), endToEndId: reference }] as const;
    });
    return [[`${id}-transfers.xml`, camt("camt.053", order.dueDate, paid)]];
  }
  const said = answer(readPain008(xml), scenarioOf, {
    id,
    receivedAt: new Date(`${addTargetDays(order.dueDate, -1)}T08:00:00Z`),
    openingBalanceCents: bank.balance,
    statementNumber: bank.laid.size + 1,
  });
  bank.balance = said.closingBalanceCents;
  const statements = said.days.map(({ date, camt053 }) => [`${id}-${date}.xml`, camt053] as const);
  return said.pain002 === null ? statements : [[`${id}-status.xml`, said.pain002], ...statements];
}

interface Day {
  readonly world: World;
  readonly bank: Bank;
  readonly random: Random;
  readonly tally: Tally;
  readonly journeys: Journey[];
  readonly signal: AbortSignal;
}

const PEOPLE = 2;
const IBANS = [
  IBAN.approved,
  IBAN.approvedDutch,
  IBAN.approved,
  IBAN.chargedBack,
  IBAN.returned,
  IBAN.declined,
];

/** Customers subscribe; one whose payment settled weeks ago gets a partial refund. */
export async function doBusiness({ world, bank, random, tally, journeys, signal }: Day): Promise<void> {
  const client = () => new Client(world, tally, random.fork(), signal);
  const fresh = Array.from({ length: PEOPLE }, () => newJourney(bank.shop));
  const [settled] = await world.rows(REFUNDABLE, [bank.shop.merchant.tenantId]);
  const happy = journeys.find(
    ({ completed, refunds }) => completed === settled?.["id"] && refunds.length === 0,
  );
  journeys.push(...fresh);
  await Promise.all([
    ...fresh.map(async (journey) => {
      const own = client();
      await own.create(journey);
      if (journey.token !== null) await own.pay(journey, 0, random.pick(IBANS));
    }),
    happy === undefined ? null : client().refund(happy),
  ]);
}

const REFUNDABLE = `
  select t.id from transactions t
    join tenants n on n.tenant = t.tenant
    join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
   where n.id = $1 and t.status = 'approved' and t.type = 'sdd_sale' and t.refund_claimed = 0
   order by t.created_at limit 1`;

/** The limit for moving the clock by a day: the request does the work of the day, with a bank that may hang. */
const DAY_MS_MAX = 3_000;

/** The next day's cut-off, or a month's: a file is written and sent, renewals are collected. */
export async function passDays({ world, bank, random, tally }: Omit<Day, "journeys">): Promise<void> {
  const days = random.chance(0.5) ? 1 : 32;
  const day = Temporal.Instant.from(bank.time.toISOString())
    .toZonedDateTimeISO("UTC")
    .toPlainDate()
    .add({ days });
  bank.time = new Date(`${targetDayFrom(day.toString())}T12:00:00Z`);
  const { merchant } = bank.shop;
  const answered = await ask(
    random.pick(world.instances).url,
    "POST",
    "management/clock/",
    { date: bank.time.toISOString() },
    { key: merchant.key, timeoutMs: DAY_MS_MAX },
  );
  count(tally.answers, classOf(answered));
}

/** Minutes pass: failed work is retried, the folder is read again, and the bank works. */
export async function passMinutes(world: World, bank: Bank, tally: Tally): Promise<void> {
  const before = { taken: bank.taken.length, laid: bank.laid.size };
  workAtTheBank(bank);
  count(tally.notes, "files that the bank took", bank.taken.length - before.taken);
  count(tally.notes, "files of the bank", bank.laid.size - before.laid);
  await world.rows("update sepa_files set due_at = now() where due_at > now() and locked_until is null");
  await world.rows("update sepa_accounts set polled_at = null where locked_until is null");
}

const AWAY_MS = 1_000;

/**
 * Ends the leases of killed processes, ten and fifteen minutes. Running processes give up an unavailable server, so
 * remaining leases belong to killed ones.
 */
export async function passLeases(world: World, { sftp }: Bank): Promise<void> {
  sftp.leave();
  await sleep(AWAY_MS);
  await world.rows("update sepa_files set locked_until = null where locked_until is not null");
  await world.rows(
    "update sepa_accounts set locked_until = null, polled_at = null where locked_until is not null",
  );
  sftp.heal();
}

/** A person asks the bank about each unclear file and confirms its answer. */
export async function decideUnclear(world: World, bank: Bank, tally: Tally): Promise<void> {
  for (const { id, name } of await unclearOnTheList(world, bank)) {
    const arrived = bank.taken.some((taken) => taken.name === name) || bank.sftp.outbox.has(name);
    const path = `management/sepa-files/${id}/confirm/`;
    const { status } = await ask(urlOf(world), "POST", path, { arrived }, { key: bank.shop.merchant.key });
    if (status === 200) count(tally.notes, `unclear file that had ${arrived ? "" : "not "}arrived`);
  }
}

/** The list that a person sees. */
export async function unclearOnTheList(world: World, { shop }: Bank): Promise<readonly Json[]> {
  const path = "management/sepa-files/?direction=out&status=unclear&page_size=100";
  const { body } = await ask(urlOf(world), "GET", path, undefined, { key: shop.merchant.key });
  return body["results"] ?? [];
}

function urlOf({ instances }: World): string {
  return (instances.find((instance) => instance.isRunning()) ?? instances[0])?.url ?? "";
}
