/** The pages of a tenant's money: home, payments, customers, search. They read and act through the use cases of the API. */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { utcDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { parseAmount } from "../../lib/money.ts";
import { must } from "../../lib/assert.ts";
import { Type } from "../../lib/schema.ts";
import { cancelHeldRefund, releaseRefund } from "../../payments/refunds/held.ts";
import { refund } from "../../payments/refunds/refund.ts";
import { eraseCustomer } from "../../privacy/erase.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { needsAttention } from "../../reports/attention/routes.ts";
import { CustomerQuery } from "../../reports/customers/routes.ts";
import { findCustomer, listCustomers } from "../../reports/customers/store.ts";
import { TransactionQuery } from "../../reports/transactions/schemas.ts";
import { returnsTriangle } from "../../reports/statistics/returns.ts";
import { comingDays, WEEKS_SHOWN } from "../../reports/statistics/routes.ts";
import { expectedByDay, figures, figuresAsOf } from "../../reports/statistics/store.ts";
import { exportAnswer } from "../../reports/transactions/export.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { shownTransaction } from "../../reports/transactions/shown.ts";
import { findTimeline, findTransaction, listTransactions } from "../../reports/transactions/store.ts";
import { leadKey } from "../../sessions/leads.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import type { Words } from "../words.ts";
import { bankPageRoutes } from "./bank-routes.ts";
import { chargebackPageRoutes } from "./chargeback-routes.ts";
import { customerPage, customersPage, CUSTOMERS_PATH } from "./customers.ts";
import { designPage, DESIGN_PATH } from "./design.ts";
import { figuresCsv, SPANS, spanDays, type Span } from "./figures.ts";
import { FIGURES_CSV_PATH, HOME_PATH, homePage } from "./home.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { listQueryOf } from "./list-query.ts";
import { mandatePageRoutes } from "./mandate-routes.ts";
import { paymentLinkPages } from "./payment-link-routes.ts";
import { paymentPage, type Refunding } from "./payment.ts";
import { paymentsPage, PAYMENTS_CSV_PATH, PAYMENTS_PATH } from "./payments.ts";
import { ofMainCurrency, RETURNS_CSV_PATH, returnsCsv } from "./returns.ts";
import { searchPages } from "./search-routes.ts";
import { listCampaigns, listGateways } from "./store.ts";
import { subscriptionPageRoutes } from "./subscription-routes.ts";

const SHOWN_OF_CUSTOMER = 20;
const NEWEST = 10;

const paymentQuery = listQueryOf(TransactionQuery);
const customerQuery = listQueryOf(CustomerQuery);

/** Declares the pages. */
export function pageRoutes(console: ConsoleRouter, deps: Deps): void {
  homeRoute(console, deps);
  paymentRoutes(console, deps);
  paymentLinkPages(console, deps);
  customerRoutes(console, deps);
  subscriptionPageRoutes(console, deps);
  mandatePageRoutes(console, deps);
  chargebackPageRoutes(console, deps);
  bankPageRoutes(console, deps);
  searchPages(console, deps);

  console.get(DESIGN_PATH, "signed_in", {
    summary: "The console's components",
    schema: { query: AnyQuery, response },
    handle: (call) => {
      const now = deps.time.now(call.person.tenant);
      return call.page("Design", designPage(call.words, now, call.query["act"] === "dialog"), {
        headed: true,
      });
    },
  });
}

function homeRoute(console: ConsoleRouter, deps: Deps): void {
  const Spans = Type.Object({ days: Type.Optional(Type.String({ maxLength: 10 })) });
  console.get(HOME_PATH, "signed_in", {
    summary: "Home",
    schema: { query: Spans, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      if (!call.may("payments.read")) return seeOther("/console/account/");
      const now = deps.time.now(tenant);
      const today = utcDate(now);
      const span = spanOf(call.query.days);
      const { from, before } = spanDays(today, span);
      const shown = { from, to: today };
      const [waiting, newest, byDay, asOf, reasons, back, coming] = await Promise.all([
        needsAttention(deps, tenant),
        listTransactions(deps.db, tenant, transactionFilters({}), newestRows(NEWEST)),
        figures(deps.db, tenant, { from: before, to: today }, { period: "day", group: null }),
        figuresAsOf(deps.db, tenant, shown),
        figures(deps.db, tenant, shown, { period: "total", group: "reason" }),
        returnsTriangle(deps.db, tenant, today, WEEKS_SHOWN),
        expectedByDay(deps.db, tenant, comingDays(today)),
      ]);
      const body = homePage({
        words,
        now,
        today,
        span,
        waiting,
        may: (action) => call.may(action),
        newest,
        figures: byDay,
        asOf,
        reasons,
        returns: ofMainCurrency(back),
        expected: coming,
      });
      return call.page(words.say("home"), body, { headed: true });
    },
  });

  console.get(RETURNS_CSV_PATH, "payments.read", {
    summary: "The returns triangle, as CSV",
    schema: { response },
    async handle({ person: { tenant } }) {
      const today = utcDate(deps.time.now(tenant));
      const rows = await returnsTriangle(deps.db, tenant, today, WEEKS_SHOWN);
      return csvAnswer(`returns-${today}.csv`, returnsCsv(rows));
    },
  });

  console.get(FIGURES_CSV_PATH, "payments.read", {
    summary: "The home page's figures by day, as CSV",
    schema: { query: Spans, response },
    async handle(call) {
      const { tenant } = call.person;
      const today = utcDate(deps.time.now(tenant));
      const { from } = spanDays(today, spanOf(call.query.days));
      const days = { from, to: today };
      const rows = await figures(deps.db, tenant, days, { period: "day", group: null });
      return csvAnswer(`figures-${from}-${today}.csv`, figuresCsv(rows));
    },
  });
}

function csvAnswer(name: string, body: string): Answer {
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "no-store",
  };
  return { status: 200, headers, body };
}

