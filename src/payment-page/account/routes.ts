/** The page of a customer's account: {host_url}/pay/account/{token}/. Opening it writes nothing. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Answer, Failure, Router } from "../../http/endpoint.ts";
import { debitOf } from "../../gateways/debits.ts";
import { utcDate, type IsoDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { customerAuthor } from "../../management/audit/audit.ts";
import { documentAnswer } from "../../mandates/routes.ts";
import { findMandate } from "../../mandates/store.ts";
import { Refusal } from "../../refusals.ts";
import { nextDebits } from "../../subscriptions/next-debit.ts";
import { failedPaymentUrl } from "../../subscriptions/failed/token.ts";
import { NOTHING } from "../../files/html.ts";
import type { Pages } from "../build-pages.ts";
import { mandateWordsOf, textOnForm } from "../mandate-text.ts";
import type { Faults } from "../render/form.ts";
import { merchantPage, merchantPanel } from "../render/frame.ts";
import { endedBody } from "../render/messages.ts";
import { troubleOf } from "../trouble.ts";
import { changeAccount } from "./change.ts";
import { changePage } from "./change-page.ts";
import { cancelOwn } from "./cancel.ts";
import { readAccountToken } from "./link.ts";
import { deviceOf } from "../device.ts";
import { accountLinkRoute } from "./link-route.ts";
import { accountPage, type AccountSheet } from "./account-page.ts";
import {
  findAccount,
  activeMandateOf,
  activeMandatesOf,
  paymentsOf,
  subscriptionsOf,
  type AccountMandate,
  type AccountPageRow,
  type AccountPayment,
} from "./store.ts";

const PAGE = "/pay/account/{token}/";
const Token = Type.Object({ token: Type.String() });
const Owned = Type.Object({ token: Type.String(), id: Type.String() });
const Query = Type.Object({
  lang: Type.Optional(Type.String()),
  /** The mandate whose account has just been changed. */
  changed: Type.Optional(Type.String()),
});
const ChangeForm = Type.Object({
  iban: Type.Optional(Type.String()),
  accepted: Type.Optional(Type.String()),
  /** The mandate text on the submitted form. */
  text: Type.Optional(Type.String()),
});
/** The customer who opened the page. */
interface Visit {
  readonly tenant: number;
  readonly leadId: string;
  readonly account: AccountPageRow;
  readonly isOver: boolean;
}

interface PageCall {
  readonly params: { readonly token: string };
  readonly query: { readonly lang?: string };
  readonly headers: Failure["headers"];
}

/** Declares the routes. */
export function customerAccountRoutes(router: Router, deps: Deps, pages: Pages): void {
  accountLinkRoute(router, deps);
  const here = {
    tag: "Payment page",
    hidden: true,
    access: "anyone",
    renderError: troubleOf(pages, (token) => pages.accountPathOf(token)),
  } as const;
  const shown = { ...here, limit: "page" } as const;
  const done = { ...here, limit: "payment_link", body: "form" } as const;
  const response = { 200: Type.Unknown() };
  /** Runs a handler for a link that has not expired. */
  function opened<Call extends PageCall>(handle: (call: Call, visit: Visit) => Promise<Answer>) {
    return async (call: Call): Promise<Answer> => {
      const visit = await visitOf(deps, call.params.token);
      return visit.isOver ? overPage(pages, call, visit) : handle(call, visit);
    };
  }

  router.add("GET", PAGE, {
    ...shown,
    summary: "The page of a customer's account",
    schema: { params: Token, query: Query, response },
    handle: opened((call, visit) => showAccount(deps, pages, call, visit)),
  });

  router.add("GET", `${PAGE}mandates/{id}/`, {
    ...shown,
    summary: "The form for another account of a mandate",
    schema: { params: Owned, query: Query, response },
    handle: opened(async (call, visit) => {
      const mandate = await changeable(deps, visit, call.params.id);
      return showChange(deps, pages, call, visit, { mandate, isAccepted: false, faults: {} });
    }),
  });

  router.add("POST", `${PAGE}mandates/{id}/`, {
    ...done,
    summary: "Have a mandate's debits made from another account",
    schema: { params: Owned, query: Query, body: ChangeForm, response },
    handle: opened(async (call, visit) => {
      const { operationId } = call;
      const { tenant, leadId, account } = visit;
      const mandate = await changeable(deps, visit, call.params.id);
      const { iban = "", accepted, text } = call.body;
      const author = customerAuthor(call);
      const words = pages.wordsOf(account, { chosen: call.query.lang, headers: call.headers });
      const isAccepted = accepted !== undefined && text === textOnForm(mandate, words.language);
      const device = deviceOf(deps, tenant, account.device_accounts_max, call);
      const whose = { tenant, leadId, account, mandate, words, operationId, author };
      const faults = await changeAccount(deps, { ...whose, iban, isAccepted, device });
      return Object.keys(faults).length > 0
        ? showChange(deps, pages, call, visit, { mandate, isAccepted, faults })
        : seeAccount(pages, call, `changed=${mandate.id}`);
    }),
  });

  router.add("GET", `${PAGE}mandates/{id}/document/`, {
    ...shown,
    summary: "The customer's copy of a mandate",
    schema: { params: Owned, query: Query, response },
    handle: opened(async (call, visit) => {
      const { tenant } = visit;
      const { id } = await ownMandate(deps, visit, call.params.id);
      const signed = await findMandate(deps.db, tenant, id);
      if (signed === null) throw new Refusal("not_found");
      return documentAnswer(signed, await mandateWordsOf(deps.db)(tenant, null, signed));
    }),
  });

  router.add("POST", `${PAGE}subscriptions/{id}/cancel/`, {
    ...done,
    summary: "End a subscription of the customer's own",
    schema: { params: Owned, query: Query, body: Type.Object({}), response },
    handle: opened(async (call, { tenant, leadId }) => {
      const { params, operationId } = call;
      await cancelOwn(deps, leadId, { tenant, id: params.id, operationId, author: customerAuthor(call) });
      return seeAccount(pages, call, null);
    }),
  });
}

