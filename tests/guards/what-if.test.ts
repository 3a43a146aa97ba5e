/** The effect of other return rules on the last 90 days, compared with a count by hand. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../../src/lib/assert.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { countFiguresJob } from "../../src/reports/statistics/job.ts";
import { createMerchant, lead, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";

/** Accounts at banks of five countries, which the sandbox approves. */
const ACCOUNTS = {
  german: "DE89370400440532013000",
  dutch: "NL91ABNA0417164300",
  french: "FR1420041010050500013M02606",
  spanish: "ES9121000418450200051332",
  belgian: "BE68539007547034",
} as const;

interface Pay {
  readonly pay: string;
  readonly at: string;
  readonly customer: string;
  readonly account: keyof typeof ACCOUNTS;
  readonly cents: number;
}
interface Return {
  readonly back: string;
  readonly at: string;
  readonly code: string;
}
type Step = Pay | Return;

const pay = (
  name: string,
  at: string,
  customer: string,
  account: keyof typeof ACCOUNTS,
  cents: number,
): Pay => ({ pay: name, at, customer, account, cents });
const back = (name: string, at: string, code: string): Return => ({ back: name, at, code });

/** Now is 30 June: the 90 days begin with 1 April, 00:00 UTC. */
const NOW = "2026-06-30T12:00:00.000Z";
const FROM = "2026-04-01T00:00:00.000Z";

/** What happened, in the order in which it did. */
const STEPS: readonly Step[] = [
  // Before the window: neither it nor its return counts, though the bank sends it back within the window.
  pay("old", "2026-03-31T23:59:59.999Z", "Ada", "german", 1_111),
  // The window's first moment.
  pay("edge", FROM, "Ada", "dutch", 2_222),
  pay("first", "2026-04-02T09:00:00.000Z", "Ada", "german", 1_000),
  back("old", "2026-04-03T09:00:00.000Z", "MD06"),
  // Of the same account, after a return that does not count.
  pay("second", "2026-04-04T09:00:00.000Z", "Ada", "german", 2_050),
  back("edge", "2026-04-05T09:00:00.000Z", "AM04"),
  // At the instant of the return: not later than it.
  pay("same instant", "2026-04-05T09:00:00.000Z", "Bo", "dutch", 303),
  // A millisecond later, of another customer with the same account.
  pay("of the household", "2026-04-05T09:00:00.001Z", "Cy", "dutch", 404),
  back("first", "2026-04-20T09:00:00.000Z", "MD06"),
  pay("third", "2026-04-21T09:00:00.000Z", "Ada", "german", 3_300),
  pay("of Bo", "2026-04-22T09:00:00.000Z", "Bo", "german", 5_555),
  // Comes back itself: it would not have been made, and has brought nothing.
  back("third", "2026-05-02T09:00:00.000Z", "AM04"),
  pay("fourth", "2026-05-03T09:00:00.000Z", "Ada", "german", 99_999),
  // Two returns of one code and one account: one account, two mandates.
  pay("french one", "2026-05-04T09:00:00.000Z", "Di", "french", 700),
  pay("french two", "2026-05-05T09:00:00.000Z", "Di", "french", 801),
  back("french one", "2026-05-06T09:00:00.000Z", "AC04"),
  back("french two", "2026-05-07T09:00:00.000Z", "AC04"),
  pay("french three", "2026-05-08T09:00:00.000Z", "Di", "french", 902),
  // A code that nothing else follows now, and an account that never came back.
  pay("spanish", "2026-05-09T09:00:00.000Z", "Ed", "spanish", 60_000),
  back("spanish", "2026-05-10T09:00:00.000Z", "MS03"),
  pay("spanish again", "2026-05-11T09:00:00.000Z", "Ed", "spanish", 61_000),
  pay("belgian", "2026-05-12T09:00:00.000Z", "Flo", "belgian", 12_345),
  // On the last day of the window.
  pay("late", "2026-06-30T00:00:00.000Z", "Flo", "belgian", 1),
  back("late", "2026-06-30T11:59:59.999Z", "MD06"),
  pay("last", NOW, "Flo", "belgian", 2),
];

/** Those of which something else is tried; what follows AC04 ends its mandate already. */
const TRIED = { MD06: "block_account", AM04: "block_account", AC04: "block_account" } as const;
const ENDS_MANDATE_NOW = ["AC04"];

interface Counted {
  readonly returns: number;
  readonly amount: string;
  readonly not_made: number;
  readonly not_collected: string;
  readonly mandates_ended: number;
  readonly accounts_blocked: number;
}

const euros = (cents: number) => (cents / 100).toFixed(2);
const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);