/** The span of an address; thirty days where it names none. */
function spanOf(days: string | undefined): Span {
  return SPANS.find((span) => String(span) === days) ?? 30;
}

const newestRows = (limit: number) => ({ ...NEWEST_FIRST, limit });

function paymentRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(PAYMENTS_PATH, "payments.read", {
    summary: "Payments",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = paymentQuery(call.query);
      const [page, gateways, campaigns] = await Promise.all([
        readListPage(deps, { tenant, path: PAYMENTS_PATH }, given, (window) =>
          listTransactions(deps.db, tenant, transactionFilters(given.usable), window),
        ),
        listGateways(deps.db, tenant),
        listCampaigns(deps.db, tenant),
      ]);
      const mayExport = call.may("exports.create");
      const now = deps.time.now(tenant);
      const body = paymentsPage({ words, now, given, gateways, campaigns, mayExport, ...page });
      return call.page(words.say("payments"), body, { headed: true });
    },
  });

  console.get(PAYMENTS_CSV_PATH, "exports.create", {
    summary: "What the list of payments shows, all of it, as CSV",
    schema: { query: AnyQuery, response },
    handle(call) {
      // Filters that the page named as wrong are left out there too.
      const { page_size: _, cursor: __, ...query } = paymentQuery(call.query).usable;
      return exportAnswer(deps, {
        tenant: call.person.tenant,
        operationId: call.operationId,
        author: call,
        query,
        filters: transactionFilters(query),
      });
    },
  });

  console.get(`${PAYMENTS_PATH}{id}/`, "payments.read", {
    summary: "A payment",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    async handle(call) {
      const { act, done } = call.query;
      const refunding = act === "refund" && call.may("payments.refund") ? "open" : null;
      return showPayment(deps, call, call.params.id, { refunding, done: doneWords(call.words, done) });
    },
  });

  console.post(`${PAYMENTS_PATH}{id}/refund/`, "payments.refund", {
    summary: "Refund a payment",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        amount: Type.String({ maxLength: 20 }),
        reason: Type.Optional(Type.String({ maxLength: 500 })),
      }),
      response,
    },
    async handle(call) {
      const { id: refundId, amount: typed, reason = "" } = call.body;
      const { id } = call.params;
      const { tenant } = call.person;
      if (!isUuid(refundId) || !isUuid(id)) throw new Refusal("not_found");
      const amount = parseAmount(typed.trim().replace(",", "."));
      const again = (problem: string) =>
        showPayment(deps, call, id, {
          refunding: { id: refundId, amount: typed, reason, problem },
          done: null,
        });
      if (amount === null || amount === 0) return again(call.words.say("amountWrong"));
      call.requireRecentAbove(amount);
      try {
        await refund(deps, {
          tenant,
          transactionId: id,
          id: refundId,
          amount,
          reason: reason.trim() === "" ? null : reason.trim(),
          author: call,
        });
      } catch (error) {
        if (error instanceof FieldErrors) return again(Object.values(error.fields).flat().join(" "));
        if (error instanceof Refusal && error.status < 500) return again(error.detail);
        throw error;
      }
      return seeOther(`${PAYMENTS_PATH}${id}/?done=refund`);
    },
  });

  for (const [verb, summary, decide] of [
    ["release", "Send a held refund now", releaseRefund],
    ["unsend", "End a held refund unsent", cancelHeldRefund],
  ] as const) {
    console.post(`${PAYMENTS_PATH}{id}/${verb}/`, "payments.refund", {
      summary,
      schema: { params: AnyIdInPath, response },
      async handle(call) {
        const { id } = call.params;
        const { tenant } = call.person;
        const payment = isUuid(id) ? await findTransaction(deps.db, tenant, id) : null;
        if (payment === null || payment.original_id === null) throw new Refusal("not_found");
        call.requireRecentAbove(must(parseAmount(payment.amount), "a stored amount"));
        const decision = {
          tenant,
          transactionId: payment.original_id,
          refundId: id,
          id: call.operationId,
          author: call,
        };
        await decide(deps, decision);
        return seeOther(`${PAYMENTS_PATH}${id}/?done=${verb}`);
      },
    });
  }
}

