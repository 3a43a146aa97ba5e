/** The pages of a tenant's money: home, payments, customers, search. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import { attachmentHeader, type Answer } from "../../http/endpoint.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { utcDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { Type } from "../../lib/schema.ts";
import { eraseCustomer } from "../../privacy/erase.ts";
import { Refusal } from "../../refusals.ts";
import { needsAttention } from "../../reports/attention/routes.ts";
import { CustomerQuery } from "../../reports/customers/routes.ts";
import { findCustomer, listCustomers } from "../../reports/customers/store.ts";
import { returnsTriangle } from "../../reports/statistics/returns.ts";
import { comingDays, WEEKS_SHOWN } from "../../reports/statistics/routes.ts";
import { expectedAsOf, expectedByDay } from "../../reports/statistics/expected.ts";
import { figures, figuresAsOf } from "../../reports/statistics/store.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { listTransactions } from "../../reports/transactions/store.ts";
import { leadKey } from "../../sessions/leads.ts";
import { seeOther } from "../answer.ts";
import { queryWithColumns } from "../design/columns.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { bankPageRoutes } from "./bank-routes.ts";
import { chargebackPageRoutes } from "./chargeback-routes.ts";
import { CUSTOMER_COLUMNS, customerPage, customersPage, CUSTOMERS_PATH, fullName } from "./customers.ts";
import { OPERATOR_PATH } from "../operator/places.ts";
import { refusedWords } from "../refused.ts";
import { designPage, DESIGN_PATH } from "./design.ts";
import { expectedCsv, figuresCsv, SPANS, spanDays, type Span } from "./figures.ts";
import { heldPages } from "./held-routes.ts";
import { EXPECTED_CSV_PATH, FIGURES_CSV_PATH, HOME_PATH, homePage } from "./home.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { listQueryOf } from "./list-query.ts";
import { mandatePageRoutes } from "./mandate-routes.ts";
import { paymentLinkPages } from "./payment-link-routes.ts";
import { paymentRoutes } from "./payment-routes.ts";
import { ofMainCurrency, RETURNS_CSV_PATH, returnsCsv } from "./returns.ts";
import { searchPages } from "./search-routes.ts";
import { viewRoutes, viewsOf } from "./view-routes.ts";
import { subscriptionPageRoutes } from "./subscription-routes.ts";

const SHOWN_OF_CUSTOMER = 20;
const NEWEST = 10;

const customerQuery = listQueryOf(queryWithColumns(CustomerQuery.properties, CUSTOMER_COLUMNS));

/** Declares the pages. */
export function pageRoutes(console: ConsoleRouter, deps: Deps): void {
  homeRoute(console, deps);
  paymentRoutes(console, deps);
  viewRoutes(console, deps);
  paymentLinkPages(console, deps);
  customerRoutes(console, deps);
  subscriptionPageRoutes(console, deps);
  mandatePageRoutes(console, deps);
  chargebackPageRoutes(console, deps);
  bankPageRoutes(console, deps);
  heldPages(console, deps);
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
      if (!call.may("payments.read")) return seeOther(OPERATOR_PATH);
      const now = deps.time.now(tenant);
      const today = utcDate(now);
      const span = spanOf(call.query.days);
      const { from, before } = spanDays(today, span);
      const shown = { from, to: today };
      // Every fourth waits for the one before (db/at-once.ts): the shortest behind the longest.
      const [asOf, byDay, waiting, newest, reasons, coming, back, comingAsOf] = await Promise.all([
        figuresAsOf(deps.db, tenant, shown),
        figures(deps.db, tenant, { from: before, to: today }, { period: "day", group: null }),
        needsAttention(deps, tenant),
        listTransactions(deps.db, tenant, transactionFilters({}), newestRows(NEWEST)),
        figures(deps.db, tenant, shown, { period: "total", group: "reason" }),
        expectedByDay(deps.db, tenant, comingDays(today)),
        returnsTriangle(deps.db, tenant, today, WEEKS_SHOWN),
        expectedAsOf(deps.db, tenant, comingDays(today)),
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
        expectedAsOf: comingAsOf,
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

  console.get(EXPECTED_CSV_PATH, "payments.read", {
    summary: "What is expected in the next 30 days, as CSV",
    schema: { response },
    async handle({ person: { tenant } }) {
      const today = utcDate(deps.time.now(tenant));
      const rows = await expectedByDay(deps.db, tenant, comingDays(today));
      return csvAnswer(`expected-${today}.csv`, expectedCsv(rows));
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
    ...attachmentHeader(name),
    "cache-control": "no-store",
  };
  return { status: 200, headers, body };
}

/** The period in an address; thirty days by default. */
function spanOf(days: string | undefined): Span {
  return SPANS.find((span) => String(span) === days) ?? 30;
}

const newestRows = (limit: number) => ({ ...NEWEST_FIRST, limit });

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
      const [page, views] = await Promise.all([
        readListPage(deps, { tenant, path: CUSTOMERS_PATH }, given, (window) =>
          listCustomers(deps.db, tenant, filters, window),
        ),
        viewsOf(deps, call, "customers"),
      ]);
      const body = customersPage({ words, now: deps.time.now(tenant), given, views, ...page });
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
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        return showCustomer(deps, call, id, { problem: refusedWords(call.words, error) });
      }
      return seeOther(`${CUSTOMERS_PATH}${id}/`);
    },
  });
}

/**
 * A customer, and the open dialog.
 * @throws Refusal not_found.
 */
async function showCustomer(
  deps: Pick<Deps, "db" | "time">,
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
  return call.page(fullName(customer), body, {
    headed: true,
    status: erasing !== null && erasing.problem !== null ? 409 : 200,
  });
}