/** The count by hand: of the steps alone, with plain sums. */
function counted(code: string): Counted {
  const pays = STEPS.filter((step): step is Pay => "pay" in step);
  const came = STEPS.filter((step): step is Return => "back" in step).map((step) => ({
    ...step,
    of: must(
      pays.find((one) => one.pay === step.back),
      step.back,
    ),
  }));
  const inWindow = came.filter(({ of }) => of.at >= FROM);
  const mine = inWindow.filter((one) => one.code === code);
  /** Of each account the first return that would have blocked it. */
  const blocked = new Map<string, (typeof came)[number]>();
  for (const one of inWindow)
    if (one.code in TRIED && !blocked.has(one.of.account)) blocked.set(one.of.account, one);
  const notMade = pays.filter((one) => {
    const by = blocked.get(one.account);
    return by?.code === code && one.at > by.at;
  });
  const brought = notMade.filter((one) => !came.some(({ of }) => of === one));
  const isTried = code in TRIED;
  return {
    returns: mine.length,
    amount: euros(sum(mine.map(({ of }) => of.cents))),
    not_made: notMade.length,
    not_collected: euros(sum(brought.map(({ cents }) => cents))),
    mandates_ended: isTried && !ENDS_MANDATE_NOW.includes(code) ? mine.length : 0,
    accounts_blocked: isTried ? new Set(mine.map(({ of }) => of.account)).size : 0,
  };
}

const clock = manualClock(new Date("2026-03-31T23:59:59.000Z"));
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
  const other = await createMerchant(service);
  await play([merchant, other]);
});
after(() => service.close());

/** The same happens at each of the merchants, at the other one with all that came back under one code. */
async function play([own, other]: readonly [Merchant, Merchant]): Promise<void> {
  const ids = new Map<string, string>();
  const people = new Map<string, Record<string, unknown>>();
  for (const step of STEPS) {
    clock.advance(new Date(step.at).getTime() - clock.now().getTime());
    for (const one of [own, other]) {
      if ("back" in step) {
        const reason_code = one === own ? step.code : "MD06";
        const body = { transaction_id: ids.get(`${one.key} ${step.back}`), reason_code };
        const { status, text } = await service.post("management/chargebacks/", body, { key: one.key });
        assert.equal(status, 201, text);
        continue;
      }
      const person = people.get(step.customer) ?? lead({ first_name: step.customer });
      people.set(step.customer, person);
      const token = await one.session({ lead: person, amount: euros(step.cents) });
      const { body, text } = await one.pay(token, ACCOUNTS[step.account]);
      assert.equal(body["status"], "completed", text);
      ids.set(`${one.key} ${step.pay}`, body["transaction"].id);
    }
  }
}

async function asked(rules: Readonly<Record<string, string>>): Promise<(code: string) => Counted> {
  const query = Object.entries(rules).map((rule) => rule.join(":"));
  const path = `management/statistics/return-rules/${query.length === 0 ? "" : `?rules=${query.join(",")}`}`;
  const { status, body, text } = await service.get(path, { key: merchant.key });
  assert.equal(status, 200, text);
  return (code) => {
    const row = must<Json>(
      body["results"].find((one: Json) => one["code"] === code),
      code,
    );
    const { returns, amount, not_made, not_collected, mandates_ended, accounts_blocked } = row;
    return { returns, amount, not_made, not_collected, mandates_ended, accounts_blocked };
  };
}

const CODES = ["MD06", "AM04", "AC04", "MS03", "MD01"];

test("the what-if of blocking accounts equals a count by hand, code by code", async () => {
  const said = await asked(TRIED);
  for (const code of CODES) assert.deepEqual(said(code), counted(code), code);
  // Three of its figures, added up separately, so that the count by hand cannot have the same error.
  assert.deepEqual(counted("MD06"), {
    returns: 2,
    amount: "10.01",
    not_made: 4,
    not_collected: "1055.56",
    mandates_ended: 2,
    accounts_blocked: 2,
  });
});

test("the count is the same when a job has added the days up", async () => {
  const job = countFiguresJob(service.app.deps, null);
  while ((await job.runOnce(job.batch)) > 0);
  const said = await asked(TRIED);
  for (const code of CODES) assert.deepEqual(said(code), counted(code), code);
});

test("trying the present rules changes nothing, and gives the same result for returned payments", async () => {
  const said = await asked({});
  for (const code of CODES) {
    const { returns, amount } = counted(code);
    const nothing = { not_made: 0, not_collected: "0.00", mandates_ended: 0, accounts_blocked: 0 };
    assert.deepEqual(said(code), { returns, amount, ...nothing }, code);
  }
});

test("a day later the window's first day is no longer counted, and a rule tried alone counts its own code only", async () => {
  clock.advance(86_400_000);
  const said = await asked({ AM04: "block_account" });
  // Of "edge", which came back first, nothing follows any more: "third" is the only one, and "fourth" came after it.
  assert.deepEqual(said("AM04"), {
    returns: 1,
    amount: "33.00",
    not_made: 1,
    not_collected: "999.99",
    mandates_ended: 1,
    accounts_blocked: 1,
  });
});