/** What has been done, by `done` in the address. */
function doneWords(words: Words, done: string | undefined): string | null {
  if (done === "refund" || done === "release") return words.say("refundDone");
  if (done === "again") return words.say("sendAgainDone");
  return done === "unsend" ? words.say("heldCancelDone") : null;
}

/** A payment with its story, and the dialog that is open. @throws Refusal not_found. */
async function showPayment(
  deps: Deps,
  call: Pick<
    ConsoleCall<{ readonly response: typeof response }>,
    "person" | "words" | "csrf" | "may" | "page"
  >,
  id: string,
  { refunding, done }: { readonly refunding: "open" | Refunding | null; readonly done: string | null },
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const payment = isUuid(id) ? await findTransaction(deps.db, tenant, id) : null;
  if (payment === null) throw new Refusal("not_found");
  const steps = await findTimeline(deps.db, tenant, id);
  const opened: Refunding = {
    id: deps.ids.uuid(),
    amount: payment.amount_refundable,
    reason: "",
    problem: null,
  };
  const body = paymentPage({
    words,
    now: deps.time.now(tenant),
    csrf: call.csrf,
    payment,
    steps,
    mayRefund: call.may("payments.refund"),
    maySeeDeliveries: call.may("developers.read"),
    mayResend: call.may("webhooks.resend"),
    refunding: refunding === "open" ? opened : refunding,
    done,
    raw: JSON.stringify(shownTransaction(payment), null, 2),
  });
  const title = words.money(payment.amount, payment.currency);
  return call.page(title, body, {
    headed: true,
    status: typeof refunding === "object" && refunding ? 422 : 200,
  });
}

function customerRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(CUSTOMERS_PATH, "payments.read", {
    summary: "Customers",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = customerQuery(call.query);
      const { email, name = null, country = null } = given.usable;
      const filters = { emailKey: email === undefined ? null : leadKey(email), nameStart: name, country };
      const page = await readListPage(deps, { tenant, path: CUSTOMERS_PATH }, given, (window) =>
        listCustomers(deps.db, tenant, filters, window),
      );
      const body = customersPage({ words, now: deps.time.now(tenant), given, ...page });
      return call.page(words.say("customers"), body, { headed: true });
    },
  });

  console.get(`${CUSTOMERS_PATH}{id}/`, "payments.read", {
    summary: "A customer",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle: (call) =>
      showCustomer(deps, call, call.params.id, call.query["act"] === "erase" ? { problem: null } : null),
  });

  console.post(`${CUSTOMERS_PATH}{id}/erase/`, "customers.erase", {
    summary: "Erase a customer",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({ give_up_evidence: Type.Optional(Type.Literal("yes")) }),
      response,
    },
    async handle(call) {
      const { id } = call.params;
      if (!isUuid(id)) throw new Refusal("not_found");
      try {
        await eraseCustomer(deps, {
          tenant: call.person.tenant,
          id,
          giveUpEvidence: call.body.give_up_evidence === "yes",
          operationId: call.operationId,
          author: call,
        });
      } catch (error) {
        if (error instanceof Refusal && error.status === 409)
          return showCustomer(deps, call, id, { problem: error.detail });
        throw error;
      }
      return seeOther(`${CUSTOMERS_PATH}${id}/`);
    },
  });
}

/** A customer, and the dialog that is open. @throws Refusal not_found. */
async function showCustomer(
  deps: Deps,
  call: Pick<
    ConsoleCall<{ readonly response: typeof response }>,
    "person" | "csrf" | "may" | "page" | "words"
  >,
  id: string,
  erasing: { readonly problem: string | null } | null,
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const customer = isUuid(id) ? await findCustomer(deps.db, tenant, id) : null;
  if (customer === null) throw new Refusal("not_found");
  const payments = await listTransactions(
    deps.db,
    tenant,
    transactionFilters({ lead_id: id }),
    newestRows(SHOWN_OF_CUSTOMER),
  );
  const body = customerPage({
    words,
    now: deps.time.now(tenant),
    customer,
    payments,
    csrf: call.csrf,
    mayErase: call.may("customers.erase"),
    erasing,
  });
  return call.page(`${customer.first_name} ${customer.last_name}`, body, {
    headed: true,
    status: erasing !== null && erasing.problem !== null ? 409 : 200,
  });
}
