/**
 * The test mode: moves the company's clock and simulates payments, with the functions of the API. Declared in staging
 * only.
 */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { bodyCheck } from "../../http/validation.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { DAY_MS, later } from "../../lib/clock.ts";
import { utcDate } from "../../lib/dates.ts";
import { gatewayKind } from "../../gateways/records/gateway-record.ts";
import { TEST_ACCOUNTS } from "../../gateways/sandbox/scenarios.ts";
import { letComeBack } from "../../gateways/sandbox/store.ts";
import { accountsOf } from "../../gateways/sepa-batch/accounts.ts";
import { fetchNews } from "../../payments/news/fetch.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { comingDays } from "../../reports/statistics/routes.ts";
import { expectedByDay } from "../../reports/statistics/expected.ts";
import { create } from "../../sessions/create.ts";
import { pay, type PayParts } from "../../sessions/pay.ts";
import { CreateBody } from "../../sessions/schemas.ts";
import { MERCHANT_FORM } from "../../sessions/routes.ts";
import { moveClock, type MovableClock } from "../../tenants/clock/move.ts";
import { takeTestReceiverDown } from "../../webhooks/test-receiver-routes.ts";
import { seeOther } from "../answer.ts";
import { addressWith } from "../design/filters.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, response } from "../pages/listed.ts";
import { requirePayment } from "../pages/payment-routes.ts";
import { PAYMENTS_PATH } from "../pages/payments.ts";
import { messagesByField } from "../records/given.ts";
import { fieldName } from "../records/names.ts";
import { personTarget, type RecordCall } from "../records/routes.ts";
import { faultWords, refusedWords } from "../refused.ts";
import {
  COMES_BACK_DAYS,
  RECEIVER_DOWN,
  testModePage,
  TEST_MODE_PATH,
  type NextDue,
  type TestPaymentInput,
} from "./test-mode-page.ts";
import type { Words } from "../words.ts";

const GATEWAYS_MAX = 100;
const BLANK: TestPaymentInput = { gateway: "", iban: "", amount: "19.90", frequency: "" };
/** The maximum number of days that pass after a simulated payment. */
const DAYS_MAX = 31;
const STEPS = new Map([
  ["day", DAY_MS],
  ["week", 7 * DAY_MS],
]);

/** Declares the page and its buttons. */
export function testModePages(console: ConsoleRouter, deps: Deps, clockwork: MovableClock): void {
  console.get(TEST_MODE_PATH, "test_mode.use", {
    summary: "Clock and scenarios of the test mode",
    schema: { query: AnyQuery, response },
    handle: (call) => show(deps, call, { played: BLANK, problem: null, done: doneOf(call, call.query) }),
  });

  console.post(`${TEST_MODE_PATH}clock/`, "test_mode.use", {
    summary: "Move the clock forward",
    schema: { body: AnyForm, response },
    async handle(call) {
      const { tenant } = call.person;
      const { by = "" } = call.body;
      const due = by === "due" ? await nextDue(deps, tenant) : null;
      const to = due?.at ?? later(deps.time.now(tenant), STEPS.get(by) ?? DAY_MS);
      const target = { tenant, operationId: call.operationId, author: call };
      try {
        await moveClock(deps, clockwork, target, to);
      } catch (error) {
        if (!(error instanceof FieldErrors)) throw error;
        return show(deps, call, { played: BLANK, problem: call.words.say("clockWrong"), done: null });
      }
      return seeOther(addressWith(TEST_MODE_PATH, { done: "clock" }));
    },
  });

  console.post(`${TEST_MODE_PATH}tick/`, "test_mode.use", {
    summary: "Settle the sandbox's payments",
    schema: { body: AnyForm, response },
    async handle(call) {
      const counts = await fetchNews(deps, call.person.tenant, ["sandbox"]);
      const { settled, returned, charged_back: charged } = counts;
      const found = { settled: `${settled}`, returned: `${returned}`, charged: `${charged}` };
      return seeOther(addressWith(TEST_MODE_PATH, { done: "tick", ...found }));
    },
  });

  console.post(`${TEST_MODE_PATH}play/`, "test_mode.use", {
    summary: "Play a payment",
    schema: { body: AnyForm, response },
    async handle(call) {
      const played = { ...BLANK, ...call.body };
      try {
        if (call.body["receiver"] === RECEIVER_DOWN)
          await takeTestReceiverDown(deps, personTarget(call, call.operationId));
        const payment = await play(deps, call, played);
        const days = Math.min(Number.parseInt(call.body["days"] ?? "", 10) || 0, DAYS_MAX);
        if (days > 0) await passDays(deps, clockwork, call, days);
        return seeOther(payment === null ? PAYMENTS_PATH : `${PAYMENTS_PATH}${payment}/`);
      } catch (error) {
        return show(deps, call, { played, problem: problemOf(call.words, error), done: null });
      }
    },
  });

  console.post(`${TEST_MODE_PATH}come-back/`, "test_mode.use", {
    summary: "Let a payment come back",
    schema: { body: AnyForm, response },
    async handle(call) {
      const { tenant } = call.person;
      const payment = await requirePayment(deps, tenant, call.body["payment"] ?? "");
      if (!(await letComeBack(deps.db, tenant, payment.merchant_transaction_id)))
        return show(deps, call, { played: BLANK, problem: call.words.say("comeBackWrong"), done: null });
      await passDays(deps, clockwork, call, COMES_BACK_DAYS);
      return seeOther(`${PAYMENTS_PATH}${payment.id}/`);
    },
  });
}

