/** The page of a failed payment: {host_url}/pay/failed/{token}/. */
import type { Deps } from "../../deps.ts";
import { debitOf } from "../../gateways/debits.ts";
import type { Answer, Router } from "../../http/endpoint.ts";
import { customerAuthor } from "../../management/audit/audit.ts";
import { Type } from "../../lib/schema.ts";
import { utcDate } from "../../lib/dates.ts";
import { Refusal } from "../../refusals.ts";
import { repay, repaymentUrl } from "../../sessions/repay/repay.ts";
import { findRepayable } from "../../sessions/repay/store.ts";
import { retryFailedPayment } from "../../subscriptions/failed/retry.ts";
import { findFailed } from "../../subscriptions/failed/store.ts";
import { readFailedToken } from "../../subscriptions/failed/token.ts";
import type { Pages } from "../build-pages.ts";
import { troubleOf } from "../trouble.ts";
import { failedPage, failedState } from "./failed-page.ts";
import { findFailedPage } from "./store.ts";

const PAGE = "/pay/failed/{token}/";
const Token = Type.Object({ token: Type.String() });
const Query = Type.Object({ lang: Type.Optional(Type.String()) });

/** Declares the routes. */
export function failedPaymentRoutes(router: Router, deps: Deps, pages: Pages): void {
  const here = {
    tag: "Payment page",
    hidden: true,
    access: "anyone",
    renderError: troubleOf(pages, (token) => pages.failedPathOf(token)),
  } as const;

  router.add("GET", PAGE, {
    ...here,
    summary: "The page of a failed payment",
    limit: "page",
    schema: { params: Token, query: Query, response: { 200: Type.Unknown() } },
    async handle({ params, query, headers }) {
      const { tenant, id } = addressed(deps, params.token);
      const failed = await findFailed(deps.db, tenant, id, utcDate(deps.time.now(tenant)));
      const row = await findFailedPage(deps.db, tenant, id);
      if (row === null) throw new Refusal("not_found");
      const at = { path: pages.failedPathOf(params.token), chosen: query.lang, headers };
      if (failed === null) {
        const first = await findRepayable(deps.db, tenant, id, utcDate(deps.time.now(tenant)));
        const isPaid = first?.status === "approved";
        const url = isPaid ? null : await repaymentUrl(deps, { tenant, id });
        if (url !== null) return seeOther(url, query);
        const state = isPaid ? "paid" : first?.may_be_repaid === true ? "open" : "closed";
        const shown = { state, reason: null, paidAt: first?.processed_at ?? null, debit: null } as const;
        return pages.merchant(200, row, at, (sheet) => failedPage({ ...sheet, row }, shown));
      }
      const state = failedState(failed);
      const isMade = state === "submitted" || state === "paid";
      const debit = isMade ? await debitOf(deps, tenant, failed, failed.newest_reference) : null;
      const { newest_error_code: reason, newest_created_at: paidAt } = failed;
      const shown = { state, reason, paidAt, debit };
      return pages.merchant(200, row, at, (sheet) => failedPage({ ...sheet, row }, shown));
    },
  });

  router.add("POST", PAGE, {
    ...here,
    summary: "Have a failed payment made again",
    limit: "payment_link",
    body: "form",
    schema: { params: Token, query: Query, body: Type.Object({}), response: { 200: Type.Unknown() } },
    async handle(call) {
      const { params, query, operationId } = call;
      const address = addressed(deps, params.token);
      const url = await repay(deps, address);
      if (url !== null) return seeOther(url, query);
      await retryFailedPayment(deps, { ...address, operationId, author: customerAuthor(call) });
      const search = query.lang === undefined ? "" : `?lang=${encodeURIComponent(query.lang)}`;
      return { status: 303, headers: { location: pages.failedPathOf(params.token) + search }, body: "" };
    },
  });
}

/** Redirects to the page of the session that repeats a first payment. */
function seeOther(url: string, { lang }: { readonly lang?: string }): Answer {
  const search = lang === undefined ? "" : `?lang=${encodeURIComponent(lang)}`;
  return { status: 303, headers: { location: new URL(url).pathname + search }, body: "" };
}

/**
 * The payment that a token belongs to.
 * @throws Refusal not_found if this service did not issue the token.
 */
function addressed({ keys }: Pick<Deps, "keys">, token: string) {
  const address = readFailedToken(keys, token);
  if (address === null) throw new Refusal("not_found");
  return address;
}