/**
 * The customer that a token belongs to.
 * @throws Refusal not_found if this service did not issue the token.
 */
async function visitOf(deps: Pick<Deps, "clock" | "db" | "keys">, token: string): Promise<Visit> {
  const address = readAccountToken(deps.keys, token);
  const account = address === null ? null : await findAccount(deps.db, address.tenant, address.id);
  if (address === null || account === null) throw new Refusal("not_found");
  const { tenant, id: leadId, expiresAt } = address;
  return { tenant, leadId, account, isOver: expiresAt <= deps.clock.now() };
}

async function showAccount(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log" | "publicUrl" | "time">,
  pages: Pages,
  call: PageCall & { readonly query: { readonly changed?: string } },
  { tenant, leadId, account }: Visit,
): Promise<Answer> {
  const now = deps.time.now(tenant);
  const today = utcDate(now);
  const [subscriptions, mandates, payments] = await Promise.all([
    subscriptionsOf(deps.db, tenant, leadId, today),
    activeMandatesOf(deps.db, tenant, leadId),
    paymentsOf(deps.db, tenant, leadId),
  ]);
  const changed = mandates.find(({ id }) => id === call.query.changed) ?? null;
  const failedPath = (id: string) => new URL(failedPaymentUrl(deps, { tenant, id })).pathname;
  const ids = subscriptions.map((one) => one.id);
  const shown = {
    subscriptions,
    mandates,
    payments,
    changed,
    failedPath,
    nextDebits: await nextDebits(deps, tenant, ids, now),
    debitDays: await debitDaysOf(deps, tenant, payments),
  };
  return page(pages, 200, call, account, (sheet) => accountPage(sheet, shown));
}

/** The debit days of pending payments by payment, if their gateways give them. */
async function debitDaysOf(
  deps: Parameters<typeof debitOf>[0],
  tenant: number,
  payments: readonly AccountPayment[],
): Promise<ReadonlyMap<string, IsoDate>> {
  const days = new Map<string, IsoDate>();
  for (const one of payments.filter(({ status }) => status === "pending")) {
    const debit = await debitOf(deps, tenant, one, one.merchant_transaction_id);
    if (debit !== null) days.set(one.id, debit.day);
  }
  return days;
}

function showChange(
  deps: Pick<Deps, "time">,
  pages: Pages,
  call: PageCall,
  { tenant, account }: Visit,
  form: { readonly mandate: AccountMandate; readonly isAccepted: boolean; readonly faults: Faults },
): Promise<Answer> {
  const status = Object.keys(form.faults).length > 0 ? 422 : 200;
  const now = deps.time.now(tenant);
  return page(pages, status, call, account, (sheet) => changePage(sheet, { ...form, now }));
}

function overPage(pages: Pages, call: PageCall, { account }: Visit): Promise<Answer> {
  return page(pages, 410, call, account, (sheet) =>
    merchantPage(sheet, endedBody(sheet, "linkOver", null, null), merchantPanel(sheet, NOTHING)),
  );
}

function page(
  pages: Pages,
  status: number,
  { params, query, headers }: PageCall,
  account: AccountPageRow,
  pageOf: (sheet: AccountSheet) => ReturnType<typeof accountPage>,
): Promise<Answer> {
  const at = { path: pages.accountPathOf(params.token), chosen: query.lang, headers };
  return pages.merchant(status, account, at, (sheet) => pageOf({ ...sheet, row: account }));
}

/**
 * The customer's active mandate with this id.
 * @throws Refusal not_found.
 */
async function ownMandate(
  deps: Pick<Deps, "db">,
  { tenant, leadId }: Visit,
  id: string,
): Promise<AccountMandate> {
  const mandate = isUuid(id) ? await activeMandateOf(deps.db, tenant, leadId, id) : null;
  if (mandate === null) throw new Refusal("not_found");
  return mandate;
}

/**
 * The mandate, if it is recurrent: nothing more is debited under a mandate for one payment.
 * @throws Refusal not_found.
 */
async function changeable(deps: Pick<Deps, "db">, visit: Visit, id: string): Promise<AccountMandate> {
  const mandate = await ownMandate(deps, visit, id);
  if (mandate.type !== "recurrent") throw new Refusal("not_found");
  return mandate;
}

/** Redirects to the page by GET, so that a reload repeats nothing. */
function seeAccount(pages: Pages, { params, query }: PageCall, what: string | null): Answer {
  const chosen = query.lang === undefined ? [] : [`lang=${encodeURIComponent(query.lang)}`];
  const search = [...chosen, ...(what === null ? [] : [what])].join("&");
  const path = pages.accountPathOf(params.token);
  return { status: 303, headers: { location: search === "" ? path : `${path}?${search}` }, body: "" };
}