/** Moves the company's clock forward after a payment, so that its later events happen. */
async function passDays(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  clockwork: MovableClock,
  call: RecordCall,
  days: number,
): Promise<void> {
  const { tenant } = call.person;
  const target = { tenant, operationId: deps.ids.uuid(), author: call };
  await moveClock(deps, clockwork, target, later(deps.time.now(tenant), days * DAY_MS));
  await fetchNews(deps, tenant, ["sandbox"]);
}

/**
 * Makes the payment of a sample customer and returns its id.
 * @throws FieldErrors.
 */
async function play(
  deps: Parameters<typeof create>[0] & PayParts,
  call: RecordCall,
  given: TestPaymentInput,
): Promise<string | null> {
  const { tenant } = call.person;
  const { operationId: id, clientIp } = call;
  const gateways = await sandboxGateways(deps, tenant);
  const gateway = gateways.find(([one]) => one === given.gateway)?.[0] ?? gateways[0]?.[0];
  const iban = TEST_ACCOUNTS.find(([one]) => one === given.iban)?.[0] ?? TEST_ACCOUNTS[0]?.[0] ?? "";
  const [first_name, last_name] = ["Ada", "Example"];
  const body: CreateBody = {
    lead: {
      first_name,
      last_name,
      email: `ada.${deps.ids.reference(8)}@example.com`.toLowerCase(),
      country: "DE",
    },
    amount: given.amount.trim().replace(",", "."),
    currency: "EUR",
    ...(given.frequency === "MONTHLY" || given.frequency === "WEEKLY"
      ? { billing_type: "RECURRING", billing_frequency: given.frequency }
      : { billing_type: "ONE_OFF" }),
    ...(gateway === undefined ? {} : { gateway_id: gateway }),
  };
  const wrong = bodyCheck(CreateBody)(body);
  if (wrong !== null) throw wrong;
  await create(deps, { tenant, id, body });
  const holderName = `${first_name} ${last_name}`;
  const customer = { iban, holderName, tenantReferenceId: null, confirmsDuplicate: true };
  const from = { clientIp, userAgent: null, attemptId: deps.ids.uuid() };
  const { transaction } = await pay(deps, { tenant, sessionId: id, ...MERCHANT_FORM, ...customer, ...from });
  const paid: { readonly id?: string } | null = transaction;
  return paid?.id ?? null;
}

/**
 * The message of an error caused by the form's input.
 * @throws any other error.
 */
function problemOf(words: Words, error: unknown): string {
  if (error instanceof FieldErrors) {
    const [first] = Object.entries(messagesByField(error.fields));
    return first === undefined ? "" : `${fieldName(words, first[0])}: ${faultWords(words, first[1])}`;
  }
  if (error instanceof Refusal && error.status < 500) return refusedWords(words, error);
  throw error;
}

async function sandboxGateways({ db }: Pick<Deps, "db">, tenant: number) {
  const rows = await gatewayKind.store.list(db, tenant, false, { ...NEWEST_FIRST, limit: GATEWAYS_MAX });
  return rows
    .filter(({ adapter, active }) => adapter === "sandbox" && active)
    .map(({ id, name }) => [id, name] as const);
}

/**
 * The next day after today on which money is expected or a renewal is due, or an earlier cut-off for which debits wait.
 */
async function nextDue(deps: Pick<Deps, "db" | "time">, tenant: number): Promise<NextDue | null> {
  const today = utcDate(deps.time.now(tenant));
  const [expected, accounts] = await Promise.all([
    expectedByDay(deps.db, tenant, comingDays(today)),
    accountsOf(deps, tenant),
  ]);
  const days = expected
    .filter(({ day }) => day > today)
    .map(({ day }) => ({ at: new Date(`${day}T00:00:00Z`), day }));
  const cutOffs = accounts
    .filter(({ waiting }) => waiting.length > 0)
    .map(({ next_file_at: at }) => ({ at, day: null }));
  return [...days, ...cutOffs].toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
}

function doneOf({ words }: RecordCall, query: Readonly<Record<string, string>>): string | null {
  if (query["done"] === "clock") return words.say("clockDone");
  if (query["done"] !== "tick") return null;
  const count = (name: string) => words.number(Number.parseInt(query[name] ?? "", 10) || 0);
  const [settled, returned, charged] = [count("settled"), count("returned"), count("charged")];
  return words.say("tickDone", { settled, returned, charged });
}

async function show(
  deps: Pick<Deps, "db" | "time">,
  call: RecordCall,
  shown: { readonly played: TestPaymentInput; readonly problem: string | null; readonly done: string | null },
): Promise<Answer> {
  const { words, csrf, person } = call;
  const { tenant } = person;
  const [gateways, due] = await Promise.all([sandboxGateways(deps, tenant), nextDue(deps, tenant)]);
  const now = deps.time.now(tenant);
  const body = testModePage({ words, csrf, now, nextDue: due, gateways, ...shown });
  return call.page(words.say("tryThings"), body, {
    headed: true,
    status: shown.problem === null ? 200 : 422,
  });
}
